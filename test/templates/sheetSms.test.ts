import { picked } from '../kit/workflows/workflowFiles';
import { HEADERS, testRows } from './rows';
import { has, orderOf as row, OTHER, PHONE, SHIPPED, useTemplate } from './run';

const SHEET = { documentId: picked('sheet') };

const template = useTemplate('sheet-sms', {
  'Send the SMS': SHIPPED,
  'Read the sheet': SHEET,
  'Write the status': SHEET,
});

const { n8n } = template;

const hour = async () => await template.run('Every hour', {});

const ordersSent = () =>
  [PHONE, OTHER].flatMap((phone) => template.sentTo(phone)).map(({ order }) => order);

const SAME_ORDER = /: Another row has the same order\./;

testRows({
  ...template,
  handIn: async (rows) => {
    n8n.sheet = rows.map((each) => ({ ...each }));
    const { error = '' } = await hour();
    return n8n.sheet.map(({ status, reason }, index) => {
      const failed = new RegExp(`^Row ${index + 2}: .*`, 'm').exec(error);
      return `${String(status)}: ${failed ? failed[0] : String(reason)}`;
    });
  },
  // Google gives texts.
  holds: (cell) => typeof cell === 'string',
  // A row is found by its order. One with a status is left as it is.
  saysFirst: ({ order, kind }, rows) => {
    if (order === '' || rows.filter((each) => each.order === order).length === 1) return undefined;
    return kind?.field === 'status' ? /: undefined$/ : SAME_ORDER;
  },
  keyOf: ({ order }) => order,
  again: SAME_ORDER,
});

test('one SMS for each row, and its status; what cannot be found fails the execution, behind the others', async () => {
  const written = ['accepted', 'rejected', 'unknown', 'skipped', 'done'];
  n8n.sheet = [
    ...[row('A-1'), row('A-2', { phone: '1381' }), row('', { phone: OTHER }), {}],
    ...[row('A-3'), row('A-3'), row('A-4', { phone: OTHER })],
    ...written.map((status) => row(`A-${status}`, { status, reason: 'As it was' })),
  ];
  await hour();
  const after = structuredClone(n8n.sheet);
  // The next hour sends and writes nothing.
  const { error, runs } = await hour();
  expect(n8n.sheet).toEqual(after);
  expect(runs('Write the status')).toBe(0);
  expect(ordersSent()).toEqual(['A-1', 'A-4']);
  expect(after.map(({ status = '', reason = '' }) => [status, reason])).toEqual([
    ['accepted', ''],
    ['rejected', has('1381')],
    ...Array.from({ length: 4 }, () => ['', '']),
    ['accepted', ''],
    ...written.map((status) => [status, 'As it was']),
  ]);
  const same = 'Another row has the same order.';
  expect(error).toBe(`Row 4: It has no order.\nRow 6: ${same}\nRow 7: ${same}`);
});

test('a sheet without rows', async () => expect((await hour()).error).toBeUndefined());

test('a row is sent once, also where its status could not be written; what was refused, when its status is emptied', async () => {
  n8n.sheet = [row('A-1'), row('A-2', { phone: '1381' })];
  await hour();
  Object.assign(n8n.sheet[1] ?? {}, { phone: OTHER });
  await hour();
  expect(ordersSent()).toEqual(['A-1']);
  Object.assign(n8n.sheet[1] ?? {}, { status: '' });
  await hour();
  expect(ordersSent()).toEqual(['A-1', 'A-2']);
  // Phone and order written otherwise, too.
  for (const same of [row('A-1'), row('Ａ\u20111 ', { phone: `+86 ${PHONE}` })]) {
    n8n.sheet = [same];
    await hour();
    expect(n8n.sheet).toMatchObject([{ status: 'skipped' }]);
  }
  expect(ordersSent()).toEqual(['A-1', 'A-2']);
});

test('sorted while it was sent: each status is in its row', async () => {
  n8n.sheet = [row('A-1'), row('A-2', { phone: '1381' }), row('A-3', { phone: OTHER })];
  n8n.beforeWriting = () => {
    n8n.sheet.reverse().unshift(row('A-0', { status: '' }));
    n8n.beforeWriting = () => undefined;
  };
  expect((await hour()).error).toBeUndefined();
  expect(n8n.sheet.map(({ order, status }) => [order, status])).toEqual([
    ['A-0', ''],
    ['A-3', 'accepted'],
    ['A-2', 'rejected'],
    ['A-1', 'accepted'],
  ]);
});

