import type { Fault } from '../../sandbox/gateway';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { REPLIES, REPORTS, REPORTS_ONLY } from '../../kit/engine/pulls';
import { descriptionOf } from '../../kit/engine/sends';

/** What is in the answer to a pull, to the trigger and to the Pull operation. */

const { gateway, execute, poll, publish } = useGatewayPerTest();

const REPORT = { batch_id: 'b', phone_number: '13800138000', status: 'DELIVRD' };
const OTHER = { ...REPORT, batch_id: 'c' };
const FOREIGN = { tel: '13800138000', st: 0, more: [] };

/** Gives this answer to a poll of the trigger, and then to a pull by hand. */
async function receive(answer: Fault) {
  gateway.fault(answer);
  const poller = await poll(REPORTS_ONLY);
  await poller.deactivate();
  gateway.reset();
  gateway.fault(answer);
  const { json, error, hints } = await execute({ resource: 'deliveryReport', operation: 'pull' });
  const told = [
    ...poller.errors.map(({ message }) => message),
    ...(error ? [error.message] : hints),
  ];
  const items = [poller.executions.flat(), json];
  return { items, told, advice: poller.errors.map(descriptionOf) };
}

const answerOf = (body: unknown, status = 200): Fault => ({ kind: 'status', status, body });

/** A report that has so many objects in each other. */
const deep = (depth: number) =>
  Array.from({ length: depth - 1 }).reduce<object>((more) => ({ ...REPORT, more }), REPORT);

/** Said once by the trigger and once by the pull by hand. */
const twice = (text: string) => [expect.stringContaining(text), expect.stringContaining(text)];

test.each<[string, { code?: number; data: object; [name: string]: unknown }, object?]>([
  ['of the specification', { code: 0, msg: 'ok', data: [REPORT, OTHER] }],
  ['without a code', { data: [REPORT, OTHER] }],
  ['with more about the answer', { code: 0, data: [REPORT, OTHER], total: 2, tp: 1, x: null }],
  ['with a list in each', { code: 0, data: [{ ...REPORT, list: [] }] }],
  ['with unknown fields', { code: 0, data: [FOREIGN, { ...FOREIGN, st: 1 }] }],
  ['that is as deep as can be read', { code: 0, data: [deep(98)] }],
  ['with nothing among them', { code: 0, data: [null, REPORT, [], OTHER, {}] }, [REPORT, OTHER]],
  ['in an object with numbers as names', { data: { 0: REPORT, 2: OTHER } }, [REPORT, OTHER]],
  // What stands beside records is handed over, too.
  ['beside others', { data: [REPORT], rows: [FOREIGN] }, [REPORT, { answer: { rows: [FOREIGN] } }]],
])('an array of objects under data is records: %s', async (_, body, records = body.data) => {
  const { items, told } = await receive(answerOf(body));
  for (const each of items) expect(each).toMatchObject(records);
  expect(told).toEqual([]);
});

test.each([
  ['a line break', '\n'],
  ['a tab behind an escape', '\\"\t'],
  ['all of them', Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('')],
])('a raw control character inside a text is read as what it is: %s', async (_, raw) => {
  const batch = `a${raw}b`;
  const text = JSON.stringify({ code: 0, data: [{ ...REPORT, batch_id: 'X' }, OTHER] }, null, '\t');
  const { items, told } = await receive(answerOf(text.replace('X', batch)));
  const expected = batch.replace('\\"', '"');
  for (const each of items) expect(each).toMatchObject([{ batch_id: expected }, OTHER]);
  expect(told).toEqual([]);
});

// Whatever else is nothing under data: pullProperties.test.ts.
test.each([
  { code: 0, data: ' [ ] ' },
  { code: null, msg: '', data: [] },
  { code: 0, data: { list: '[]', page: 1, page_size: 10, total: 0 } },
  { code: 0, success: true, total: 0, note: 'none' },
  { code: 0, data: [], tp: { x: 1 }, request_id: ['r'], list: [], rows: {} },
  { code: 0, batch_id: '', time: 0, status: null },
  // As other services write about the answer.
  { code: 0, status: 'success', time: 1767225600, data: [] },
  [],
  [[{ code: 0, msg: 'ok', data: [], total: 3 }]],
  [[{ code: 0, msg: 'ok' }]],
])('%j has no records', async (body) => {
  const { items, told } = await receive(answerOf(body));
  expect([items, told]).toEqual([[[], []], []]);
});

