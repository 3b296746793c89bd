/** Every parameter of the templates, by the descriptions of the nodes: n8n's and this package's. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { setSchemaBaseDirs, validateWorkflow, type WorkflowJSON } from '@n8n/workflow-sdk';
import { orchestrateGeneration } from '@n8n/workflow-sdk/scripts/generate-types';

import { exampleNames, readExample } from '../kit/workflows/workflowFiles';
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

test('a wrong parameter is found, by its name and by its value', () => {
  const file = readExample('order-sms');
  const send = file.nodes.find(({ name }) => name === 'Send the SMS');
  Object.assign(send?.parameters ?? {}, { parameterMode: 'fieldz', phoneNumber: '1' });
  const found = findingsIn(file as unknown as WorkflowJSON);
  expect(found).toContainEqual(expect.stringContaining('"Send the SMS"'));
  expect(notShown(send?.type ?? '', send?.typeVersion ?? 0, send?.parameters ?? {})).toContain(
    'phoneNumber',
  );
});
