import { HEADERS, testRows } from './rows';
import { PHONE, SHIPPED, useTemplate } from './run';
import { SHEET_FILES } from '../kit/sheets/sheetFiles';

const template = useTemplate('file-sms', { 'Send the SMS': SHIPPED });

const { n8n } = template;

const PHONES = ['13810000010', '13810000011', '13810000012', '13810000013', '13810000014'];

const YES = 'Yes, send them';

beforeEach(() => {
  n8n.answer = YES;
});

/** The orders that were sent, and what the last page says. The file stands as rows. */
async function upload(file: { fileName: string; bytes: string }) {
  n8n.upload = file;
  const before = ordersSent().length;
  const { error, items, runs } = await template.run('A file', {});
  const [page] = items('Give it back');
  expect(error).toBeUndefined();
  expect(runs('Give it back')).toBe(1);
  const { data } = page?.binary ?? {};
  const csv = Buffer.from(data?.data ?? '', 'base64').toString();
  const { title, text } = page?.json ?? {};
  const asked = n8n.asked.pop();
  return { title, text, csv, asked, sent: ordersSent().slice(before) };
}

const ordersSent = () =>
  PHONES.flatMap((phone) => template.sentTo(phone)).map(({ order }) => order);

/** What the owner expects of a file: what is sent, and what the page says. Of others, that A-1 is sent. */
const FILES: Record<string, { sent: string[]; title?: string; says?: string[]; asks?: string }> = {
  'as it should be': { sent: ['A-1', 'A-2'], title: 'Sent: 2 of 2 rows' },
  GBK: { sent: ['A-1', 'A-2'], title: 'Sent: 2 of 2 rows' },
  'UTF-8 with a byte order mark': { sent: ['A-1', 'A-2'] },
  'UTF-16 the other way round': refused('characters cannot be read'),
  Big5: refused('characters cannot be read'),
  'UTF-8 with a broken byte': refused('characters cannot be read'),
  'Latin-1': refused('characters cannot be read'),
  'no phone column': refused('No column is called phone', 'Row 1: customer, order'),
  'no header': refused('No column is called phone'),
  'two columns of one name': refused('Two columns mean '),
  empty: refused('No column is called phone'),
  'only a header': refused('There is no row below the header.'),
  'a quotation mark that is not closed': refused('Row 3: a quotation mark is not closed.'),
  'one that another row closes': refused('Row 2: a quotation mark is not closed.'),
  'one in the last cell': refused('Row 2: a quotation mark is not closed.'),
  'rows without a phone, an order, a date': {
    sent: ['A-1'],
    title: 'Sent: 1 of 4 rows',
    says: ['Row 3: rejected. It has no phone number.', 'Row 5: rejected. It has no order.'],
  },
  'a row with more cells than the header': {
    sent: ['A-1'],
    says: ['Row 3: rejected. It has more cells than the header.'],
  },
  'rows with a status': {
    sent: ['A-1', 'A-5'],
    title: 'Sent: 2 of 5 rows',
    says: ['Row 3: 不发. Its status is 不发, and only a row without a status is sent'],
  },
  'Excel, with orders that are numbers': {
    sent: ['1001', '123456789012'],
    title: 'Sent: 2 of 4 rows',
    asks: 'Numbers of Excel are read as digits: order 1001. If Excel',
    says: [
      'Row 4: rejected. Its order is the number 40001 in the file, and Excel may show a date',
      'Row 5: rejected. Its order is the number 19.5 in the file',
      'save the sheet as CSV UTF-8, and send that file.',
    ],
  },
  'what came back': { sent: ['A-2'], title: 'Sent: 1 of 2 rows', says: ['Row 2: accepted.'] },
  'Excel, with texts': { sent: ['A-1', '0007'], title: 'Sent: 2 of 2 rows' },
  'Excel, with a date, a time, leading zeros and a percentage': {
    // The owner was asked about the 7, and said that Excel shows it so.
    sent: ['7', 'A-5'],
    title: 'Sent: 2 of 5 rows',
    says: [
      'Row 2: rejected. Its date is the number 46176 in the file',
      'Row 3: rejected. Its date is the number 0.375 in the file',
      'Row 5: rejected. Its date is the number 0.15 in the file',
    ],
  },
  'Excel, that begins in the third row': {
    sent: [],
    title: 'Nothing was sent',
    says: ['Row 4: rejected. It has no phone number.'],
  },
  'no table': refused('No column is called phone'),
};

function refused(...says: string[]) {
  return { sent: [], title: 'Nothing was sent', says };
}

test.each(Object.entries(SHEET_FILES))('%s', async (name, file) => {
  const { sent, title, says = [], asks = '' } = FILES[name] ?? { sent: ['A-1'] };
  const page = await upload(file);
  // Where nothing can be sent, nothing is asked.
  expect(page.asked?.text).toEqual(sent.length > 0 ? expect.stringContaining(asks) : undefined);
  expect(page.sent).toEqual(sent);
  if (title !== undefined) expect(page.title).toBe(title);
  for (const each of says) expect(page.text).toContain(each);
  // A second upload sends nobody twice, and says so.
  const again = await upload(file);
  expect(again.sent).toEqual([]);
  expect(again.title).toBe('Nothing was sent');
  if (sent.length > 0) expect(again.text).toContain('skipped');
});

