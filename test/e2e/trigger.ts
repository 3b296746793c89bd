import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startGateway } from '../sandbox/gateway';
import type { GatewayOptions } from '../sandbox/gateway';
import {
  hasEnded,
  N8nError,
  type Execution,
  type ExecutionSummary,
  type N8nClient,
  type Workflow,
} from './lib/client';
import { DURABLE } from './lib/n8n';
import type { Account, Stage, Step } from './lib/step';

const BACKLOG = 5_000;
const PAGE = 100;
const TRIGGER = 'SMS Messaging Service Trigger';
const REPORTS = '/sendsms/report/pull';

/** Longer than the minute between two polls, on a busy machine. */
const TICK_LIMIT_MS = 110_000;

interface Drain extends Account {
  stage: Stage;
  workflow: Workflow;
}

/** What became of the backlog, by n8n's executions and by the gateway. */
interface Tally {
  /** Records in executions, whatever became of those. */
  inExecutions: number;
  /** Records that are in executions more than once. */
  twice: number;
  atGateway: number;
  lost: number;
}

export const trigger: Step[] = [
  ...rounds('kill -9 in the middle of a drain costs at most the page in flight', killed, 3),
  ...rounds('A graceful stop in the middle of a drain loses nothing', stopped),
  {
    name: 'Changing the trigger, changing other nodes: a drain loses nothing',
    // Side by side, because each waits for a scheduled poll: the one at publication ends undisturbed.
    run: (stage) => allOf([triggerChanged, otherNodesChanged], stage),
  },
  {
    name: 'Unpublishing, restarting n8n and publishing again: a drain loses nothing',
    run: unpublished,
  },
  {
    name: 'A workflow that takes long is drained page by page too, and kill -9 costs one page at most',
    run: slowWorkflowKilled,
  },
  { name: 'Wrong credentials fail the publication and say why', run: publishedWithWrongSecret },
  {
    name: 'A second trigger on the account is not published, until the first is no more',
    run: second,
  },
  {
    name: 'A service that is down while n8n starts: the first poll after it is back brings the records',
    run: downAtStart,
  },
  { name: 'n8n counts the trigger twice in its usage', run: counted },
  { name: 'A failing page is a failed execution, and the next poll goes on', run: pagesThatFail },
  ...rounds(
    "With n8n's durable scheduler, kill -9 costs at most the page in flight",
    durablyKilled,
  ),
];

async function killed(stage: Stage): Promise<void> {
  const drain = await drainUnderWay(stage);
  await killAndRestart(stage);
  await settles(drain, { lostAtMost: PAGE });
}

async function stopped(stage: Stage): Promise<void> {
  // A scheduled poll: n8n waits for the one at publication to end before it stops.
  const drain = await drainUnderWay(stage, { atTick: true });
  await stage.restart('stop');
  await drained(drain);
  await settles(drain, { lostAtMost: 0 });
}

async function unpublished(stage: Stage): Promise<void> {
  const drain = await drainUnderWay(stage, { atTick: true });
  await stage.client.deactivate(drain.workflow);
  const tally = await settles(drain, { lostAtMost: PAGE });
  assert.ok(tally.atGateway > 0, 'the drain was over before the workflow was deactivated');
  // What n8n did not take any more was kept, also from this process to the next, and comes first.
  await stage.restart('stop');
  await stage.client.publish(drain.workflow);
  await drained(drain);
  await settles(drain, { lostAtMost: 0 });
}

async function triggerChanged(stage: Stage): Promise<void> {
  const drain = await drainUnderWay(stage, { atTick: true });
  await change(drain, TRIGGER, { pullSize: PAGE / 2 });
  await drained(drain);
  await settles(drain, { lostAtMost: 0 });
}

async function otherNodesChanged(stage: Stage): Promise<void> {
  const drain = await drainUnderWay(stage, { atTick: true });
  await change(drain, 'After', { amount: 0.01 });
  await drained(drain);
  await settles(drain, { lostAtMost: 0 });
}

async function slowWorkflowKilled(stage: Stage): Promise<void> {
  const drain = await drainUnderWay(stage, { afterPage: 4, waitSeconds: 20 });
  await killAndRestart(stage);
  await settles(drain, { lostAtMost: PAGE });
}

