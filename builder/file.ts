/** How a workflow stands in its file. */
import { createHash } from 'node:crypto';

import type { NodeJSON } from '@n8n/workflow-sdk';

/** n8n keeps the address of what waits for a call by this, which the SDK makes anew each time. */
const WAITS = /\.(webhook|wait|form|formTrigger|chatTrigger|chat|chatHitlTool)$/;

/** The node with the address that its name gives it, if it waits for calls. */
export function withAddress(template: string, made: NodeJSON): NodeJSON {
  const node = { ...made };
  delete node.webhookId;
  if (!WAITS.test(node.type)) return node;
  const hash = createHash('sha256').update(`${template}/${node.name}`).digest('hex');
  const webhookId = hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { ...node, webhookId };
}

/** A line for each node: the source is for people, and a small file for who downloads it. */
export function textOf({ nodes, ...others }: { nodes: NodeJSON[] }): string {
  const lines = nodes.map((node) => JSON.stringify(node)).join(',\n');
  return JSON.stringify({ ...others, nodes: [] }).replace(
    '"nodes":[]',
    () => `"nodes":[\n${lines}\n]`,
  );
}
