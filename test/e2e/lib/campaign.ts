import { randomUUID } from 'node:crypto';

import { expect } from '@playwright/test';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { Gateway } from '../../sandbox/gateway';
import type { DeliveryReport } from '../../sandbox/records';
import {
  errorOf,
  type Execution,
  type N8nClient,
  type Workflow,
  type WorkflowFile,
} from './client';
import { DataTables } from './dataTables';
import { readExample, withChoices, withoutNodes, withText } from './examples';
import { fieldsWith } from './fields';
import type { Account } from './test';
import { WEBHOOK_KEY, WITH_KEY } from './webhookKey';
import { anyNode, chain, ownNode } from './workflow';

/** Who may look at the progress page. */
export const LOGIN = { user: 'ops', password: 'campaign-of-the-suite' };

const SETTINGS = 'Settings';

/** Creates the tables, and subscribes to the inbox. */
const WHEN_PUBLISHED = 'When published';

/** A duplicate of the workflow has no such nodes, as its note says. */
const ONCE = [WHEN_PUBLISHED, 'Recipients arrive', 'Progress wanted'];

const TABLES = ['sms_campaign', 'sms_pauses', 'sms_outbox', 'sms_rules', 'sms_opt_outs'];

/** A row of a data table. */
export interface Row extends IDataObject {
  id: number;
  phone_number: string;
  status: string;
  portion: string;
  batch_id: string;
  reason: string;
}

/** What a test sets in the settings of the example. The rest is set to what suits every test. */
export interface Settings {
  paused?: boolean;
  to_hour?: number;
  portion_size?: number;
  stop_below_balance?: number;
  minutes_under_way?: number;
}

export interface Person {
  phone: unknown;
  name: string;
  order: string;
  date: string;
}

/** The campaign example in n8n with the outbox, and a tiny inbox that hands it the delivery reports. */
export class Campaign {
  readonly tables: DataTables;
  readonly name = `Campaign ${randomUUID()}`;
  private current!: Workflow;
  private inbox!: Workflow;

  private constructor(
    private readonly client: N8nClient,
    readonly account: Account,
    readonly outbox: Workflow,
  ) {
    this.tables = new DataTables(client);
  }

  /** Imports the examples with everything chosen, beside empty tables. Only the outbox is published. */
  static async open(
    client: N8nClient,
    account: Account,
    settings: Settings = {},
    sendOptions: INodeParameters = {},
  ): Promise<Campaign> {
    const tables = new DataTables(client);
    await tables.remove(...TABLES);
    const file = marketingOutbox(sendOptions);
    const outbox = await client.importWorkflow(file, [account.credential]);
    await client.publish(outbox);
    // Stores its rules.
    await client.run(outbox, 'Every minute');
    const campaign = new Campaign(client, account, outbox);
    await campaign.import(readExample('campaign'), settings);
    await client.run(campaign.workflow, WHEN_PUBLISHED);
    campaign.inbox = await client.importWorkflow(inboxFor(campaign.workflow, account), [
      account.credential,
    ]);
    return campaign;
  }

  /** A second campaign beside this one, as the note says. This one takes its reports. */
  async duplicate(): Promise<Campaign> {
    const { id, ...file } = withoutNodes(readExample('campaign'), ...ONCE);
    expect(id).toBe(this.workflow.id);
    const campaign = new Campaign(this.client, this.account, this.outbox);
    await campaign.import(file, {});
    return campaign;
  }