async function durablyKilled(stage: Stage): Promise<void> {
  await stage.restart('stop', DURABLE);
  try {
    const drain = await drainUnderWay(stage, { atTick: true });
    await killAndRestart(stage, DURABLE);
    await drained(drain);
    await settles(drain, { lostAtMost: PAGE });
  } finally {
    await stage.restart('stop');
  }
}

async function publishedWithWrongSecret(stage: Stage): Promise<void> {
  const { gateway, credential } = await stage.account();
  const wrong = await stage.client.createCredential('Wrong account', credential.type, {
    ...gateway.credential(),
    apiSecret: 'wrong',
  } as IDataObject);
  const workflow = await workflowFor(stage.client, { gateway, credential: wrong });
  await assert.rejects(stage.client.publish(workflow), /signature.*\(code 1002\)/i);
}

async function second(stage: Stage): Promise<void> {
  const { client } = stage;
  const { workflow, ...account } = await published(stage);
  const other = await workflowFor(client, account);
  await assert.rejects(client.publish(other), new RegExp(`${workflow.name}.*already starts`));
  await client.deactivate(other);
  await client.deactivate(workflow);
  await until('the second one is published', TICK_LIMIT_MS, async () => {
    try {
      await client.publish(other);
      return true;
    } catch {
      // n8n closes the first one in its own time.
      await client.deactivate(other);
      return false;
    }
  });
}

async function downAtStart(stage: Stage): Promise<void> {
  const { gateway, workflow } = await published(stage);
  const { apiKey, apiSecret, origin } = gateway;
  await gateway.close();
  await stage.restart('stop');
  await until('the poll at the start has failed', TICK_LIMIT_MS, async () =>
    (await stage.client.executions(workflow)).some(({ status }) => status === 'error'),
  );
  const back = await startGateway({ apiKey, apiSecret, port: Number(new URL(origin).port) });
  try {
    back.queueReports(PAGE);
    await until('the records are pulled', 2 * TICK_LIMIT_MS, () => back.state.reportsLeft === 0);
    await until('they are in an execution', TICK_LIMIT_MS, async () => {
      const executions = await stage.client.executions(workflow);
      return executions.some(({ status }) => status !== 'error');
    });
  } finally {
    await stage.client.deactivate(workflow);
    await back.close();
  }
}

/** For its poll, and for what n8n waits for when it stops. */
async function counted(stage: Stage): Promise<void> {
  const { workflow } = await published(stage);
  const { triggerCount } = await stage.client.call<{ triggerCount: number }>(
    'GET',
    `/rest/workflows/${workflow.id}`,
  );
  assert.equal(triggerCount, 2);
}

/** Every way in which a page can fail, each with an account and a workflow of its own. */
async function pagesThatFail(stage: Stage): Promise<void> {
  const { client } = stage;
  const kinds = [
    // Five times: fewer are asked for after a refusal, four times.
    { kind: 'businessCode', times: 5, msg: 'is busy', keeps: true, says: /is busy/ },
    { kind: 'status', status: 503, keeps: true, says: /HTTP 503/ },
    { kind: 'tooManyRequests', keeps: true, says: /slow down/ },
    { kind: 'resetBeforeAccept', keeps: true, says: /connection broke/ },
    { kind: 'resetAfterAccept', keeps: false, says: /connection broke/ },
    { kind: 'truncatedJson', keeps: false, says: /cut off/ },
    { kind: 'html', keeps: false, says: /web page/ },
    { kind: 'wrongShape', keeps: false, says: /expected shape/ },
  ] as const;
  const drains = [];
  // One after the other: n8n 1.x refuses two at once.
  for (const { keeps, says, ...fault } of kinds) {
    const drain = await published(stage);
    drain.gateway.queueReports(5 * PAGE);
    drain.gateway.fault({ ...fault, path: REPORTS, nth: 3 });
    drains.push({ drain, keeps, says, kind: fault.kind });
  }
  for (const { drain, keeps, says, kind } of drains) {
    await drained(drain);
    const { inExecutions, twice } = await settles(drain, { lostAtMost: PAGE, of: 5 * PAGE });
    assert.equal(twice, 0);
    assert.equal(inExecutions, (keeps ? 5 : 4) * PAGE, kind);
    const failed = (await summariesOf(client, drain.workflow)).filter(
      ({ status }) => status === 'error',
    );
    assert.equal(failed.length, 1, `${kind}: ${failed.length} failed executions`);
    const { data } = await client.execution(failed[0]?.id ?? '');
    const message = data.resultData.error?.message ?? '';
    assert.match(message, says);
    assert.match(message, /while pulling delivery reports/);
  }
}

