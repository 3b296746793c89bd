/** What the nodes of the desk run on PostgreSQL. */
import type { INode } from 'n8n-workflow';

import { SCHEMA } from '../src/declare';
export { VERSION } from '../src/declared';
import { evaluate, valueOf, type Sight } from '../../test/kit/workflows/expression';
import { readDesk } from '../../test/kit/workflows/workflowFiles';

type Row = Record<string, unknown>;

interface Statement {
  query: string;
  options: { queryReplacement?: string };
}

/** Makes the tables of the desk, by psql. */
export const MAKE_SCHEMA = `BEGIN;\n${SCHEMA}\nCOMMIT;`;

/** The statement that a node runs for an item, with its values in it. */
export function statementOf({ parameters }: Pick<INode, 'parameters'>, sight: Sight): string {
  const { query, options } = parameters as unknown as Statement;
  const values = evaluate(options.queryReplacement ?? '={{ [] }}', sight) as (string | null)[];
  return String(valueOf(query, sight)).replace(/\$(\d+)/g, (_, place) => {
    const value = values[Number(place) - 1];
    return value == null ? 'null' : `'${value.replaceAll("'", "''")}'`;
  });
}

/**
 * The statements that a node of the desk runs for these items.
 *
 * @throws if there is no such node
 */
export function statementsOf(workflow: string, name: string, items: Row[], more: Sight): string[] {
  const node = readDesk(workflow).nodes.find((each) => each.name === name);
  if (!node) throw new Error(`"${workflow}" has no node "${name}".`);
  const around = { input: items, $prevNode: { name: 'Before' }, ...more };
  const nodes = { Before: items, ...more.nodes };
  return (node.executeOnce ? items.slice(0, 1) : items).map(($json) =>
    statementOf(node, { ...around, nodes, $json }),
  );
}
