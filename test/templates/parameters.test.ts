/** Every parameter of the templates, by the descriptions of the nodes: n8n's and this package's. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { setSchemaBaseDirs, validateWorkflow, type WorkflowJSON } from '@n8n/workflow-sdk';
import { orchestrateGeneration } from '@n8n/workflow-sdk/scripts/generate-types';

import { NodeHelpers, type INodeProperties, type INodeType } from 'n8n-workflow';

import { commonPollingParameters } from 'n8n-core/dist/nodes-loader/constants';
import { action, trigger } from '../kit/engine/descriptions';
import { PACKAGE, templates } from '../kit/workflows/canvas';
import { readExample } from '../kit/workflows/workflowFiles';
import { N8N_TYPES, type KnownType } from '../kit/n8nNodes/n8nNodes';

const own = ({ description }: INodeType, more: INodeProperties[] = []): KnownType => ({
  ...description,
  name: `${PACKAGE}${description.name}`,
  properties: [...more, ...description.properties],
});

/** All of them, and this package's. An agent's tool has the parameters of its node. */
const KNOWN_TYPES: KnownType[] = [
  ...N8N_TYPES,
  own(action),
  { ...own(action), name: `${own(action).name}Tool`, outputs: ['ai_tool'] },
  own(trigger, commonPollingParameters),
];

function knownType(type: string, version: number): KnownType {
  const found = KNOWN_TYPES.find(
    (each) => each.name === type && [each.version].flat().includes(version),
  );
  if (!found)
    throw new Error(`Run test/kit/n8nNodes/read-node-types.mjs: it has no ${type} ${version}.`);
  return found;
}

/**
 * The parameters of a node that n8n does not show, by path: nodes have no such parameter, or not with what
 * is chosen elsewhere.
 */
function notShown(type: string, typeVersion: number, parameters: object): string[] {
  const known = knownType(type, typeVersion);
  const kept = NodeHelpers.getNodeParameters(
    known.properties,
    structuredClone(parameters) as never,
    true,
    false,
    { typeVersion },
    known as never,
  );
  return lost(parameters, kept);
}

/** The paths in a value that are not in another one. */
function lost(value: unknown, other: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const kept = (other as Record<string, unknown> | null | undefined)?.[key];
    if (kept === undefined) return [`${at}${key}`];
    return lost(each, kept, `${at}${key}.`);
  });
}

const folder = mkdtempSync(path.join(tmpdir(), 'node-schemas-'));

beforeAll(async () => {
  jest.spyOn(console, 'log').mockImplementation();
  await orchestrateGeneration({ nodes: KNOWN_TYPES as never, outputDir: folder });
  setSchemaBaseDirs([folder]);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** What n8n's SDK finds wrong. A wrong value is a warning to it. */
function findingsIn(file: WorkflowJSON): string[] {
  const { errors, warnings } = validateWorkflow(file);
  const found = [...errors, ...warnings.filter(({ severity }) => severity === 'warning')];
  return found.map(({ message }) => message);
}

test.each(templates)('$file: n8n knows each parameter and its value', ({ workflow: file }) => {
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
