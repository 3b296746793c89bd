/** What a node runs on PostgreSQL, as a text for psql. */
import { evaluate, valueOf, type Sight } from '../../test/kit/workflows/expression';

/** The statement of a node for an item, with its values in it. */
export function statementOf(parameters: object, sight: Sight): string {
  const { query, options } = parameters as {
    query: string;
    options: { queryReplacement: string };
  };
  const values = evaluate(options.queryReplacement, sight) as (string | null)[];
  return String(valueOf(query, sight)).replace(/\$(\d+)/g, (_, place) => {
    const value = values[Number(place) - 1];
    return value == null ? 'null' : `'${value.replaceAll("'", "''")}'`;
  });
}
