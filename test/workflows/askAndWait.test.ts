/** The Code node of examples/ask-and-wait.json, and the expressions that read a reply. */
import readNumber from '../../examples/code/ask-and-wait/Read the number';
import { readExample } from '../e2e/lib/examples';
import { items, runCode } from './node';

const { nodes } = readExample('ask-and-wait');

const read = (customer: object) => runCode(readNumber, items(customer)).map(({ json }) => json);

test.each([
  '13810000301',
  13810000301,
  '+86 138 1000 0301',
  '138-1000-0301',
  '１３８１００００３０１',
])('the customer %p is asked at the number without country code, spaces and dashes', (phone) => {
  expect(read({ phone, name: 'Li Lei', question: 7, answers: 'Y,N' })).toEqual([
    { phone, name: 'Li Lei', question: '7', answers: 'Y,N', phone_number: '13810000301' },
  ]);
});

test.each([undefined, null, '', 'abc', '13810000301, 13810000302', '13810000301 abc', ['138']])(
  'the phone %p is a clear error, because one execution waits for one customer',
  (phone) => {
    expect(() => read({ phone })).toThrow('"phone" must hold one mobile number');
  },
);

test('without answers, 1 and 2 are allowed', () => {
  expect(read({ phone: '13810000301' })).toEqual([
    { phone: '13810000301', phone_number: '13810000301', question: '', answers: '1,2' },
  ]);
});

/** Evaluates an expression of one line, as n8n does. */
function evaluate(expression: string, $json: object, others: Record<string, object> = {}): unknown {
  const body = expression.replace(/^=\{\{|\}\}$/g, '');
  const code = new Function('$json', '$', `return (${body});`);
  return code($json, (name: string) => ({ item: { json: others[name] } })) as unknown;
}

/** A field of a reply, as "Read the reply" has it. */
function fieldOf(field: string, reply: object): unknown {
  const node = nodes.find(({ name }) => name === 'Read the reply');
  const { assignments } = node?.parameters.assignments as {
    assignments: { name: string; value: string }[];
  };
  const { value = '' } = assignments.find(({ name }) => name === field) ?? {};
  return evaluate(value, reply);
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
  const filter = nodes.find(({ name }) => name === 'An answer to it?')?.parameters as {
    conditions: { conditions: { leftValue: string }[] };
  };
  const asked = { answers: '1,2', asked: ASKED, batch_id: 'b', ...question };
  const read = { answer: '1', batch_id: '', time: ASKED, ...reply };
  return filter.conditions.conditions.every(({ leftValue }) =>
    evaluate(leftValue, asked, { 'Read the reply': read }),
  );
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