test.each<[string, unknown]>([
  ['a list under data', { code: 0, data: { list: [REPORT], total: 1 } }],
  ['a list of another name', { code: 0, msg: 'ok', reports: [REPORT] }],
  ['an object beside an empty data', { code: 0, data: null, ext: { build: 7 } }],
  ['phone numbers as names', { code: 0, data: { 13800138000: REPORT } }],
  ['a record of numbers', { code: 0, data: { 13800138000: 1 } }],
  ['rows', { code: 0, data: [[1, 13800138000, 0]] }],
  ['a list that is not all objects', { code: 0, data: [REPORT, 7] }],
  ['a truth', { code: 0, data: { 13800138000: false } }],
  ['a number as text', { code: 0, data: '0' }],
  // One record, flat.
  ['a status and a time without data', { code: 0, status: 'DELIVRD', time: 1767225600 }],
  ['a flat report beside an empty data', { code: 0, data: null, batch_id: 'b' }],
  ['a flat report with an empty list', { code: 0, data: { batch_id: 'b', list: [] } }],
  ['a flat report without code', { data: [], batch_id: 'b' }],
  ['a flat report without code and data', { phone_number: '13800138000' }],
  ['a record with code and msg in an array', [{ code: 0, msg: 'TD', tel: '13800138000' }]],
  // Answers with neither a code nor data.
  ['the health of a server', { status: 'UP' }],
  ['a page without records in arrays', [[{ list: [], total: 0 }]]],
  ['an empty code', { code: '', msg: 'ok' }],
  ['an object in an array', [{}]],
])('%s is handed over whole, as one item', async (_, body) => {
  const { items, told, advice } = await receive(answerOf(body));
  const item = { event: 'unreadable', answer: body };
  expect(items).toEqual([[item], [item]]);
  expect(told).toEqual(twice('expected shape'));
  expect(advice).toEqual([expect.stringContaining('an item with the event "unreadable"')]);
});

test('a flat reply is handed over whole', async () => {
  const body = { code: 0, mobile: '13800138000', content: 'TD' };
  for (const answer of [body, [{ ...body, msg: '' }], [{ ...body, code: 7, msg: 'x' }]]) {
    gateway.fault(answerOf(answer));
    const poller = await poll({ events: ['reply'] });
    await poller.deactivate();
    expect(poller.executions.flat()).toEqual([{ event: 'unreadable', answer }]);
    expect(poller.errors).toHaveLength(1);
  }
});

describe('an answer without any field', () => {
  const NOTHING = ['', ' ', {}].map((body) => answerOf(body));

  test.each(NOTHING)('is an error that names the setting: %j', async (fault) => {
    const { items, told } = await receive(fault);
    expect(items).toEqual([[], []]);
    expect(told).toEqual(twice('expected shape: it is an empty object'));
    // A refused publication shows only the message.
    expect(told[0]).toContain("add the word none to 'Empty Codes' under 'Custom Result Codes'");
  });

  test('is an empty queue at HTTP 204', async () => {
    const { items, told } = await receive(answerOf('', 204));
    expect([items, told]).toEqual([[[], []], []]);
  });
});

describe('with the word none in Empty Codes', () => {
  const none = { customResultCodes: true, emptyCodes: '10004, None' };
  const getCredentials = async () => await Promise.resolve({ ...gateway.credential(), ...none });

  const errorsAfter = async (body: unknown) => {
    gateway.fault(answerOf(body));
    const poller = await poll(REPORTS_ONLY, { getCredentials: getCredentials as never });
    await poller.deactivate();
    return poller.errors.length;
  };

  test.each<[object, errors: number]>([
    ...[{}, { code: 10004 }].map((body): [object, number] => [body, 0]),
    ...[{ errcode: 1 }, { msg: '' }, { code: null }, { code: 'none', msg: 'no' }].map(
      (body): [object, number] => [body, 1],
    ),
  ])('%j: %d errors', async (body, errors) => {
    expect(await errorsAfter(body)).toBe(errors);
  });
});

