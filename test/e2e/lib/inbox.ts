import { expect } from '@playwright/test';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Gateway } from '../../sandbox/gateway';
import { itemsOf, type Credential, type Execution, type N8nClient, type Workflow } from './client';
import { DataTables } from './dataTables';
import { readDesk, withChoices } from './workflowFiles';
import { anyNode, chain, pollEvery } from './workflow';

const TABLES = ['sms_inbox', 'sms_outbox', 'sms_opt_outs', 'sms_subscribers', 'sms_deliveries'];

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
    private readonly gateway: Gateway,
    readonly tables: DataTables,
    readonly workflow: Workflow,
  ) {}

  /**
   * Imports the inbox with the parts that it calls, beside empty tables, and publishes the subscribers, which
   * subscribe themselves.
   */
  static async connect(
    client: N8nClient,
    { gateway, credential }: { gateway: Gateway; credential: Credential },
    subscribers: readonly Workflow[],
  ): Promise<Inbox> {
    const tables = new DataTables(client);
    await tables.remove(...TABLES);
    const often = {
      rule: { interval: [{ field: 'seconds', secondsInterval: OFTEN_S }] },
    };
    const deliveries = withChoices(readDesk('inbox-deliveries'), { 'Every minute': often });
    for (const part of [readDesk('inbox-opt-outs'), deliveries]) {
      await client.publish(await client.importWorkflow(part, []));
    }
    const file = withChoices(readDesk('inbox'), {
      'New reports and replies': { pollTimes: pollEvery(OFTEN_S) },
    });
    const workflow = await client.importWorkflow(file, [credential]);
    for (const subscriber of subscribers) await client.publish(subscriber);
    const subscribed = async () => (await tables.rows('sms_subscribers')).length;
    await expect.poll(subscribed, { message: 'subscribers' }).toBe(subscribers.length);
    return new Inbox(client, gateway, tables, workflow);
  }

  /**
   * Publishes the inbox if it is not, and waits until all that the gateway has is stored and delivered, but for
   * records that crashes may have cost.
   */
  async pull(lost = 0): Promise<void> {
    await this.publish();
    await this.stored(lost);
    await expect.poll(() => this.deliveries(), { timeout: ARRIVAL_LIMIT_MS }).toEqual([]);
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
    return await this.tables.rows('sms_inbox');
  }

  /** How many rows the inbox has stored. */
  async count(): Promise<number> {
    return await this.tables.count('sms_inbox');
  }

  /** What is not delivered yet. */
  async deliveries(): Promise<IDataObject[]> {
    return await this.tables.rows('sms_deliveries');
  }

  /** Makes everything due that a crash has interrupted. Otherwise it is due ten minutes later. */
  async dueNow(): Promise<void> {
    await this.tables.update('sms_deliveries', { reason: 'Under way' }, { next_try: new Date() });
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
  wants: Wants = 'all',
): Promise<Workflow> {
  const entry = anyNode('n8n-nodes-base.executeWorkflowTrigger', 1.1, RECORDS, {
    inputSource: 'passthrough',
  });
  const records = chain(`A subscriber that ${what}`, entry, STEPS[what]);
  const subscribing = chain(
    '',
    anyNode('n8n-nodes-base.n8nTrigger', 1, 'When published', { events: ['activate', 'update'] }),
    {
      ...anyNode('n8n-nodes-base.dataTable', 1.1, 'Table of subscribers', tableOfSubscribers()),
      ...RETRY,
    },
    { ...anyNode('n8n-nodes-base.dataTable', 1.1, 'Subscribe', subscription(wants)), ...RETRY },
  );
  const nodes = [...records.nodes, ...subscribing.nodes];
  const connections = { ...records.connections, ...subscribing.connections };
  return await client.importWorkflow({ ...records, nodes, connections }, []);
}

/** Several may create the table at the same moment. */
const RETRY = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1000 };

function tableOfSubscribers(): INodeParameters {
  const node = readDesk('inbox').nodes.find(({ name }) => name === 'Table of subscribers');
  if (!node) throw new Error('The inbox has no table of subscribers.');
  return node.parameters;
}

function subscription(wants: Wants): INodeParameters {
  const value = { workflow_id: '={{ $workflow.id }}', name: '={{ $workflow.name }}', wants };
  const schema = Object.keys(value).map((id) => ({
    id,
    displayName: id,
    required: false,
    defaultMatch: false,
    display: true,
    type: 'string',
    canBeUsedToMatch: true,
  }));
  const byId = { keyName: 'workflow_id', condition: 'eq', keyValue: '={{ $workflow.id }}' };
  return {
    resource: 'row',
    operation: 'upsert',
    dataTableId: { __rl: true, mode: 'name', value: 'sms_subscribers' },
    matchType: 'allConditions',
    filters: { conditions: [byId] },
    columns: { mappingMode: 'defineBelow', value, matchingColumns: [], schema },
    options: {},
  } as INodeParameters;
}

/** The executions of a workflow with their data, oldest first. */
export async function executionsOf(client: N8nClient, workflow: Workflow): Promise<Execution[]> {
  const all: Execution[] = [];
  for await (const page of client.executionPages(workflow)) {
    for (const { id } of page) all.unshift(await client.execution(id));
  }
  return all;
}

/** The rows that a subscriber has got in all its executions, those that failed included. */
export async function gotBy(client: N8nClient, workflow: Workflow): Promise<IDataObject[]> {
  const executions = await executionsOf(client, workflow);
  return executions.flatMap((each) => itemsOf(each, RECORDS)).map(({ json }) => json);
}
