import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import {
  itemsOf,
  type Execution,
  type N8nClient,
  type Workflow,
  type Account,
} from '../../test/kit/n8n/client';
import type { Store, Tables } from './store';
import { readDesk, withChoices, withText } from '../../test/kit/workflows/workflowFiles';
import { WEBHOOK_KEY } from '../../test/kit/n8n/webhookKey';
import { anyNode, chain, everySeconds, pollEvery } from '../../test/kit/n8n/workflow';

/** How many reports an attack has. */
const REPORTS = 2_000;

/** The records in one answer of the service. */
const PAGE = 100;

/** The node of a subscriber that has what the inbox handed over. The workflows name it so too. */
export const RECORDS = 'Records from the inbox';

/** Which records a subscriber wants. */
type Wants = 'reply' | 'deliveryReport' | 'all';

/** The tests do not wait for minutes: the inbox polls and looks for what is due as often as this. */
const OFTEN_S = 5;

/** A busy machine takes long for thousands of records. */
const ARRIVAL_LIMIT_MS = 240_000;

/** desk/workflows/inbox.json with the workflows that subscribe to it. */
export class Inbox {
  /** Records that were to be stored, when it last pulled. */
  private wanted = 0;

  private constructor(
    private readonly client: N8nClient,
    private readonly gateway: Account['gateway'],
    readonly tables: Tables,
    readonly workflow: Workflow,
  ) {}

  /**
   * Imports the inbox with the parts that it calls, beside empty tables, and publishes the subscribers, which
   * subscribe themselves.
   */
  static async connect(
    client: N8nClient,
    { gateway, credential }: Account,
    subscribers: readonly Workflow[],
    { tables, credentials }: Store,
  ): Promise<Inbox> {
    await tables.anew();
    const serve = withChoices(readDesk('inbox-serve'), { 'Every minute': everySeconds(OFTEN_S) });
    await client.publish(await client.importWorkflow(serve, [credential, ...credentials]));
    const file = withChoices(readDesk('inbox'), {
      'New reports and replies': { pollTimes: pollEvery(OFTEN_S) },
    });
    const key = await client.createCredential('Provider', 'httpHeaderAuth', WEBHOOK_KEY);
    const workflow = await client.importWorkflow(file, [credential, key, ...credentials]);
    for (const subscriber of subscribers) await client.publish(subscriber);
    const subscribed = async () => (await tables.rows('sms.subscribers')).length;
    await expect.poll(subscribed, { message: 'subscribers' }).toBe(subscribers.length);
    return new Inbox(client, gateway, tables, workflow);
  }

  /**
   * Publishes the inbox if it is not, and waits until all that the gateway has is stored and handed over, but for
   * records that crashes may have cost.
   */
  async pull(lost = 0): Promise<void> {
    await this.publish();
    await this.stored(lost);
    await expect.poll(() => this.behind(), { timeout: ARRIVAL_LIMIT_MS }).toEqual([]);
  }

  /** Publishes the inbox. A new one pulls at once. */
  async publish(): Promise<void> {
    this.wanted = (await this.events()).length + this.left();
    await this.client.publish(this.workflow);
  }

  /** Waits until all that the gateway had at the publication, or has now, is stored, but for lost records. */
  async stored(lost = 0): Promise<void> {
    this.wanted = Math.max(this.wanted, (await this.events()).length + this.left());
    const rows = async () => await this.count();
    await expect
      .poll(rows, { message: 'stored rows', timeout: ARRIVAL_LIMIT_MS })
      .toBeGreaterThanOrEqual(this.wanted - lost);
  }

  /** How many records the gateway still has. */
  left(): number {
    return this.gateway.state.reportsLeft + this.gateway.state.replies.length;
  }

  /** The rows that the inbox has stored. */
  async events(): Promise<IDataObject[]> {
    return await this.tables.rows('sms.inbox');
  }

  /** How many rows the inbox has stored. */
  async count(): Promise<number> {
    return await this.tables.count('sms.inbox');
  }

  /** The subscribers that have not read everything. */
  async behind(): Promise<IDataObject[]> {
    const newest = Math.max(0, ...(await this.events()).map(({ id }) => Number(id)));
    const all = await this.tables.rows('sms.subscribers');
    return all.filter(({ read_to }) => read_to === null || Number(read_to) < newest);
  }

  /** Ends all claims that a crash has left, as a start of n8n does. */
  async freeNow(): Promise<void> {
    for (const { workflow_id } of await this.tables.rows('sms.subscribers')) {
      await this.tables.update('sms.subscribers', { workflow_id }, { free_at: new Date() });
    }
  }
}

