/** What a Code node's module sees in n8n. */
import type { Items, N8n } from '../../../builder/code/n8n';

/** The only item of its input, and that of each node that it names. */
export const codeSees = (nodes: Record<string, object>, input: object = {}): N8n => {
  const reader = (json: object) => ({ first: () => ({ json }), all: () => [{ json }] }) as Items;
  const $ = (name: string) => ({ ...reader(nodes[name] ?? {}), isExecuted: name in nodes });
  return { $input: reader(input), $ } as N8n;
};
