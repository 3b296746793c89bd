/**
 * The form of every operation, in an n8n that is set to Chinese. n8n brings no Chinese texts. The editor that
 * many use in its place is n8n's own with a translation of n8n's texts. In both, the texts of this package stay.
 */
import type { INodePropertyOptions } from 'n8n-workflow';

import { pictureFile } from '../lib/paths';
import { expect, test } from '../lib/test';
import { chain, manualTrigger, ownNode } from '../lib/workflow';

test.use({ n8nLocale: 'zh-CN' });

test('Every form opens, with the output before it', async ({ client, editor, openAccount }) => {
  const types = await client.nodeTypes();
  const own = types.find(({ name }) => name.endsWith('.smsMessagingService'));
  const operations = (own?.properties ?? [])
    .filter(({ name }) => name === 'operation')
    .flatMap(({ displayOptions, options = [] }) =>
      (options as INodePropertyOptions[]).map(({ name, value }) => ({
        label: name,
        resource: String(displayOptions?.show?.resource?.[0]),
        operation: String(value),
      })),
    );
  expect(operations.length).toBeGreaterThan(20);
  const { gateway, credential } = await openAccount();
  const nodes = operations.map(({ resource, operation }) => {
    const parameters = { resource, operation };
    return ownNode('smsMessagingService', `${resource} ${operation}`, parameters, credential);
  });
  const file = chain('All operations', manualTrigger(), ...nodes);
  const { id } = await client.importWorkflow(file, [credential]);

  // The first node is opened by its address. On a canvas with so many nodes, each is too small to click.
  await editor.open(`${id}/${nodes[0]?.id ?? ''}`);
  await expect(editor.page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  for (const [index, { name }] of nodes.entries()) {
    if (index > 0) await editor.openNext(name);
    await expect(editor.field('operation')).toBeVisible();
    await expect(editor.field('operation').locator('input').first(), name).toHaveValue(
      operations[index]?.label ?? '',
    );
    // What the node before gives is known before anything has run.
    if (nodes[index - 1]?.name === 'message sendTemplate') {
      for (const field of ['batch_id', 'phone_numbers', 'status'])
        await expect(editor.inputPanel.getByText(field, { exact: true }).first()).toBeVisible();
    }
    await editor.page.screenshot({ path: pictureFile(`form ${name}`) });
    editor.expectNoErrors();
  }
  expect(gateway.requests.filter(({ path }) => path.endsWith('/send'))).toEqual([]);
});
