import { createHash } from 'node:crypto';
import type { EventName } from '../../kit/engine/pulls';
import { createOtherHarness } from '../../kit/engine';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { countDistinct, REPLIES, REPORTS_ONLY } from '../../kit/engine/pulls';

/** Records that n8n did not take: they are kept in static data, through restarts and for other processes. */

const { gateway, createPoller, poll } = useGatewayPerTest();

const TYPE = 'n8n-nodes-sms-messaging-service.smsMessagingServiceTrigger';

/** Where static data has what the account of the gateway has left of an event, or that of another. */
function keyOf(event: EventName, account?: string): string {
  const { baseUrl, apiKey } = gateway.credential();
  const own = createHash('sha256').update(`${new URL(String(baseUrl)).host}\n${String(apiKey)}`);
  return `${TYPE}/${account ?? own.digest('base64url')}/${event}`;
}

/** n8n starts anew, or another main process does. */
const startOtherProcess = async () => await createOtherHarness(gateway.credential());

test('a late refusal is kept, also when another process has handed over the one before it', async () => {
  const workflowId = 'refused-late';
  const parameters = { ...REPORTS_ONLY, options: { itemsPerExecution: 5 } };
  gateway.queueReports(10);
  const refusals: ((error: Error) => void)[] = [];
  const onExecution = async (items: object[]) =>
    await new Promise<void>((resolve, reject) => {
      if (items.length === 0) resolve();
      else if (refusals.push(reject) === 1) reject(new Error('The database is down'));
    });
  const before = await poll(parameters, { workflowId, onExecution });
  const other = await startOtherProcess();
  const taken = await other.poll(parameters, { workflowId, restarted: before.saved });
  const activation = 'leadershipChange';
  const after = await poll(parameters, { workflowId, restarted: taken.saved, activation });
  refusals[1]?.(new Error('The database is down'));
  await after.tick();
  const items = [taken, after].flatMap(({ executions }) => executions.flat());
  expect([items.length, countDistinct(items)]).toEqual([10, 10]);
});

test('what is under way stays so when n8n registers the trigger anew in the same process', async () => {
  const workflowId = 'registered-anew';
  const parameters = { ...REPORTS_ONLY, options: { repeatFailed: true } };
  gateway.queueReports(2);
  const sizes: number[] = [];
  const onExecution = async (items: object[]) => {
    if (items.length > 0 && sizes.push(items.length)) await new Promise(() => undefined);
  };
  const options = { workflowId, onExecution, activation: 'init' } as const;
  const before = await poll(parameters, options);
  await poll(parameters, { ...options, restarted: before.saved });
  expect(sizes).toEqual([2]);
});

describe('a page that another process has kept', () => {
  const kept = (account?: string) => ({
    global: {
      [keyOf('reply', account)]: {
        records: [{ page: 'a', number: 1, record: { content: 'kept', mobile: 1 } }],
      },
    },
  });

  test.each([
    ['of this account', {}, undefined],
    ['of an event that is no longer chosen', REPORTS_ONLY, undefined],
    ['of another account', {}, 'gone'],
  ])('%s comes once', async (workflowId, parameters, account) => {
    const poller = await poll(parameters, { workflowId, restarted: kept(account) as never }, 3);
    expect(poller.executions).toMatchObject([[{ event: 'reply', content: 'kept' }]]);
  });

  // n8n registers one trigger after the other, and polls each up to twice then.
  test('of another trigger in the workflow stays with it, also when both are published again', async () => {
    const workflowId = 'two-triggers';
    const restarted = kept() as never;
    for (let publication = 0; publication < 2; publication++) {
      const poller = await poll(REPORTS_ONLY, { restarted, workflowId }, 2);
      const other = createPoller({}, { workflowId, node: { id: 'node-2', name: 'Other' } });
      await poller.tick(3);
      expect(poller.executions).toEqual([]);
      await Promise.all([poller.deactivate(), other.deactivate()]);
    }
  });
});

test('what one event has seen is saved with the other one, also after a publication with old static data', async () => {
  const workflowId = 'published-meanwhile';
  const giveReply = () => {
    const data = [{ content: 'Hi', mobile: 13800138000, time: 1767225600 }];
    gateway.fault({ kind: 'wrongShape', path: REPLIES, body: { code: 0, data } });
  };
  giveReply();
  const before = await poll({}, { workflowId });
  expect(before.executions.flat()).toHaveLength(1);
  // n8n has read the static data before the reply was handed over.
  const published = createPoller({}, { workflowId, restarted: {} });
  await before.deactivate();
  gateway.queueReports(1);
  await published.tick();
  expect(published.executions.flat()).toHaveLength(1);
  giveReply();
  const options = { workflowId, restarted: published.saved };
  const restarted = await (await startOtherProcess()).poll({}, options);
  expect(restarted.executions).toEqual([]);
});

const MEMORIES = [7, 'x', { seen: ['x'], counts: 1, timeless: 'x', answeredAt: 'x' }];
const ENTRY = { page: 'a', number: 'x', record: 7 };
const RECORDS = [7, [null, 7, {}], [{ page: 'a' }], [{ page: 7, record: 7 }], { 0: ENTRY }];

test.each<[edited: unknown]>([
  ...['text', null, 7, []].map((each): [unknown] => [each]),
  ...MEMORIES.map((memory): [unknown] => [{ memory }]),
  ...RECORDS.map((records): [unknown] => [{ records, works: { vain: 'x' } }]),
  [{ works: [] }],
])('static data that was edited by hand or saved in part does no harm: %j', async (edited) => {
  gateway.queueReports(2);
  const global = { [keyOf('deliveryReport')]: edited };
  const poller = await poll({}, { restarted: { global } as never }, 2);
  expect(poller.errors).toEqual([]);
  expect(poller.executions.flat()).toHaveLength(2);
});
