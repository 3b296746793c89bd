/** The trigger, with crashes, restarts and changes in the middle of a drain, and with faults. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import type { N8nClient } from '../kit/n8n/client';
import {
  AFTER,
  type Drains,
  PAGE,
  REPORTS_PATH,
  rounds,
  TICK_LIMIT_MS,
  TRIGGER,
} from './lib/drains';
import { sideBySide } from './lib/sideBySide';
import { expect, test } from './lib/test';

for (const round of rounds(3)) {
  test(`kill -9 in a drain costs at most the page in flight (${round})`, async ({
    drains,
    n8n,
  }) => {
    const drain = await drains.underWay();
    await n8n.restart('kill');
    await drains.settles(drain, { lostAtMost: PAGE });
  });
}

for (const round of rounds(1)) {
  test(`A graceful stop in a drain loses nothing (${round})`, async ({ drains, n8n }) => {
    // n8n waits for the poll at publication before it stops, so a scheduled poll is interrupted.
    const drain = await drains.underWay({ atTick: true });
    await n8n.restart('stop');
    await drains.drained(drain);
    await drains.settles(drain, { lostAtMost: 0 });
  });
}

test('Unpublishing, restarting, publishing: nothing lost', async ({ client, drains, n8n }) => {
  const drain = await drains.underWay({ atTick: true });
  await client.deactivate(drain.workflow);
  const { atGateway } = await drains.settles(drain, { lostAtMost: PAGE });
  expect(atGateway, 'the workflow was unpublished during the drain').toBeGreaterThan(0);
  // The page that n8n did not accept any more was kept for the next process, and comes first.
  await n8n.restart('stop');
  await client.publish(drain.workflow);
  await drains.drained(drain);
  await drains.settles(drain, { lostAtMost: 0 });
});

test('A slow workflow too: kill -9 costs one page at most', async ({ drains, n8n }) => {
  // Two seconds a page: if n8n goes on with the rest, it settles in time.
  const backlog = 10 * PAGE;
  const drain = await drains.underWay({ afterPage: 4, waitSeconds: 20, backlog });
  await n8n.restart('kill');
  await drains.settles(drain, { lostAtMost: PAGE, of: backlog });
});

test('A service that is down while n8n starts', async ({ client, drains, n8n, openGateway }) => {
  const { gateway, workflow } = await drains.published();
  const { apiKey, apiSecret, origin } = gateway;
  await gateway.close();
  await n8n.restart('stop');
  const statuses = async () => (await client.executions(workflow)).map(({ status }) => status);
  await expect
    .poll(statuses, { message: 'the poll at the start has failed', timeout: TICK_LIMIT_MS })
    .toContain('error');
  const back = await openGateway({ apiKey, apiSecret, port: Number(new URL(origin).port) });
  back.queueReports(PAGE);
  await expect.poll(() => back.state.reportsLeft, { timeout: 2 * TICK_LIMIT_MS }).toBe(0);
  const others = async () => (await statuses()).filter((status) => status !== 'error');
  await expect
    .poll(others, { message: 'the records are in an execution', timeout: TICK_LIMIT_MS })
    .not.toEqual([]);
});

/** What can go wrong with a page, whether the service keeps the page then, and the message. */
const FAULTS = [
  { kind: 'businessCode', msg: 'is closed', keeps: true, says: /is closed/ },
  { kind: 'status', status: 503, keeps: true, says: /HTTP 503/ },
  { kind: 'resetAfterAccept', keeps: false, says: /connection broke/ },
  { kind: 'truncatedJson', keeps: false, says: /cut off/ },
] as const;

interface Fixtures {
  client: N8nClient;
  drains: Drains;
}

/** Changing the trigger, changing other nodes: a drain loses nothing. */
async function changedInADrain({ client, drains }: Fixtures): Promise<void> {
  const changed = async (node: string, parameters: INodeParameters) => {
    const drain = await drains.underWay({ atTick: true });
    await client.publish(await client.changeNode(drain.workflow, node, parameters));
    await drains.drained(drain);
    await drains.settles(drain, { lostAtMost: 0 });
  };
  // At the same time, because each waits for a scheduled poll.
  await Promise.all([
    changed(TRIGGER, { options: { pullSize: PAGE / 2 } }),
    changed(AFTER, { amount: 0.01 }),
  ]);
}

