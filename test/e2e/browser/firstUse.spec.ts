/** What a new user does who has installed the package and has read nothing. */
import { pictureFile } from '../lib/paths';
import { expect, test } from '../lib/test';

test('A wrong secret, the right one, and the first message', async ({
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
