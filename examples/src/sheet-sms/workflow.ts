import { base, lane, mapped, MAY_RUN, mobileOf, sendTemplate, when, workflow } from '../parts';
import type { Way } from '../parts';

/** The document, which the user chooses in both nodes. Without a sheet, n8n would forget the columns. */
const SHEET = {
  resource: 'sheet',
  documentId: { __rl: true, mode: 'list', value: '' },
  sheetName: { __rl: true, mode: 'name', value: 'Sheet1' },
};

/** The nodes of the sheet wait for the user: n8n publishes no workflow whose nodes lack a credential. */
const OFF = { disabled: true };

const GOOGLE: Way = { needs: 'googleSheetsOAuth2Api', ...OFF };

/**
 * Each row, with whether it is to be sent, and why it is not understood. Google finds a row by its key: an
 * order that no other row has.
 */
const READ = String.raw`const PHONE = /^((mobile|cell|tele)?phone|mobile|cell|tel)(no|number)?$|^(客户|顾客|会员|用户|买家|收件人|收货人|联系人|联系|移动)?(手机|电话|手機|電話)(号码|号|號碼)?$/;
const OTHERS = { __proto__: null, name: 'name', 姓名: 'name', order: 'order', 订单号: 'order', date: 'date', 日期: 'date', status: 'status', reason: 'reason' };
const LOST = /^[-+]?\d+(\.\d+)?E[-+]\d+$|^#(#+|N\/A|(REF|NUM|NULL|VALUE|DIV\/0)!|NAME\?)$/i; // What Excel shows instead of a value.
const bare = (header) => String(header ?? '').normalize('NFKC').replace(/\(.*?\)|[\s*:._-]/g, '').toLowerCase();
const nameOf = (header) => (PHONE.test(bare(header)) ? 'phone' : OTHERS[bare(header)] ?? String(header ?? '').trim());
const given = $input.all().map(({ json }) => json);
const isGoogle = given.some((row) => row.row_number !== undefined);
const refuse = (told) => [{ json: { told, isGoogle } }];
let table = given.map(({ row }) => row ?? []);
if (isGoogle) {
  const header = given.find((row) => row.row_number === 'row_number');
  for (const name of header ? ['order', 'status', 'reason'] : []) if (header[name] !== name) return refuse('The sheet has no column ' + name + '.');
  const names = [...new Set(given.flatMap((row) => Object.keys(row)))];
  table = [names, ...given.filter((row) => row !== header).map((row) => names.map((name) => row[name]))];
}
const start = isGoogle ? '' : (await helpers.getBinaryDataBuffer(0, $('A file').first().binary.file)).toString('hex', 0, 2);
if (!isGoogle && !/504b|d0cf/.test(start)) { // No workbook. Without a byte order mark, each character is a byte.
  let text = table.map((cells) => cells.join('\x1f')).join('\x1e');
  const bytes = Buffer.from(text, 'latin1');
  const pairs = text.match(/[\x81-\xfe][\x40-\xfe]/g) ?? [];
  const isUtf8 = Buffer.from(bytes.toString()).equals(bytes) || pairs.filter((pair) => !/^[\xa1-\xf7][\xa1-\xfe]$/.test(pair)).length * 4 > pairs.length;
  if (!/efbb|fffe/.test(start)) text = new TextDecoder(isUtf8 ? 'utf-8' : 'gb18030').decode(bytes);
  if (/[\0\ufffd]/.test(text)) return refuse('Its characters cannot be read. Save it as CSV UTF-8.');
  table = text.split('\x1e').map((line) => line.split('\x1f'));
  const open = table.findIndex((cells) => cells.some((cell) => /^"[^"]*$|[,;\t].*\n|\n.*[,;\t]/.test(cell)));
  if (open !== -1) return refuse('Row ' + (open + 1) + ': a quotation mark is not closed. A cell with a line break may have no comma, semicolon or tab.');
  table = table.map((cells) => cells.map((cell) => cell.replace(/^(?:\s+|=)"([^"]*)"\s*$|^'(?=[\d+])/, '$1').trim())); // Shops guard digits: ="0012".
}
const top = table.findIndex((cells) => cells.some((cell) => nameOf(cell) === 'phone'));
const names = Array.from(table[top] ?? [], nameOf);
if (top === -1) return refuse('No column is called phone, 手机号 or 电话. Row 1: ' + (table[0] ?? []).join(', ').slice(0, 200));
if (names.some((name, column) => name && names.indexOf(name) < column)) return refuse('Two columns have one name: ' + names.join(', '));
const used = JSON.stringify($('Send the SMS').params);
const orders = table.map((cells) => cells[names.indexOf('order')]);
const rows = table.slice(top + 1).flatMap((cells, index) => {
  const filled = cells.map((cell, column) => [names[column], cell]).filter(([name, cell]) => name && /\S/.test(cell ?? ''));
  const row = { row_number: top + index + 2, ...Object.fromEntries(filled) };
  const isTwice = isGoogle && orders.indexOf(row.order) !== orders.lastIndexOf(row.order);
  const [raw] = filled.find(([name, cell]) => used.includes(name) && (LOST.test(cell) || (name !== 'phone' && typeof cell !== 'string'))) ?? [];
  const told = (raw && (LOST.test(row[raw]) ? 'Its ' + raw + ' is ' + row[raw] + ': enter it again, in a column that is Text.' : 'How Excel shows ' + raw + ' is not known: make that column Text, or save the sheet as CSV.'))
    || (cells.slice(names.length).some((cell) => /\S/.test(cell ?? '')) && 'It has more cells than the header.') || (!/\d/.test(row.phone ?? '') && 'It has no phone number.')
    || (!row.order && 'It has no order.') || (isTwice ? 'Another row has the same order.' : undefined);
  const send = !told && !['accepted', 'unknown', 'skipped'].includes(row.status);
  if (filled.length <= Number(isGoogle) || (isGoogle && !send && !told)) return [];
  return [{ json: { ...row, told, send, isGoogle, key: isGoogle && !isTwice ? row.order : undefined } }];
});
return rows.length > 0 || isGoogle ? rows : refuse('There is no row below the header.');`;

