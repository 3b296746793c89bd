/** desk/verification-code.json: how a request is read, and which one gets a code. */
import readRequest from '../../desk/code/verification-code/Read the request';
import readEntry from '../../desk/code/verification-code-check/Read the entered code';
import { readDesk } from '../e2e/lib/workflowFiles';
import { evaluate, fieldsOf, parametersOf, type Sight } from './expression';
import { items, runCode } from './node';

const EXAMPLE = 'verification-code';
const PHONE = '13810000501';
const SECOND = 1000;
const HOUR = 3600 * SECOND;
const NOW = Date.parse('2026-06-03T10:00:00Z');

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(NOW));

interface Row {
  phone_number: string;
  asked_by: string;
  at: number;
  expires: number;
}

/** What happens to a request, after rows with the IDs 1, 2, …. */
function decision(rows: Partial<Row>[], own?: number): string {
  const asked = { phone_number: PHONE, asked_by: 'a' };
  const nodes: Sight['nodes'] = {
    Limits: [fieldsOf(EXAMPLE, 'Limits', {})],
    'Read the request': [asked],
    ...(own !== undefined && { 'Take a place': [{ id: own }] }),
  };
  const input = rows.map((row, index) => ({
    ...{ id: index + 1, ...asked, at: NOW, expires: NOW + HOUR },
    ...row,
  }));
  const $json = fieldsOf(EXAMPLE, 'Count the recent codes', { input, nodes });
  const { rules } = parametersOf(EXAMPLE, 'Decide by the limits') as {
    rules: { values: { outputKey: string; conditions: Condition }[] };
  };
  const hit = rules.values.find(({ conditions: { conditions } }) =>
    conditions.every(({ leftValue }) => evaluate(leftValue, { $json, nodes })),
  );
  return hit?.outputKey ?? 'Send';
}

interface Condition {
  conditions: { leftValue: string }[];
}

const otherPhone = { phone_number: '13899999999' };

test.each([
  ['the first', 0, {}, 'Take a place'],
  ['within the pause', 1, { at: NOW - 59 * SECOND, asked_by: 'b' }, 'Only the pause'],
  ['after the pause', 1, { at: NOW - 60 * SECOND }, 'Take a place'],
  ['after a send that was refused', 1, { expires: 0 }, 'Take a place'],
  ['19 of a caller in an hour', 19, otherPhone, 'Take a place'],
  ['20 of a caller in an hour', 20, otherPhone, 'A limit'],
  ['20 of a caller whose sends were refused', 20, { ...otherPhone, expires: 0 }, 'A limit'],
  ['20 of a caller, an hour ago', 20, { ...otherPhone, at: NOW - HOUR }, 'Take a place'],
  ['100 of a caller in a day', 100, { ...otherPhone, at: NOW - 24 * HOUR + 1 }, 'A limit'],
  ['100 of a caller, a day ago', 100, { ...otherPhone, at: NOW - 24 * HOUR }, 'Take a place'],
  ['a code on its way, also at a limit', 20, {}, 'Only the pause'],
] as const)('%s', (_, count, change, expected) => {
  expect(decision(Array.from({ length: count }, () => change))).toBe(expected);
});

test('who has a place in the line looks only at the places before it', () => {
  const rows = Array.from({ length: 30 }, () => otherPhone);
  expect(decision(rows, 20)).toBe('Send');
  expect(decision(rows, 21)).toBe('A limit');
  expect(decision([{}, {}], 1)).toBe('Send');
  expect(decision([{}, {}], 2)).toBe('Only the pause');
});

const read = (body: unknown) => runCode(readRequest, items({ body, random: 'f4240' }))[0]?.json;

test.each([PHONE, 13810000501, '+86 138 1000 0501', '138-1000-0501', '0086 13810000501'])(
  'the phone %p is the same phone',
  (phone) => {
    expect(read({ phone, caller: ' User-7 ' })).toEqual({
      ...{ phone_number: PHONE, asked_by: 'user-7', code: '000000', reason: '' },
    });
  },
);

