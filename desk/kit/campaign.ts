import { expect } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import type { Row } from '../src/tables';

import {
  type Account,
  errorOf,
  type Execution,
  type N8nClient,
  type Workflow,
  type WorkflowFile,
} from '../../test/kit/n8n/client';
import type { Store, Tables } from './store';
import { readDesk, withChoices, withFields } from '../../test/kit/workflows/workflowFiles';
import { publishOutbox } from './publishOutbox';
import { LOGIN, pageAt, postForm } from './pages';
import { WEBHOOK_KEY, WITH_KEY } from '../../test/kit/n8n/webhookKey';
import { anyNode, chain, everySeconds, ownNode } from '../../test/kit/n8n/workflow';

/** The workflows of the campaign beside the one that sends and takes the reports. */
const PARTS = ['page', 'load', 'buttons'];

const NAME = 'Spring <b>';

/** What a test sets in the settings of the workflow. The rest is set to what suits every test. */
export interface Settings {
  portion_size?: number;
  portions_at_once?: number;
  stop_below_balance?: number;
}

export interface Person {
  phone: unknown;
  name: string;
  order: string;
  date: string;
}

/** The campaign in n8n with the outbox, and a tiny inbox that hands it the delivery reports. */
export class Campaign {
  readonly name = NAME;

  private constructor(
    private readonly client: N8nClient,
    readonly account: Account,
    readonly tables: Tables,
    readonly outbox: Workflow,
    /** The one that sends, and takes the reports. */
    readonly workflow: Workflow,
    private readonly parts: readonly Workflow[],
    private readonly inbox: Workflow,
  ) {}

  /** Imports the workflows with everything chosen, beside empty tables. Only the outbox is published. */
  static async open(
    client: N8nClient,
    account: Account,
    store: Store,
    settings: Settings = {},
    outboxFile = readDesk('outbox'),
  ): Promise<Campaign> {
    const { tables } = store;
    const outbox = await publishOutbox(client, account, store, outboxFile);
    const credentials = [
      account.credential,
      ...store.credentials,
      await client.createCredential('SMS desk: campaigns', 'httpHeaderAuth', WEBHOOK_KEY),
      await client.createCredential('SMS desk: pages', 'httpBasicAuth', LOGIN),
    ];
    const often = withChoices(readDesk('campaign'), { 'Every 10 seconds': everySeconds(2) });
    const sender = withFields(often, 'Settings', { ...settings });
    const workflow = await client.importWorkflow(sender, credentials);
    const parts: Workflow[] = [];
    for (const part of PARTS) {
      parts.push(await client.importWorkflow(readDesk(`campaign-${part}`), credentials));
    }
    const inbox = await client.importWorkflow(inboxFor(account), credentials);
    // As loading does.
    await tables.insert('sms.campaigns', [
      {
        ...{ campaign: NAME, state: 'running', template_id: '302', template: '发货通知' },
        ...{ signature_id: '202', signature: '云岭商城', missing: '', loaded_at: LONG_AGO },
        content: '尊敬的${name},您的订单${order}已发货,预计${date}送达。回复TD退订',
      },
    ]);
    return new Campaign(client, account, tables, outbox, workflow, parts, inbox);
  }

  /** Publishes everything but the workflow that sends, and the tiny inbox. */
  async publishParts(): Promise<void> {
    for (const part of this.parts) await this.client.publish(part);
  }

  /** From here on it sends by itself, and reports come in. */
  async publish(): Promise<void> {
    await this.publishParts();
    await this.client.publish(this.workflow);
    await this.client.publish(this.inbox);
  }

  /** The row of the campaign. */
  async row(): Promise<Row<'sms.campaigns', 'state'>> {
    const [row] = await this.tables.rows<Row<'sms.campaigns', 'state'>>('sms.campaigns', {
      campaign: this.name,
    });
    if (!row) throw new Error(`There is no campaign "${this.name}".`);
    return row;
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
  async insert(people: Person[]): Promise<void> {
    const rows = people.map(({ phone, ...rest }) => ({
      campaign: this.name,
      phone_number: String(phone),
      parameters: JSON.stringify(rest),
      status: 'pending',
      portion: '',
      batch_id: '',
      reason: '',
      // Not loaded just now.
      changed: LONG_AGO,
    }));
    await this.tables.insert('sms.recipients', rows);
  }

  /** How many rows have a status. */
  async count(status: string): Promise<number> {
    return await this.tables.count('sms.recipients', { campaign: this.name, status });
  }

  /** All rows of the campaign, or those that have a status. */
  async rows(status?: string): Promise<Row<'sms.recipients'>[]> {
    const values = { campaign: this.name, ...(status && { status }) };
    return await this.tables.rows('sms.recipients', values);
  }

  /** Puts numbers on the list of opt-outs. */
  async optOut(...numbers: string[]): Promise<void> {
    const rows = numbers.map((phone_number) => ({ phone_number, word: 'TD' }));
    await this.tables.insert('sms.opt_outs', rows);
  }

  /** The page of the campaign. */
  async page(): Promise<string> {
    const { id } = await this.row();
    return await pageAt(this.client, `sms-campaign?campaign=${id}`);
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

  /** As if what is under way had begun long ago: after ten minutes, it counts as interrupted. */
  async letTimePass(): Promise<void> {
    const sending = { campaign: this.name, status: 'sending' };
    const then = { changed: LONG_AGO, sent_at: LONG_AGO };
    await this.tables.update('sms.recipients', sending, then);
    await this.tables.update('sms.outbox', { status: 'claimed' }, { sent_at: LONG_AGO });
  }

  /** As if the rows had been loaded long ago: a new row rests for a minute. */
  async letRest(): Promise<void> {
    const pending = { campaign: this.name, status: 'pending' };
    await this.tables.update('sms.recipients', pending, { changed: LONG_AGO });
  }
}

const LONG_AGO = '2026-01-01T00:00:00.000Z';

/** Made-up recipients. None of their numbers stands for a failed delivery in the sandbox. */
export function people(count: number, from = 0): Person[] {
  return Array.from({ length: count }, (_, index) => ({
    phone: `138${String(10_000_000 + (from + index) * 10 + 5)}`,
    name: `Customer ${from + index}`,
    order: `A-${from + index}`,
    date: 'June 3',
  }));
}

/** A trigger polls once a minute at most. This pulls more often, so that the tests take less time. */
function inboxFor({ credential }: Account): WorkflowFile {
  const [store] = readDesk('inbox').nodes.filter(({ name }) => name === 'Store');
  if (!store) throw new Error('The inbox stores nothing.');
  const query = `INSERT INTO sms.inbox (event, phone_number, status, status_desc, batch_id, phone_data, time, other)
SELECT 'deliveryReport', phone_number, status, status_desc, batch_id, phone_data, now(), '' FROM json_to_recordset($1::json)
AS record(phone_number text, status text, status_desc text, batch_id text, phone_data text)`;
  const queryReplacement = '={{ [JSON.stringify($input.all().map(({ json }) => json))] }}';
  return chain(
    'A tiny inbox',
    anyNode('n8n-nodes-base.scheduleTrigger', 1.2, 'Often', everySeconds(1)),
    ownNode(
      'smsMessagingService',
      'Reports',
      { resource: 'deliveryReport', operation: 'pull', count: 100 },
      credential,
    ),
    { ...store, parameters: { ...store.parameters, query, options: { queryReplacement } } },
  );
}
