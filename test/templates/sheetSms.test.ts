import type { IDataObject } from 'n8n-workflow';

import { picked } from '../kit/workflows/workflowFiles';
import { PHONE, SHIPPED, useTemplate } from './run';
import { SHEET_FILES } from '../kit/sheets/sheetFiles';

const SHEET = { documentId: picked('sheet') };

const template = useTemplate('sheet-sms', {
  'Send the SMS': SHIPPED,
  'Every hour': {},
  'Read the sheet': SHEET,
  'Write the status': SHEET,
});

const { n8n } = template;

const PHONES = ['13810000010', '13810000011', '13810000012', '13810000013', '13810000014'];

const row = (order: string, phone = PHONE) => ({ phone, name: '李雷', order, date: '6月3日' });

const sheet = async () => await template.run('Every hour', {});

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
  return { title, text, csv, sent: ordersSent().slice(before) };
}

const ordersSent = () =>
  PHONES.flatMap((phone) => template.sentTo(phone)).map(({ order }) => order);

/** What the owner expects of a file: what is sent, and what the page says. */
const FILES: Record<string, { sent: string[]; title?: string; says?: string[] }> = {
  'as it should be': { sent: ['A-1', 'A-2'], title: 'Sent: 2 of 2 rows' },
  GBK: { sent: ['A-1', 'A-2'], title: 'Sent: 2 of 2 rows' },
  'UTF-8 with a byte order mark': { sent: ['A-1', 'A-2'] },
  'UTF-16': { sent: ['A-1'] },
  'UTF-16 the other way round': refused('characters cannot be read'),
  Big5: refused('characters cannot be read'),
  'UTF-8 with a broken byte': refused('characters cannot be read'),
  'Latin-1': refused('characters cannot be read'),
  semicolons: { sent: ['A-1'] },
  tabs: { sent: ['A-1'] },
  'a line that names the separator': { sent: ['A-1'] },
  'header Phone': { sent: ['A-1'] },
  'header  PHONE ': { sent: ['A-1'] },
  'header Phone Number': { sent: ['A-1'] },
  'header mobile': { sent: ['A-1'] },
  'header 手机号': { sent: ['A-1'] },
  'header 手机号码': { sent: ['A-1'] },
  'header 电话': { sent: ['A-1'] },
  'header 联系电话': { sent: ['A-1'] },
  'header *手机号码（必填）': { sent: ['A-1'] },
  'header 手机号(11位)': { sent: ['A-1'] },
  'a title above the header': { sent: ['A-1'] },
  'no phone column': refused('No column is called phone', 'Row 1: customer, order'),
  'no header': refused('No column is called phone'),
  'two columns for the phone': refused('Two columns have one name: phone, phone'),
  'two columns of one name': refused('Two columns have one name'),
  empty: refused('No column is called phone'),
  'only a header': refused('There is no row below the header.'),
  'a quotation mark that is not closed': refused('Row 3: a quotation mark is not closed.'),
  'one that another row closes': refused('Row 2: a quotation mark is not closed.'),
  'one in the last cell': refused('Row 2: a quotation mark is not closed.'),
  'rows without a phone, an order, a date': {
    sent: ['A-1'],
    title: 'Sent: 1 of 4 rows',
    says: [
      'Row 3: rejected. It has no phone number.',
      'Row 5: rejected. It has no order.',
      'Row 6: rejected.',
    ],
  },
  'a row with more cells than the header': {
    sent: ['A-1'],
    says: ['Row 3: rejected. It has more cells than the header.'],
  },
  'a phone that Excel has cut': {
    sent: ['A-2'],
    title: 'Sent: 1 of 2 rows',
    says: ['Row 2: rejected.', '1.381E+10'],
  },
  'one row twice': { sent: ['A-1'], title: 'Sent: 1 of 2 rows', says: ['Row 3: skipped.'] },
  'what came back': { sent: ['A-2'], title: 'Sent: 1 of 2 rows', says: ['Row 2: accepted.'] },
  'Excel, with texts': { sent: ['A-1', '0007'], title: 'Sent: 2 of 2 rows' },
  'Excel, without Chinese': { sent: ['A-1'] },
  'Excel, with numbers that are not used': { sent: ['A-1'] },
  'Excel, with a date, a time, leading zeros and a percentage': {
    sent: ['A-5'],
    title: 'Sent: 1 of 5 rows',
    says: [
      'Row 2: rejected. How Excel shows date is not known: make that column Text, or save the sheet as CSV.',
      'Row 3: rejected. How Excel shows date',
      'Row 4: rejected. How Excel shows order',
      'Row 5: rejected. How Excel shows date',
    ],
  },
  'Excel, that begins in the third row': {
    sent: [],
    title: 'Nothing was sent',
    says: ['Row 4: rejected. It has no phone number.'],
  },
  'Excel of before 2007': { sent: ['A-1'] },
  'no table': refused('No column is called phone'),
};

