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

/** What n8n takes for parts of an item, where any field of it is one. */
const PARTS = ['json', 'binary', 'pairedItem', 'error', 'index'];

/** The items that n8n makes of what a Code node gives: items, or what is in them. */
function itemsOf(given: object): Item[] {
  const all = Array.isArray(given) ? (given as object[]) : [];
  const areParts = all.flatMap(Object.keys).map((key) => PARTS.includes(key));
  if (areParts.includes(true) && areParts.includes(false))
    throw new Error('n8n takes no such item');
  if (areParts.includes(true)) return all as Item[];
  return items(...(Array.isArray(given) ? all : [given]));
}

/** Runs a Code node. `pairedItem` is the index in the result. */
export function runCode<Json>(
  node: ((n8n: N8n) => Item<Json>[]) | ((n8n: N8n) => Json | Json[]),
  input: readonly Item[],
  { nodes = {}, second = {}, params = {}, ...others }: Surroundings = {},
): { json: Json; pairedItem?: number }[] {
  const $ = (name: string) => ({
    ...reader(nodes[name] ?? [], second[name]),
    params: (params[name] ?? {}) as Item['json'],
    isExecuted: name in nodes,
  });
  const given = node({ $input: reader(input), $, ...others } as N8n) as object;
  return itemsOf(given).map(({ json, pairedItem }) => ({
    json: json as Json,
    pairedItem: typeof pairedItem === 'object' ? pairedItem.item : pairedItem,
  }));
}

/** The items of a node, as others see them. Nothing checks what is said of their fields, as in n8n. */
export function reader(first: readonly Item[], second: readonly Item[] = []): Items {
  const all = (output = 0) => [...(output === 0 ? first : second)] as never;
  return { all, first: () => first[0] as never };
}