describe('the page that asks', () => {
  test('says how many, the first, the last, and what is not sent', async () => {
    const { asked } = await upload(SHEET_FILES['rows with a status'] as never);
    expect(asked).toEqual({
      title: 'Send 2 SMS?',
      text: [
        'First: row 2, phone 13810000010, name 李雷, order A-1, date 6月3日',
        'Last: row 6, phone 13810000014, name 丁一, order A-5, date 6月3日',
        'Rows that Excel hides are among them.',
        'Not sent: 3',
        ...['3: Its status is 不发', '4: Its status is done', '5: Its status is unknown'].map(
          (line) =>
            `Row ${line}, and only a row without a status is sent, or with the status rejected.`,
        ),
      ].join('\n'),
    });
  });

  test('has words of the file as text, and at most twenty reasons', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `none,<img src=x>,A-${index},June 3`);
    const { asked, text } = await upload(csvOf(HEADER, `${PHONE},<b>Li</b>,A-1,June 3`, ...lines));
    expect(asked?.text).toContain('name &lt;b&gt;Li&lt;/b&gt;');
    expect(asked?.text).not.toContain('<');
    expect(asked?.text.split('\n').filter((line) => line.startsWith('Row '))).toHaveLength(20);
    expect(String(text).split('\n')).toHaveLength(22);
  });

  test.each(['No', '', 'yes'])('%j: nothing is sent, and the rows come back', async (answer) => {
    n8n.answer = answer;
    const { title, text, csv, sent } = await upload(SHEET_FILES['as it should be'] as never);
    expect(sent).toEqual([]);
    expect([title, text]).toEqual([
      'Nothing was sent',
      'You chose to send nothing.\nThe file says it for each row.',
    ]);
    expect(csv.split('\r\n')[1]).toBe(
      '13810000010,李雷,A-1,6月3日,rejected,You chose to send nothing.',
    );
    // What comes back can be sent.
    n8n.answer = YES;
    expect((await upload(SHEET_FILES['as it should be'] as never)).sent).toEqual(['A-1', 'A-2']);
  });
});

test('the rows come back in their order with a status, in one file that Excel reads', async () => {
  const { csv } = await upload(SHEET_FILES['rows without a phone, an order, a date'] as never);
  const [header, ...rows] = csv.split('\r\n');
  expect(header).toBe('\uFEFFphone,name,order,date,status,reason');
  expect(rows.map((each) => each.replace(/(rejected),.*/, '$1'))).toEqual([
    '13810000010,李雷,A-1,6月3日,accepted,',
    ',王芳,A-2,6月3日,rejected',
    '13810000012,韩梅,,6月3日,rejected',
    '13810000013,林涛,A-4,,rejected',
  ]);
});

const HEADER = 'phone,name,order,date';
const ROW = `${PHONE},Li,A-1,June 3`;

/** A CSV file that n8n reads as it stands here. */
const csvOf = (...lines: string[]) => ({
  fileName: 'orders.csv',
  bytes: Buffer.from(lines.join('\n')).toString('base64'),
});

testRows({
  ...template,
  forget: () => {
    template.forget();
    n8n.answer = YES;
  },
  handIn: async (rows) => {
    const lines = rows.map(({ phone, name, order, date, status }) =>
      [phone, name, order, date, status].join(),
    );
    const { csv } = await upload(csvOf(`${HEADER},status`, ...lines));
    const [header = [], ...cells] = csv
      .split('\r\n')
      .map((line) =>
        Array.from(line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g), ([, cell]) => cell),
      );
    return cells.map((row) => row[header.indexOf('status')] + ',' + row[header.indexOf('reason')]);
  },
  // Of the rest, the files above are the table.
  holds: (cell) => typeof cell === 'string' && !/[\r\n,]/.test(cell),
  keyOf: ({ phone, order }) => `${phone} ${order}`,
  again: /^rejected,It has the phone and the order of row/,
});

test.each([
  ['="A-1"', 'A-1'],
  [' A-1\t', 'A-1'],
  ["'0012", '0012'],
])('an order as a shop or Excel guards it: %j', async (cell, order) => {
  const { sent } = await upload(csvOf(HEADER, `="${PHONE}",Li,${cell},June 3`));
  expect(sent).toEqual([order]);
});

test.each(HEADERS)('a column %j beside the others means %j', async (header, means) => {
  const { text, sent } = await upload(csvOf(`${HEADER},status,${header}`, `${ROW},,x`));
  expect(sent).toEqual(means ? [] : ['A-1']);
  expect(text).toContain(means && `Two columns mean ${means}: ${means}, ${header}`);
});

test('the page that asks names the columns that are not used', async () => {
  const { asked } = await upload(
    csvOf(`${HEADER},<备注>,empty,city`, `${ROW},拉黑,,`, `${PHONES[1]},Li,A-2,June 3,,,x`),
  );
  expect(asked?.text).toMatch(/^Columns that are not used · 没用到的列: &lt;备注&gt;, city$/m);
});

const REFUSED = { kind: 'businessCode', code: 15, msg: '余额不足' };
const BROKEN = { kind: 'status', status: 502, body: '<p>' };

test.each([
  ['refuses', REFUSED, 'Row 2: rejected', 'Nothing was sent', 1],
  ['breaks', BROKEN, 'Row 2: unknown', 'Sent: 0 of 2 rows, or more', 0],
])('a service that %s: the page says so', async (_, fault, says, title, later) => {
  const path = '/sendsms/template/send';
  template.gateway.fault({ ...fault, path, times: Infinity } as never);
  const page = await upload(SHEET_FILES.GBK as never);
  expect(page.title).toBe(title);
  expect(page.text).toContain(says);
  template.gateway.clearFaults();
  expect((await upload(SHEET_FILES.semicolons as never)).sent).toHaveLength(later);
});
