import assert from 'node:assert/strict';

import type { IDataObject } from 'n8n-workflow';

import type { Step } from './lib/step';

/** What must work before anything else is worth a look; it also runs against other versions of n8n. */
export const smoke: Step[] = [
  {
    name: 'n8n lists both nodes, and the action node as a tool for AI agents',
    async run({ client }) {
      const names = (await client.nodeTypes()).map(({ name }) => name);
      for (const name of [
        'smsMessagingService',
        'smsMessagingServiceTool',
        'smsMessagingServiceTrigger',
      ]) {
        assert.ok(names.includes(`n8n-nodes-sms-messaging-service.${name}`), name);
      }
    },
  },
  {
    name: "The credential's test tells a right secret from a wrong one",
    async run({ client, account }) {
      const { gateway, credential } = await account();
      const data = gateway.credential() as IDataObject;
      const right = await client.testCredential(credential, data);
      assert.equal(right.status, 'OK', right.message);
      const wrong = await client.testCredential(credential, { ...data, apiSecret: 'wrong' });
      assert.equal(wrong.status, 'Error');
      assert.match(wrong.message, /signature/i);
    },
  },
];
