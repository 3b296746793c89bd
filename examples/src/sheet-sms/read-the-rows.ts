import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import { plain } from '../plain';
import { bareOf, isFilled, nameOf, problemOfColumns, readRow, takenBy } from '../rowsOfTable';

/** The columns that the sheet has to have by these names: a row is found by its order. */
const COLUMNS = ['order', 'status', 'reason'];

/** The statuses that this workflow writes. */
const WRITTEN = ['accepted', 'rejected', 'unknown', 'skipped'];

/**
 * What another column is called that may say who gets no SMS: sent_at, 是否通知, 退订. 发货时间 is about goods, 发送人
 * and 通知内容 are no status.
 */
const MAYBE_STATUS = new RegExp(
  `^(?!(短信|简讯|簡訊|通知|提醒)*$)(${[
    '(is|was|has|been|already|not|date|last|sms|message|notification|reminder)*(sen[dt]|notif(y|ied)|remind(ed)?|dn[cd])(at|on|time|date|result|status|count)*',
    '(短信|简讯|簡訊|是否|[已要未不别別勿需用无無暂暫请請])*(短信|简讯|簡訊|[发發][送出]?|推送|通知|提醒|[停禁][发發]|停止[发發]送)([时時][间間]|日期|[结結]果|[状狀][态態]|[与與]否|次[数數]|成功|失[败敗]|[过過了])*',
  ].join('|')})$`,
);

/** In whatever other words it stands: 客户退订, Opt-out status. */
const OPT_OUT =
  /退[订訂]|取消[订訂][阅閱]|黑名[单單]|拉黑|[打勿][扰擾]|拒收短信|opt(ed)?(out|in)|unsubscri|(black|block)list|donot(contact|disturb|text)/;

const mayBeStatus = (name: string) => MAYBE_STATUS.test(name) || OPT_OUT.test(name);

/**
 * The rows whose status is empty, and what is to be done with each: `send` it; `tell` in the row why it is not sent;
 * or `fail`, because nothing can be written into it. `in_sheet` is the order as the sheet has it.
 *
 * @throws Error if the sheet lacks a column, or has two for one thing, or may have
 */
export default function read({ $input, $ }: N8n): Item[] {
  const given = $input.all().map(({ json }) => json);
  // The header comes as a row, too: n8n leaves out of a row what is empty behind its last cell.
  const header = given.find(({ row_number }) => row_number === 'row_number') ?? {};
  for (const name of COLUMNS)
    if (header[name] !== name) throw new Error(`The sheet has no column ${name}.`);
  const names = Object.keys(header).map((name) => [name, nameOf(header[name])] as const);
  if (!names.some(([, name]) => name === 'phone'))
    throw new Error('No column of the sheet is called phone, 手机号 or 电话.');
  const problemOfAll = problemOfColumns(Object.values(header));
  if (problemOfAll !== undefined) throw new Error(`${problemOfAll}.`);
  const taken = takenBy($('Send the SMS').params);
  const other = names.find(([, name]) => mayBeStatus(bareOf(name)) && !taken.used.includes(name));
  if (other !== undefined)
    throw new Error(
      `The column ${other[1]} may say who gets no SMS, and only status is read: write that there, and delete or rename the column.`,
    );
  const rows = given
    .filter((row) => row !== header)
    .map((row) => ({
      number: Number(row.row_number),
      row: Object.fromEntries(
        names.map(([key, name]) => [name, row[key]]).filter(([, cell]) => isFilled(cell)),
      ) as Fields,
    }))
    .filter(({ row }) => Object.keys(row).some((name) => name !== 'row_number'));
  const orders = rows.map(({ row }) => plain(row.order));
  return rows.flatMap(({ number, row }, index): Item[] => {
    const { fields, problem } = readRow(row, taken);
    const status = String(row.status ?? '').trim();
    const order = orders[index] ?? '';
    if (WRITTEN.includes(status)) return [];
    if (order === '' || orders.indexOf(order) !== orders.lastIndexOf(order)) {
      const why = order === '' ? 'It has no order.' : 'Another row has the same order.';
      return status === '' ? [{ json: { action: 'fail', line: `Row ${number}: ${why}` } }] : [];
    }
    const tell = (status: string, reason: string) => [
      { json: { action: 'tell', in_sheet: row.order, status, reason } },
    ];
    // Somebody has written it, and a reason too, or it was told.
    if (status !== '')
      return row.reason === undefined
        ? tell(
            status,
            `Not sent: its status is ${status}, and only a row without a status is sent.`,
          )
        : [];
    if (problem !== undefined) return tell('rejected', problem);
    return [{ json: { ...fields, action: 'send', in_sheet: row.order } }];
  });
}