/** Runs all to their end, so that none goes on behind the next step. */
async function allOf(runs: Step['run'][], stage: Stage): Promise<void> {
  const results = await Promise.allSettled(runs.map((run) => run(stage)));
  const reasons = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (reasons.length > 0) throw new Error(reasons.map((each: Error) => each.stack).join('\n'));
}

/**
 * When the kill came before an execution that was stored had begun, n8n 2.40.7 ends at its next start,
 * in its own recovery of that execution ("reading 'getTime'"), and is all right at the one after.
 */
async function killAndRestart(stage: Stage, env?: Record<string, string>): Promise<void> {
  await stage.restart('kill', env).catch(() => stage.restart('kill', env));
}

/** One step for each try at a random moment: few as a rule, more with, say, E2E_ROUNDS=10. */
function rounds(name: string, run: Step['run'], usual = 1): Step[] {
  const length = Number(process.env.E2E_ROUNDS ?? usual);
  return Array.from({ length }, (_, round) => ({ name: `${name} (${round + 1})`, run }));
}

interface DrainOptions {
  /** The drain of a scheduled poll; otherwise that of the poll at publication, for which nobody waits. */
  atTick?: boolean;
  /** How many pages are asked for before this returns; any number by default. */
  afterPage?: number;
  waitSeconds?: number;
}

/** A workflow in the middle of the drain of a backlog, at a random moment. */
async function drainUnderWay(
  stage: Stage,
  { atTick = false, afterPage = randomInt(2, 35), waitSeconds }: DrainOptions = {},
): Promise<Drain> {
  const account = await stage.account({ latencyMs: 10 });
  const { gateway } = account;
  const drain = {
    stage,
    ...account,
    workflow: await workflowFor(stage.client, account, waitSeconds),
  };
  if (atTick) await stage.client.publish(drain.workflow);
  gateway.queueReports(BACKLOG);
  const pages = () => gateway.requests.filter(({ path }) => path === REPORTS).length;
  const before = pages();
  if (!atTick) activate(stage.client, drain.workflow);
  await until('the drain is under way', TICK_LIMIT_MS, () => pages() >= before + afterPage, 5);
  await sleep(randomInt(0, 60));
  return drain;
}

/** A published workflow whose next poll is a scheduled one. */
async function published(stage: Stage, options?: GatewayOptions): Promise<Drain> {
  const account = await stage.account(options);
  const workflow = await workflowFor(stage.client, account);
  await stage.client.publish(workflow);
  return { stage, ...account, workflow };
}

