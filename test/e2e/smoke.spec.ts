/** The basics. They also run on other versions of n8n. */
import type { IDataObject } from 'n8n-workflow';

import { expect, test } from './lib/test';

test('n8n lists both nodes, and the action node as a tool for AI agents', async ({ client }) => {
  const names = (await client.nodeTypes()).map(({ name }) => name);
  for (const end of ['', 'Tool', 'Trigger']) {
    expect(names).toContain(`n8n-nodes-sms-messaging-service.smsMessagingService${end}`);
  }
});

test("The credential's test refuses a wrong secret", async ({ client, openAccount }) => {
  const { gateway, credential } = await openAccount();
  const data = gateway.credential() as IDataObject;
  const right = await client.testCredential(credential, data);
  expect(right.status, right.message).toBe('OK');
  const wrong = await client.testCredential(credential, { ...data, apiSecret: 'wrong' });
  expect(wrong.status).toBe('Error');
  expect(wrong.message).toMatch(/signature/i);
});
