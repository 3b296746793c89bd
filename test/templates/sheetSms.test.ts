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

test('the balance is used up: each row says so, and nobody is tried each hour', async () => {
  template.refuse();
  n8n.sheet = [row('A-1'), row('A-2')];
  await hour();
  await hour();
  const refused = { status: 'rejected', reason: has('余额不足') };
  expect(n8n.sheet).toMatchObject([refused, refused]);
  expect(template.gateway.requests.filter(({ path }) => path.endsWith('/send'))).toHaveLength(1);
});
