import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Credential, N8nClient } from '../lib/client';
import type { Step } from '../lib/step';
import { anyNode, chain, manualTrigger, ownNode } from '../lib/workflow';
import { Editor } from './editor';

/** A template SMS set up by hand in the editor, from the pickers to what comes out. */
export const sendTemplate: Step[] = [
  {
    name: 'In the editor: search and choose a template, fill its parameters, execute, see the outcome',
    async run(stage) {
      const { gateway, credential } = await stage.account({ records: { templates: 80 } });
      const editor = await Editor.open(stage, await importWorkflow(stage.client, credential));
      // Longer than a person needs to open the first list: n8n asks for parameters at once.
      await editor.page.route('**/resource-mapper-fields', async (route) => {
        await sleep(1_500);
        await route.continue();
      });
      await editor.openNode('SMS');

      // The list that is open meanwhile stays open.
      await editor.openList('signatureId');
      const signature = editor.item('青禾科技');
      await signature.waitFor();
      await editor.panel.getByText('Choose a template: its parameters').waitFor();
      await signature.click();

      await editor.search('templateId', '验证码', '登录验证码');
      // Its fields appear by themselves, with its text above them.
      const fields = editor.part('mapping-fields-container', editor.panel);
      await fields.getByText('您的验证码是${code},${minutes}分钟内有效').first().waitFor();
      await stage.picture(editor.page, 'template-chosen');
      await editor.fill('code', '482913');
      await editor.fill('minutes', '5');
      await editor.fill('phoneNumbers', '13800138000');
      await stage.picture(editor.page, 'template-filled');

      assert.equal(await editor.execute(), 'success');
      assert.deepEqual(await statuses(editor), ['accepted']);
      await stage.picture(editor.page, 'template-sent');
      assert.deepEqual(sentParams(gateway.requests), [{ code: '482913', minutes: '5' }]);

      // Automatic mode: the same parameters from the item's own fields, the text still in sight.
      await editor.part('mapping-mode-select', editor.panel).click();
      await editor.page.getByRole('option', { name: 'Map Automatically' }).click();
      const notice = editor.part('empty-fields-notice', editor.panel);
      await notice.getByText('This template takes code, minutes from each item.').waitFor();
      await notice.getByText('您的验证码是${code}').waitFor();
      await stage.picture(editor.page, 'template-automatic');
      assert.equal(await editor.execute(), 'success');
      assert.deepEqual(await statuses(editor), ['accepted']);
      assert.deepEqual(sentParams(gateway.requests)[1], { code: '0042', minutes: '10' });
      assert.equal(gateway.deliveries().get('13800138000'), 2);
      editor.assertNoComplaints();
    },
  },
  {
    name: 'In the editor: a list that the service does not have says how to go on',
    async run(stage) {
      const { credential } = await stage.account({ inferredRoutes: false });
      const editor = await Editor.open(stage, await importWorkflow(stage.client, credential));
      await editor.openNode('SMS');
      await editor.openList('signatureId');
      const explanation = editor.part('rlc-error-container').filter({ visible: true });
      await explanation.getByText('Choose "By ID"').waitFor();
      await stage.picture(editor.page, 'signatures-unknown');
    },
  },
];

/** An item with more fields than the template takes, and a node that has nothing chosen yet. */
async function importWorkflow(client: N8nClient, credential: Credential): Promise<string> {
  const customer = anyNode('n8n-nodes-base.set', 3.4, 'Customer', {
    mode: 'raw',
    jsonOutput: '{ "code": "0042", "minutes": "10", "city": "x" }',
  });
  const send = ownNode(
    'smsMessagingService',
    'SMS',
    { resource: 'message', operation: 'sendTemplate' },
    credential,
  );
  const workflow = chain('Set up by hand', manualTrigger(), customer, send);
  return (await client.importWorkflow(workflow, [credential])).id;
}

async function statuses(editor: Editor): Promise<unknown[]> {
  return (await editor.output()).map(({ status }) => status);
}

function sentParams(requests: { path: string; body: unknown }[]): unknown[] {
  return requests
    .filter(({ path }) => path === '/sendsms/template/send')
    .flatMap(({ body }) => (body as { messages: { params: unknown }[] }).messages)
    .map(({ params }) => params);
}