function refused(...says: string[]) {
  return { sent: [], title: 'Nothing was sent', says };
}

test('every file is in the table', () => {
  expect(Object.keys(FILES).sort()).toEqual(Object.keys(SHEET_FILES).sort());
});

test.each(Object.entries(FILES))('%s', async (name, { sent, title, says = [] }) => {
  const file = SHEET_FILES[name] ?? { fileName: '', bytes: '' };
  const page = await upload(file);
  expect(page.sent).toEqual(sent);
  if (title !== undefined) expect(page.title).toBe(title);
  for (const each of says) expect(page.text).toContain(each);
  // A second upload sends nobody twice, and says so.
  const again = await upload(file);
  expect(again.sent).toEqual([]);
  expect(again.title).toBe('Nothing was sent');
  if (sent.length > 0) expect(again.text).toContain('skipped');
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

/** A CSV file of ASCII that n8n reads as it stands here. */
const csvOf = (...lines: string[]) => ({
  fileName: 'orders.csv',
  bytes: Buffer.from(['phone,name,order,date', ...lines].join('\n')).toString('base64'),
});

test.each([
  ['="A-1"', 'A-1'],
  ['A-1\t', 'A-1'],
  [' A-1 ', 'A-1'],
  ["'0012", '0012'],
])('%j is a cell as a shop or Excel guards it: %s is sent', async (cell, order) => {
  expect((await upload(csvOf(`="${PHONE}",Li,${cell},June 3`))).sent).toEqual([order]);
});

test.each(['1.23457E+17', '2E+05', '#N/A', '#REF!', '#DIV/0!', '#NAME?', '########'])(
  '%s is what Excel made of a cell: told, and not sent',
  async (cell) => {
    const page = await upload(csvOf(`${PHONE},Li,${cell},June 3`, `${PHONE},Li,A-1,June 3`));
    expect(page.sent).toEqual(['A-1']);
    expect(page.text).toContain(`Row 2: rejected. Its order is ${cell}: enter it again`);
  },
);

test('no column is taken for a name of JavaScript', async () => {
  const text = `phone,order,name,date,constructor\n${PHONE},A-1,Li,June 3,x`;
  const page = await upload({ fileName: 'a.csv', bytes: Buffer.from(text).toString('base64') });
  expect(page.csv).toMatch(/^\uFEFFphone,order,name,date,constructor,/);
});

test('5,000 rows', async () => {
  const lines = Array.from(
    { length: 5000 },
    (_, index) => `139${String(index + 10).padStart(8, '0')}`,
  );
  const text = ['phone,name,order,date', ...lines.map((phone) => `${phone},Li,A-1,June 3`)].join(
    '\n',
  );
  const file = { fileName: 'orders.csv', bytes: Buffer.from(text).toString('base64') };
  expect(await upload(file)).toMatchObject({
    title: expect.stringMatching(/^Sent: \d{4} of 5000 rows$/) as unknown,
  });
  expect((await upload(file)).title).toBe('Nothing was sent');
});

test.each([
  ['refuses', { kind: 'businessCode', code: 15, msg: '余额不足' }, 'Row 2: rejected', 1],
  ['breaks', { kind: 'status', status: 502, body: '<p>' }, 'Row 2: unknown', 0],
] as const)('a service that %s: the page says so', async (_, fault, says, later) => {
  const path = '/sendsms/template/send';
  template.gateway.fault({ ...fault, path, times: Infinity } as never);
  const page = await upload(SHEET_FILES.GBK as never);
  expect(page.title).toBe('Nothing was sent');
  expect(page.text).toContain(says);
  template.gateway.clearFaults();
  expect((await upload(SHEET_FILES.semicolons as never)).sent).toHaveLength(later);
});

describe('a Google Sheet', () => {
  test('one SMS for each row, and the status into the row', async () => {
    n8n.sheet = [row('A-1'), row('A-2', '1381'), row('A-3', '13810000011')];
    await sheet();
    expect(template.sentTo(PHONE)).toEqual([{ name: '李雷', order: 'A-1', date: '6月3日' }]);
    expect(template.sentTo('13810000011')).toHaveLength(1);
    expect(n8n.sheet).toMatchObject([
      { status: 'accepted', reason: '' },
      { status: 'rejected', reason: expect.stringContaining('1381') as unknown },
      { status: 'accepted' },
    ]);
  });

  test('a row is sent once, also where its status could not be written; what was refused, again', async () => {
    n8n.sheet = [row('A-1'), row('A-2', '1381')];
    await sheet();
    n8n.sheet[1] = { ...n8n.sheet[1], phone: '13810000011' };
    await sheet();
    expect(template.sentTo(PHONE)).toHaveLength(1);
    expect(n8n.sheet).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
    n8n.sheet = [row('A-1')];
    await sheet();
    // The same number, written otherwise.
    n8n.sheet = [row('A-1', `+86 ${PHONE}`)];
    await sheet();
    expect(template.sentTo(PHONE)).toHaveLength(1);
    expect(n8n.sheet).toMatchObject([{ status: 'skipped' }]);
  });

  test('a row that may have been sent stays as it is', async () => {
    n8n.sheet = [{ ...row('A-1'), status: 'unknown' }];
    await sheet();
    expect(template.sentTo(PHONE)).toEqual([]);
    expect(n8n.sheet).toMatchObject([{ status: 'unknown' }]);
  });

  test('sorted while it was sent: each status is in its row', async () => {
    n8n.sheet = [row('A-1'), row('A-2', '1381'), row('A-3', '13810000011')];
    n8n.beforeWriting = () => n8n.sheet.reverse().unshift({ ...row('A-0'), status: '' });
    expect((await sheet()).error).toBeUndefined();
    expect(n8n.sheet.map(({ order, status }) => [order, status])).toEqual([
      ['A-0', ''],
      ['A-3', 'accepted'],
      ['A-2', 'rejected'],
      ['A-1', 'accepted'],
    ]);
  });

  test.each(['order', 'status', 'reason'])(
    'a renamed column %s: nothing is sent, and told',
    async (name) => {
      n8n.columns = n8n.columns.map((each) => (each === name ? 'other' : each));
      n8n.sheet = [row('A-1')];
      expect((await sheet()).error).toContain(`The sheet has no column ${name}.`);
      expect(template.sentTo(PHONE)).toEqual([]);
    },
  );

  test('a formula that fails is told in its row', async () => {
    n8n.sheet = [{ ...row('A-1'), name: '#N/A' }, row('A-2')];
    await sheet();
    expect(ordersSent()).toEqual(['A-2']);
    expect(n8n.sheet[0]).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('Its name is #N/A') as unknown,
    });
  });

  test('no phone column: told', async () => {
    n8n.columns = n8n.columns.map((each) => (each === 'phone' ? 'customer' : each));
    n8n.sheet = [{ customer: PHONE, order: 'A-1' }];
    expect((await sheet()).error).toContain('No column is called phone');
  });

  test('a row without a phone says so; one without a key fails the execution, after the others', async () => {
    n8n.columns = n8n.columns.map((each) => (each === 'phone' ? '手机号' : each));
    const chinese = ({ phone, ...others }: IDataObject) => ({ 手机号: phone, ...others });
    n8n.sheet = [
      row('A-1'),
      row('A-2', ''),
      row('', '13810000011'),
      {},
      row('A-3', '13810000012'),
      row('A-3', '13810000013'),
    ].map(chinese);
    const { error } = await sheet();
    expect(error).toContain('Row 4: rejected. It has no order.');
    expect(error).toContain('Row 6: rejected. Another row has the same order.');
    expect(error).toContain('Row 7: rejected. Another row has the same order.');
    expect(ordersSent()).toEqual(['A-1']);
    expect(n8n.sheet.map(({ status, reason }) => [status, reason])).toEqual([
      ['accepted', ''],
      ['rejected', 'It has no phone number.'],
      ...Array.from({ length: 4 }, () => [undefined, undefined]),
    ]);
  });

  test('no row, or none that is new: nothing happens', async () => {
    n8n.sheet = [];
    expect((await sheet()).error).toBeUndefined();
    n8n.sheet = [{ ...row('A-1'), status: 'accepted' }];
    const { error, runs } = await sheet();
    expect(error).toBeUndefined();
    expect(runs('Write the status')).toBe(0);
  });
});
