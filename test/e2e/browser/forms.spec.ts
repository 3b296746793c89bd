/**
 * The fields of every operation and of the credential, in an n8n that is set to Chinese. n8n brings no
 * Chinese texts. The editor that many use in its place is n8n's own with a translation of n8n's texts. In
 * both, the texts of this package stay as they are.
 */
import {
  displayParameter,
  type INodeParameters,
  type INodeProperties,
  type INodePropertyOptions,
  type INodeTypeDescription,
} from 'n8n-workflow';

import type { N8nClient } from '../lib/client';
import { pictureFile } from '../lib/paths';
import { expect, test } from '../lib/test';
import { chain, manualTrigger, ownNode, templateSms } from '../lib/workflow';

test.use({ n8nLocale: 'zh-CN' });

test('Every form shows its fields and no others', async ({ client, editor, openAccount }) => {
  const description = await ownDescription(client);
  const { credential } = await openAccount();
  const operations = operationsOf(description);
  const nodes = operations.map((each) =>
    ownNode('smsMessagingService', nameOf(each), { ...each }, credential),
  );
  const file = chain('All operations', manualTrigger(), ...nodes);
  const workflow = await client.importWorkflow(file, [credential]);

  // The first node is opened by its address. On a canvas with so many nodes, each is too small to click.
  await editor.open(`${workflow.id}/${nodes[0]?.id ?? ''}`);
  for (const [index, operation] of operations.entries()) {
    const name = nameOf(operation);
    if (index > 0) await editor.openNext(name);
    await expect(editor.field('operation')).toBeVisible();
    const fields = fieldsOf(description, operation);
    for (const property of fields) {
      const shown = isText(property)
        ? editor.panel.getByText(plain(property.displayName)).first()
        : editor.panel
            .getByTestId(`parameter-input-${property.name}`)
            .or(editor.panel.getByText(property.displayName, { exact: true }))
            .first();
      await expect(shown, `${name}: ${property.name}`).toBeAttached();
    }
    const shown = await editor.panel
      .locator('[data-test-id^="parameter-input-"]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('data-test-id')));
    const foreign = shown
      .map((each) => each?.replace('parameter-input-', ''))
      .filter((shownName) => description.properties.some((each) => each.name === shownName))
      .filter((shownName) => !fields.some((each) => each.name === shownName));
    expect(foreign, `${name} shows fields of other operations`).toEqual([]);
    await editor.page.screenshot({ path: pictureFile(`form ${name}`) });
    editor.expectNoErrors();
  }
});

test('n8n has the descriptions, and no translation of them', async ({ client }) => {
  for (const type of ['smsMessagingService', 'smsMessagingServiceTrigger']) {
    const nodeInfos = [{ name: `n8n-nodes-sms-messaging-service.${type}`, version: 1 }];
    const [found] = await client.call<INodeTypeDescription[]>('POST', '/rest/node-types', {
      nodeInfos,
    });
    expect(found?.displayName).toMatch(/^SMS Messaging Service/);
    expect(found).not.toHaveProperty('translation');
  }
  const path = '/rest/credential-translation?credentialType=smsMessagingServiceApi';
  expect(await client.call('GET', path)).toBeNull();
});

test('The form of the credential shows its texts', async ({ client, editor, openAccount }) => {
  const { credential } = await openAccount();
  const send = ownNode('smsMessagingService', 'Send', templateSms('13800138000'), credential);
  const workflow = await client.importWorkflow(chain('Form', manualTrigger(), send), [credential]);
  await editor.open(`${workflow.id}/${send.id}`);
  await expect(editor.page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await editor.panel.getByTestId('credential-edit-button').click();
  const form = editor.page.getByTestId('editCredential-modal');
  await form.getByTestId('parameter-input-customSigning').locator('.el-switch').click();
  for (const text of [
    'Authorization Token',
    'Custom Request Signing',
    'Request Signing Template',
  ]) {
    await expect(form.getByText(text, { exact: true })).toBeVisible();
  }
  const template = form.getByTestId('parameter-input-signaturePayload').locator('input').first();
  await expect(template).toHaveValue('{apiKey}{apiSecret}{timestamp}{nonce}');
  await form.screenshot({ path: pictureFile('form credential') });
  editor.expectNoErrors();
});

interface OperationName extends INodeParameters {
  resource: string;
  operation: string;
}

async function ownDescription(client: N8nClient): Promise<INodeTypeDescription> {
  const types = await client.nodeTypes();
  const own = types.find(({ name }) => name.endsWith('.smsMessagingService'));
  if (!own) throw new Error('n8n does not list the action node.');
  return own;
}

function operationsOf({ properties }: INodeTypeDescription): OperationName[] {
  return properties
    .filter(({ name }) => name === 'operation')
    .flatMap(({ displayOptions, options }) =>
      ((options ?? []) as INodePropertyOptions[]).map(({ value }) => ({
        resource: String(displayOptions?.show?.resource?.[0]),
        operation: String(value),
      })),
    );
}

/** The fields that n8n's own rules show for an operation while all other fields have their defaults. */
function fieldsOf(description: INodeTypeDescription, operation: OperationName): INodeProperties[] {
  const { properties } = description;
  const values: INodeParameters = { ...operation };
  const isShown = (property: INodeProperties) =>
    displayParameter(values, property, { typeVersion: 1 }, description);
  for (const property of properties.filter(isShown)) {
    values[property.name] ??= defaultOf(property);
  }
  return properties.filter((each) => each.type !== 'hidden' && isShown(each));
}

/** The default as n8n fills it in. */
function defaultOf({ type, default: value }: INodeProperties): INodeParameters[string] {
  const whole = type === 'resourceLocator' ? { __rl: true, ...(value as object) } : value;
  return whole as INodeParameters[string];
}

function nameOf({ resource, operation }: OperationName): string {
  return `${resource} ${operation}`;
}

function isText({ type }: INodeProperties): boolean {
  return type === 'notice' || type === 'callout';
}

/** The visible text of a notice, up to its first link or line break. */
function plain(html: string): string {
  return (html.split('<')[0] ?? '').trim();
}
