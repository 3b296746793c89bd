import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@playwright/test';
import type { IDataObject, INode } from 'n8n-workflow';

import type { Gateway, GatewayOptions } from '../../sandbox/gateway';
import {
  hasEnded,
  N8nError,
  type Account,
  type Credential,
  type Execution,
  type ExecutionSummary,
  type Workflow,
  type WorkflowFile,
} from '../../kit/n8n/client';
import type { SuiteN8n } from './suiteN8n';
import type { OpenAccount } from './test';
import { anyNode, chain, ownNode, pollEvery } from '../../kit/n8n/workflow';

/** The reports that wait for a drain, and how many of them a page has. */
const BACKLOG = 5_000;
export const PAGE = 100;

export const REPORTS_PATH = '/sendsms/report/pull';

export const TRIGGER = 'SMS Messaging Service Trigger';

/** The node after the trigger. */
export const AFTER = 'After';

/** For drains that wait for a poll. Others poll once a minute, so that nothing changes while they look. */
const OFTEN = pollEvery(10);
const EVERY_MINUTE = { item: [{ mode: 'everyMinute' }] };

/** For what is no drain: many polls come while a test looks. */
export const POLL_EVERY_S = 3;

/** Longer than a minute, for which a trigger may wait after a failure, on a busy machine. */
export const TICK_LIMIT_MS = 110_000;

