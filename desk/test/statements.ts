/** What a node runs on PostgreSQL. */
import { nodesOf } from '../../builder/layout';
import { onPostgres, type DeskWorkflow, type Node } from '../src/parts';
import { evaluate, valueOf, type Sight } from '../../test/kit/workflows/expression';

type Row = Record<string, unknown>;

/** The statements that a node runs for these items. */
export function statements(node: Node, items: Row[], more: Sight = {}): string[] {
  const { parameters, executeOnce } = onPostgres(node);
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

/** The node of a workflow. */
export function nodeIn({ lanes }: DeskWorkflow, name: string): Node {
  const found = lanes.flatMap(nodesOf).find((each) => each.name === name);
  if (!found) throw new Error(`There is no "${name}".`);
  return found;
}
