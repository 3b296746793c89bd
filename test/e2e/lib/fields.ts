import type { INodeParameters } from 'n8n-workflow';

import type { WorkflowFile } from './client';
import { withChoices } from './workflowFiles';

type Values = Record<string, string | number | boolean>;

/** The parameters of an Edit Fields node with other values in its fields. */
export function fieldsWith(file: WorkflowFile, name: string, values: Values): INodeParameters {
  const node = file.nodes.find((each) => each.name === name);
  const { assignments = [] } = (node?.parameters.assignments ?? {}) as {
    assignments?: { name: string; value: unknown }[];
  };
  const unknown = Object.keys(values).filter(
    (key) => !assignments.some((each) => each.name === key),
  );
  if (unknown.length > 0) {
    throw new Error(`"${name}" of "${file.name}" has no field ${unknown.join(', ')}.`);
  }
  const changed = assignments.map((each) => ({ ...each, value: values[each.name] ?? each.value }));
  return { assignments: { assignments: changed } } as INodeParameters;
}

/** The workflow with other values in the fields of an Edit Fields node, as a user enters them. */
export function withFields(file: WorkflowFile, name: string, values: Values): WorkflowFile {
  return withChoices(file, { [name]: fieldsWith(file, name, values) });
}
