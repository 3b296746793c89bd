import { expect } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import { N8nError, type N8nClient, type Workflow } from './client';
import { DataTables } from './dataTables';
import { readDesk } from './workflowFiles';
import { withFields } from './fields';
import { publishOutbox, type NumberLimits } from './publishOutbox';
import type { Account } from './test';
import { WEBHOOK_KEY, WITH_KEY } from './webhookKey';

/** The workflows verification-code and verification-code-check, published. */
export interface Codes extends Account {
  workflows: Workflow[];
  tables: DataTables;
  /** Calls a webhook of the workflow. */
  call(path: 'send' | 'check', body: IDataObject): Promise<[status: number, answer: IDataObject]>;
  /** The code in the latest SMS to a phone. */
  codeFor(phone: string): string;
}

/** Imports the outbox and the workflow with an account and limits of their own, and publishes them. */
export async function openCodes(
  client: N8nClient,
  openAccount: () => Promise<Account>,
  limits: Record<string, number> = {},
  phoneLimits?: NumberLimits,
): Promise<Codes> {
  const account = await openAccount();
  await publishOutbox(client, account, phoneLimits);
  const tables = new DataTables(client);
  await tables.remove('sms_codes');
  const file = withFields(readDesk('verification-code'), 'Limits', limits);
  const chosen = withFields(file, 'Message', { template_id: '301', signature_id: '201' });
  const credentials = [
    await client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY),
    await client.createCredential('Crypto account', 'crypto', { hmacSecret: 'a secret text' }),
  ];
  const workflows = [];
  for (const each of [chosen, readDesk('verification-code-check')]) {
    const workflow = await client.importWorkflow(each, credentials);
    await client.publish(workflow);
    workflows.push(workflow);
  }
  await expect(async () => tables.count('sms_codes')).toPass();
  return {
    ...account,
    workflows,
    tables,
    call: async (path, body) => {
      try {
        const text = await client.callWebhook(`verification-code/${path}`, body, WITH_KEY);
        return [200, JSON.parse(text) as IDataObject];
      } catch (error) {
        if (!(error instanceof N8nError)) throw error;
        return [error.status, JSON.parse(error.answer) as IDataObject];
      }
    },
    codeFor: (phone) => {
      const sends = account.gateway.requests
        .filter(({ path, status }) => path === '/sendsms/template/send' && status === 200)
        .flatMap(({ body }) => (body as { messages: Message[] }).messages);
      return sends.filter(({ phone_number }) => phone_number === phone).at(-1)?.params.code ?? '';
    },
  };
}

interface Message {
  phone_number: string;
  params: { code: string };
}
