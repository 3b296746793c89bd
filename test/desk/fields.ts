import {
  createRunExecutionData,
  Workflow,
  type AssignmentCollectionValue,
  type INode,
  type INodeExecutionData,
  type INodeTypes,
} from 'n8n-workflow';

import { readDesk } from '../e2e/lib/workflowFiles';
import type { Item } from './node';

/** An expression needs no node type. */
const NO_TYPES = {
  getByName: () => undefined,
  getByNameAndVersion: () => undefined,
  getKnownTypes: () => ({}),
} as unknown as INodeTypes;

/**
 * Runs an Edit Fields node of a workflow in the execution `id`, its expressions in n8n's engine.
 *
 * @param outputs node → the items that it has put out
 */
export function runFields(
  name: string,
  node: string,
  input: readonly Item[],
  id: string,
  outputs: Record<string, readonly Item[]> = {},
): Item[] {
  const { nodes, connections } = readDesk(name);
  const workflow = new Workflow({ nodes, connections, active: false, nodeTypes: NO_TYPES });
  const { assignments } = fieldsOf(nodes, node);
  const globals = {
    $execution: { id, mode: 'production' as const, resumeUrl: '', resumeFormUrl: '' },
    $: (other: string) => ({ first: () => outputs[other]?.[0] }),
  };
  const data = createRunExecutionData({});
  const given = input as INodeExecutionData[];
  const evaluated = (value: string, item: number): unknown =>
    workflow.expression.getParameterValue(value, data, 0, item, node, given, 'trigger', globals);
  return input.map((_, item) => {
    const fields = assignments.map(({ name: field, value, type }) => [
      field,
      type === 'string'
        ? asText(evaluated(String(value), item))
        : typeof value === 'string'
          ? evaluated(value, item)
          : value,
    ]);
    return { json: Object.fromEntries(fields) as Item['json'], pairedItem: item };
  });
}

function fieldsOf(nodes: INode[], name: string): AssignmentCollectionValue {
  const found = nodes.find((each) => each.name === name);
  const fields = found?.parameters.assignments as AssignmentCollectionValue | undefined;
  if (!fields) throw new Error(`"${name}" is no Edit Fields node of the example.`);
  return fields;
}

/** What version 3.4 of the node makes of a value for a field of type String. */
function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string);
}
