/** The canvas, a check and an error, in the light and in the dark theme. The pictures are for people to look at. */
import type { IDataObject } from 'n8n-workflow';

import type { Editor } from './editor';
import { pictureFile } from '../lib/paths';
import { expect, test } from '../lib/test';
import { anyNode, chain, manualTrigger, ownNode, templateSms } from '../lib/workflow';

test('Canvas, fields before a run, check and error', async ({ client, editor, openAccount }) => {
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

  // The output fields of a node are known before anything has run.
  await editor.openNode('Leads');
  for (const field of ['batch_id', 'phone_numbers', 'status']) {
    await expect(editor.inputPanel.getByText(field, { exact: true }).first()).toBeVisible();
  }
  expect(gateway.requests).toEqual([]);
  await editor.page.keyboard.press('Escape');

  await editor.openNode('Check');
  expect(await editor.execute()).toBe('success');
  // As the send below, and before it.
  await expect(
    editor.outputPanel.getByText('A send would stop with this error, and send nothing').first(),
  ).toBeVisible();
  await takePictures(editor, 'walk check');
  const [item] = await editor.output();
  expect(item).toMatchObject({
    status: 'rejected',
    phone_numbers: ['13800138000'],
    rejected_numbers: ['1380013'],
    segments: 1,
    run: { requests: 0, messages: 0, segments: 0 },
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
