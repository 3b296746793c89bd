/** What the nodes of the desk run on PostgreSQL. */
import type { INode } from 'n8n-workflow';

import { SCHEMA } from '../../../desk/src/declare';
export { VERSION } from '../../../desk/src/declared';
import { evaluate, valueOf, type Sight } from '../workflows/expression';
import { readDesk } from '../workflows/workflowFiles';

type Row = Record<string, unknown>;

interface Statement {
  query: string;
  options: { queryReplacement?: string };
}

/** Makes the tables of the desk, by psql. */
export const MAKE_SCHEMA = `BEGIN;\n${SCHEMA}\nCOMMIT;`;

/** The values of the statement that a node runs for an item. */
function valuesOf(node: object, sight: Sight): (string | null)[] {
  const { options } = (node as INode).parameters as unknown as Statement;
  return evaluate(options.queryReplacement ?? '={{ [] }}', sight) as (string | null)[];
}

/** The statement, with its values in it. */
export function statementOf(node: object, sight: Sight): string {
  const { query } = (node as INode).parameters as unknown as Statement;
  const values = valuesOf(node, sight);
  return String(valueOf(query, sight)).replace(/\$(\d+)/g, (_, place) => {
    const value = values[Number(place) - 1];
    return value == null ? 'null' : `'${value.replaceAll("'", "''")}'`;
  });
}

/** The statements that a node runs for these items. */
export function statements(node: object, items: Row[], { nodes, ...more }: Sight = {}): string[] {
  const sight = {
    ...{ input: items, nodes: { Before: items, ...nodes } },
    ...{ $prevNode: { name: 'Before' }, ...more },
  };
  const { executeOnce } = node as Pick<INode, 'executeOnce'>;
  return (executeOnce ? items.slice(0, 1) : items).map(($json) =>
    statementOf(node, { ...sight, $json }),
  );
}

/** The same of a node of the desk. */
export function statementsOf(workflow: string, name: string, items: Row[], more: Sight): string[] {
  const node = readDesk(workflow).nodes.find((each) => each.name === name);
  if (!node) throw new Error(`"${workflow}" has no node "${name}".`);
  return statements(node, items, more);
}
