import type { IDataObject } from 'n8n-workflow';
import { createOtherHarness } from '../../kit/engine';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { countDistinct, REPLIES, REPORTS_ONLY } from '../../kit/engine/pulls';

/** Records that n8n did not take: they are kept in static data, through restarts and for other processes. */

const { gateway, createPoller, restart, poll } = useGatewayPerTest();

/** n8n starts anew, or another main process does. */
const startOtherProcess = async () => await createOtherHarness(gateway.credential());

// Which process polls, and how many executions n8n starts before its database is down again.
test.each([
  ['the other process hands over what this one has kept', 'this 0, other all, this all'],
  ['the other process hands over a part of it', 'this 0, other 1, this all, other all'],
  ['the other one hands it over and keeps something else', 'this 0, other 2, this all, other all'],
  ['the other process keeps something after this one', 'this 0, this all, other 0, this all'],
  ['neither can hand over, in turn', 'this 0, other 0, this 0, other all, this all'],
])('left-overs are neither lost nor repeated when %s', async (workflowId, story) => {
  const mains = { this: { poll }, other: await startOtherProcess() };
  const polls = story.split(', ').map((turn) => turn.split(' ') as ['this' | 'other', string]);
  const items: IDataObject[] = [];
  let restarted = {};
  for (const [main, executions] of polls) {
    gateway.queueReports(10);
    let started = 0;
    const poller = await mains[main].poll(
      { ...REPORTS_ONLY, options: { pullSize: 10, itemsPerExecution: 5 } },
      {
        workflowId,
        restarted,
        onExecution: () => {
          if (executions !== 'all' && started++ >= Number(executions))
            throw new Error('The database is down');
        },
      },
    );
    items.push(...poller.executions.flat());
    restarted = poller.saved;
  }
  const all = polls.length * 10;
  expect([items.length, countDistinct(items)]).toEqual([all, all]);
});

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
  const after = await poll(parameters, { workflowId, restarted: taken.saved });
  refusals[1]?.(new Error('The database is down'));
  await after.tick();
  const items = [taken, after].flatMap(({ executions }) => executions.flat());
  expect([items.length, countDistinct(items)]).toEqual([10, 10]);
});

describe('a page that another process has kept', () => {
  const kept = (node: string) => ({
    global: {
      [`n8n-nodes-sms-messaging-service.smsMessagingServiceTrigger/${node}/reply`]: {
        version: 1,
        leftOvers: [{ id: 'a', records: [{ content: 'kept', mobile: 1 }], by: 'before' }],
      },
    },
  });

  test.each([
    ['of this trigger', {}, 'node-1'],
    ['of an event that is no longer chosen', REPORTS_ONLY, 'node-1'],
    ['of a node that was replaced', {}, 'gone'],
  ])('%s comes once', async (workflowId, parameters, node) => {
    const poller = await poll(parameters, { workflowId, restarted: kept(node) as never }, 3);
    expect(poller.executions).toMatchObject([[{ event: 'reply', content: 'kept' }]]);
  });

  // n8n registers one trigger after the other, and polls each up to twice then.
  test('of another trigger in the workflow stays with it, also when both are published again', async () => {
    const workflowId = 'two-triggers';
    const restarted = kept('node-2') as never;
    for (let publication = 0; publication < 2; publication++) {
      const poller = await poll(REPORTS_ONLY, { restarted, workflowId }, 2);
      const other = createPoller({}, { workflowId, node: { id: 'node-2', name: 'Other' } });
      await poller.tick(3);
      expect(poller.executions).toEqual([]);
      await Promise.all([poller.deactivate(), other.deactivate()]);
    }
  });
});

test('nodes that replace each other bring no record twice, and leave nothing in static data', async () => {
  await restart({ consume: false });
  gateway.queueReports(50);
  const items: IDataObject[] = [];
  let restarted: IDataObject = {};
  for (const id of ['node-1', 'node-2', 'node-3']) {
    // n8n saves when there is something new.
    gateway.queueReports(1);
    const options = { workflowId: 'replaced', node: { id }, restarted };
    const poller = await (await startOtherProcess()).poll(REPORTS_ONLY, options, 3);
    gateway.queueReports(1);
    await poller.tick();
    items.push(...poller.executions.flat());
    restarted = poller.saved;
  }
  expect([items.length, countDistinct(items)]).toEqual([56, 56]);
  expect(JSON.stringify(restarted)).not.toMatch(/node-[12]/);
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

const KEY = 'n8n-nodes-sms-messaging-service.smsMessagingServiceTrigger/node-1/deliveryReport';

test.each<IDataObject>([
  { 'node:SMS': { deliveryReport: { version: 2 }, reply: { version: 2, seen: 7 } } },
  { 'node:SMS': { deliveryReport: null, reply: 'x' }, global: { [KEY]: { version: 1 } } },
  { 'node:SMS': null, global: null },
  { 'node:SMS': 'text', global: 'text' },
  { global: { [KEY]: null } },
  { global: { [KEY]: { version: 0, leftOvers: [7], memory: { version: 0, seen: ['x', 'y'] } } } },
  { global: { [KEY]: { version: 1, leftOvers: [null, 7, {}], memory: 'x' } } },
  {
    global: { [KEY]: { version: 1, leftOvers: {}, memory: { version: 2, seen: 'x', counts: 1 } } },
  },
])('static data that was edited by hand or saved in part does no harm: %j', async (restarted) => {
  gateway.queueReports(2);
  const poller = await poll({}, { restarted }, 2);
  expect(poller.errors).toEqual([]);
  expect(poller.executions.flat()).toHaveLength(2);
});
