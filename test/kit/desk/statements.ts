/** What the nodes of the desk run on PostgreSQL. */
import type { INode } from 'n8n-workflow';

import { evaluate, valueOf, type Sight } from '../workflows/expression';
import { readOnPostgres } from '../workflows/workflowFiles';

type Row = Record<string, unknown>;

/** The statements that a node runs for these items. */
export function statements(node: object, items: Row[], more: Sight = {}): string[] {
  const { parameters, executeOnce } = node as Pick<INode, 'parameters' | 'executeOnce'>;
  const { query, options } = parameters as unknown as {
    query: string;
    options: { queryReplacement: string };
  };
  const { nodes, ...others } = more;
  const sight = {
    ...{ input: items, nodes: { Before: items, ...nodes } },
    ...{ $prevNode: { name: 'Before' }, ...others },
  };
  return (executeOnce ? items.slice(0, 1) : items).map(($json) => {
    const seen: Sight = { ...sight, $json };
    const values = evaluate(options.queryReplacement, seen) as (string | null)[];
    return String(valueOf(query, seen)).replace(/\$(\d+)/g, (_, place) => {
      const value = values[Number(place) - 1];
      return value == null ? 'null' : `'${value.replaceAll("'", "''")}'`;
    });
  });
}

/** The same of a node of the desk. */
export function statementsOf(workflow: string, name: string, items: Row[], more: Sight): string[] {
  const node = readOnPostgres(workflow).nodes.find((each) => each.name === name);
  if (!node) throw new Error(`"${workflow}" has no node "${name}".`);
  return statements(node, items, more);
}
