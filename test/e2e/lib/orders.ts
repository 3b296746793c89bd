import type { IDataObject } from 'n8n-workflow';

import type { N8nClient, Workflow } from './client';
import { DataTables } from './dataTables';
import { picked, readExample, withChoices } from './examples';
import { withFields } from './fields';
import { startSmtp } from './smtp';
import type { Account } from './test';
import { WEBHOOK_KEY, WITH_KEY } from './webhookKey';

/** The example not-delivered-other-channel, published. */
export interface Orders extends Account {
  workflow: Workflow;
  tables: DataTables;
  smtp: Awaited<ReturnType<typeof startSmtp>>;
  /** Calls the webhook of the example. */
  tell(orders: IDataObject[]): Promise<void>;
}

/** Imports the example with an account of its own, and publishes it. */
export async function openOrders(
  client: N8nClient,
  openAccount: () => Promise<Account>,
  minutes: number,
): Promise<Orders> {
  const account = await openAccount();
  const tables = new DataTables(client);
  await tables.createShared();
  const smtp = await startSmtp();
  const example = readExample('not-delivered-other-channel');
  const { options } = example.nodes.find(({ name }) => name === 'Send the SMS')?.parameters ?? {};
  const chosen = withChoices(example, {
    'Send the SMS': {
      templateId: picked(302),
      signatureId: picked(202),
      // A request each, so that a fault is one of one order.
      options: { ...(options as IDataObject), batchSize: 1 },
    },
  });
  const workflow = await client.importWorkflow(withFields(chosen, 'Settings', { minutes }), [
    account.credential,
    await client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY),
    await client.createCredential('SMTP account', 'smtp', smtp.credential),
  ]);
  await client.publish(workflow);
  return {
    ...account,
    workflow,
    tables,
    smtp,
    tell: async (orders) => void (await client.callWebhook('orders-to-tell', { orders }, WITH_KEY)),
  };
}

/** An order for the example. Its name is also in its number and in its mail address. */
export function order(name: string, phone: string, email = `${name}@example.com`): IDataObject {
  return { phone, email, name, order: `B-${name}`, date: 'June 3' };
}
