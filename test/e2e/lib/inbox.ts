import { expect } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import type { Gateway } from '../../sandbox/gateway';
import {
  hasEnded,
  itemsOf,
  type Credential,
  type Execution,
  type N8nClient,
  type Workflow,
} from './client';
import { DataTables } from './dataTables';
import { picked, readExample, withChoices, withText } from './examples';
import { anyNode, chain } from './workflow';

/** The trigger with which a user creates the tables of an example. */
export const SET_UP = 'Set up once';
const TABLES = ['sms_inbox', 'sms_outbox', 'sms_opt_outs'];

/** Example → the node of the inbox that calls it. */
export const SUBSCRIPTIONS = {
  'reply-opt-out': 'Opt-out list',
  'reply-joined-to-send': 'Reply joined to its send',
  'ask-and-wait': 'Ask and wait',
  campaign: 'Campaign',
  'campaign-postgres': 'Campaign on PostgreSQL',
} as const;

type Subscription = (typeof SUBSCRIPTIONS)[keyof typeof SUBSCRIPTIONS];

/** A poll at publication, or a minute later. */
const ARRIVAL_LIMIT_MS = 150_000;

/** examples/inbox.json with the workflows that it calls. */
export class Inbox {
  /** Rows, when they were last looked at. */
  private stored = 0;

  private constructor(
    private readonly client: N8nClient,
    private readonly gateway: Gateway,
    readonly tables: DataTables,
    readonly workflow: Workflow,
  ) {}

  /** Imports the inbox, chooses the workflows in it, and creates the tables anew. */
  static async connect(
    client: N8nClient,
    { gateway, credential }: { gateway: Gateway; credential: Credential },
    subscribers: Partial<Record<Subscription, Workflow>>,
  ): Promise<Inbox> {
    const tables = new DataTables(client);
    await tables.remove(...TABLES);
    const choices = Object.entries(subscribers).map(([node, { id }]) => [
      node,
      { workflowId: picked(id) },
    ]);
    const file = withChoices(readExample('inbox'), Object.fromEntries(choices));
    const workflow = await client.importWorkflow(file, [credential]);
    // A subscriber has to be published before the inbox can be.
    for (const subscriber of Object.values(subscribers)) await client.publish(subscriber);
    const { status } = await client.run(workflow, SET_UP);
    expect(status, 'the tables are created').toBe('success');
    return new Inbox(client, gateway, tables, workflow);
  }

  /** Publishes the inbox, and waits until it has handed over all that the gateway has. */
  async pull(): Promise<void> {
    await this.handedOver(async () => this.client.publish(this.workflow));
  }

  /** Unpublishes the inbox and publishes it again, because the poll at publication comes at once. */
  async pullAgain(): Promise<void> {
    await this.handedOver(async () => {
      await this.client.deactivate(this.workflow);
      // n8n takes some time to stop the trigger.
      await expect(async () => {
        await this.client.deactivate(this.workflow);
        await this.client.publish(this.workflow);
      }).toPass({ timeout: ARRIVAL_LIMIT_MS });
    });
  }

  /** Waits until all that the gateway has now is handed over, and every execution has ended. */
  async handedOver(begin?: () => Promise<void>): Promise<void> {
    const { state } = this.gateway;
    const left = () => state.reportsLeft + state.replies.length;
    // A page on its way is neither with the gateway nor in the table.
    const wanted = this.stored + left();
    await begin?.();
    const isDone = async () => {
      const rows = await this.events();
      this.stored = rows.length;
      return (
        left() === 0 &&
        rows.length >= wanted &&
        rows.every((row) => row.handed_over) &&
        (await this.client.executions(this.workflow)).every(hasEnded)
      );
    };
    const message = 'all records are handed over';
    await expect.poll(isDone, { message, timeout: ARRIVAL_LIMIT_MS }).toBe(true);
  }

  /** The rows that the inbox has stored. */
  async events(): Promise<IDataObject[]> {
    return await this.tables.rows('sms_inbox');
  }

  /** The executions with records from the service, oldest first. n8n starts others by the clock. */
  async pulls(): Promise<Execution[]> {
    const all = await executionsOf(this.client, this.workflow);
    return all.filter(({ data }) => data.resultData.runData['New reports and replies']);
  }

  /** Starts the line that hands over again what a crash has left, however young it is. */
  async handOverAgain(): Promise<Execution> {
    const { nodes } = withText(this.workflow, 'How old, how many', '"value":10,', '"value":0,');
    const changed = await this.client.updateWorkflow(this.workflow.id, { nodes });
    return await this.client.run(changed, 'Every 10 minutes');
  }
}

/** A workflow that the inbox can call. It does nothing, or nothing for a time, or it fails. */
export async function subscriber(
  client: N8nClient,
  what: 'records' | 'fails' | { waits: number },
): Promise<Workflow> {
  const trigger = anyNode('n8n-nodes-base.executeWorkflowTrigger', 1.1, RECORDS, {
    inputSource: 'passthrough',
  });
  const step =
    what === 'records'
      ? anyNode('n8n-nodes-base.noOp', 1, 'Nothing')
      : what === 'fails'
        ? anyNode('n8n-nodes-base.stopAndError', 1, 'Failure', { errorMessage: 'Out of order' })
        : anyNode('n8n-nodes-base.wait', 1, 'Pause', { amount: what.waits, unit: 'seconds' });
  return await client.importWorkflow(chain('A subscriber', trigger, step), []);
}

/** The node of a subscriber that has what the inbox handed over. The examples name it so too. */
export const RECORDS = 'Replies from the inbox';

/** The executions of a workflow with their data, oldest first. */
export async function executionsOf(client: N8nClient, workflow: Workflow): Promise<Execution[]> {
  const all: Execution[] = [];
  for await (const page of client.executionPages(workflow)) {
    for (const { id } of page) all.unshift(await client.execution(id));
  }
  return all;
}

/** The rows that a subscriber has got in all its executions. */
export async function gotBy(client: N8nClient, workflow: Workflow): Promise<IDataObject[]> {
  const executions = await executionsOf(client, workflow);
  return executions.flatMap((each) => itemsOf(each, RECORDS)).map(({ json }) => json);
}