const STEPS = {
  records: anyNode('n8n-nodes-base.noOp', 1, 'Nothing'),
  fails: anyNode('n8n-nodes-base.stopAndError', 1, 'Failure', { errorMessage: 'Out of order' }),
  hangs: anyNode('n8n-nodes-base.wait', 1.1, 'Pause', { resume: 'webhook' }),
  runsCode: anyNode('n8n-nodes-base.code', 2, 'Code', { jsCode: 'return $input.all();' }),
};

/** A workflow that subscribes itself when it is published, as those of the desk do. */
export async function subscriber(
  client: N8nClient,
  what: keyof typeof STEPS,
  { credentials }: Store,
  wants: Wants = 'all',
): Promise<Workflow> {
  const entry = anyNode('n8n-nodes-base.executeWorkflowTrigger', 1.1, RECORDS, {
    inputSource: 'passthrough',
  });
  const records = chain(`A subscriber that ${what}`, entry, STEPS[what]);
  const desk = readDesk('ask-and-wait').nodes;
  const own = ['When published', 'Subscribe'].flatMap((name) =>
    desk.filter((node) => node.name === name),
  );
  const subscribing = chain('', ...own);
  const nodes = [...records.nodes, ...subscribing.nodes];
  const connections = { ...records.connections, ...subscribing.connections };
  const file = withText({ ...records, nodes, connections }, 'Subscribe', "'all'", `'${wants}'`);
  return await client.importWorkflow(file, credentials);
}

/** The executions of a workflow with their data, oldest first. */
export async function executionsOf(client: N8nClient, workflow: Workflow): Promise<Execution[]> {
  const all: Execution[] = [];
  for (const { id } of await client.executions(workflow)) all.unshift(await client.execution(id));
  return all;
}

/** The rows that a subscriber has got in all its executions, or in those that have ended so. */
export async function gotBy(
  client: N8nClient,
  workflow: Workflow,
  end?: 'success',
): Promise<IDataObject[]> {
  return (await executionsOf(client, workflow))
    .filter(({ status }) => end === undefined || status === end)
    .flatMap((each) => itemsOf(each, RECORDS))
    .map(({ json }) => json);
}

/** What happens to n8n while records come. */
interface Blow {
  strike: () => Promise<void> | void;
  /** It may cost the page in flight of each event. */
  isCrash?: boolean;
}

/** Strikes while records come, and checks that all are stored once, and that every subscriber gets every row. */
export async function attackInbox(
  client: N8nClient,
  account: Account,
  blows: readonly Blow[],
  store: Store,
): Promise<void> {
  const { gateway } = account;
  const withCode = await subscriber(client, 'runsCode', store);
  const forReports = await subscriber(client, 'records', store, 'deliveryReport');
  const inbox = await Inbox.connect(client, account, [withCode, forReports], store);
  const all = REPORTS + REPORTS / 10;
  gateway.queueReports(REPORTS);
  gateway.queueReplies(REPORTS / 10);
  await inbox.publish();
  for (const [round, { strike }] of blows.entries()) {
    const some = (REPORTS * (round + 1)) / (blows.length + 1);
    await expect
      .poll(() => inbox.count(), { timeout: 240_000, intervals: [20] })
      .toBeGreaterThanOrEqual(some);
    await sleep(randomInt(0, 300));
    await strike();
  }
  const crashes = blows.filter(({ isCrash }) => isCrash).length;
  const lost = crashes * 2 * PAGE;
  await expect.poll(() => inbox.left(), { timeout: 240_000 }).toBe(0);
  const running = async () =>
    (await client.executions(inbox.workflow)).filter(({ status }) => status === 'running');
  await expect.poll(running, { timeout: 60_000 }).toEqual([]);
  await inbox.stored(lost);
  await inbox.freeNow();
  await inbox.pull(lost);

  const rows = await inbox.events();
  const names = rows.map((row) => `${row.event} ${row.batch_id}`);
  const missing = all - names.length;
  expect(missing, 'lost').toBeLessThanOrEqual(lost);
  expect(new Set(names).size, 'different records').toBe(names.length);
  for (const [workflow, wanted] of [
    [withCode, rows],
    [forReports, rows.filter((row) => row.event === 'deliveryReport')],
  ] as const) {
    const got = idsOf(await gotBy(client, workflow, 'success'));
    expect([...new Set(got)], workflow.name).toEqual(idsOf(wanted));
  }
}

export function idsOf(rows: readonly IDataObject[]): number[] {
  return rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
}