test.each([
  ['cut off', 200, '{"code":1,"da'],
  ['500', 500, '{"code":1,"da'],
  ['redirects', 302, '{"code":1,"da'],
  // More than 100 lists or objects in each other. Without a limit, a page that is 5,000 deep would be lost.
  ['cut off or is not', 200, `{"data":[${JSON.stringify(deep(99))}]}`],
  ['cut off or is not', 200, '{"data":'.repeat(50_000) + '0' + '}'.repeat(50_000)],
])('what cannot be read (%s), at HTTP %d, is handed over as it came', async (...row) => {
  const [says, status, answer] = row;
  const { items, told } = await receive(answerOf(answer, status));
  for (const each of items) expect(each).toEqual([{ event: 'unreadable', answer }]);
  expect(told).toEqual(twice(says));
});

test.each<[string, Fault]>([
  ['a web page', { kind: 'html' }],
  ['a web page beside an error', answerOf('<html>no</html>', 502)],
  ...[
    { code: 9, msg: 'no' },
    { code: 9, msg: 'no', data: null },
    { code: 9, msg: 'no', data: { total: 0, list: null } },
    { code: 9, message: 'no 13800138000', details: [] },
    [[{ code: 9, msg: 'no' }]],
  ].map((body): [string, Fault] => [`a refusal: ${JSON.stringify(body)}`, answerOf(body)]),
])('%s is an error, and starts no execution', async (_, fault) => {
  const { items, told } = await receive(fault);
  expect([items, told.length]).toEqual([[[], []], 2]);
});

describe.each([200, 400, 500])('with HTTP %d and a code in no list', (status) => {
  test('records are handed over as such', async () => {
    const body = { code: 200, msg: 'success', data: [REPORT, OTHER] };
    const { items, told, advice } = await receive(answerOf(body, status));
    for (const each of items) expect(each).toMatchObject([REPORT, OTHER]);
    expect(told).toHaveLength(2);
    expect(advice).toEqual([
      expect.stringMatching(
        status < 500
          ? /^The records in the answer are handed over\. If code 200 means success, add it to 'Success Codes' /
          : /^The records in the answer are handed over\. The service may have handed over /,
      ),
    ]);
  });

  test.each<[string, object]>([
    ['a page', { code: 200, data: { list: [{ x: 1 }], total: 1 } }],
    ['a map', { code: 1, msg: 'ok', data: { b1: FOREIGN } }],
    ['text', { code: 1, data: 'b1,13800138000,DELIVRD' }],
    ['a list of errors', { code: 9, msg: 'no', errors: [{ field: 'count' }] }],
  ])('%s is handed over whole', async (_, body) => {
    const { items, advice } = await receive(answerOf(body, status));
    const item = { event: 'unreadable', answer: body };
    expect(items).toEqual([[item], [item]]);
    expect(advice).toEqual([
      expect.stringMatching(
        /^The answer is an item with the event "unreadable": it may hold records\./,
      ),
    ]);
  });
});

test('a code of Empty does not silence an answer that holds something', async () => {
  const { items, told } = await receive(answerOf({ code: 10004, msg: 'success', data: [REPORT] }));
  for (const each of items) expect(each).toMatchObject([REPORT]);
  expect(told).toEqual(twice('code 10004'));
});

// Guess: empty-code
test('two codes of Empty are two empty queues: the default trigger is published', async () => {
  const empty = { kind: 'businessCode', msg: 'E', times: Infinity } as const;
  gateway.fault({ ...empty, code: 10004, path: REPORTS });
  gateway.fault({ ...empty, code: 10005, path: REPLIES });
  const poller = await publish({});
  expect([poller.executions, poller.errors]).toEqual([[], []]);
  expect(gateway.requests).toHaveLength(2);
});
