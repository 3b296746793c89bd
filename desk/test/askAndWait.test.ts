/** The expressions of desk/workflows/ask-and-wait.json that read a customer and a record. */
import { DateTime } from 'luxon';

import { foundBy, writtenBy } from './database';
import {
  allHold,
  fieldsOf,
  holds,
  parametersOf,
  type Conditions,
} from '../../test/kit/workflows/expression';
import { runDesk, type Row } from './workflow';

const EXAMPLE = 'ask-and-wait';

/** The row that a customer's question gets. */
const rowOf = (customer: object) =>
  writtenBy(EXAMPLE, 'Remember the question', {
    ...{ $json: customer, $now: DateTime.now() },
    $execution: { id: '1', resumeUrl: 'https://n8n.example/webhook-waiting/1' } as never,
  });

test.each<[string, unknown[]]>([
  ['13810000301', ['13810000301', 13810000301, '(+86) 138-1000-0301', '１３８１００００３０１']],
  // One execution waits for one customer.
  ['', [undefined, null, '', 'abc', '13810000301, 13810000302', '13810000301 abc', ['138']]],
])('the number that is asked is "%s" for each phone of %j', (asked, phones) => {
  expect(phones.map((phone) => rowOf({ phone }).phone_number)).toEqual(phones.map(() => asked));
  expect(rowOf({}).answers).toBe('1,2');
});

test('the report of a question comes back with the row of the question', () => {
  const sight = { $json: { id: 12 }, nodes: { 'Customers or records?': [{}] } };
  const { phone_data } = fieldsOf(EXAMPLE, 'Message', { ...sight, $workflow: { name: '' } });
  expect(phone_data).toBe('question-12');
  expect(fieldOf('question', REPORT)).toBe(12);
  expect(fieldOf('question', { ...REPORT, phone_data: '' })).toBe(0);
  expect(fieldOf('question', { phone_data: 'question-12' })).toBe(0);
});

const REPORT = {
  ...{ event: 'deliveryReport', status: 'UNDELIV', status_desc: '空号' },
  ...{ phone_number: '13810000301', phone_data: 'question-12', batch_id: 'b' },
};

/** As the inbox hands it over. */
const RECORD = { id: 7, event: 'reply', run: 'push-1', status: '', phone_data: '', content: '1' };

/** The way that the first of these items takes. */
function wayOf(...input: object[]): string | undefined {
  const { rules } = parametersOf(EXAMPLE, 'Customers or records?') as {
    rules: { values: { outputKey: string; conditions: Conditions }[] };
  };
  const sight = { $json: input[0], input };
  return rules.values.find(({ conditions }) => allHold(conditions, sight))?.outputKey;
}

test.each([
  ['a reply', {}, true],
  ['a report of failure about a question', REPORT, true],
  ['one that may be about a question', { ...REPORT, phone_data: '' }, true],
  ['one about another SMS', { ...REPORT, phone_data: 'sms_recipients:12' }, false],
  ['one about an order', { ...REPORT, phone_data: 'question-1-2' }, false],
  ['a report of an arrival', { ...REPORT, status: 'DELIVRD' }, false],
  ['a report that says nothing', { ...REPORT, status: '' }, false],
  ['something else', { event: 'unreadable' }, false],
])('%s: %j is looked at: %p', (_, fields, expected) => {
  expect(wayOf({ ...RECORD, ...fields })).toBe(expected ? 'Reply or failure' : undefined);
});

test.each([
  { phone: '13810000301', event: 'reply', run: 'r' },
  { ...RECORD, template_id: '306' },
  { ...RECORD, phone: null },
  { question: 'Q', event: 'reply' },
  {},
])('a customer may have any fields: %j', (customer) => {
  expect(wayOf(customer)).toBe('One customer');
  expect(wayOf(customer, customer)).toBe('Several customers');
});

/** A field of a record, as "Read the record" has it. */
function fieldOf(field: string, record: object): unknown {
  const $json = { event: 'reply', ...record };
  return fieldsOf(EXAMPLE, 'Read the record', { $json })[field];
}

