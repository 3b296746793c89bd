import type { DateTime } from 'luxon';
import {
  createRunExecutionData,
  Workflow,
  type AssignmentCollectionValue,
  type IDataObject,
  type INodeTypes,
  type IWorkflowDataProxyAdditionalKeys,
} from 'n8n-workflow';

import type { WorkflowFile } from '../n8n/client';
import { readDesk } from './workflowFiles';

/** What an expression sees: its item, the node's input, and the items of other nodes. */
export interface Sight {
  $json?: object;
  input?: object[];
  /** Node → its items. A node that is not here has not run. */
  nodes?: Record<string, object[]>;
  $now?: DateTime;
  $execution?: { id: string; resumeFormUrl?: string };
  $workflow?: { name: string };
  /** The node whose items the node gets, if it runs once and reads them all. */
  $prevNode?: { name: string };
}

const node = {
  ...{ id: '1', name: 'Node', type: 'node', typeVersion: 1, parameters: {} },
  position: [0, 0] as [number, number],
};

const { expression } = new Workflow({
  ...{ nodes: [node], connections: {}, active: false },
  // An expression needs no node type.
  nodeTypes: { getByNameAndVersion: () => undefined } as unknown as INodeTypes,
});

const execution = createRunExecutionData({});

const itemsOf = (all: object[]) => all.map((json) => ({ json: json as IDataObject }));

/** Evaluates a value of a parameter in n8n's engine. */
export function evaluate(
  value: string,
  { $json = {}, input = [$json], nodes = {}, ...others }: Sight,
): unknown {
  const $ = (name: string) => {
    const all = itemsOf(nodes[name] ?? []);
    const isExecuted = name in nodes;
    return {
      all: () => all,
      first: () => all[0],
      last: () => all.at(-1),
      item: all[0],
      isExecuted,
    };
  };
  const globals = { ...others, $ } as IWorkflowDataProxyAdditionalKeys;
  const given = itemsOf(input);
  const at = Math.max(0, input.indexOf($json));
  return expression.getParameterValue(
    value,
    execution,
    0,
    at,
    node.name,
    given,
    'trigger',
    globals,
  );
}

/** A value of a parameter, evaluated if it is an expression. */
export const valueOf = (value: unknown, sight: Sight): unknown =>
  typeof value === 'string' && value.startsWith('=') ? evaluate(value, sight) : value;

/** The fields of an Edit Fields node of a workflow, by its expressions. */
export function fieldsOf(example: string, name: string, sight: Sight): Record<string, unknown> {
  const { assignments } = parametersOf(example, name).assignments as AssignmentCollectionValue;
  return Object.fromEntries(
    assignments.map(({ name: field, value, type }) => {
      const given = typeof value === 'string' ? evaluate(value, sight) : value;
      return [field, type === 'string' ? asText(given) : given];
    }),
  );
}

/** What version 3.4 of the node makes of a value for a field of type String. */
export function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string);
}

const read = new Map<string, WorkflowFile>();

/** A workflow of the desk, which is read once. */
export function deskOf(name: string): WorkflowFile {
  const file = read.get(name) ?? readDesk(name);
  read.set(name, file);
  return file;
}

/** The parameters of a node of a workflow. */
export function parametersOf(example: string, name: string): Record<string, unknown> {
  const found = deskOf(example).nodes.find((each) => each.name === name);
  if (!found) throw new Error(`"${example}" has no node "${name}".`);
  return found.parameters;
}
