import type { DateTime } from 'luxon';

import { readDesk } from '../e2e/lib/workflowFiles';
import { items } from './node';

/** What an expression sees: its item, the node's input, and the items of other nodes. */
export interface Sight {
  $json?: object;
  input?: object[];
  /** Node → its items. A node that is not here has not run. */
  nodes?: Record<string, object[]>;
  $now?: DateTime;
  $execution?: { id: string };
  $workflow?: { name: string };
}

/** Evaluates an expression of one line, as n8n does. */
export function evaluate(
  expression: string,
  { $json = {}, input = [], nodes = {}, $now, $execution, $workflow }: Sight,
): unknown {
  const $ = (name: string) => {
    const all = items(...(nodes[name] ?? []));
    const [first] = all;
    return {
      isExecuted: name in nodes,
      item: first,
      first: () => first,
      last: () => all.at(-1),
      all: () => all,
    };
  };
  const $input = { all: () => items(...input) };
  const body = expression.replace(/^=\{\{|\}\}$/g, '');
  const seen = { $json, $input, $, $now, $execution, $workflow };
  const code = new Function(...Object.keys(seen), `return (${body});`);
  return code(...Object.values(seen)) as unknown;
}

/** The fields of an Edit Fields node of a workflow, by its expressions. */
export function fieldsOf(example: string, node: string, sight: Sight): Record<string, unknown> {
  const { assignments } = parametersOf(example, node).assignments as {
    assignments: { name: string; value: unknown }[];
  };
  return Object.fromEntries(
    assignments.map(({ name, value }) => [
      name,
      String(value).startsWith('=') ? evaluate(String(value), sight) : value,
    ]),
  );
}

/** The parameters of a node of a workflow. */
export function parametersOf(example: string, node: string): Record<string, unknown> {
  const found = readDesk(example).nodes.find(({ name }) => name === node);
  if (!found) throw new Error(`"${example}" has no node "${node}".`);
  return found.parameters;
}