test.each([
  [' １。', '1'],
  ['「２」', '2'],
  ['(y)', 'Y'],
  // No customer can say what a report says.
  ['(not delivered) 1', 'NOT DELIVERED) 1'],
  ['1 2', '1 2'],
  ['1号', '1号'],
  ['+1', '+1'],
  [undefined, ''],
])('the reply %p is the answer %p', (content, answer) => {
  expect(fieldOf('answer', { content })).toBe(answer);
});

test('a report is no answer, but says why', () => {
  expect(fieldOf('answer', REPORT)).toBe('(not delivered) UNDELIV: 空号');
  expect(fieldOf('answer', { ...REPORT, status_desc: '' })).toBe('(not delivered) UNDELIV');
});

test('a record is known by its row in the inbox, and without one by what it says', () => {
  const key = (record: object) =>
    fieldOf('reply', { phone_number: '138', content: '1', time: '', ...record });
  const records = [{ id: 7 }, { id: 8 }, { time: 'now' }, { time: 'later' }, { content: '2' }];
  expect(new Set([...records, ...records].map(key)).size).toBe(records.length);
});

/** Whether a record ends an open question. */
function isAnswer(question: object, record: object): boolean {
  const $json = { id: 12, answers: '1,2', asked: ASKED, batch_id: 'b', ...question };
  const read = { answer: '1', batch_id: '', question: 0, time: ASKED, ...record };
  return holds(EXAMPLE, 'Is it an answer to it?', { $json, nodes: { 'Read the record': [read] } });
}

const ASKED = '2026-06-03T10:00:00.000Z';

test.each([
  ['1, 2', '2', true],
  ['1，2', '2', true],
  ['y;n', 'N', true],
  ['1,2', '12', false],
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
  ['without a time', {}, { time: '' }, true],
  ['to a date object', { asked: new Date(ASKED) }, { time: '2026-06-03T09:50:00Z' }, false],
] as const)('a reply %s: %j, %j answers it: %p', (_, question, reply, expected) => {
  expect(isAnswer(question, reply)).toBe(expected);
});

const FAILURE = { answer: '(not delivered) UNDELIV', batch_id: 'b', question: 12, time: ASKED };

test.each([
  ['of the question', {}, {}, true],
  ['of another question to the same number', { id: 13 }, {}, false],
  ['whose batch is not known yet', { batch_id: '' }, {}, true],
  ['from before the question, by the clock of the service', {}, { time: '2020-01-01' }, true],
  ['that has only the batch', {}, { question: 0 }, true],
  ['of another batch', {}, { question: 0, batch_id: 'c' }, false],
  ['without a batch', {}, { question: 0, batch_id: '' }, false],
  ['of any batch, after an unknown send', { batch_id: '' }, { question: 0, batch_id: 'c' }, false],
] as const)('a report of failure %s: %j, %j ends it: %p', (_, question, report, expected) => {
  expect(isAnswer(question, { ...FAILURE, ...report })).toBe(expected);
});

test.each([
  ['accepted', true],
  ['unknown', true],
  ['waiting', true],
  ['skipped', false],
  ['refused', false],
  ['rejected', false],
])('a question that is %s waits for its reply: %p', (status, expected) => {
  expect(holds(EXAMPLE, 'Was it accepted?', { $json: { status } })).toBe(expected);
});

test('a newer question takes the place of open ones only: an answer stays', () => {
  const rows = ['', '1', ''].map((answer, id) => ({
    id,
    phone_number: '138',
    answer,
  }));
  const nodes = { 'Remember the question': [{ id: 2, phone_number: '138' }] };
  expect(foundBy(EXAMPLE, 'Replace older questions', rows, { nodes })).toEqual([rows[0]]);
});

const CUSTOMER = { phone: '138-1000-0301', question: 'Q', tell: 'w' };
const QUESTION = { id: 12, phone_number: '13810000301', question: 'Q' };

/** How a question ends, by its row and that of its SMS in the outbox. Without a row nobody was asked. */
function endOf(
  row: object | undefined,
  sms: object = { status: 'accepted' },
  others: Record<string, object[]> = {},
) {
  const nodes = {
    'Customers or records?': [CUSTOMER],
    'Remember the question': [QUESTION],
    ...(row ? { 'Take the answer': [row] } : {}),
    ...others,
  };
  const $now = DateTime.fromISO('2026-06-03T12:00:00Z');
  return fieldsOf(EXAMPLE, 'Outcome', { $json: sms, nodes, $now });
}

