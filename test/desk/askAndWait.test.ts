/** The expressions of desk/ask-and-wait.json and ask-and-wait-replies.json that read a customer and a reply. */
import { evaluate, fieldsOf, parametersOf } from './expression';

const EXAMPLE = 'ask-and-wait';
const REPLIES = 'ask-and-wait-replies';

/** A column of the row that a customer's question gets. */
function columnOf(column: string, customer: object): unknown {
  const { columns } = parametersOf(EXAMPLE, 'Remember the question') as {
    columns: { value: Record<string, string> };
  };
  return evaluate(columns.value[column] ?? '', { $json: customer });
}

test.each([
  '13810000301',
  13810000301,
  '+86 138 1000 0301',
  '(+86) 138-1000-0301',
  '0086 138 1000 0301',
  '１３８１００００３０１',
])('the customer %p is asked at the number without country code, spaces and dashes', (phone) => {
  expect(columnOf('phone_number', { phone })).toBe('13810000301');
});

test.each([undefined, null, '', 'abc', '13810000301, 13810000302', '13810000301 abc', ['138']])(
  'nobody is asked at the phone %p, because one execution waits for one customer',
  (phone) => {
    expect(columnOf('phone_number', { phone })).toBe('');
  },
);

test('without answers, 1 and 2 are allowed', () => {
  expect([columnOf('answers', {}), columnOf('answers', { answers: 'Y,N' })]).toEqual([
    '1,2',
    'Y,N',
  ]);
});

/** A field of a reply, as "Read the reply" has it. */
function fieldOf(field: string, reply: object): unknown {
  return fieldsOf(REPLIES, 'Read the reply', { $json: reply })[field];
}

test.each([
  ['1', '1'],
  [' 1 ', '1'],
  ['１', '1'],
  ['1。', '1'],
  ['1.', '1'],
  ['「２」', '2'],
  ['(y)', 'Y'],
  ['Ｎｏ！', 'NO'],
  ['12', '12'],
  ['1 2', '1 2'],
  ['1号', '1号'],
  ['+1', '+1'],
  ['', ''],
  [undefined, ''],
])('the reply %p is the answer %p', (content, answer) => {
  expect(fieldOf('answer', { content })).toBe(answer);
});

test('a reply is known by its row in the inbox, and without one by what it says', () => {
  const key = (reply: object) =>
    fieldOf('reply', { phone_number: '138', content: '1', time: '', ...reply });
  expect(key({ id: 7 })).toBe(key({ id: 7 }));
  expect(key({ id: 7 })).not.toBe(key({ id: 8 }));
  expect(key({ time: 'now' })).toBe(key({ time: 'now' }));
  expect(key({ time: 'now' })).not.toBe(key({ time: 'later' }));
  expect(key({ time: 'now' })).not.toBe(key({ time: 'now', content: '2' }));
});

/** Whether a reply answers an open question. */
function isAnswer(question: object, reply: object): boolean {
  const { conditions } = parametersOf(REPLIES, 'Is it an answer to it?') as {
    conditions: { conditions: { leftValue: string }[] };
  };
  const $json = { answers: '1,2', asked: ASKED, batch_id: 'b', ...question };
  const nodes = { 'Read the reply': [{ answer: '1', batch_id: '', time: ASKED, ...reply }] };
  return conditions.conditions.every(({ leftValue }) => evaluate(leftValue, { $json, nodes }));
}

const ASKED = '2026-06-03T10:00:00.000Z';

test.each([
  ['1,2', '1', true],
  ['1, 2', '2', true],
  ['1，2', '2', true],
  ['y;n', 'N', true],
  ['1,2', '12', false],
  ['1,2', '3', false],
  ['1,2', '', false],
  ['10,20', '1', false],
])('of the answers %p, %p is one: %p', (answers, answer, expected) => {
  expect(isAnswer({ answers }, { answer })).toBe(expected);
});

test.each([
  ['of the batch of the question', {}, { batch_id: 'b' }, true],
  ['of another batch', {}, { batch_id: 'c' }, false],
  ['without a batch', {}, { batch_id: '' }, true],
  ['of any batch, after an unknown send', { batch_id: null }, { batch_id: 'c' }, true],
  ['two minutes before the question', {}, { time: '2026-06-03T17:58:00+08:00' }, true],
  ['more than two minutes before', {}, { time: '2026-06-03T09:57:59.999Z' }, false],
  ['years later', {}, { time: '2030-06-03T10:00:00Z' }, true],
  ['without a time', {}, { time: '' }, true],
  ['to a date object', { asked: new Date(ASKED) }, { time: '2026-06-03T09:50:00Z' }, false],
] as const)('a reply %s: %j, %j answers it: %p', (_, question, reply, expected) => {
  expect(isAnswer(question, reply)).toBe(expected);
});
