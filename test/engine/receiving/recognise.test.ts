import type { Fault, Gateway } from '../../sandbox/gateway';
import type { Harness } from '../harness';
import { gatewayPerTest } from '../harness/gateway';
import { REPORTS_ONLY } from '../harness/pulls';

/** Where the records are in an answer, whatever its shape. */

let gateway: Gateway;
let createPoller: Harness['createPoller'];

gatewayPerTest((world) => {
  ({ gateway, createPoller } = world);
});

const REPORT = { batch_id: 'b', phone_number: '13800138000', status: 'DELIVRD' };
const OTHER = { ...REPORT, batch_id: 'c' };

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

test.each([
  { code: 0 },
  { code: 0, msg: 'ok', data: null },
  { code: '0', data: '' },
  { code: 0, data: {} },
  { code: 0, success: true, total: 0 },
  { code: 0, data: { list: [], total: 0, note: 'none' } },
  { code: 0, data: { list: null, page: 1 } },
])('%j has no records', async (body) => {
  gateway.fault({ kind: 'wrongShape', body });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions).toEqual([]);
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

test('records in the answer of a refusal are handed over', async () => {
  gateway.fault({ kind: 'status', status: 500, body: { code: 7, data: [REPORT] } });
  const poller = createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(poller.executions.flat()).toMatchObject([REPORT]);
  expect(poller.errors.map(({ message }) => message)).toEqual([expect.stringMatching(/HTTP 500/)]);
});
