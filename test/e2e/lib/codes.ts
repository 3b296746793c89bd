import type { IDataObject } from 'n8n-workflow';

import { N8nError, type N8nClient, type Workflow } from './client';
import { picked, readExample, withChoices } from './examples';
import { withFields } from './fields';
import { SET_UP } from './inbox';
import type { Account } from './test';
import { WEBHOOK_KEY, WITH_KEY } from './webhookKey';

/** The example verification-code, published. */
export interface Codes extends Account {
  workflow: Workflow;
  /** Calls a webhook of the example. */
  call(path: 'send' | 'check', body: IDataObject): Promise<[status: number, answer: unknown]>;
  /** The code in the latest SMS to a phone. */
  codeFor(phone: string): string;
}

/** Imports the example with an account and limits of its own, and publishes it. */
export async function openCodes(
  client: N8nClient,
  openAccount: () => Promise<Account>,
  limits: Record<string, number> = {},
): Promise<Codes> {
  const account = await openAccount();
  const file = withFields(readExample('verification-code'), 'Limits', limits);
  const chosen = withChoices(file, {
    'Send the code': { templateId: picked(301), signatureId: picked(201) },
  });
  const workflow = await client.importWorkflow(chosen, [
    account.credential,
    await client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY),
  ]);
  await client.run(workflow, SET_UP);
  await client.publish(workflow);
  return {
    ...account,
    workflow,
    call: async (path, body) => {
      try {
        const text = await client.callWebhook(`verification-code/${path}`, body, WITH_KEY);
        return [200, JSON.parse(text)];
      } catch (error) {
        if (!(error instanceof N8nError)) throw error;
        return [error.status, JSON.parse(error.answer)];
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