const OPEN = { ...QUESTION, answer: '', reply: '' };
const NOTHING = { answer: '', respondedAt: '', reason: '' };

test.each([
  ['2026-06-03T18:05:00+08:00', '2026-06-03T10:05:00.000Z'],
  // Without a time it was given now.
  ['', '2026-06-03T12:00:00.000Z'],
])('an answer of %p ends it, at a time as n8n’s own Send and Wait has it', (time, respondedAt) => {
  const reply = fieldOf('reply', { id: 7, phone_number: '13810000301', content: '1', time });
  expect(endOf({ ...OPEN, answer: '1', reply })).toEqual({
    ...{ phone_number: '13810000301', question: 'Q', outcome: 'answered', answer: '1' },
    ...{ respondedAt, reason: '', customer: CUSTOMER },
  });
});

const newer = { answer: '(a newer question)' };
const failed = { answer: fieldOf('answer', REPORT) };
const full = { 'Send through the outbox': [{ error: 'Full.' }], 'Was it accepted?': [{}] };
const optedOut = { status: 'refused', reason: 'Opted out.' };

// The row of the question, its SMS in the outbox, what else has run, and the end.
test.each<[object | undefined, object, Record<string, object[]>, string, string]>([
  [OPEN, { status: 'accepted' }, {}, 'silent', ''],
  [OPEN, { status: 'unknown' }, {}, 'silent', ''],
  [OPEN, {}, {}, 'silent', ''],
  [{ ...OPEN, ...newer }, {}, {}, 'silent', 'A newer question to this number took its place.'],
  [{ ...OPEN, ...failed }, {}, {}, 'notDelivered', 'UNDELIV: 空号'],
  // It waited for its hour.
  [OPEN, optedOut, {}, 'notDelivered', 'Not sent: Opted out.'],
  [OPEN, { ...optedOut, status: 'rejected' }, {}, 'notDelivered', 'Not sent: Opted out.'],
  // It was refused at once.
  [undefined, {}, { 'Was it accepted?': [optedOut] }, 'notDelivered', 'Not sent: Opted out.'],
  [undefined, {}, full, 'notDelivered', 'Not sent: Full.'],
])('%j, %j, %j is %s: %s', (row, sms, others, outcome, reason) => {
  expect(endOf(row, sms, others)).toMatchObject({ ...NOTHING, outcome, reason });
});

test('an answer counts, whatever the outbox says of the question later', () => {
  expect(endOf({ ...OPEN, answer: '1' }, optedOut)).toMatchObject({ outcome: 'answered' });
});

describe('an outbox that has failed', () => {
  const now = DateTime.fromISO('2026-06-03T12:00:00Z');
  const failed = { 'Send through the outbox': [{ error: 'Connection terminated unexpectedly' }] };
  /** What was done about a question, if the outbox has this row of it. */
  const ask = (...outbox: Row[]) =>
    runDesk(EXAMPLE, 'Customers, or records of the inbox', CUSTOMER, {
      ...{
        tables: { 'sms.outbox': outbox },
        given: { ...failed, 'Remember the question': [{ ...QUESTION, id: 1 }] },
        now,
      },
    });
  const row = { id: 5, phone_number: '13810000301', phone_data: 'question-1', batch_id: 'b' };

  test.each(['claimed', 'accepted', 'unknown', 'waiting'])(
    'behind its send: the question waits for its answer, if its SMS is %s',
    (status) => {
      const { 'Wait for the reply': waits, 'Forget the question': forgotten } = ask({
        ...row,
        status,
      });
      expect(waits).toHaveLength(1);
      expect(forgotten).toBeUndefined();
    },
  );

  test.each<[string, Row[]]>([
    ['', []],
    ['of another question', [{ ...row, phone_data: 'question-2', status: 'accepted' }]],
    ['that it refused', [{ ...row, status: 'refused' }]],
  ])('before it, with no row or one %s: who asked is told', (_, rows) => {
    const { 'Wait for the reply': waits, Outcome: outcome } = ask(...rows);
    expect(waits).toBeUndefined();
    expect(outcome).toMatchObject([{ outcome: 'notDelivered' }]);
  });
});