/** The last page of the form, and the file with what became of each row. A file that is refused is one row. */
const TELL = String.raw`const rows = $input.all().map(({ json }, index) => {
  const { told, key, send, isGoogle, row_number, ...row } = $('Read the rows').itemMatching(index).json;
  const { status, msg = json.error ?? row.reason } = told ? { status: 'rejected', msg: told } : json.details ?? json;
  return { isGoogle, row_number, send, row: { ...row, status, reason: status === 'accepted' ? '' : msg } };
}).sort((one, other) => one.row_number - other.row_number);
const told = ({ row_number, row }) => (row_number ? 'Row ' + row_number + ': ' + row.status + '. ' : '') + (row.reason ?? '');
const lines = rows.filter(({ send, row }) => !send || row.status !== 'accepted').map(told);
if (rows[0].isGoogle) throw new Error(lines.join('\n')); // These have no key: nothing can be written into them.
const isUnknown = rows.some(({ row }) => row.status === 'unknown');
const title = lines.length < rows.length || isUnknown ? 'Sent: ' + (rows.length - lines.length) + ' of ' + rows.length + ' rows' + (isUnknown ? ', or more' : '') : 'Nothing was sent';
const names = [...new Set(rows.flatMap(({ row }) => Object.keys(row)))];
const cellOf = (value) => String(value ?? '').replace(/^.*[",\r\n].*$/s, (cell) => '"' + cell.replaceAll('"', '""') + '"');
const csv = [names, ...rows.map(({ row }) => names.map((name) => row[name]))].map((cells) => cells.map(cellOf).join(',')).join('\r\n');
return [{ json: { title, text: [...lines.slice(0, 20), lines.length > 20 ? '…' : '', 'The file says it for each row.'].join('\n') }, binary: { data: { data: Buffer.from('\ufeff' + csv).toString('base64'), mimeType: 'text/csv', fileName: 'sent.csv' } } }];`;