  private async import(example: WorkflowFile, settings: Settings): Promise<void> {
    const values = {
      ...{ campaign: this.name, template_id: '302', signature_id: '202' },
      ...{ from_hour: 0, to_hour: 24, ...settings },
    };
    const file = withChoices(example, {
      'Every 10 seconds': everySeconds(2),
      [SETTINGS]: fieldsWith(example, SETTINGS, values),
    });
    this.current = await this.client.importWorkflow({ ...file, name: this.name }, [
      this.account.credential,
      await this.client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY),
      await this.client.createCredential('Dashboard login', 'httpBasicAuth', LOGIN),
    ]);
  }

  /** From here on it sends by itself, and reports come in. */
  async publish(): Promise<void> {
    await this.client.publish(this.workflow);
    await this.client.publish(this.inbox);
  }

  /** As it was last saved. */
  get workflow(): Workflow {
    return this.current;
  }

  /** Changes the settings. A published campaign goes on with the old ones. */
  async set(settings: Settings): Promise<void> {
    await this.change(SETTINGS, () => fieldsWith(this.workflow, SETTINGS, { ...settings }));
  }

  /** Changes parameters of a node. A published campaign goes on with the old ones. */
  async change(
    name: string,
    parametersOf: (parameters: INodeParameters) => Record<string, unknown>,
  ): Promise<void> {
    const node = this.workflow.nodes.find((each) => each.name === name);
    const { nodes } = withChoices(this.workflow, { [name]: parametersOf(node?.parameters ?? {}) });
    this.current = await this.client.updateWorkflow(this.workflow.id, { nodes });
  }

  /** One portion, as if the time for it had come. */
  async tick(): Promise<Execution> {
    const execution = await this.client.run(this.workflow, 'Every 10 seconds');
    expect(execution.status, errorOf(execution)).toBe('success');
    return execution;
  }

  /** Loads recipients by the webhook. */
  async load(recipients: Person[]): Promise<IDataObject> {
    const body = { campaign: this.name, recipients };
    return JSON.parse(await this.client.callWebhook('sms-campaign', body, WITH_KEY)) as IDataObject;
  }

  /** Inserts recipients as rows, without the workflow. */
  async insert(people: Person[], values: IDataObject = {}): Promise<void> {
    const rows = people.map(({ phone, ...rest }) => ({
      ...rest,
      campaign: this.name,
      phone_number: String(phone),
      status: 'pending',
      portion: '',
      batch_id: '',
      reason: '',
      // Not loaded just now.
      changed: new Date(Date.now() - 120_000).toISOString(),
      ...values,
    }));
    await this.tables.insert('sms_campaign', rows);
  }

  /** How many rows have a status. */
  async count(status: string): Promise<number> {
    return await this.tables.count('sms_campaign', { campaign: this.name, status });
  }

  /** All rows of the campaign, or those that have a status. */
  async rows(status?: string): Promise<Row[]> {
    const values = { campaign: this.name, ...(status && { status }) };
    return await this.tables.rows<Row>('sms_campaign', values);
  }

  /** Puts numbers on the list of opt-outs. */
  async optOut(...numbers: string[]): Promise<void> {
    const rows = numbers.map((phone_number) => ({ phone_number, word: 'TD' }));
    await this.tables.insert('sms_opt_outs', rows);
  }

  /** What the service reports of the accepted rows. */
  async reports(): Promise<DeliveryReport[]> {
    return (await this.rows('accepted')).map((row) => reportOf(row));
  }

  /** The progress page. */
  async page(): Promise<string> {
    return await progressPage(this.client, 'sms-campaign');
  }
}

/** The progress page at the path of a webhook. */
export async function progressPage({ url }: N8nClient, path: string): Promise<string> {
  const authorization = `Basic ${btoa(`${LOGIN.user}:${LOGIN.password}`)}`;
  const response = await fetch(`${url}/webhook/${path}`, { headers: { authorization } });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

/** Numbers that the service has accepted more than one message to. */
export function numbersSentTwice(gateway: Gateway): string[] {
  return [...gateway.deliveries()].filter(([, count]) => count !== 1).map(([number]) => number);
}

/** What the service reports of a row. */
export function reportOf(
  { id, batch_id, phone_number }: Row,
  change: Partial<DeliveryReport> = {},
): DeliveryReport {
  return {
    time: 1_790_000_000,
    batch_id,
    status: 'DELIVRD',
    status_desc: 'delivered',
    phone_data: `sms_campaign:${id}`,
    phone_number,
    user_data: '',
    split_count: 1,
    ...change,
  };
}

/** Made-up recipients. None of their numbers stands for a failed delivery in the sandbox. */
export function people(count: number, from = 0): Person[] {
  return Array.from({ length: count }, (_, index) => ({
    phone: `138${String(10_000_000 + (from + index) * 10 + 5)}`,
    name: `Customer ${from + index}`,
    order: `A-${from + index}`,
    date: 'June 3',
  }));
}

/** The outbox without limits for a campaign. */
function marketingOutbox(sendOptions: INodeParameters): WorkflowFile {
  const outbox = readExample('outbox');
  const rules = 'Default rules';
  const always = withText(outbox, rules, '[9, 20]', '[0, 24]');
  const send = 'Send by template';
  const { options } = outbox.nodes.find(({ name }) => name === send)?.parameters ?? {};
  return withChoices(withText(always, rules, '[1, 2]', '[0, 0]'), {
    [send]: { options: { ...(options as INodeParameters), ...sendOptions } },
  });
}

/** A trigger polls once a minute at most. This pulls more often, so that the tests take less time. */
function inboxFor(workflow: Workflow, { credential }: Account): WorkflowFile {
  return chain(
    `Inbox of ${workflow.name}`,
    anyNode('n8n-nodes-base.scheduleTrigger', 1.2, 'Often', everySeconds(1)),
    ownNode(
      'smsMessagingService',
      'Reports',
      { resource: 'deliveryReport', operation: 'pull', count: 100 },
      credential,
    ),
    handOverTo(workflow),
  );
}

/** The node with which an inbox hands its items to a campaign. */
export function handOverTo({ id }: Workflow): INode {
  return anyNode('n8n-nodes-base.executeWorkflow', 1.2, 'Hand over', {
    source: 'database',
    workflowId: { __rl: true, mode: 'id', value: id } as unknown as INodeParameters,
    workflowInputs: { mappingMode: 'defineBelow', value: {} },
    mode: 'once',
    options: { waitForSubWorkflow: true },
  });
}

/** The parameters of a Schedule Trigger. */
export function everySeconds(secondsInterval: number): INodeParameters {
  return { rule: { interval: [{ field: 'seconds', secondsInterval }] } };
}
