import type { NodeApiError } from 'n8n-workflow';
import { EVENTS } from '../../../nodes/SmsMessagingService/receiving/events';
import { recordsIn, strictRecords } from '../../../nodes/SmsMessagingService/service/pull';
import { MAX_NESTING } from '../../../nodes/SmsMessagingService/service/visit';
import type { Fault } from '../../sandbox/gateway';
import { useGatewayPerTest } from '../harness/gateway';
import { REPLIES, REPORTS, REPORTS_ONLY } from '../harness/pulls';

/** Where the records are in the answer to a pull, whatever its shape. */

const { gateway, createPoller } = useGatewayPerTest();

const REPORT = { batch_id: 'b', phone_number: '13800138000', status: 'DELIVRD' };
const OTHER = { ...REPORT, batch_id: 'c' };

test('the shape of the specification has all fields of each record under data', () => {
  const [report] = EVENTS.deliveryReport.samples;
  const answer = { code: 0, msg: 'ok', data: [report] };
  const read = (body: unknown) => strictRecords(body, EVENTS.deliveryReport.fields);
  expect(read(answer)).toEqual([report]);
  const others = [
    { ...answer, code: '0' },
    { code: 0, data: [] },
    { ...answer, data: [REPORT] },
  ];
  expect(others.map(read)).toEqual([undefined, undefined, undefined]);
});

test('records are found as deep as answers are looked into; what is deeper is handed over', () => {
  const inside = (levels: number, found: unknown): unknown =>
    levels === 0 ? found : { data: inside(levels - 1, found) };
  const { fields } = EVENTS.deliveryReport;
  expect(recordsIn(inside(MAX_NESTING, REPORT), fields)).toEqual([REPORT]);
  expect(recordsIn(inside(MAX_NESTING, [REPORT]), fields)).toBeUndefined();
});

// Guess: pull-shape
test.each([
  ['a list under data', { code: 0, data: { list: [REPORT, OTHER], total: 2 } }],
  ['a list of another name', { code: 0, msg: 'ok', reports: [REPORT, OTHER] }],
  ['a list of lists', [[REPORT], [OTHER]]],
  ['a bare list', [REPORT, OTHER]],
  ['a map', { code: 0, data: { b: REPORT, c: OTHER } }],
  ['JSON as text', { code: 0, data: JSON.stringify([REPORT, OTHER]) }],
  ['a list under message', { code: 0, message: [REPORT, OTHER] }],
  ['a page in nested arrays', [[{ list: [REPORT, OTHER], page: 1, total: 2 }]]],
])('records are found in %s', async (_, body) => {
  gateway.fault({ kind: 'wrongShape', body });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions.flat()).toMatchObject([REPORT, OTHER]);
  expect(poller.errors).toEqual([]);
});

test('a single record is found', async () => {
  gateway.fault({ kind: 'wrongShape', body: { code: 0, data: REPORT } });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions.flat()).toMatchObject([REPORT]);
});

// Guess: empty-pull
test.each([
  { code: 0 },
  { code: 0, msg: 'ok', data: null },
  { code: '0', data: '' },
  { code: 0, data: {} },
  { code: 0, success: true, total: 0 },
  { code: 0, data: { list: [], total: 0, note: 'none' } },
  { code: 0, data: { list: null, page: 1 } },
  { list: null },
  { code: 0, data: { list: null, total: 0, note: 'no records' } },
  { code: 0, data: [{ list: null, page: 1, total: 0 }] },
  {
    code: 0,
    data: { records: [], total: 0, size: 100, current: 1, orders: [], searchCount: true },
  },
  { code: 0, data: { page: 1, page_size: 100 } },
  { code: 0, data: null, ext: { build: 7, env: 'test' } },
  { code: 0, data: [], account: '13800138000' },
  [[{ list: [], total: 0 }]],
])('%j has no records', async (body) => {
  gateway.fault({ kind: 'wrongShape', body });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions).toEqual([]);
  expect(poller.errors).toEqual([]);
});

const TEL = { tel: '13800138000', st: 'ok' };

// Guess: pull-shape
test.each<[string, unknown]>([
  ['records with unknown fields beside an empty data', { code: 0, data: [], rows: [TEL] }],
  ['a text beside an empty data', { code: 0, data: '', rows: 'b1|13800138000|DELIVRD' }],
  ['rows of numbers', { code: 0, data: [[1, 13800138000, 0]] }],
  ['rows of numbers elsewhere', { code: 0, rows: [[1, 2]] }],
  ['a map of unknown records', { code: 0, data: { b1: TEL, b2: TEL } }],
  ['a map of numbers', { code: 0, data: { b1: { x: 1, y: 2 } } }],
  ['a record with null in it', { code: 0, list: [{ x: 1, y: null }] }],
  ['a record with a list in it', { code: 0, data: { b1: { ...TEL, parts: [] } } }],
  ['records in records', { code: 0, list: [{ sent: { tel: 5 } }] }],
])('of a success, %s is handed over as it is', async (_, body) => {
  gateway.fault({ kind: 'wrongShape', body });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions.flat()).toEqual([{ event: 'unreadable', answer: body }]);
  expect(poller.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('expected shape'),
  ]);
});

