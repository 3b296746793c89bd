/** Every parameter of the templates, by the descriptions of the nodes: n8n's and this package's. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { setSchemaBaseDirs, validateWorkflow, type WorkflowJSON } from '@n8n/workflow-sdk';
import { orchestrateGeneration } from '@n8n/workflow-sdk/scripts/generate-types';

import { exampleNames, readExample } from '../e2e/lib/workflowFiles';
import { KNOWN_TYPES, notShown } from './nodeTypes';

const folder = mkdtempSync(path.join(tmpdir(), 'node-schemas-'));

beforeAll(async () => {
  jest.spyOn(console, 'log').mockImplementation();
  await orchestrateGeneration({ nodes: KNOWN_TYPES as never, outputDir: folder });
  setSchemaBaseDirs([folder]);
});

afterAll(() => rmSync(folder, { recursive: true }));

const templates = exampleNames().map((name) => ({ name, file: readExample(name) }));

/** What n8n's SDK finds wrong. A wrong value is a warning to it. */
function findingsIn(file: WorkflowJSON): string[] {
  const { errors, warnings } = validateWorkflow(file);
  const found = [...errors, ...warnings.filter(({ severity }) => severity === 'warning')];
  return found.map(({ message }) => message);
}

test.each(templates)('$name: n8n knows each parameter and its value', ({ file }) => {
  expect(findingsIn(file as unknown as WorkflowJSON)).toEqual([]);
  const unknown = file.nodes.flatMap(({ name, type, typeVersion, parameters }) =>
    notShown(type, typeVersion, parameters).map((parameter) => `${name}: ${parameter}`),
  );
  expect(unknown).toEqual([]);
});

describe('one wrong parameter is found', () => {
  /** A template with another parameter in one of its nodes. */
  const withWrong = (node: string, wrong: object) => {
    const file = readExample('order-sms') as unknown as WorkflowJSON;
    const found = file.nodes.find(({ name }) => name === node);
    Object.assign(found?.parameters ?? {}, wrong);
    return { findings: findingsIn(file), node: found };
  };

  test.each([
    ["n8n's node", 'Order', { httpMethod: 'FETCH' }],
    ["n8n's node, of another type", 'Order', { options: 'none' }],
    ['this package’s node', 'Send the SMS', { parameterMode: 'fieldz' }],
    ['this package’s node, an option', 'Send the SMS', { options: { batchSize: 'many' } }],
  ])('a value: %s', (_, node, wrong) => {
    expect(withWrong(node, wrong).findings).toContainEqual(expect.stringContaining(`"${node}"`));
  });

  test.each([
    ["n8n's node", 'Order', { methode: 'POST' }, ['methode']],
    ["n8n's node, an option", 'Order', { options: { rawBodyy: true } }, ['options.rawBodyy']],
    ['this package’s node', 'Send the SMS', { phoneNumber: '1' }, ['phoneNumber']],
    ['a field of another operation', 'Send the SMS', { content: 'Hello' }, ['content']],
  ])('a name: %s', (_, name, wrong, found) => {
    const { node } = withWrong(name, wrong);
    expect(notShown(node?.type ?? '', node?.typeVersion ?? 0, node?.parameters ?? {})).toEqual(
      found,
    );
  });
});
