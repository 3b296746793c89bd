import { randomUUID } from 'node:crypto';

import { expect } from '@playwright/test';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { deliveryReport, type DeliveryReport } from '../../sandbox/records';
import {
  errorOf,
  type Execution,
  type N8nClient,
  type Workflow,
  type WorkflowFile,
} from './client';
import { dataTables, type Store, type Tables } from './store';
import { fieldsWith, withChoices } from './workflowFiles';
import { publishOutbox } from './publishOutbox';
import { LOGIN, pageAt, postForm } from './pages';
import type { Account } from './test';
import { WEBHOOK_KEY, WITH_KEY } from './webhookKey';
import { anyNode, callTo, chain, everySeconds, ownNode } from './workflow';

const SETTINGS = 'Settings';

/** Creates the tables, or subscribes to the inbox. */
const WHEN_PUBLISHED = 'When published';

const TABLES = [
  ...['sms_campaigns', 'sms_recipients', 'sms_resends', 'sms_tokens'],
  ...['sms_inbox', 'sms_subscribers'],
];

/** The workflows of the campaign beside the one that sends. */
const PARTS = ['load', 'reports', 'page', 'buttons', 'form'] as const;

type Part = (typeof PARTS)[number];

/** A row of a data table. */
export interface Row extends IDataObject {
  id: number;
  phone_number: string;
  status: string;
  portion: string;
  batch_id: string;
  reason: string;
}

/** What a test sets in the settings of the workflow. The rest is set to what suits every test. */
export interface Settings {
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

/** A row of the table of campaigns. */
export interface CampaignRow extends IDataObject {
  id: number;
  state: string | null;
  loaded_at: string;
}

/** The campaign in n8n with the outbox, and a tiny inbox that hands it the delivery reports. */
export class Campaign {
  readonly tables: Tables;
  private readonly parts = new Map<Part, Workflow>();
  private current!: Workflow;
  private inbox!: Workflow;

  private constructor(
    private readonly client: N8nClient,
    readonly account: Account,
    readonly outbox: Workflow,
    private readonly store: Store,
    readonly name = `Campaign ${randomUUID()}`,
  ) {
    this.tables = store.tables;
  }

  /** Imports the workflows with everything chosen, beside empty tables. Only the outbox is published. */
  static async open(
    client: N8nClient,
    account: Account,
    settings: Settings = {},
    sendOptions: INodeParameters = {},
    store = dataTables(client),
  ): Promise<Campaign> {
    const { tables } = store;
    await tables.remove(...TABLES);
    const file = outboxWith(store.read('outbox'), sendOptions);
    const outbox = await publishOutbox(client, account, store, file);
    const campaign = new Campaign(client, account, outbox, store);
    await campaign.import(settings);
    // No report waits for the campaign: the tests hand them over by themselves.
    await tables.insert('sms_subscribers', [{ name: 'SMS · Campaign: reports', read_to: 0 }]);
    await campaign.add();
    return campaign;
  }

  /** A campaign of another name in the same tables, with a state or not stored yet. */
  async named(name: string, state?: string): Promise<Campaign> {
    const other = new Campaign(this.client, this.account, this.outbox, this.store, name);
    other.current = this.current;
    for (const [part, workflow] of this.parts) other.parts.set(part, workflow);
    if (state) await other.add(state);
    return other;
  }

  private async import(settings: Settings): Promise<void> {
    const credentials = [
      this.account.credential,
      ...this.store.credentials,
      await this.client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY),
      await this.client.createCredential('Basic Auth account', 'httpBasicAuth', LOGIN),
    ];
    const example = this.store.read('campaign');
    const file = withChoices(example, {
      'Every 10 seconds': everySeconds(2),
      [SETTINGS]: fieldsWith(example, SETTINGS, { ...settings }),
    });
    this.current = await this.client.importWorkflow(file, credentials);
    await this.client.run(this.current, WHEN_PUBLISHED);
    for (const part of PARTS) {
      const workflow = await this.client.importWorkflow(
        this.store.read(`campaign-${part}`),
        credentials,
      );
      this.parts.set(part, workflow);
    }
    const inbox = inboxFor(this.part('reports'), this.account);
    this.inbox = await this.client.importWorkflow(inbox, credentials);
  }

  /** Puts a campaign into the table, as loading does. */
  private async add(state = 'running'): Promise<void> {
    await this.tables.insert('sms_campaigns', [
      {
        ...{ campaign: this.name, state, template_id: '302', template: '发货通知' },
        ...{ signature_id: '202', signature: '云岭商城', missing: '', loaded_at: LONG_AGO },
        content: '尊敬的${name},您的订单${order}已发货,预计${date}送达。回复TD退订',
      },
    ]);
  }

  /** From here on it sends by itself, and reports come in. */
  async publish(): Promise<void> {
    await this.client.publish(this.workflow);
    await this.publishPart('reports');
    await this.client.publish(this.inbox);
  }

  /** Publishes everything. */
  async publishAll(): Promise<void> {
    await this.publishPart('load', 'page', 'buttons', 'form');
    await this.publish();
  }