test('what is not understood beside records is handed over too', async () => {
  gateway.fault({ kind: 'wrongShape', body: { code: 0, data: [REPORT], rows: [TEL] } });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions.flat()).toMatchObject([REPORT, { event: 'unreadable', answer: [TEL] }]);
  expect(poller.errors).toEqual([]);
});

test.each([
  ['of another shape', { kind: 'wrongShape', body: { code: 0, result: 'a,b,c' } }],
  ['with an unknown list', { kind: 'wrongShape', body: { code: 0, data: { list: [{ x: 1 }] } } }],
  ['that is cut off', { kind: 'truncatedJson' }],
] as [string, Fault][])('an answer %s is handed over as it is, once', async (_, fault) => {
  gateway.queueReports(1);
  gateway.fault({ ...fault, times: 2 });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions.flat()).toEqual([{ event: 'unreadable', answer: expect.anything() }]);
  expect(poller.errors).toHaveLength(1);
});

const descriptionsOf = (errors: Error[]) =>
  errors.map((error) => (error as NodeApiError).description ?? '');

describe.each([200, 400, 500])('with HTTP %d and a code in no list', (status) => {
  test('records are handed over as such', async () => {
    const body = { code: 200, msg: 'success', data: [REPORT, OTHER] };
    gateway.fault({ kind: 'status', status, body, times: Infinity });
    const poller = createPoller(REPORTS_ONLY);
    await poller.tick();
    expect(poller.executions.flat()).toMatchObject([REPORT, OTHER]);
    expect(gateway.requests).toHaveLength(1);
    const [description] = descriptionsOf(poller.errors);
    const setting =
      " Code 200 is in no list of the credential. If it means success, add it under 'Custom Result Codes' to 'Success Codes'.";
    expect(description).toBe(
      `The records in the answer are handed over.${status < 500 ? setting : ''}`,
    );
  });

  test.each<[string, object]>([
    ['a list', { code: 200, msg: 'success', data: [TEL] }],
    ['a list elsewhere', { code: 200, result: [TEL] }],
    ['a page', { code: 200, data: { list: [{ x: 1 }], total: 1 } }],
    ['a map', { code: 1, msg: 'ok', data: { b1: TEL } }],
    ['a map of numbers', { code: 1, data: { b1: { x: 1 } } }],
    ['rows of numbers', { code: 1, data: [[1, 2]] }],
    ['JSON as text', { code: 1, data: JSON.stringify([{ x: 1 }]) }],
    ['text', { code: 1, data: 'b1,13800138000,DELIVRD' }],
    ['a single record', { code: 1, data: TEL }],
  ])('%s with unknown fields is handed over as it is', async (_, body) => {
    gateway.fault({ kind: 'status', status, body, times: Infinity });
    const poller = createPoller(REPORTS_ONLY);
    await poller.tick();
    expect(poller.executions.flat()).toEqual([{ event: 'unreadable', answer: body }]);
    expect(gateway.requests).toHaveLength(1);
    const [description] = descriptionsOf(poller.errors);
    expect(description).toMatch(
      /^The answer is handed over, as an item with the event "unreadable": it may hold records\./,
    );
  });
});

test.each<object>([
  { code: 9, msg: 'no', tp: 1767225600, request_id: 'r-13800138000', data: [] },
  { code: 9, msg: 'no', data: null },
  { code: 9, msg: 'no', data: { total: 0, page: 1, list: null } },
  { code: 9, msg: '参数错误', data: { count: '最大值为50' } },
  { code: 9, message: 'no', errors: [{ field: 'count', message: 'at most 50' }] },
  { code: 9, msg: 'no', details: ['count'] },
  [[{ code: 9, msg: 'no' }]],
])('after a refusal that holds nothing smaller sizes are tried: %j', async (body) => {
  gateway.queueReports(60);
  gateway.fault({
    kind: 'wrongShape',
    body,
    accept: false,
    times: Infinity,
    match: (request) => (request.body as { count: number }).count > 50,
  });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions.flat()).toHaveLength(60);
  expect(poller.errors).toHaveLength(0);
});

test('a code of Empty does not silence an answer that holds something', async () => {
  const body = { code: 10004, msg: 'success', data: [TEL] };
  gateway.fault({ kind: 'wrongShape', body });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions.flat()).toEqual([{ event: 'unreadable', answer: body }]);
  expect(poller.errors).toHaveLength(1);
});

// Guess: empty-code
test('two codes of Empty are two empty queues: the default trigger is published', async () => {
  const empty = { kind: 'businessCode', msg: 'E', times: Infinity } as const;
  gateway.fault({ ...empty, code: 10004, path: REPORTS });
  gateway.fault({ ...empty, code: 10005, path: REPLIES });
  const poller = createPoller({});
  await poller.activate();
  expect([poller.executions, poller.errors]).toEqual([[], []]);
  expect(gateway.requests).toHaveLength(2);
});
