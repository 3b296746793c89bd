import type { IDataObject } from 'n8n-workflow';

import { picked } from '../kit/workflows/workflowFiles';
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

/** What is in the sheet, the orders that are sent, each status and reason then, and what the execution says. */
type Case = [
  what: string,
  rows: IDataObject[],
  sent: string[],
  after: [status?: string, reason?: string | RegExp][],
  errors?: string[],
];

const NOT_SENT = (status: string) =>
  `Not sent: its status is ${status}, and only a row without a status is sent.`;

test.each<Case>([
  [
    'one SMS for each row, and the status into the row',
    [row('A-1'), row('A-2', { phone: '1381' }), row('A-3', { phone: OTHER })],
    ['A-1', 'A-3'],
    [
      ['accepted', ''],
      ['rejected', /1381/],
      ['accepted', ''],
    ],
  ],
  [
    'a formula that fails, and two numbers in a cell',
    [row('A-1', { name: '#N/A' }), row('A-2', { phone: `${PHONE} ${OTHER}` }), row('A-3')],
    ['A-3'],
    [
      ['rejected', /Its name is #N\/A/],
      ['rejected', 'It has several phone numbers.'],
      ['accepted', ''],
    ],
  ],
  ...['#ERROR!', 'Loading...', '#REF!'].map((cell): Case => [
    `what Google shows instead of a name or a date: ${cell}`,
    [row('A-1', { name: cell }), row('A-2', { date: cell }), row('A-3')],
    ['A-3'],
    [
      ['rejected', new RegExp(`Its name is ${cell}`)],
      ['rejected', new RegExp(`Its date is ${cell}`)],
      ['accepted', ''],
    ],
  ]),
  [
    'a row without a phone says so; one without a key fails the execution, after the others',
    [row('A-1'), row('A-2', { phone: '' }), row('', { phone: OTHER }), {}, row('A-3'), row('A-3')],
    ['A-1'],
    [['accepted', ''], ['rejected', 'It has no phone number.'], [], [], [], []],
    [
      'Row 4: It has no order.',
      'Row 6: Another row has the same order.',
      'Row 7: Another row has the same order.',
    ],
  ],
  ...['A-1 ', '\u00a0Ａ-1', 'A\u2011\u200b1'].map((order): Case => [
    `the order of another row, written otherwise: ${JSON.stringify(order)}`,
    [row('A-1'), row(order)],
    [],
    [[], []],
    ['Row 3: Another row has the same order.'],
  ]),
  ...['不发', 'done', 'accepted?', 'true'].map((status): Case => [
    `a status that is not known is told, unless somebody has given a reason: ${status}`,
    [row('A-1', { status }), row('A-2', { status, reason: 'The customer called' }), row('A-3')],
    ['A-3'],
    [
      [status, NOT_SENT(status)],
      [status, 'The customer called'],
      ['accepted', ''],
    ],
  ]),
  [
    'what this workflow wrote',
    ['accepted', 'rejected', 'unknown', 'skipped'].map((status) => row(`A-${status}`, { status })),
    [],
    [['accepted'], ['rejected'], ['unknown'], ['skipped']],
  ],
  ['no row', [], [], []],
])('%s', async (_, rows, sent, after, errors = []) => {
  n8n.sheet = rows;
  await hour();
  // The next hour sends and writes nothing.
  const { error = '', runs } = await hour();
  expect(ordersSent()).toEqual(sent);
  expect(n8n.sheet.map(({ status, reason }) => [status, reason])).toEqual(
    after.map(([status, reason]) => [status, reason instanceof RegExp ? has(reason) : reason]),
  );
  expect(runs('Write the status')).toBe(0);
  expect(error === '').toBe(errors.length === 0);
  for (const each of errors) expect(error).toContain(each);
});

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
  ['', '收件人电话', 'Two columns mean phone: phone, 收件人电话.'],
  ['', '状态', 'Two columns mean status: status, 状态.'],
  ['', '是否发送', 'Two columns mean status: status, 是否发送.'],
  ...['Sent', 'SMS sent', '已发送', '发送', 'Send?', '发短信', '不发', "Don't send"].map(
    (name): [string, string, string] => ['', name, `Two columns mean status: status, ${name}`],
  ),
  ['phone', '手机号', ''],
  ...['action', 'in_sheet', 'line'].map((name): [string, string, string] => ['', name, '']),
])('instead of %j a column %s', async (name, other, error) => {
  n8n.columns = [...n8n.columns.filter((each) => each !== name), other];
  n8n.sheet = [row('A-1', { [other]: PHONE })];
  expect((await hour()).error ?? '').toContain(error);
  expect(ordersSent()).toEqual(error ? [] : ['A-1']);
  if (!error) expect(n8n.sheet).toMatchObject([{ status: 'accepted', [other]: PHONE }]);
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
