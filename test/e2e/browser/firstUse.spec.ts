/** What a new user does who has installed the package and has read nothing. */
import { pictureFile } from '../lib/paths';
import { expect, test } from '../lib/test';
import { anyNode, chain, manualTrigger, ownNode } from '../lib/workflow';

test('From an empty workflow to the first message sent: search, credential, fields, execute', async ({
  client,
  editor,
  openAccount,
}) => {
  const { gateway } = await openAccount();
  const data = gateway.credential() as Record<string, string>;
  await client.removeCredentials();
  await editor.open();

  await editor.openActions('send sms', 'SMS Messaging Service');
  await expect(editor.action('On delivery report')).toBeVisible();
  await expect(editor.action('On reply')).toBeVisible();
  await editor.page.screenshot({ path: pictureFile('actions') });
  await editor.action('Send template SMS').click();
  await expect(editor.field('templateId')).toBeVisible();

  // With a wrong secret, the form shows the answer of the service.
  const form = await editor.openNewCredential();
  const save = editor.page.getByTestId('credential-save-button');
  await editor.fill('baseUrl', data.baseUrl ?? '', form);
  await editor.fill('apiKey', data.apiKey ?? '', form);
  await editor.fill('apiSecret', 'not the secret', form);
  await save.click();
  await expect(form.getByText('Couldn’t connect with these settings')).toBeVisible();
  await form.getByText('More details').click();
  await expect(form.getByText('signature').last()).toBeVisible();
  await form.screenshot({ path: pictureFile('credential-wrong-secret') });

  // With the right secret, n8n's test succeeds and the form closes.
  await editor.fill('apiSecret', data.apiSecret ?? '', form);
  await save.click();
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
  expect(await editor.execute()).toBe('success');
  const [item] = await editor.output();
  expect(item?.status).toBe('accepted');
  expect([...gateway.deliveries()]).toEqual([['13800000001', 1]]);
  await editor.page.screenshot({ path: pictureFile('first-send') });
  editor.expectNoErrors();
});

test("The trigger's test shows sample data and takes nothing from the service", async ({
  editor,
  openAccount,
}) => {
  const { gateway } = await openAccount();
  gateway.queueReplies(3);
  await editor.open();
  await editor.openActions('短信', 'SMS Messaging Service');
  await editor.action('On reply').click();
  await expect(editor.field('testData')).toBeVisible();
  expect(await editor.execute()).toBe('success');
  const items = await editor.output();
  expect(items.map(({ event }) => event)).toEqual(['reply']);
  await editor.page.screenshot({ path: pictureFile('trigger') });
  expect(gateway.requests.filter(({ path }) => path.includes('pull'))).toEqual([]);
  editor.expectNoErrors();
});

test("A node's output fields can be mapped before anything has run", async ({
  client,
  editor,
  openAccount,
}) => {
  const { credential, gateway } = await openAccount();
  const send = ownNode(
    'smsMessagingService',
    'Send',
    { resource: 'message', operation: 'sendTemplate' },
    credential,
  );
  const next = anyNode('n8n-nodes-base.set', 3.4, 'Edit Fields');
  const file = chain('Not run yet', manualTrigger(), send, next);
  const workflow = await client.importWorkflow(file, [credential]);
  await editor.open(workflow.id);
  await editor.openNode(next.name);
  for (const field of ['batch_id', 'phone_numbers', 'status']) {
    await expect(editor.inputPanel.getByText(field, { exact: true }).first()).toBeVisible();
  }
  await editor.page.screenshot({ path: pictureFile('output-schema') });
  expect(gateway.requests).toEqual([]);
  editor.expectNoErrors();
});
