import assert from 'node:assert/strict';

import type { Step } from '../lib/step';
import { anyNode, chain, manualTrigger, ownNode } from '../lib/workflow';
import { Editor } from './editor';

/** What somebody does who has installed the package and has not read anything. */
export const firstUse: Step[] = [
  {
    name: 'From an empty workflow to the first message sent: search, credential, fields, execute',
    async run(stage) {
      const { gateway } = await stage.account();
      const data = gateway.credential() as Record<string, string>;
      // The account's own credential would be chosen at once; a new user has none.
      for (const { id } of await stage.client.credentials()) {
        await stage.client.call('DELETE', `/rest/credentials/${id}`);
      }
      const editor = await Editor.open(stage);

      await editor.openActions('sms messaging', 'SMS Messaging Service');
      await editor.action('On delivery report').waitFor();
      await editor.action('On reply').waitFor();
      await stage.picture(editor.page, 'actions');
      await editor.action('Send a template SMS').click();
      await editor.field('templateId').waitFor();

      // A wrong secret first: the form says so, in the service's words.
      const form = await editor.openNewCredential();
      await editor.fill('baseUrl', data.baseUrl ?? '', form);
      await editor.fill('apiKey', data.apiKey ?? '', form);
      await editor.fill('apiSecret', 'not the secret', form);
      await editor.part('credential-save-button').click();
      await form.getByText('Couldn’t connect with these settings').waitFor();
      await form.getByText('More details').click();
      await form.getByText('signature', { exact: false }).last().waitFor();
      await stage.picture(form, 'credential-wrong-secret');

      // The right one: n8n tests the credential, and closes the form.
      await editor.fill('apiSecret', data.apiSecret ?? '', form);
      await editor.part('credential-save-button').click();
      await editor.closed(form);

      await editor.pick('signatureId', '云岭商城');
      await editor.pick('templateId', '发货通知');
      await editor.fill('phoneNumbers', '13800000001');
      for (const [name, text] of [
        ['name', 'Li Lei'],
        ['order', 'A-1001'],
        ['date', 'June 3'],
      ] as const) {
        await editor.fill(name, text);
      }
      assert.equal(await editor.execute(), 'success');
      const [item] = await editor.output();
      assert.equal(item?.status, 'accepted');
      assert.deepEqual([...gateway.deliveries()], [['13800000001', 1]]);
      await stage.picture(editor.page, 'first-send');
      editor.assertNoComplaints();
    },
  },
  {
    name: "The trigger's test shows sample data and takes nothing from the service",
    async run(stage) {
      const { gateway } = await stage.account();
      gateway.queueReplies(3);
      const editor = await Editor.open(stage);
      await editor.openActions('sms messaging', 'SMS Messaging Service');
      await editor.action('On reply').click();
      await editor.field('pullSize').waitFor();
      assert.equal(await editor.execute(), 'success');
      const items = await editor.output();
      assert.deepEqual(
        items.map(({ event }) => event),
        ['reply'],
      );
      await stage.picture(editor.page, 'trigger');
      assert.deepEqual(
        gateway.requests.filter(({ path }) => path.includes('pull')),
        [],
      );
      editor.assertNoComplaints();
    },
  },
  {
    name: "A node's output fields can be mapped before anything has run",
    async run(stage) {
      const { credential, gateway } = await stage.account();
      const send = ownNode(
        'smsMessagingService',
        'Send',
        { resource: 'message', operation: 'sendTemplate' },
        credential,
      );
      const next = anyNode('n8n-nodes-base.set', 3.4, 'Edit Fields');
      const workflow = await stage.client.importWorkflow(
        chain('Not run yet', manualTrigger(), send, next),
        [credential],
      );
      const editor = await Editor.open(stage, workflow.id);
      await editor.openNode(next.name);
      for (const field of ['batch_id', 'phone_numbers', 'status']) {
        await editor.inputPanel.getByText(field, { exact: true }).first().waitFor();
      }
      await stage.picture(editor.page, 'output-schema');
      assert.deepEqual(gateway.requests, []);
      editor.assertNoComplaints();
    },
  },
];
