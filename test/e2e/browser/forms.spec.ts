/**
 * The form of the trigger and of every operation, with every field added, in an n8n that is set to Chinese. n8n
 * brings no Chinese texts. The editor that many use in its place is n8n's own with a translation of n8n's
 * texts. In both, the texts of this package stay.
 */
import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { pictureFile } from '../../kit/n8n/paths';
import { expect, test } from '../lib/test';
import { chain, ownNode } from '../../kit/n8n/workflow';

test.use({ n8nLocale: 'zh-CN' });

test('Every form opens, with readable labels and the output before it', async ({
  client,
  editor,
  openAccount,
}) => {
  const types = await client.nodeTypes();
  const propertiesOf = (type: string) =>
    types.find(({ name }) => name.endsWith(`.${type}`))?.properties ?? [];
  const own = propertiesOf('smsMessagingService');
  const operations = own
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
    const fields = own.filter(
      ({ displayOptions: { show } = {} }) =>
        show?.resource?.includes(resource) && show.operation?.includes(operation),
    );
    const parameters = { resource, operation, ...everyFieldAdded(fields) };
    return ownNode('smsMessagingService', `${resource} ${operation}`, parameters, credential);
  });
  const added = everyFieldAdded(propertiesOf('smsMessagingServiceTrigger'));
  const trigger = ownNode('smsMessagingServiceTrigger', 'trigger', added, credential);
  const file = chain('All operations', trigger, ...nodes);
  const { id } = await client.importWorkflow(file, [credential]);

  // The first node is opened by its address. On a canvas with so many nodes, each is too small to click.
  await editor.open(`${id}/${trigger.id}`);
  await expect(editor.page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await expect(editor.field('repeatFailed'), 'the added fields are there').toBeAttached();
  expect.soft(await editor.cutOffTexts()).toEqual([]);
  await editor.page.screenshot({ path: pictureFile('form trigger') });
  for (const [index, { name }] of nodes.entries()) {
    await editor.openNext(name);
    await expect(editor.field('operation')).toBeVisible();
    await expect(editor.field('operation').locator('input').first(), name).toHaveValue(
      operations[index]?.label ?? '',
    );
    // What the node before gives is known before anything has run.
    if (nodes[index - 1]?.name === 'message sendTemplate') {
      for (const field of ['batch_id', 'phone_numbers', 'status'])
        await expect(editor.inputPanel.getByText(field, { exact: true }).first()).toBeVisible();
    }
    await expect(editor.field('endpointPath'), 'the added fields are there').toBeAttached();
    expect.soft(await editor.cutOffTexts(), name).toEqual([]);
    await editor.page.screenshot({ path: pictureFile(`form ${name}`) });
    editor.expectNoErrors();
  }
  expect(gateway.requests.filter(({ path }) => path.endsWith('/send'))).toEqual([]);
});

/** Parameters with which a form shows every field of its collections. */
function everyFieldAdded(fields: INodeProperties[]): INodeParameters {
  const collections = fields.filter(({ type }) => type === 'collection');
  return Object.fromEntries(
    collections.map(({ name, options = [] }) => [
      name,
      Object.fromEntries((options as INodeProperties[]).map((each) => [each.name, each.default])),
    ]),
  ) as INodeParameters;
}
