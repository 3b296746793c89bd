import type { IDataObject } from 'n8n-workflow';
import { createOtherHarness } from '../harness';
import { useGatewayPerTest } from '../harness/gateway';
import { countDistinct, REPORTS_ONLY } from '../harness/pulls';

/** Records that n8n did not take: they are kept in static data, through restarts and for other processes. */

const { gateway, createPoller } = useGatewayPerTest();

/** n8n starts anew, or another main process does. */
const startOtherProcess = async () => await createOtherHarness(gateway.credential());

test('left-overs survive a restart, and are handed over once', async () => {
  gateway.queueReports(50);
  let isPublished = true;
  const poller = createPoller(
    { ...REPORTS_ONLY, options: { pullSize: 10 } },
    {
      onExecution: () => {
        if (!isPublished) throw new Error('Published version not found for workflow');
        if (poller.executions.length === 1) isPublished = false;
      },
    },
  );
  await poller.tick();
  expect(poller.executions).toHaveLength(2);

  const restarted = (await startOtherProcess()).createPoller(
    { ...REPORTS_ONLY, options: { pullSize: 10 } },
    { restarted: poller.saved },
  );
  await restarted.tick();
  const items = [...poller.executions, ...restarted.executions].flat();
  expect(items).toHaveLength(50);
  expect(countDistinct(items)).toBe(50);

  const onceMore = (await startOtherProcess()).createPoller(
    { ...REPORTS_ONLY, options: { pullSize: 10 } },
    { restarted: restarted.saved },
  );
  await onceMore.tick();
  expect(onceMore.executions).toEqual([]);
});

test('left-overs are handed over once, also from static data that was stored before', async () => {
  gateway.queueReports(10);
  let isPublished = false;
  const options = {
    workflowId: 'stored-meanwhile',
    onExecution: () => {
      if (!isPublished) throw new Error('Published version not found for workflow');
    },
  };
  const before = createPoller({ ...REPORTS_ONLY, options: { pullSize: 10 } }, options);
  await before.tick();
  isPublished = true;
  // Published twice: with the static data of before, and with that of now.
  for (const restarted of [{}, before.saved]) {
    const again = createPoller(
      { ...REPORTS_ONLY, options: { pullSize: 10 } },
      { ...options, restarted },
    );
    await again.tick();
    expect(again.executions.flat()).toHaveLength(restarted === before.saved ? 0 : 10);
  }
});

describe('left-overs of several main processes', () => {
  const ALL = Infinity;

  // Which process polls, and how many executions n8n starts before its database is down again.
  test.each<{ when: string; polls: ['this' | 'other', number][] }>([
    {
      when: 'the other process hands over what this one has kept',
      polls: [
        ['this', 0],
        ['other', ALL],
        ['this', ALL],
      ],
    },
    {
      when: 'the other process hands over a part of it',
      polls: [
        ['this', 0],
        ['other', 1],
        ['this', ALL],
        ['other', ALL],
      ],
    },
    {
      when: 'the other process hands it over and then keeps something else',
      polls: [
        ['this', 0],
        ['other', 2],
        ['this', ALL],
        ['other', ALL],
      ],
    },
    {
      when: 'the other process keeps something after this one',
      polls: [
        ['this', 0],
        ['this', ALL],
        ['other', 0],
        ['this', ALL],
      ],
    },
    {
      when: 'neither can hand over, in turn',
      polls: [
        ['this', 0],
        ['other', 0],
        ['this', 0],
        ['other', ALL],
        ['this', ALL],
      ],
    },
  ])('are neither lost nor repeated when $when', async ({ when, polls }) => {
    const mains = { this: { createPoller }, other: await startOtherProcess() };
    const items: IDataObject[] = [];
    let restarted = {};
    for (const [main, executions] of polls) {
      gateway.queueReports(10);
      let started = 0;
      const poller = mains[main].createPoller(
        { ...REPORTS_ONLY, options: { pullSize: 10, itemsPerExecution: 5 } },
        {
          workflowId: when,
          restarted,
          onExecution: () => {
            if (started++ >= executions) throw new Error('The database is down');
          },
        },
      );
      await poller.tick();
      items.push(...poller.executions.flat());
      restarted = poller.saved;
    }
    expect(items).toHaveLength(polls.length * 10);
    expect(countDistinct(items)).toBe(polls.length * 10);
  });
});

