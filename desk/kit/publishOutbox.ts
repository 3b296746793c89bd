import { expect } from '@playwright/test';

import { errorOf, type Account, type N8nClient, type Workflow } from '../../test/kit/n8n/client';
import type { Store, Tables } from './store';
import { addTemplates, readDesk } from '../../test/kit/workflows/workflowFiles';

/** A rule for messages at any hour, as many as there are. */
const UNLIMITED = {
  ...{ class: 'code', check_opt_outs: true, from_hour: 0, to_hour: 24 },
  ...{ outside_hours: 'refuse', per_hour: 0, per_day: 0 },
};

/** Replaces the rules of the outbox. What a rule does not say is unlimited. */
export async function setRules(
  tables: Pick<Tables, 'clear' | 'insert'>,
  ...rules: Partial<typeof UNLIMITED>[]
): Promise<void> {
  await tables.clear('sms.rules');
  await tables.insert(
    'sms.rules',
    rules.map((rule) => ({ ...UNLIMITED, ...rule })),
  );
}

/** Stores what the service says now, for the pages, which do not ask it. */
export async function askService(
  client: N8nClient,
  { credential }: Pick<Account, 'credential'>,
  { credentials }: Store,
): Promise<Workflow> {
  const service = await client.importWorkflow(readDesk('service'), [credential, ...credentials]);
  const execution = await client.run(service, 'When published');
  expect(execution.status, errorOf(execution)).toBe('success');
  return service;
}

/**
 * Imports the outbox with an account, and publishes it. The tables are made anew, and have what the service says. There
 * are no quiet hours, and a limit for the messages of a day alone.
 */
export async function publishOutbox(
  client: N8nClient,
  { gateway, credential }: Account,
  store: Store,
  file = readDesk('outbox'),
): Promise<Workflow> {
  const { tables, credentials } = store;
  addTemplates(gateway);
  await tables.anew();
  await askService(client, { credential }, store);
  const outbox = await client.importWorkflow(file, [credential, ...credentials]);
  await client.publish(outbox);
  const classes = ['code', 'notice', 'marketing'].map((name) => ({ class: name }));
  await setRules(tables, ...classes, { class: 'all', per_day: 10_000 });
  return outbox;
}
