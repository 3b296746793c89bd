import { readExample } from '../e2e/lib/examples';

export type Json = Record<string, unknown>;

export interface Item {
  json: Json;
  pairedItem?: number | { item: number };
}

/** What a Code node sees besides its input. */
export interface Surroundings {
  /** Node → the items that it has put out. A node that is not here has put out none. */
  nodes?: Record<string, readonly Item[]>;
  /** The parameters of every other node. */
  params?: Json;
  /** For example `$now`. */
  globals?: Json;
}

/** Items with these fields. */
export function items(...all: object[]): Item[] {
  return all.map((json) => ({ json: json as Json }));
}

/** Runs the text of a Code node of an example, as n8n would. `pairedItem` is the index in the result. */
export function runCode(
  workflow: string,
  node: string,
  input: readonly Item[],
  { nodes = {}, params, globals = {} }: Surroundings = {},
): { json: Json; pairedItem?: number }[] {
  const code = compiled(workflow, node, ['$input', '$', ...Object.keys(globals)]);
  const given = (name: string) => ({ ...reader(nodes[name] ?? []), params });
  const output = code(reader(input), given, ...Object.values(globals));
  return output.map(({ json, pairedItem }) => ({
    json,
    pairedItem: typeof pairedItem === 'object' ? pairedItem.item : pairedItem,
  }));
}

type CodeFunction = (...values: unknown[]) => Item[];

/** A search runs the same text hundreds of times. */
const functions = new Map<string, CodeFunction>();

function compiled(workflow: string, node: string, names: string[]): CodeFunction {
  const key = [workflow, node, ...names].join();
  const known = functions.get(key);
  if (known) return known;
  const found = readExample(workflow).nodes.find(({ name }) => name === node);
  const text = found?.parameters.jsCode;
  if (typeof text !== 'string') throw new Error(`examples/${workflow}.json has no code "${node}".`);
  const made = new Function(...names, text) as CodeFunction;
  functions.set(key, made);
  return made;
}

function reader(all: readonly Item[]) {
  return { all: () => all, first: () => all[0] };
}