  /** Publishes parts of the campaign. */
  async publishPart(...names: Part[]): Promise<void> {
    for (const name of names) await this.client.publish(this.part(name));
  }

  /** The workflow that sends, as it was last saved. */
  get workflow(): Workflow {
    return this.current;
  }

  private part(name: Part): Workflow {
    const found = this.parts.get(name);
    if (!found) throw new Error(`There is no part "${name}".`);
    return found;
  }

  /** Puts the campaign into a state, as its buttons do. */
  async setState(state: string): Promise<void> {
    await this.tables.update('sms_campaigns', { campaign: this.name }, { state });
  }

  /** The row of the campaign. */
  async row(): Promise<CampaignRow> {
    const [row] = await this.tables.rows<CampaignRow>('sms_campaigns', { campaign: this.name });
    if (!row) throw new Error(`There is no campaign "${this.name}".`);
    return row;
  }

  /** Changes parameters of a node. A published campaign goes on with the old ones. */
  async change(
    name: string,
    parametersOf: (parameters: INodeParameters) => Record<string, unknown>,
  ): Promise<void> {
    const node = this.workflow.nodes.find((each) => each.name === name);
    const parameters = parametersOf(node?.parameters ?? {});
    this.current = await this.client.changeNode(this.workflow, name, parameters);
  }

  /** One portion, as if the time for it had come. */
  async tick(): Promise<Execution> {
    const execution = await this.client.run(this.workflow, 'Every 10 seconds');
    expect(execution.status, errorOf(execution)).toBe('success');
    return execution;
  }

  /** Loads recipients by the webhook. */
  async load(recipients: Person[], others: IDataObject = {}): Promise<IDataObject> {
    const body = { campaign: this.name, recipients, ...others };
    return JSON.parse(await this.client.callWebhook('sms-campaign', body, WITH_KEY)) as IDataObject;
  }

  /** Inserts recipients as rows, without the workflow. */
  async insert(people: Person[], values: IDataObject = {}): Promise<void> {
    const rows = people.map(({ phone, ...rest }) => ({
      campaign: this.name,
      phone_number: String(phone),
      parameters: JSON.stringify(rest),
      status: 'pending',
      portion: '',
      batch_id: '',
      reason: '',
      // Not loaded just now.
      changed: new Date(Date.now() - 120_000).toISOString(),
      ...values,
    }));
    await this.tables.insert('sms_recipients', rows);
  }

  /** How many rows have a status. */
  async count(status: string): Promise<number> {
    return await this.tables.count('sms_recipients', { campaign: this.name, status });
  }

  /** All rows of the campaign, or those that have a status. */
  async rows(status?: string): Promise<Row[]> {
    const values = { campaign: this.name, ...(status && { status }) };
    return await this.tables.rows<Row>('sms_recipients', values);
  }

  /** Puts numbers on the list of opt-outs. */
  async optOut(...numbers: string[]): Promise<void> {
    const rows = numbers.map((phone_number) => ({ phone_number, word: 'TD' }));
    await this.tables.insert('sms_opt_outs', rows);
  }

  /** The page of the campaign. */
  async page(query = ''): Promise<string> {
    const { id } = await this.row();
    return await pageAt(this.client, `sms-campaign?campaign=${id}${query}`);
  }

  /** The token of the buttons on a page that is opened now. */
  async token(): Promise<string> {
    return /name="token" value="([^"]+)"/.exec(await this.page())?.[1] ?? '';
  }

  /**
   * Presses a button, as a browser or a forger would, by default on a page that shows the campaign as it is.
   * Gives back the status of the answer.
   */
  async press(action: string, token: string, fields: Record<string, string> = {}): Promise<number> {
    const { id, loaded_at } = await this.row();
    return await postForm(this.client, 'sms-campaign-buttons', {
      ...{ campaign: String(id), loaded: String(loaded_at), action, token },
      ...fields,
    });
  }

  /** As if the rows had been loaded long ago: a new row rests for a minute. */
  async letRest(): Promise<void> {
    const pending = { campaign: this.name, status: 'pending' };
    await this.tables.update('sms_recipients', pending, { changed: LONG_AGO });
  }
}

const LONG_AGO = '2026-01-01T00:00:00.000Z';

/** What the service reports of a row. */
export function reportOf(
  { id, batch_id, phone_number }: Row,
  change: Partial<DeliveryReport> = {},
): DeliveryReport {
  return deliveryReport({
    time: 1_790_000_000,
    batch_id,
    status_desc: 'delivered',
    phone_data: `sms_recipients:${id}`,
    phone_number,
    ...change,
  });
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

/** The outbox with options of its send. */
function outboxWith(outbox: WorkflowFile, sendOptions: INodeParameters): WorkflowFile {
  const send = 'Send by template';
  const { options } = outbox.nodes.find(({ name }) => name === send)?.parameters ?? {};
  return withChoices(outbox, {
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
    callTo(workflow),
  );
}