/** Columns instead of those of the template, or beside them, and why nothing is sent. */
test.each<[name: string, other: string, error: string]>([
  ['order', 'other', 'The sheet has no column order.'],
  ['status', 'other', 'The sheet has no column status.'],
  ['reason', 'other', 'The sheet has no column reason.'],
  ['phone', 'customer', 'No column of the sheet is called phone'],
  ['phone', '手机号', ''],
  ...['action', 'in_sheet', 'line'].map((name): [string, string, string] => ['', name, '']),
  ...HEADERS.map(([header, means]): [string, string, string] => {
    const error = means && `Two columns mean ${means}: ${means}, ${header}.`;
    return ['', header, error];
  }),
])('instead of %j a column %s', async (name, other, error) => {
  n8n.columns = [...n8n.columns.filter((each) => each !== name), other];
  n8n.sheet = [row('A-1', { [other]: PHONE })];
  expect((await hour()).error ?? '').toContain(error);
  expect(ordersSent()).toEqual(error ? [] : ['A-1']);
  if (!error) expect(n8n.sheet).toMatchObject([{ status: 'accepted', [other]: PHONE }]);
});

/** Columns beside an empty status, and whether they may be one. */
test.each<[headers: string[], isOne: boolean]>([
  [['is_sent', 'IsSent', 'sent_at', 'Send time', 'SMS sent date', 'notified', 'Notified at'], true],
  [
    ['发送时间', '發送時間', '发送结果', '发送与否', '是否通知', '已通知', '通知时间', '短信结果'],
    true,
  ],
  [['已提醒', '发送次数', '是否已推送', '通知状态', '是否短信通知', '发送失败'], true],
  [
    ['退订', '退訂', '是否退订', '已退订', 'Opt out', 'opted-out', 'opt_in', 'SMS opt-out date'],
    true,
  ],
  [['黑名单', '是否黑名单', '拉黑', '停发', '禁发', '免打扰', 'blacklist', 'Blacklisted'], true],
  [['Unsubscribed', 'Do not contact', 'DNC', 'Do-Not-Disturb', '拒收短信', '停止发送'], true],
  [['Opt-out status', 'Last sent', 'Reminder sent', '客户退订', '取消订阅', '暂不发送'], true],
  [['无需通知', '请勿打扰', '是否退订短信'], true],
  [
    ['是否发货', '发货时间', '发货状态', '订单状态', '通知', '短信通知', '通知内容', '短信内容'],
    false,
  ],
  [
    ['发送人', '发送内容', '发票', '是否已开发票', '预约时间', '下单时间', '备注', '拒收', '结果'],
    false,
  ],
  [
    ['date sent to warehouse', 'Sender', 'Sent by', 'time', 'sms', 'Notes', '短信', 'Delivered'],
    false,
  ],
])('columns such as %j beside the status', async (headers, isOne) => {
  const columns = n8n.columns;
  for (const header of headers) {
    template.forget();
    n8n.columns = [...columns, header];
    n8n.sheet = [row('A-1', { [header]: 'x' })];
    const { error = '' } = await hour();
    expect([header, ordersSent(), error]).toEqual([
      header,
      isOne ? [] : ['A-1'],
      isOne ? has(`The column ${header} may say `) : '',
    ]);
  }
});

test('a column that the send uses is no status', async () => {
  const idempotencyKey = '=row-{{ $json.phone }}-{{ $json["发送时间"] }}';
  template.choose({ 'Send the SMS': { ...SHIPPED, options: { idempotencyKey } } });
  n8n.columns = [...n8n.columns, '发送时间'];
  n8n.sheet = [row('A-1', { 发送时间: '9:00' })];
  await hour();
  expect(ordersSent()).toEqual(['A-1']);
});

test('the balance is used up: each row says so, and nobody is tried each hour', async () => {
  template.refuse();
  n8n.sheet = [row('A-1'), row('A-2')];
  await hour();
  await hour();
  const refused = { status: 'rejected', reason: has('余额不足') };
  expect(n8n.sheet).toMatchObject([refused, refused]);
  expect(template.gateway.requests.filter(({ path }) => path.endsWith('/send'))).toHaveLength(1);
});
