import assert from 'node:assert/strict';

import {
  displayParameter,
  type INodeParameters,
  type INodeProperties,
  type INodePropertyOptions,
  type INodeTypeDescription,
} from 'n8n-workflow';

import type { Stage, Step } from '../lib/step';
import { byId, chain, manualTrigger, ownNode } from '../lib/workflow';
import { Editor } from './editor';

/** The fields of every operation, and what the panel shows when something is not right. */
export const forms: Step[] = [
  {
    name: "Every operation's form shows its fields and no others, labelled, without complaints",
    async run(stage) {
      const description = await ownDescription(stage);
      const { credential } = await stage.account();
      const operations = operationsOf(description);
      const nodes = operations.map((each) =>
        ownNode('smsMessagingService', nameOf(each), { ...each }, credential),
      );
      const workflow = await stage.client.importWorkflow(
        chain('All operations', manualTrigger(), ...nodes),
        [credential],
      );

      const [first] = nodes;
      // By its address: on a canvas of all of them the nodes are too small to be hit.
      const editor = await Editor.open(stage, `${workflow.id}/${first?.id ?? ''}`);
      for (const [index, operation] of operations.entries()) {
        if (index > 0) await editor.openNext(nameOf(operation));
        await editor.field('operation').waitFor();
        for (const property of fieldsOf(description, operation)) {
          const shown = isText(property)
            ? editor.panel.getByText(plain(property.displayName), { exact: false }).first()
            : editor
                .part(`parameter-input-${property.name}`, editor.panel)
                .or(editor.panel.getByText(property.displayName, { exact: true }))
                .first();
          await shown.waitFor({ state: 'attached' });
        }
        const shown = await editor.panel
          .locator('[data-test-id^="parameter-input-"]')
          .evaluateAll((all) => all.map((each) => each.getAttribute('data-test-id')));
        const foreign = shown
          .map((each) => each?.replace('parameter-input-', '') ?? '')
          .filter((name) => description.properties.some((property) => property.name === name))
          .filter(
            (name) => !fieldsOf(description, operation).some((property) => property.name === name),
          );
        assert.deepEqual(foreign, [], `${nameOf(operation)} shows fields of other operations`);
        await stage.picture(editor.page, `form ${nameOf(operation)}`);
        editor.assertNoComplaints();
      }
    },
  },
  {
    name: 'A mistyped number is explained in the panel, and nothing is sent',
    async run(stage) {
      const { gateway, credential } = await stage.account();
      const send = ownNode(
        'smsMessagingService',
        'Send',
        {
          resource: 'message',
          operation: 'sendTemplate',
          templateId: byId(302),
          signatureId: byId(202),
          phoneNumbers: '1380000abcd',
          parameterMode: 'json',
          parametersJson: '{"name":"Li Lei","order":"A-1001","date":"June 3"}',
        },
        credential,
      );
      const workflow = await stage.client.importWorkflow(chain('Mistyped', manualTrigger(), send), [
        credential,
      ]);
      const editor = await Editor.open(stage, workflow.id);
      await editor.openNode('Send');
      assert.equal(await editor.execute(), 'error');
      for (const text of [
        `'Phone Numbers' has "1380000abcd", which is not a mobile number`,
        'A number has 11 digits',
      ]) {
        await editor.outputPanel.getByText(text).first().waitFor();
      }
      await stage.picture(editor.page, 'error-panel');
      assert.equal(gateway.deliveries().size, 0);
      editor.assertNoComplaints();
    },
  },
];

interface OperationName extends INodeParameters {
  resource: string;
  operation: string;
}

async function ownDescription({ client }: Stage): Promise<INodeTypeDescription> {
  const types = await client.nodeTypes();
  const own = types.find(({ name }) => name.endsWith('.smsMessagingService'));
  assert.ok(own);
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

/** What n8n's own rules say is shown for an operation when everything else is left as it is. */
function fieldsOf(description: INodeTypeDescription, operation: OperationName): INodeProperties[] {
  const { properties } = description;
  const values: INodeParameters = { ...operation };
  const isShown = (property: INodeProperties) =>
    displayParameter(values, property, { typeVersion: 1 }, description);
  for (const property of properties.filter(isShown)) {
    values[property.name] ??= property.default as INodeParameters[string];
  }
  return properties.filter((each) => each.type !== 'hidden' && isShown(each));
}

function nameOf({ resource, operation }: OperationName): string {
  return `${resource} ${operation}`;
}

function isText({ type }: INodeProperties): boolean {
  return type === 'notice' || type === 'callout';
}

/** A notice's text as a reader sees it: up to its first link or line break. */
function plain(html: string): string {
  return (html.split('<')[0] ?? '').trim();
}
