/** What a new user meets, in the light and in the dark theme. The pictures are for people to look at. */
import type { IDataObject } from 'n8n-workflow';

import type { Editor } from './editor';
import { pictureFile } from '../lib/paths';
import { expect, test } from '../lib/test';
import { anyNode, chain, manualTrigger, ownNode, templateSms } from '../lib/workflow';

test('The first send takes at most 10 clicks, without the README', async ({
  client,
  editor,
  openAccount,
}) => {
  const { gateway } = await openAccount();
  const data = gateway.credential() as Record<string, string>;
  await client.removeCredentials();
  const { page } = editor;
  await countClicks(editor);
  await editor.open();

  await page.getByTestId('canvas-add-button').first().click();
  await page.getByTestId('node-creator-search-bar').fill('短信');
  await expect(editor.action('SMS Messaging Service')).toBeVisible();
  await page.keyboard.press('Enter');
  await page.getByText(/^\s*Actions \(\d+\)/).click();
  await editor.action('Send template SMS').click();

  const form = await editor.openNewCredential();
  // What few providers need is folded away.
  await expect(form.getByText('Request Signing Template')).toHaveCount(0);
  for (const name of ['baseUrl', 'apiKey', 'apiSecret']) {
    await typeInto(editor, name, data[name] ?? '');
  }
  await takePictures(editor, 'walk credential');
  await page.getByTestId('credential-save-button').click();
  await editor.closed(form);

  await editor.pick('signatureId', '青禾科技');
  await editor.pick('templateId', '登录验证码');
  await expect(editor.field('minutes')).toBeVisible();
  await typeInto(editor, 'phoneNumbers', '13800138000');
  await typeInto(editor, 'code', '4821');
  await typeInto(editor, 'minutes', '5');
  expect(await editor.execute()).toBe('success');
  await takePictures(editor, 'walk first send');
  expect([...gateway.deliveries()]).toEqual([['13800138000', 1]]);
  expect(await clicks(editor)).toBeLessThanOrEqual(10);
  editor.expectNoErrors();
});

test('The canvas says what each node does, and a check shows a table of what would be sent', async ({
  client,
  editor,
  openAccount,
}) => {
  const { gateway, credential } = await openAccount();
  const people = anyNode('n8n-nodes-base.set', 3.4, 'People', {
    mode: 'raw',
    jsonOutput: JSON.stringify({ phone: '13800138000, 1380013', code: '4821' }),
  });
  const sms = { ...templateSms('={{ $json.phone }}'), options: { checkOnly: true } };
  const check = ownNode('smsMessagingService', 'Check', sms, credential);
  const send = ownNode('smsMessagingService', 'Send', templateSms('13800138000'), credential);
  const leads = ownNode(
    'smsMessagingService',
    'Leads',
    { resource: 'lead', operation: 'getAll' },
    credential,
  );
  const file = chain('Walk', manualTrigger(), people, check, send, leads);
  const trigger = ownNode('smsMessagingServiceTrigger', 'Inbox', {}, credential);
  trigger.position = [0, 240];
  file.nodes.push(trigger);
  const { id } = await client.importWorkflow(file, [credential]);
  await editor.open(id);
  for (const subtitle of [
    /\w: Send Template SMS$/,
    'Send Template SMS',
    'Get Many Reported Links',
    'Delivery reports, replies',
  ]) {
    await expect(editor.page.getByText(subtitle, { exact: true })).toBeVisible();
  }
  await takePictures(editor, 'walk canvas');

  await editor.openNode('Check');
  expect(await editor.execute()).toBe('success');
  await expect(editor.outputPanel.getByText('1 message can be sent')).toBeVisible();
  await takePictures(editor, 'walk check');
  const [item] = await editor.output();
  expect(item).toMatchObject({
    status: 'rejected',
    phone_numbers: ['13800138000'],
    rejected_numbers: ['1380013'],
    segments: 1,
    run: { requests: 1, messages: 1, segments: 1 },
  } satisfies IDataObject);
  expect(gateway.deliveries().size).toBe(0);

  // The same item, sent: nothing is sent, and the error says why.
  const parameters = { ...check.parameters, options: {} };
  const bad = chain('Walk on', manualTrigger(), { ...people }, { ...check, parameters });
  await editor.open((await client.importWorkflow(bad, [credential])).id);
  await editor.openNode('Check');
  expect(await editor.execute()).toBe('error');
  await expect(editor.outputPanel.getByText('which is not a mobile number').first()).toBeVisible();
  await expect(editor.outputPanel.getByText('Nothing was sent.').first()).toBeVisible();
  await takePictures(editor, 'walk error');
  expect(gateway.deliveries().size).toBe(0);
  editor.expectNoErrors();
});

async function takePictures({ page }: Editor, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: pictureFile(`${name} ${colorScheme}`) });
  }
}

/** Types into a text field as people do who go on with the Tab key. */
async function typeInto({ page }: Editor, name: string, text: string): Promise<void> {
  const input = page.getByTestId(`parameter-input-${name}`).locator('input').last();
  const isFocused = async () => await input.evaluate((each) => each === document.activeElement);
  for (let presses = 0; presses < 25 && !(await isFocused()); presses++) {
    await page.keyboard.press('Tab');
  }
  await expect(input).toBeFocused();
  await page.keyboard.insertText(text);
}

async function countClicks({ page }: Editor): Promise<void> {
  await page.addInitScript(() => {
    addEventListener('pointerdown', () => {
      const counted = Number(sessionStorage.getItem('clicks') ?? 0);
      sessionStorage.setItem('clicks', String(counted + 1));
    });
  });
}

async function clicks({ page }: Editor): Promise<number> {
  return await page.evaluate(() => Number(sessionStorage.getItem('clicks')));
}
