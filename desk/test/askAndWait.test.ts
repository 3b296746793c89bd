/** Ask-and-wait: whom it asks, what it takes for an answer, and what it tells the workflow that asked. */
import { DateTime } from 'luxon';

import { reasonIn, why } from '../src/common/messages/reasons';
import { runDesk, type Row, type World } from './workflow';

const ASKED = '2026-06-03T10:00:00.000Z';
const NOW = DateTime.fromISO('2026-06-03T12:00:00Z') as DateTime;
const PHONE = '13810000301';
const CUSTOMER = { phone: '(+86) １３８-1000-0301', question: 'Q', tell: 'w' };

/** What the nodes put out for these customers or records. */
async function run(start: Row[], tables: World['tables'] = {}, given: World['given'] = {}) {
  const usual = { 'Wake the execution': [], 'Wait for the reply': [] };
  const world = { tables, now: NOW, given: { ...usual, ...given } };
  return await runDesk('ask-and-wait', 'Customers, or records of the inbox', start, world);
}

const REPORT = {
  ...{ event: 'deliveryReport', status: 'UNDELIV', status_desc: '空号' },
  ...{ phone_number: PHONE, phone_data: 'question-12', batch_id: 'b' },
};

/** As the inbox hands it over. */
const RECORD = { id: 7, event: 'reply', run: 'push-1', status: '', phone_data: '', content: '1' };

/** Where items go. */
const WAYS = ['Remember the question', 'One customer after another', 'Read the record'];
const [ONE, SEVERAL, READ] = WAYS;

test.each<[string | undefined, Row[]]>([
  [READ, [RECORD]],
  // A report of failure that is, or may be, about a question.
  [READ, [{ ...RECORD, ...REPORT }]],
  [READ, [{ ...RECORD, ...REPORT, phone_data: '' }]],
  // One about another SMS or an order, of an arrival, or one that says nothing.
  [undefined, [{ ...RECORD, ...REPORT, phone_data: 'sms_recipients:12' }]],
  [undefined, [{ ...RECORD, ...REPORT, phone_data: 'question-1-2' }]],
  [undefined, [{ ...RECORD, ...REPORT, status: 'DELIVRD' }]],
  [undefined, [{ ...RECORD, ...REPORT, status: '' }]],
  [undefined, [{ ...RECORD, event: 'unreadable' }]],
  // A customer may have any fields.
  [ONE, [{ phone: PHONE, event: 'reply', run: 'r' }]],
  [ONE, [{ ...RECORD, template_id: '306' }]],
  [ONE, [{ ...RECORD, phone: null }]],
  [ONE, [{ question: 'Q', event: 'reply' }]],
  [SEVERAL, [{}, {}]],
])('the way "%s" is that of %j', async (way, items) => {
  const nodes = await run(items);
  expect(WAYS.find((each) => each in nodes)).toBe(way);
});

/** The answers of questions, the older ones first, when records have come. They get the IDs 11, 12, … */
async function answersOf(questions: object[], records: Row[], there: World['tables'] = {}) {
  const rows = questions.map((question, index): Row => ({
    ...{ id: 11 + index, phone_number: PHONE, answers: '1,2', asked: ASKED, batch_id: 'b' },
    ...{ answer: '', reply: '', resume_url: 'http://n8n', ...question },
  }));
  const start = records.map((record) => ({ ...RECORD, phone_number: PHONE, ...record }));
  await run(start, { 'sms.questions': rows, ...there });
  return rows.map(({ answer }) => answer);
}

test.each([
  ['1,2', ' １。', '1'],
  ['1, 2', '「２」', '2'],
  ['1，2', '2', '2'],
  ['y;n', '(n)', 'N'],
  ['Ja、nein', 'ja', 'JA'],
  ['1,2', '12', ''],
  ['1,2', '1 2', ''],
  ['1,2', '1号', ''],
  ['1,2', '+1', ''],
  ['1,', '', ''],
  ['1,', undefined, ''],
  ['10,20', '1', ''],
  // No customer can say what a report says.
  ['(not delivered) 1', '(not delivered) 1', ''],
])('of the answers %p, the reply %p is %p', async (answers, content, answer) => {
  expect(await answersOf([{ answers }], [{ content }])).toEqual([answer]);
});

/** A report of failure, by default of the second question. */
const failure = (fields: Row = {}): Row => ({ ...REPORT, ...fields });
const FAILED = '(not delivered) UNDELIV: 空号';
const arrived = (question: string, batch: Row) => ({
  'sms.inbox': [{ ...REPORT, ...batch, status: 'DELIVRD', phone_data: `question-${question}` }],
});
const sent = (status: string) => ({
  'sms.outbox': [{ phone_number: PHONE, phone_data: 'question-11', status }],
});

