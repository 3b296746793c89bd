import assert from 'node:assert/strict';

import type { Locator, Page } from 'playwright-core';

import type { WorkflowFile } from '../lib/client';
import type { Step } from '../lib/step';

/** A template SMS set up by hand in the editor, from the pickers to what comes out. */
export const sendTemplate: Step[] = [
  {
    name: 'In the editor: search and choose a template, fill its parameters, execute, see the outcome',
    async run(stage) {
      const { gateway, credential } = await stage.account({ records: { templates: 80 } });
      const workflow = await stage.client.importWorkflow(WORKFLOW, [credential]);
      const page = await stage.page(`/workflow/${workflow.id}`);
      await page.locator('[data-node-name="SMS"]').first().dblclick();
      const panel = part(page, 'ndv');

      await chooseRecord(page, 'templateId', '验证码', '登录验证码');
      await chooseRecord(page, 'signatureId', '青禾', '青禾科技');
      // Its fields appear by themselves, with its text above them.
      const fields = part(panel, 'mapping-fields-container');
      await fields.getByText('您的验证码是${code},${minutes}分钟内有效').first().waitFor();
      await stage.picture(page, 'template-chosen');
      await textField(panel, 'code').fill('482913');
      await textField(panel, 'minutes').fill('5');
      await textField(panel, 'phoneNumbers').fill('13800138000');
      await stage.picture(page, 'template-filled');

      assert.match(await execute(page), /"status":\s*"accepted"/);
      await stage.picture(page, 'template-sent');
      assert.deepEqual(sentParams(gateway.requests), [{ code: '482913', minutes: '5' }]);

      // Automatic mode: the same parameters from the item's own fields, the text still in sight.
      await part(panel, 'mapping-mode-select').click();
      await page.getByRole('option', { name: 'Map Automatically' }).click();
      const notice = part(panel, 'empty-fields-notice');
      await notice.getByText('This template takes code, minutes from each item.').waitFor();
      await notice.getByText('您的验证码是${code}').waitFor();
      await stage.picture(page, 'template-automatic');
      assert.match(await execute(page), /"status":\s*"accepted"/);
      assert.deepEqual(sentParams(gateway.requests)[1], { code: '0042', minutes: '10' });
      assert.equal(gateway.deliveries().get('13800138000'), 2);
    },
  },
  {
    name: 'In the editor: a list that the service does not have says how to go on',
    async run(stage) {
      const { credential } = await stage.account({ inferredRoutes: false });
      const workflow = await stage.client.importWorkflow(WORKFLOW, [credential]);
      const page = await stage.page(`/workflow/${workflow.id}`);
      await page.locator('[data-node-name="SMS"]').first().dblclick();
      await part(field(page, 'signatureId'), 'rlc-input').click();
      const explanation = part(page, 'rlc-error-container').filter({ visible: true });
      await explanation.getByText('Choose "By ID"').waitFor();
      await stage.picture(page, 'signatures-unknown');
    },
  },
];

const WORKFLOW: WorkflowFile = {
  name: 'Set up by hand',
  nodes: [
    {
      id: 'start',
      name: 'Start',
      type: 'n8n-nodes-base.manualTrigger',
      typeVersion: 1,
      position: [0, 0],
      parameters: {},
    },
    {
      id: 'customer',
      name: 'Customer',
      type: 'n8n-nodes-base.set',
      typeVersion: 3.4,
      position: [220, 0],
      parameters: { mode: 'raw', jsonOutput: '{ "code": "0042", "minutes": "10", "city": "x" }' },
    },
    {
      id: 'sms',
      name: 'SMS',
      type: 'n8n-nodes-sms-messaging-service.smsMessagingService',
      typeVersion: 1,
      position: [440, 0],
      parameters: { resource: 'message', operation: 'sendTemplate' },
      credentials: { smsMessagingServiceApi: { id: null, name: '' } },
    },
  ],
  connections: {
    Start: { main: [[{ node: 'Customer', type: 'main', index: 0 }]] },
    Customer: { main: [[{ node: 'SMS', type: 'main', index: 0 }]] },
  },
};

/** A part of the page by the name that n8n has given it for tests. */
function part(within: Page | Locator, name: string): Locator {
  return within.locator(`[data-test-id='${name}']`);
}

function field(page: Page, name: string): Locator {
  return part(part(page, 'ndv'), `parameter-input-${name}`).first();
}

function textField(panel: Locator, name: string): Locator {
  return part(panel, `parameter-input-${name}`).first().locator('input, textarea').first();
}

/** Opens a picker, types into its search field, and takes what the service has found. */
async function chooseRecord(page: Page, name: string, text: string, label: string): Promise<void> {
  await part(field(page, name), 'rlc-input').click();
  const items = part(page, 'rlc-item').filter({ visible: true });
  await items.first().waitFor();
  const search = part(page, 'rlc-search').filter({ visible: true }).first();
  await search.locator('xpath=descendant-or-self::input').first().fill(text);
  // The first list is longer than what the search leaves.
  await items.nth(1).waitFor({ state: 'detached' });
  await items.filter({ hasText: label }).click();
}

/** "Execute step"; returns what the output panel shows as JSON. */
async function execute(page: Page): Promise<string> {
  await part(page, 'node-execute-button').first().click();
  const output = part(page, 'output-panel');
  await part(output, 'node-run-status-success').waitFor();
  await part(output, 'radio-button-json').click();
  return await part(output, 'ndv-data-container').innerText();
}

function sentParams(requests: { path: string; body: unknown }[]): unknown[] {
  return requests
    .filter(({ path }) => path === '/sendsms/template/send')
    .flatMap(({ body }) => (body as { messages: { params: unknown }[] }).messages)
    .map(({ params }) => params);
}
