/** Runs Code nodes' modules, and their surroundings in n8n. */
import type { Item, Items, N8n } from '../../../builder/code/n8n';

export type { Item };

/** What a Code node sees besides its input. */
export interface Surroundings extends Partial<Omit<N8n, '$input' | '$'>> {
  /** Node → the items that it has put out. A node that is not here has put out none. */
  nodes?: Record<string, readonly Item[]>;
  /** Node → the items of its second output. */
  second?: Record<string, readonly Item[]>;
  /** Node → its parameters. */
  params?: Record<string, object>;
}

/** Items with these fields. */
export function items(...all: object[]): Item[] {
  return all.map((json) => ({ json: json as Item['json'] }));
}

/** Runs a Code node. `pairedItem` is the index in the result. */
export function runCode<Json>(
  node: (n8n: N8n) => Item<Json>[],
  input: readonly Item[],
  { nodes = {}, second = {}, params = {}, ...others }: Surroundings = {},
): { json: Json; pairedItem?: number }[] {
  const $ = (name: string) => ({
    ...reader(nodes[name] ?? [], second[name]),
    params: (params[name] ?? {}) as Item['json'],
    isExecuted: name in nodes,
  });
  return node({ $input: reader(input), $, ...others } as N8n).map(({ json, pairedItem }) => ({
    json,
    pairedItem: typeof pairedItem === 'object' ? pairedItem.item : pairedItem,
  }));
}

/** The items of a node, as others see them. Nothing checks what is said of their fields, as in n8n. */
export function reader(first: readonly Item[], second: readonly Item[] = []): Items {
  const all = (output = 0) => [...(output === 0 ? first : second)] as never;
  return { all, first: () => first[0] as never };
}