/** A second trigger on an account can be published only after the first is unpublished. */
async function secondTrigger({ client, drains }: Fixtures): Promise<void> {
  const first = await drains.published();
  const second = await drains.workflowFor(first);
  const refusal = new RegExp(`${first.workflow.name}.*already starts`);
  await expect(client.publish(second)).rejects.toThrow(refusal);
  await client.deactivate(second);
  await client.deactivate(first.workflow);
  // n8n takes some time to stop the first trigger.
  await expect(async () => {
    await client.deactivate(second);
    await client.publish(second);
  }).toPass({ timeout: TICK_LIMIT_MS });
}

/** The service refuses for a moment, and the settings of a live trigger are published just then. */
async function publishedInARefusal({ client, drains }: Fixtures): Promise<void> {
  const drain = await drains.published();
  const { gateway, workflow } = drain;
  gateway.fault({ kind: 'businessCode', code: 1, times: Infinity });
  const before = await client.executions(workflow);
  const changed = await client.changeNode(workflow, TRIGGER, { options: { pullSize: PAGE / 2 } });
  await client.publish(changed);
  const [told] = (await client.executions(workflow)).filter(
    (each) => !before.some((other) => other.id === each.id),
  );
  expect(told?.status, 'the failed execution').toBe('error');
  const { data } = await client.execution(told?.id ?? '');
  const { message, description } = data.resultData.error ?? {};
  expect(message).toMatch(/\(code 1\)/);
  expect(description).toMatch(/stays registered with these settings/);
  gateway.clearFaults();
  gateway.queueReports(PAGE);
  await drains.drained(drain);
  expect(gateway.requests.at(-1)?.body).toMatchObject({ count: PAGE / 2 });
}

/** Nobody has registered the trigger, so its publisher is told, each time. */
async function refusedEachTime({ client, drains }: Fixtures): Promise<void> {
  const { gateway, workflow } = await drains.created();
  gateway.fault({ kind: 'status', status: 401, times: Infinity });
  for (let time = 1; time <= 2; time++) {
    // n8n takes some time to unpublish. Published again before that, it stays so.
    await expect(async () => {
      await client.deactivate(workflow);
      await sleep(1_000);
      await expect(client.publish(workflow)).rejects.toThrow(/HTTP 401/);
    }).toPass({ timeout: TICK_LIMIT_MS });
  }
  expect(await client.executions(workflow), 'a failed execution').toEqual([]);
}

/** A failing page is a failed execution, and the next poll goes on. */
async function failingPages({ client, drains }: Fixtures): Promise<void> {
  const cases = [];
  // One after the other, because n8n 1.x refuses to publish two workflows at once.
  for (const { keeps, says, ...fault } of FAULTS) {
    const drain = await drains.published();
    drain.gateway.queueReports(5 * PAGE);
    drain.gateway.fault({ ...fault, path: REPORTS_PATH, nth: 3 });
    cases.push({ drain, keeps, says, kind: fault.kind });
  }
  for (const { drain, keeps, says, kind } of cases) {
    await drains.drained(drain);
    const tally = await drains.settles(drain, { lostAtMost: PAGE, of: 5 * PAGE });
    expect(tally.inExecutions, kind).toBe((keeps ? 5 : 4) * PAGE);
    const executions = await client.executions(drain.workflow);
    const failed = executions.filter(({ status }) => status === 'error');
    expect(failed, `the failed executions of ${kind}`).toHaveLength(1);
    const { data } = await client.execution(failed[0]?.id ?? '');
    expect(data.resultData.error?.message, kind).toMatch(says);
    expect(data.resultData.error?.message, kind).toMatch(/while pulling delivery reports/);
  }
}

test('Side by side: changes, a refusal, failing pages', async ({ client, drains }) => {
  await sideBySide<Fixtures>(
    { client, drains },
    {
      'Changing the trigger, changing other nodes: a drain loses nothing': changedInADrain,
      'A second trigger on an account waits until the first is unpublished': secondTrigger,
      'Settings that are published while the service refuses are polled': publishedInARefusal,
      'A first publication is refused as long as the service refuses': refusedEachTime,
      'A failing page is a failed execution, and the next poll goes on': failingPages,
    },
  );
});
