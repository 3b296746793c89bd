import type { Credential, N8nClient, Workflow } from './client';
import { DataTables } from './dataTables';
import { dataTables, type Store } from './store';
import { addTemplates } from './workflowFiles';
import type { Account } from './test';

/**
 * Imports the outbox with an account and empty tables, and publishes it. It has no quiet hours, and a limit for
 * the messages of a day alone.
 */
export async function publishOutbox(
  client: N8nClient,
  { gateway, credential }: Account,
): Promise<void> {
  addTemplates(gateway);
  const tables = new DataTables(client);
  await tables.remove('sms_rules', 'sms_outbox', 'sms_opt_outs', 'sms_templates');
  await tables.createShared();
  const always = { check_opt_outs: true, from_hour: 0, to_hour: 24, outside_hours: 'refuse' };
  const rules = Object.entries({ code: 0, notice: 0, all: 10_000 }).map(([name, per_day]) => ({
    ...{ class: name, ...always, per_hour: 0, per_day },
  }));
  await tables.insert('sms_rules', rules);
  await publishBoth(client, credential);
}

/** Imports the outbox and its upkeep, and publishes them. Their tables stay as they are. */
export async function publishBoth(
  client: N8nClient,
  credential: Credential,
  { read, credentials }: Omit<Store, 'tables'> = dataTables(client),
  file = read('outbox'),
): Promise<Workflow> {
  const all = [credential, ...credentials];
  await client.publish(await client.importWorkflow(read('outbox-upkeep'), all));
  const outbox = await client.importWorkflow(file, all);
  await client.publish(outbox);
  return outbox;
}