test.each([
  ['9.9.9.9', ['9.9.9.9:1234', '::ffff:9.9.9.9', '[::FFFF:9.9.9.9]:80', '::ffff:909:909']],
  ['9.9.9.9', ['0:0:0:0:0:ffff:9.9.9.9', '９.9.9.9', ' 9.9.9.9 ']],
  ['2001:db8:0:1', ['2001:DB8:0:1::1', '2001:0db8:0000:0001:a:b:c:d', '[2001:db8:0:1::2]:443']],
  ['0:0:0:0', ['::1', '[::1]:80']],
  ['fe80:0:0:0', ['fe80::1%eth0', '[fe80::2%25eth0]:80']],
  ['user:7', ['User:7']],
  ['fe80:0:0:0', ['fe80:0:0:0:0:0:0:1', 'fe80::9.9.9.9']],
  ['auth0|7_a-b.c@d+e/f=', ['Auth0|7_a-b.c@d+e/f=']],
  ['84215045', ['84215045', 84215045]],
])('the caller %p, in each of its notations', (expected, callers) => {
  const found = callers.map((caller) => read({ phone: PHONE, caller })?.asked_by);
  expect([...new Set(found)]).toEqual([expected]);
});

test.each([
  ...['5.5.5.05', '0x5.5.5.5', '05.5.5.5', '5.5.1285', '5.5.5.256', '5.5.5.5.', '5.5.5.5/32'],
  ...['5.5.5.5, 6.6.6.6', '6.6.6.6,5.5.5.5', '5.5.5.5 6.6.6.6', '5.5.5.5;', 'me, 5.5.5.5'],
  ...['5.5.5.5\u200b', '5。5。5。5', '5.5.5.5:x', '::ffff:5.5.5.05', '[5.5.5.05]:80', 'fe80::1::2'],
  ...['1:2:3', '2001:db8:0:1:1:1:1:1:1', '02001:db8::1', '::fffff', ['5.5.5.5'], { toString: 'x' }],
])('the caller %j is neither one IP address nor one ID', (caller) => {
  expect(read({ phone: PHONE, caller })).toMatchObject({
    ...{
      asked_by: '',
      reason: expect.stringContaining('caller must be one IP address, or one ID'),
    },
  });
});

const LONG = '1'.repeat(101);

test.each([
  [undefined, 'phone must hold one mobile number.'],
  [{ phone: '1381', caller: 'a' }, 'phone must hold one mobile number.'],
  [{ phone: `${PHONE},13810000502`, caller: 'a' }, 'phone must hold one mobile number.'],
  [{ phone: { $ne: '' }, caller: 'a' }, 'phone must hold one mobile number.'],
  [{ phone: PHONE }, 'caller is missing: who asks, such as an IP address.'],
  [{ phone: PHONE, caller: ' ' }, 'caller is missing: who asks, such as an IP address.'],
  [{ phone: PHONE, caller: 'a'.repeat(100) }, ''],
  [{ phone: PHONE, caller: LONG }, 'caller is longer than 100 characters.'],
  [{ phone: PHONE, caller: [LONG] }, 'caller is longer than 100 characters.'],
  [{ phone: LONG, caller: 'a' }, 'phone is longer than 100 characters.'],
  [{ phone: [`${PHONE}${' '.repeat(100)}`], caller: 'a' }, 'phone is longer than 100 characters.'],
])('the request %j: %p', (body, reason) => {
  expect(read(body)).toMatchObject({ reason });
});

test.each([
  [{ phone: '+86 13810000501', code: ' 012345 ' }, PHONE, '012345'],
  [{ phone: PHONE, code: '０１２３４５' }, PHONE, '012345'],
  [{ phone: PHONE, code: 123456 }, PHONE, '123456'],
  [{ code: '1' }, '', '1'],
  [{ phone: { toString: 'x' }, code: { toString: 'x' } }, '', ''],
])('the entry %j is read', (body, phone_number, code) => {
  expect(runCode(readEntry, items({ body }))[0]?.json).toEqual({ phone_number, code });
});

// The data of an execution has the code, whatever became of it.
test.each(['verification-code', 'verification-code-check', 'outbox'])(
  'n8n keeps no execution of %s, failed or started by hand',
  (workflow) => {
    expect(readDesk(workflow).settings).toMatchObject({
      saveDataSuccessExecution: 'none',
      saveDataErrorExecution: 'none',
      saveManualExecutions: false,
      saveExecutionProgress: false,
    });
  },
);