/** The rounds of a test that meets a random moment: few by default, more with E2E_ROUNDS=10. */
export function rounds(byDefault: number): number[] {
  const count = Number(process.env.E2E_ROUNDS ?? byDefault);
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** An account, and a workflow whose trigger drains it. */
export interface Drain extends Account {
  workflow: Workflow;
}

/** What has become of the backlog. */
interface Tally {
  /** Records in executions, also in those that have failed. */
  inExecutions: number;
  /** Records that are in executions more than once. */
  twice: number;
  atGateway: number;
  lost: number;
}

interface UnderWayOptions {
  /** The workflow to drain by. By default, a trigger and a Wait node. */
  file?: WorkflowFile;
  /** What else the workflow needs, besides the account. */
  credentials?: Credential[];
  /** A scheduled poll drains. By default, the poll at publication does. */
  atTick?: boolean;
  /** How many pages are requested before the drain counts as under way. By default a random number. */
  afterPage?: number;
  waitSeconds?: number;
  backlog?: number;
}

/** The reports that a gateway has been asked for, page by page. */
export function reportPages({ requests }: Gateway): number {
  return requests.filter(({ path }) => path === REPORTS_PATH).length;
}

/** Workflows whose trigger drains an account, and what becomes of the records. */
export class Drains {
  constructor(
    private readonly n8n: SuiteN8n,
    private readonly openAccount: OpenAccount,
  ) {}

  /** Creates a workflow with a trigger on an account, and a node after it. */
  async workflowFor(
    { credential }: Pick<Account, 'credential'>,
    { pollTimes = pollEvery(POLL_EVERY_S), options = {}, after = waitNode(0) } = {},
  ): Promise<Workflow> {
    const trigger = ownNode(
      'smsMessagingServiceTrigger',
      TRIGGER,
      { pollTimes, events: ['deliveryReport', 'reply'], options: { pullSize: PAGE, ...options } },
      credential,
    );
    const file = chain(`Trigger ${randomUUID()}`, trigger, after);
    return await this.n8n.client.call('POST', '/rest/workflows', { active: false, ...file });
  }

  /** Opens an account, and creates a workflow for it. */
  async created(
    options?: Parameters<Drains['workflowFor']>[1],
    gateway?: GatewayOptions,
  ): Promise<Drain> {
    const account = await this.openAccount(gateway);
    return { ...account, workflow: await this.workflowFor(account, options) };
  }

  /** The same, published. Its next poll is a scheduled one. */
  async published(): Promise<Drain> {
    const drain = await this.created({ pollTimes: OFTEN });
    await this.n8n.client.publish(drain.workflow);
    return drain;
  }

  /** Starts to drain a backlog, and returns at a random moment of the drain. */
  async underWay(options: UnderWayOptions = {}): Promise<Drain> {
    const { atTick = false, afterPage = randomInt(2, 35), waitSeconds = 0 } = options;
    const { backlog = BACKLOG, file, credentials = [] } = options;
    const { client } = this.n8n;
    const account = await this.openAccount({ latencyMs: 10 });
    const { gateway } = account;
    const pollTimes = atTick ? OFTEN : EVERY_MINUTE;
    const workflow = file
      ? await client.importWorkflow(file, [account.credential, ...credentials])
      : await this.workflowFor(account, { pollTimes, after: waitNode(waitSeconds) });
    if (atTick) await client.publish(workflow);
    gateway.queueReports(backlog);
    const before = reportPages(gateway);
    if (!atTick) this.activate(workflow);
    await expect
      .poll(() => reportPages(gateway), {
        message: 'pages are pulled',
        timeout: TICK_LIMIT_MS,
        intervals: [5],
      })
      .toBeGreaterThanOrEqual(before + afterPage);
    await sleep(randomInt(0, 60));
    return { ...account, workflow };
  }

  /** Waits until the gateway has no reports left. */
  async drained({ gateway }: Account): Promise<void> {
    await expect
      .poll(() => left(gateway), { timeout: 2 * TICK_LIMIT_MS, intervals: [200] })
      .toBe(0);
  }

  /** Waits until nothing changes any more, and checks what has become of the backlog. */
  async settles(
    drain: Drain,
    { lostAtMost, of = BACKLOG }: { lostAtMost: number; of?: number },
  ): Promise<Tally> {
    const executions = await this.settledExecutions(drain);
    const seen = executions
      .flatMap((execution) => recordsOf(execution, triggerOf(drain.workflow)))
      .map((json) => String(json.batch_id));
    const inExecutions = new Set(seen).size;
    const atGateway = left(drain.gateway);
    const tally = {
      inExecutions,
      twice: seen.length - inExecutions,
      atGateway,
      lost: of - inExecutions - atGateway,
    };
    console.log(
      `of ${of}: ${inExecutions} in ${executions.length} executions, ${atGateway} at the gateway, ${tally.lost} lost, ${tally.twice} twice`,
    );
    expect(tally.twice, 'records that came twice').toBe(0);
    expect(tally.lost, 'records that are lost').toBeLessThanOrEqual(lostAtMost);
    return tally;
  }

  private async settledExecutions({ gateway, workflow }: Drain): Promise<Execution[]> {
    let executions: Execution[] = [];
    let last = '';
    const whatChanges = async (): Promise<string[]> => {
      const before = gateway.requests.length;
      const all = await this.n8n.client.executions(workflow);
      const now = `${all.length} executions, ${before} requests`;
      const news = now === last ? [] : [now];
      last = now;
      const open = all.filter((each) => !this.isOver(each));
      const changing = open.map(
        ({ id, status, startedAt }) => `${id} ${status}, from ${startedAt}`,
      );
      if (news.length + changing.length > 0) return [...news, ...changing];
      // Reading the data takes long, so a poll may come in the meantime.
      executions = [];
      for (const { id } of all) executions.push(...(await this.withData(id)));
      return gateway.requests.length === before ? [] : ['a poll came'];
    };
    const message = 'nothing changes any more';
    await expect
      .poll(whatChanges, { message, timeout: TICK_LIMIT_MS, intervals: [1_000] })
      .toEqual([]);
    return executions;
  }

  /** Publishes without waiting, because the poll that is to be interrupted is part of publishing. */
  private activate({ id, versionId }: Workflow): void {
    const answer = this.n8n.client.call('POST', `/rest/workflows/${id}/activate`, { versionId });
    // n8n 1.x answers after the poll, and does not answer when it is killed.
    answer.catch(() => undefined);
  }

  /**
   * n8n shows an execution as running for ever when it was killed before its event log had the start of
   * the first node.
   */
  private isOver(execution: ExecutionSummary): boolean {
    const { status, startedAt } = execution;
    const isOfEarlierProcess = startedAt !== null && Date.parse(startedAt) < this.n8n.startedAt;
    return hasEnded(execution) || (status === 'running' && isOfEarlierProcess);
  }

  /** An n8n 1.x that is killed while it stores an execution stores it without data: the records are lost. */
  private async withData(id: string): Promise<Execution[]> {
    try {
      return [await this.n8n.client.execution(id)];
    } catch (error) {
      if (error instanceof N8nError && error.status === 500) return [];
      throw error;
    }
  }
}

/** A node that waits for so many seconds. */
export function waitNode(amount: number): INode {
  return anyNode('n8n-nodes-base.wait', 1, AFTER, { amount, unit: 'seconds' });
}

/**
 * The records in an execution: what its trigger put out or, when it was killed, what it was to start with.
 * In a killed execution n8n replaces items by empty ones, which have no batch.
 */
function recordsOf({ data }: Execution, trigger: string): IDataObject[] {
  const runs = data.resultData.runData[trigger] ?? [];
  const stack = data.executionData?.nodeExecutionStack ?? [];
  return [...runs.map((run) => run.data), ...stack.map((entry) => entry.data)]
    .flatMap((each) => each?.main?.[0] ?? [])
    .map(({ json }) => json)
    .filter((json) => json.batch_id !== undefined);
}

/** The name of a workflow's trigger. */
const triggerOf = ({ nodes }: Workflow): string =>
  nodes.find(({ type }) => type.endsWith('.smsMessagingServiceTrigger'))?.name ?? '';

/** The records that the service still has. */
const left = ({ state }: Gateway): number => state.reportsLeft + state.replies.length;