const [B, C] = [{ batch_id: 'b' }, { batch_id: 'c' }];
const UNSENT = { batch_id: '' };
const NO_DATA = { phone_data: '' };
const NO_ID = { id: undefined };

// What comes, the questions of its number, and their answers then. At the end: what else is there.
test.each<[string, Row[], Row[], unknown[], World['tables']]>([
  ['a reply of the batch', [B], [B], ['1'], {}],
  ['a reply of another batch', [C], [B], [''], {}],
  ['a reply of an older question', [C], [C, B], ['1', ''], {}],
  ['a reply of any batch, after an unknown send', [C], [{ batch_id: null }], ['1'], {}],
  ['a reply without a batch, after an unknown send', [{}], [UNSENT], ['1'], {}],
  ['a reply of what was answered before', [B], [{ answer: '2' }, UNSENT], ['2', ''], {}],
  ['a reply two minutes before', [{ time: '2026-06-03T17:58:00+08:00' }], [B], ['1'], {}],
  ['a reply more than two minutes before', [{ time: '2026-06-03T09:57:59.999Z' }], [B], [''], {}],
  ['a reply of another number', [{ phone_number: '13810000302' }], [B], [''], {}],
  ['a reply behind the end', [{}], [{ resume_url: '' }], [''], {}],
  ['a reply before its question has gone', [{}], [UNSENT], [''], sent('waiting')],
  ['a reply to what went at its hour', [{}], [UNSENT], ['1'], sent('accepted')],
  ['a second reply', [{}, { id: 8, content: '2' }], [B], ['1'], {}],
  ['a reply that comes twice', [{}, {}], [C, B], ['', '1'], {}],
  ['the same without its row', [NO_ID, NO_ID], [C, B], ['', '1'], {}],
  ['two of them', [NO_ID, { ...NO_ID, content: '2' }], [C, B], ['2', '1'], {}],
  ['a failure', [failure()], [C, B], ['', FAILED], {}],
  ['one in a word', [failure({ status_desc: '' })], [C, B], ['', '(not delivered) UNDELIV'], {}],
  ['a failure of another question', [failure()], [B], [''], {}],
  ['a failure before the batch is known', [failure()], [B, UNSENT], ['', FAILED], {}],
  ['a failure by an older clock', [failure({ time: '2020-01-01' })], [C, B], ['', FAILED], {}],
  ['a failure with a batch alone', [failure(NO_DATA)], [B], [FAILED], {}],
  ['a failure of another batch', [failure({ ...NO_DATA, ...C })], [UNSENT, B], ['', ''], {}],
  ['a failure without a batch', [failure({ ...NO_DATA, ...UNSENT })], [B], [''], {}],
  ['a failure behind an answer', [{}, failure()], [C, B], ['', '1'], {}],
  ['a failure of what has arrived', [failure()], [C, B], ['', ''], arrived('12', C)],
  ['the same by its batch', [failure(NO_DATA)], [C, B], ['', ''], arrived('12', B)],
  ['a failure beside another arrival', [failure()], [C, B], ['', FAILED], arrived('11', C)],
])('%s, %j: of %j, the answers are %j', async (_, records, questions, answers, there) => {
  expect(await answersOf(questions, records, there)).toEqual(answers);
});

test('what is not taken is brought again, but for a question that a newer one has replaced', async () => {
  const questions = ['1', '', '(a newer question)', FAILED].map((answer, id) => ({
    ...{ id, phone_number: PHONE, answer, resume_url: 'http://n8n' },
  }));
  const taken = { ...questions[0], id: 9, resume_url: '' };
  const world = { tables: { 'sms.questions': [...questions, taken] }, now: NOW };
  const given = { 'Wake the execution': [] };
  const nodes = await runDesk('ask-and-wait', 'Every minute', {}, { ...world, given });
  expect(nodes['Store the answers']?.map(({ id }) => id)).toEqual([0, 3]);
});

/** What is asked while there are these questions and messages: the outbox answers so, and then so much happens. */
const ask = (sent: Row, tables: World['tables'], happens: () => unknown = () => 'nothing') =>
  run([CUSTOMER], tables, {
    ...{
      'Send through the outbox': [sent],
      'Wait for the reply': async () => [{ after: await happens() }],
    },
  });

const ACCEPTED = { status: 'accepted', batch_id: 'b', outbox_id: 5 };

test('a newer question takes the place of open ones only: an answer stays', async () => {
  const rows = ['', '1', ''].map((answer, id): Row => ({
    ...{ id: id + 1, phone_number: id === 2 ? 'another' : PHONE, answer, asked: ASKED },
  }));
  const tables = { 'sms.questions': rows };
  await ask(ACCEPTED, tables);
  const answers = rows.map(({ answer, batch_id }) => `${String(answer)} ${String(batch_id ?? '')}`);
  expect(answers).toEqual(['(a newer question) ', '1 ', ' ', ' b']);
});

