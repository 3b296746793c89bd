import type { N8nClient } from '../../kit/n8n/client';
import { DataTables } from '../../kit/n8n/dataTables';

/** A workflow as n8n lists it. */
export interface Listed {
  id: string;
  name: string;
  tags: { id: string; name: string }[];
}

/** Removes all workflows, credentials and tables that earlier tests have left. */
export async function asNew(client: N8nClient): Promise<DataTables> {
  for (const { id } of await client.call<Listed[]>('GET', '/rest/workflows')) {
    // It is refused where it was done before.
    await client.call('POST', `/rest/workflows/${id}/archive`, {}).catch(() => undefined);
    await client.call('DELETE', `/rest/workflows/${id}`);
  }
  await client.removeCredentials();
  const tables = new DataTables(client);
  await tables.remove();
  return tables;
}