async function workflowFor(
  client: N8nClient,
  { credential }: Account,
  waitSeconds = 0,
): Promise<Workflow> {
  const node = (name: string, type: string, x: number, parameters: INodeParameters) => ({
    id: randomUUID(),
    name,
    type,
    typeVersion: 1,
    position: [x, 0] as [number, number],
    parameters,
  });
  return await client.importWorkflow(
    {
      name: `Trigger ${randomUUID()}`,
      nodes: [
        {
          ...node(TRIGGER, 'n8n-nodes-sms-messaging-service.smsMessagingServiceTrigger', 0, {
            pollTimes: { item: [{ mode: 'everyMinute' }] },
            events: ['deliveryReport', 'reply'],
            pullSize: PAGE,
          }),
          credentials: { [credential.type]: { id: credential.id, name: credential.name } },
        },
        node('After', 'n8n-nodes-base.wait', 220, { amount: waitSeconds, unit: 'seconds' }),
      ],
      connections: { [TRIGGER]: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
      settings: { executionOrder: 'v1' },
    },
    [credential],
  );
}

/** Publishes without waiting: the first poll is part of it, and is what is to be interrupted. */
function activate(client: N8nClient, { id, versionId }: Workflow): void {
  const answer = client.call('POST', `/rest/workflows/${id}/activate`, { versionId });
  // n8n 1.x answers after that poll, or not at all where it is killed in it.
  answer.catch(() => undefined);
}

async function change(drain: Drain, name: string, parameters: INodeParameters): Promise<void> {
  const { stage, workflow } = drain;
  const nodes = workflow.nodes.map((node) =>
    node.name === name ? { ...node, parameters: { ...node.parameters, ...parameters } } : node,
  );
  await stage.client.publish(await stage.client.updateWorkflow(workflow.id, { nodes }));
}

/** Waits until the gateway has nothing left. */
async function drained({ gateway }: Drain): Promise<void> {
  await until('the queue is empty', 2 * TICK_LIMIT_MS, () => gateway.state.reportsLeft === 0);
}

/** Waits until nothing changes any more, and checks what became of the backlog. */
async function settles(
  drain: Drain,
  { lostAtMost, of = BACKLOG }: { lostAtMost: number; of?: number },
): Promise<Tally> {
  const { stage, gateway, workflow } = drain;
  let executions: Execution[] = [];
  let last = '';
  await until(
    'nothing changes any more',
    TICK_LIMIT_MS,
    async () => {
      const before = gateway.requests.length;
      const all = await summariesOf(stage.client, workflow);
      const now = `${all.length} ${gateway.requests.length}`;
      const isSettled = now === last && all.every((each) => isOver(each, stage));
      last = now;
      if (!isSettled) return false;
      // With their data only now: that takes long, and a poll may come meanwhile.
      executions = [];
      for (const { id } of all) executions.push(...(await withData(stage.client, id)));
      return gateway.requests.length === before;
    },
    1_000,
  );
  const seen = executions.flatMap(recordsOf).map((json) => String(json.batch_id));
  const inExecutions = new Set(seen).size;
  const atGateway = gateway.state.reportsLeft;
  const tally = {
    inExecutions,
    twice: seen.length - inExecutions,
    atGateway,
    lost: of - inExecutions - atGateway,
  };
  stage.tell(
    `    of ${of}: ${inExecutions} in ${executions.length} executions, ${atGateway} at the gateway, ${tally.lost} lost, ${tally.twice} twice`,
  );
  assert.equal(tally.twice, 0, 'a record came twice');
  assert.ok(tally.lost <= lostAtMost, `${tally.lost} records are lost`);
  return tally;
}

/**
 * n8n shows an execution as running for ever when it was killed before the first node's start was
 * written to its event log.
 */
function isOver(execution: ExecutionSummary, { n8n }: Stage): boolean {
  const { status, startedAt } = execution;
  const isOfEarlierProcess = startedAt !== null && Date.parse(startedAt) < n8n.startedAt;
  return hasEnded(execution) || (status === 'running' && isOfEarlierProcess);
}

/** n8n 1.x, killed while it stores an execution, has stored it without data; its records are lost. */
async function withData(client: N8nClient, id: string): Promise<Execution[]> {
  try {
    return [await client.execution(id)];
  } catch (error) {
    if (error instanceof N8nError && error.status === 500) return [];
    throw error;
  }
}

/**
 * What an execution has of the backlog: what its trigger put out or, if it was killed, what it was to
 * start with. In a killed one n8n puts stand-ins in the place of items, which have no batch.
 */
function recordsOf({ data }: Execution): IDataObject[] {
  const runs = data.resultData.runData[TRIGGER] ?? [];
  const stack = data.executionData?.nodeExecutionStack ?? [];
  return [...runs.map((run) => run.data), ...stack.map((entry) => entry.data)]
    .flatMap((each) => each?.main?.[0] ?? [])
    .map(({ json }) => json)
    .filter((json) => json.batch_id !== undefined);
}

async function summariesOf(client: N8nClient, workflow: Workflow): Promise<ExecutionSummary[]> {
  const all: ExecutionSummary[] = [];
  for await (const page of client.executionPages(workflow)) all.push(...page);
  return all;
}

async function until(
  what: string,
  limitMs: number,
  isSo: () => boolean | Promise<boolean>,
  everyMs = 200,
): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`Not so after ${limitMs / 1000} s: ${what}`);
    await sleep(everyMs);
  }
}