describe('a page that is kept', () => {
  const KEPT = [{ id: 'a', records: [{ content: 'kept', mobile: 1 }], by: 'before' }];
  const kept = (node: string) => ({
    [`n8n-nodes-sms-messaging-service.smsMessagingServiceTrigger/${node}/reply`]: {
      version: 1,
      leftOvers: KEPT,
    },
  });

  test('by another process comes first, once', async () => {
    const poller = createPoller({}, { restarted: { global: kept('node-1') } as never });
    await poller.tick();
    await poller.tick();
    expect(poller.executions).toEqual([[expect.objectContaining({ content: 'kept' })]]);
  });

  test('comes when its event is no longer chosen', async () => {
    const poller = createPoller(REPORTS_ONLY, { restarted: { global: kept('node-1') } as never });
    await poller.tick();
    expect(poller.executions).toEqual([[expect.objectContaining({ event: 'reply' })]]);
  });

  test('comes when its node was replaced, once', async () => {
    const restarted = { global: kept('gone') } as never;
    const poller = createPoller({}, { restarted, workflowId: 'replaced' });
    for (let poll = 0; poll < 3; poll++) await poller.tick();
    expect(poller.executions).toEqual([[expect.objectContaining({ content: 'kept' })]]);
    const again = (await startOtherProcess()).createPoller({}, { restarted: poller.saved });
    for (let poll = 0; poll < 3; poll++) await again.tick();
    expect(again.executions).toEqual([]);
  });

  test('comes when its node was replaced before n8n could save it', async () => {
    gateway.queueReplies(10);
    const workflowId = 'replaced-unsaved';
    const onExecution = () => {
      throw new Error('The database is down');
    };
    const gone = createPoller({}, { workflowId, onExecution });
    await gone.tick();
    await gone.deactivate();
    const poller = createPoller({}, { workflowId, node: { id: 'node-2' } });
    for (let poll = 0; poll < 3; poll++) await poller.tick();
    expect(countDistinct(poller.executions.flat())).toBe(10);
    expect(poller.executions.flat()).toHaveLength(10);
  });

  test('of another trigger in the workflow stays with it', async () => {
    const restarted = { global: kept('node-2') } as never;
    const workflowId = 'two-triggers';
    createPoller({}, { workflowId, node: { id: 'node-2', name: 'Other' } });
    const poller = createPoller(REPORTS_ONLY, { restarted, workflowId });
    for (let poll = 0; poll < 3; poll++) await poller.tick();
    expect(poller.executions).toEqual([]);
  });
});

const KEY = 'n8n-nodes-sms-messaging-service.smsMessagingServiceTrigger/node-1/deliveryReport';

test.each<IDataObject>([
  { 'node:SMS': { deliveryReport: { version: 2 }, reply: { version: 2, seen: 7 } } },
  { 'node:SMS': { deliveryReport: null, reply: 'x' }, global: { [KEY]: { version: 1 } } },
  { 'node:SMS': null, global: null },
  { 'node:SMS': 'text', global: 'text' },
  { global: { [KEY]: null } },
  { global: { [KEY]: { version: 1, leftOvers: [null, 7, {}], memory: 'x' } } },
  {
    global: { [KEY]: { version: 1, leftOvers: {}, memory: { version: 2, seen: 'x', counts: 1 } } },
  },
])('static data that was edited by hand or saved in part does no harm: %j', async (restarted) => {
  gateway.queueReports(2);
  const poller = createPoller({}, { restarted });
  await poller.tick();
  await poller.tick();
  expect(poller.errors).toEqual([]);
  expect(poller.executions.flat()).toHaveLength(2);
});