/** What happens before a question ends. */
const HAPPENS: Record<string, (tables: World['tables']) => unknown> = {
  nothing: () => undefined,
  'a reply': (tables) => run([{ ...RECORD, phone_number: PHONE }], tables),
  'a reply with its time': (tables) =>
    run([{ ...RECORD, phone_number: PHONE, time: '2026-06-03T20:05:00+08:00' }], tables),
  'a failure': (tables) => run([{ ...RECORD, ...REPORT, phone_data: 'question-1' }], tables),
  'a newer question': (tables) =>
    run([CUSTOMER], tables, { 'Send through the outbox': [ACCEPTED] }),
};

const optedOut = { status: 'refused', reason: 'Opted out.' };
const OPTED_OUT = { outcome: 'notDelivered', reason: 'Not sent: Opted out.' };
const NO_MORE = { ...OPTED_OUT, reason: `Not sent: ${reasonIn('en', why('opted_out'))}` };
const silent = { outcome: 'silent' };
const replaced = { ...silent, reason: 'A newer question to this number took its place.' };
const answered = { outcome: 'answered', answer: '1', respondedAt: NOW.toUTC().toISO() };

// What happens, what the outbox has of its SMS then, what it has answered, and the end.
test.each<[keyof typeof HAPPENS, Row, Row, Row]>([
  ['nothing', { status: 'accepted' }, ACCEPTED, silent],
  ['nothing', { status: 'unknown' }, ACCEPTED, silent],
  ['a newer question', {}, ACCEPTED, replaced],
  ['a failure', {}, ACCEPTED, { outcome: 'notDelivered', reason: 'UNDELIV: 空号' }],
  ['a reply', {}, ACCEPTED, answered],
  // A time is as n8n's own Send and Wait has it.
  ['a reply with its time', {}, ACCEPTED, { ...answered, respondedAt: '2026-06-03T12:05:00.000Z' }],
  // It waited for its hour.
  ['nothing', optedOut, ACCEPTED, OPTED_OUT],
  ['nothing', { ...optedOut, status: 'rejected' }, ACCEPTED, OPTED_OUT],
  ['nothing', { status: 'refused', ...why('opted_out') }, ACCEPTED, NO_MORE],
  ['a reply', optedOut, ACCEPTED, answered],
  // It was refused at once.
  ['nothing', {}, optedOut, OPTED_OUT],
  ['nothing', {}, { error: 'Full.' }, { ...OPTED_OUT, reason: 'Not sent: Full.' }],
])('behind %s, an SMS that is %j after the answer %j: %j', async (what, sms, sent, end) => {
  const outbox = Object.keys(sms).length > 0 ? [{ id: 5, phone_number: PHONE, ...sms }] : [];
  const tables: World['tables'] = { 'sms.outbox': outbox };
  const { Outcome: outcome } = await ask(sent, tables, () => HAPPENS[what]?.(tables));
  expect(outcome).toEqual([
    {
      ...{ phone_number: PHONE, question: 'Q', customer: CUSTOMER },
      ...{ answer: '', respondedAt: '', reason: '', ...end },
    },
  ]);
});

const ERROR = { error: 'Connection terminated unexpectedly' };
const ROW = { id: 5, phone_number: PHONE, phone_data: 'question-1', batch_id: 'b' };

// What the outbox answers, and its row of the question. It may fail behind its send.
test.each<[Row, Row[], boolean]>([
  ...['accepted', 'unknown', 'waiting', 'claimed'].flatMap((status): [Row, Row[], boolean][] => [
    [{ status }, [], true],
    [ERROR, [{ ...ROW, status }], true],
  ]),
  [{ status: 'skipped' }, [], false],
  [{ status: 'refused' }, [], false],
  [{ status: 'rejected' }, [], false],
  [ERROR, [], false],
  [ERROR, [{ ...ROW, phone_data: 'question-2', status: 'accepted' }], false],
  [ERROR, [{ ...ROW, status: 'refused' }], false],
])('after %j, with %j, it waits: %j. Otherwise, who asked is told', async (sent, outbox, waits) => {
  const tables: World['tables'] = { 'sms.outbox': outbox };
  const nodes = await ask(sent, tables);
  expect('Wait for the reply' in nodes).toBe(waits);
  expect(tables['sms.questions'] ?? []).toHaveLength(Number(waits));
  if (!waits) expect(nodes.Outcome).toMatchObject([{ outcome: 'notDelivered' }]);
});
