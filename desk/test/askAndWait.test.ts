/** The expressions of desk/workflows/ask-and-wait.json that read a customer and a record. */
import { DateTime } from 'luxon';

import { reasonIn, why } from '../src/common/messages/reasons';
import { writtenBy } from './database';
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

const ASKED = '2026-06-03T10:00:00.000Z';
const NOW = DateTime.fromISO('2026-06-03T12:00:00Z');
const PHONE = REPORT.phone_number;

/** The answers of questions, the older ones first, when records have come. They get the IDs 11, 12, … */
function answersOf(questions: object[], records: Row[], inbox: Row[] = []): unknown[] {
  const rows = questions.map((question, index): Row => ({
    ...{ id: 11 + index, phone_number: PHONE, answers: '1,2', asked: ASKED, batch_id: 'b' },
    ...{ answer: '', reply: '', resume_url: 'http://n8n', ...question },
  }));
  const start = records.map((record) => ({ ...RECORD, phone_number: PHONE, ...record }));
  runDesk(
    EXAMPLE,
    'Customers, or records of the inbox',
    {},
    {
      ...{ tables: { 'sms.questions': rows, 'sms.inbox': inbox }, start, now: NOW },
      given: { 'Wake the execution': [] },
    },
  );
  return rows.map(({ answer }) => answer);
}

test.each([
  ['1, 2', '2', true],
  ['1，2', '2', true],
  ['y;n', 'N', true],
  ['Ja、nein', 'ja', true],
  ['1,2', '12', false],
  ['1,', '', false],
  ['10,20', '1', false],
])('of the answers %p, %p is one: %p', (answers, content, expected) => {
  const answer = expected ? content.toUpperCase() : '';
  expect(answersOf([{ answers }], [{ content }])).toEqual([answer]);
});

/** A report of failure, by default of the second question. */
const failure = (fields: Row = {}): Row => ({ ...REPORT, phone_data: 'question-12', ...fields });
const FAILED = '(not delivered) UNDELIV: 空号';
const ARRIVED = { event: 'deliveryReport', status: 'DELIVRD', phone_number: PHONE };

const [B, C] = [{ batch_id: 'b' }, { batch_id: 'c' }];
const UNSENT = { batch_id: '' };
const NO_DATA = { phone_data: '' };

// What comes, the questions of its number, and their answers then.
test.each<[string, Row[], Row[], unknown[]]>([
  ['a reply of the batch', [B], [B], ['1']],
  ['a reply of another batch', [C], [B], ['']],
  ['a reply without a batch', [{}], [C, B], ['', '1']],
  ['a reply of an older question', [C], [C, B], ['1', '']],
  ['a reply of any batch, after an unknown send', [C], [{ batch_id: null }], ['1']],
  ['a reply without a batch, after an unknown send', [{}], [UNSENT], ['1']],
  ['a reply of what was answered before', [B], [{ answer: '2' }, UNSENT], ['2', '']],
  ['a reply two minutes before', [{ time: '2026-06-03T17:58:00+08:00' }], [B], ['1']],
  ['a reply more than two minutes before', [{ time: '2026-06-03T09:57:59.999Z' }], [B], ['']],
  ['a reply of another number', [{ phone_number: '13810000302' }], [B], ['']],
  ['a reply behind the end', [{}], [{ resume_url: '' }], ['']],
  ['a second reply', [{}, { id: 8, content: '2' }], [B], ['1']],
  ['a reply that comes twice', [{}, {}], [C, B], ['', '1']],
  ['a failure', [failure()], [C, B], ['', FAILED]],
  ['a failure of another question', [failure()], [B], ['']],
  ['a failure before the batch is known', [failure()], [B, UNSENT], ['', FAILED]],
  ['a failure by an older clock', [failure({ time: '2020-01-01' })], [C, B], ['', FAILED]],
  ['a failure with a batch alone', [failure(NO_DATA)], [B], [FAILED]],
  ['a failure of another batch', [failure({ ...NO_DATA, ...C })], [UNSENT, B], ['', '']],
  ['a failure without a batch', [failure({ ...NO_DATA, ...UNSENT })], [B], ['']],
  ['a failure behind an answer', [{}, failure()], [C, B], ['', '1']],
])('%s, %j: of the questions %j, the answers are %j', (_, records, questions, answers) => {
  expect(answersOf(questions, records)).toEqual(answers);
});

test.each([
  ['question-12', 'c', failure(), false],
  ['question-12', 'b', failure(NO_DATA), false],
  ['question-11', 'c', failure(), true],
])(
  'of an SMS whose arrival has %s and %s, %j counts: %j',
  (phone_data, batch_id, report, counts) => {
    const answer = counts ? FAILED : '';
    const inbox = [{ ...ARRIVED, phone_data, batch_id }];
    expect(answersOf([C, B], [report], inbox)).toEqual(['', answer]);
  },
);

test('what is not taken is brought again, but for a question that a newer one has replaced', () => {
  const questions = ['1', '', '(a newer question)', FAILED].map((answer, id) => ({
    ...{ id, phone_number: PHONE, answer, resume_url: 'http://n8n' },
  }));
  const taken = { ...questions[0], id: 9, resume_url: '' };
  const world = { tables: { 'sms.questions': [...questions, taken] }, now: NOW };
  const nodes = runDesk(
    EXAMPLE,
    'Every minute',
    {},
    { ...world, given: { 'Wake the execution': [] } },
  );
  expect(nodes['Store the answers']?.map(({ id }) => id)).toEqual([0, 3]);
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
  const rows = ['', '1', '', ''].map((answer, id): Row => ({
    ...{ id, phone_number: id === 3 ? 'another' : PHONE, answer, asked: NOW.toISO() },
  }));
  const sent = { 'Send through the outbox': [{ status: 'accepted', batch_id: 'b' }] };
  const given = { 'Remember the question': [rows[2] ?? {}], ...sent, 'Wait for the reply': [] };
  const world = { tables: { 'sms.questions': rows }, given, now: NOW };
  runDesk(EXAMPLE, 'Customers, or records of the inbox', { phone: PHONE }, world);
  const answers = rows.map(({ answer, batch_id }) => `${String(answer)} ${String(batch_id ?? '')}`);
  expect(answers).toEqual(['(a newer question) ', '1 ', ' b', ' ']);
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
const NO_MORE = reasonIn('en', why('opted_out'));
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
  [OPEN, { status: 'refused', ...why('opted_out') }, {}, 'notDelivered', `Not sent: ${NO_MORE}`],
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