export default workflow(
  {
    name: 'Sheet → SMS',
    about: `## Sheet → SMS
One SMS for each row of a Google Sheet, or of an Excel or CSV file, and the status back into the row. A row is sent once: its phone and order are its key. What was not sent is tried again next time. A row that is not understood is not sent, and you are told which.

Google 表格、Excel 或 CSV 文件，一行一条短信，结果写回该行。一行只发一次，以手机号和订单号为准；没发出去的下次再试。看不懂的行不发，并告诉您行号。`,
    setUp: `### Set up here
- *Send the SMS*: your credential, signature and template. Then map its parameters: n8n may have emptied them. Here they are \`name\`, \`order\` and \`date\`, the columns of the table.
- For files, that is all. They have these columns and \`phone\`, 手机号 or 电话. Of an Excel file, n8n does not read how dates, times and other numbers are shown: make these columns Text, or save the sheet as CSV.
- Or a Google Sheet: activate *Every hour*, *Read the sheet* and *Write the status* (press D); in the last two, a Google credential and the document. Its sheet \`Sheet1\` has the columns \`status\` and \`reason\` too, and no \`order\` twice: a row is found by it. If something cannot be written there, a failed execution says so.
### 设置
- *Send the SMS*：凭据、签名、模板，再映射变量（n8n 可能已清空）。这里是表格的列 \`name\`、\`order\`、\`date\`，中文列名“姓名”“订单号”“日期”也行。
- 用文件：这样就够了，文件里还要有一列“手机号”、“电话”或 \`phone\`。Excel 里的日期、时间和其他数字，n8n 读不到显示的样子：请把这些列设成“文本”，或存成 CSV。
- 用 Google 表格：启用 *Every hour*、*Read the sheet*、*Write the status*（按 D），后两个选 Google 凭据和文档。工作表 \`Sheet1\` 另有 \`status\` 和 \`reason\` 列，\`order\` 不能重复。按 \`order\` 找到要写的行；写不进去的，见失败的执行。`,
    tryIt: `### Try it · 试一下
**Execute workflow** asks for a file. It sends.
点 **Execute workflow**，选一个文件，会真的发送。`,
  },
  lane(
    [],
    [
      base('scheduleTrigger', 'Every hour', { rule: { interval: [{ field: 'hours' }] } }, OFF),
      base(
        'googleSheets',
        'Read the sheet',
        {
          ...SHEET,
          operation: 'read',
          options: {
            outputFormatting: { values: { general: 'FORMATTED_VALUE', date: 'FORMATTED_STRING' } },
            // The header comes as a row, too: n8n leaves out of a row what is empty behind its last cell.
            dataLocationOnSheet: {
              values: { rangeDefinition: 'specifyRange', headerRow: 1, firstDataRow: 1 },
            },
          },
        },
        GOOGLE,
      ),
      base('code', 'Read the rows', { jsCode: READ }),
      [when('Can it be sent?', '={{ $json.send === true }}'), 1],
      // Otherwise each way to it would make a page.
      [base('merge', 'All rows', { numberInputs: 3 }), 0, 2],
      when('In the sheet?', "={{ $('Read the rows').item.json.key !== undefined }}"),
      base(
        'googleSheets',
        'Write the status',
        {
          ...SHEET,
          operation: 'update',
          columns: {
            ...mapped({
              order: "={{ $('Read the rows').item.json.key }}",
              status: "={{ $json.told ? 'rejected' : $json.details?.status ?? $json.status }}",
              reason:
                "={{ $json.told ?? $json.details?.msg ?? ($json.status === 'accepted' ? '' : $json.msg) }}",
            }),
            matchingColumns: ['order'],
          },
          options: { cellFormat: 'RAW' },
        },
        GOOGLE,
      ),
    ],
    [
      'Can it be sent?',
      sendTemplate('Send the SMS', {
        to: '={{ $json.phone }}',
        parameters: {
          name: '={{ $json.name }}',
          order: '={{ $json.order }}',
          date: '={{ $json.date }}',
        },
        // The same row in another notation is the same message.
        key: `=row-{{ ${mobileOf('$json.phone')} || $json.phone }}-{{ $json.order }}`,
      }),
      'All rows',
    ],
    [
      ['Send the SMS', 1],
      ['All rows', 0, 1],
    ],
    [
      ['In the sheet?', 1],
      base('code', 'What became of it', { jsCode: TELL }),
      base('form', 'Give it back', {
        operation: 'completion',
        respondWith: 'returnBinary',
        completionTitle: '={{ $json.title }}',
        completionMessage: '={{ $json.text }}',
        inputDataFieldName: 'data',
        options: {},
      }),
    ],
    [
      base(
        'formTrigger',
        'A file',
        {
          ...MAY_RUN,
          formTitle: 'Send an SMS to each row of a file',
          formDescription:
            'The first row names the columns: phone, name, order, date. You get the rows back with a status.',
          formFields: {
            values: [
              {
                fieldName: 'file',
                fieldLabel: 'Excel or CSV file',
                fieldType: 'file',
                multipleFiles: false,
                acceptFileTypes: '.xlsx,.csv,.txt',
                requiredField: true,
              },
            ],
          },
          options: { path: 'sheet-sms', buttonLabel: 'Send', appendAttribution: false },
        },
        { version: 2.6 },
      ),
      // It reads text files as well as workbooks, and leaves a text as it is.
      base(
        'extractFromFile',
        'Read the file',
        {
          operation: 'xlsx',
          binaryPropertyName: 'file',
          options: { headerRow: false, range: '0', rawData: true },
        },
        { always: true, goOn: true, version: 1.1 },
      ),
      'Read the rows',
    ],
  ),
);
