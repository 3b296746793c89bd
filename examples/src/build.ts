/** `npm run templates`: writes the templates from their sources. Each stands in a file of its name. */
import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { workflow } from '@n8n/workflow-sdk';
import type { NodeJSON, WorkflowSettings } from '@n8n/workflow-sdk';

import type { Node } from './parts';

export interface Template {
  name: string;
  notes: Node[];
  /** From, to, and the output and the input, if they are not the first. */
  lines: [Node, Node, number?, number?][];
  /** Sub-nodes of an agent: the node, whom it serves, and as what. */
  serves?: [Node, Node, string][];
  settings?: WorkflowSettings;
}

/** n8n keeps the address of what waits for a call by this, which the SDK makes anew each time. */
const WAITS = /\.(webhook|wait|form|formTrigger|chatTrigger|chat|chatHitlTool)$/;

/** The names of the templates that have a source. */
export const templateNames = (): string[] =>
  readdirSync(__dirname)
    .filter((file) => file.endsWith('.ts') && !['build.ts', 'bundle.ts', 'parts.ts'].includes(file))
    .map((file) => path.basename(file, '.ts'));

/** A template as its source gives it. */
export async function templateOf(name: string) {
  const source = (await import(`./${name}`)) as { default: Template };
  return toJson(name, source.default);
}

function toJson(name: string, { name: title, notes, lines, serves = [], settings: own }: Template) {
  const built = workflow(`sms-${name}`, `SMS · ${title}`, {
    executionOrder: 'v1',
    timezone: 'Asia/Shanghai',
    ...own,
  });
  const nodes = new Set([...notes, ...[...lines, ...serves].flatMap(([from, to]) => [from, to])]);
  for (const each of nodes) built.add(each);
  for (const [from, to, output = 0, input = 0] of lines) built.connect(from, output, to, input);
  built.regenerateNodeIds();
  const { nodes: made, connections, settings } = built.toJSON();
  for (const [from, to, type] of serves) {
    connections[from.name] = { [type]: [[{ node: to.name, type, index: 0 }]] };
  }
  return {
    name: built.name,
    nodes: made.map((node) => withAddress(name, node)),
    connections,
    settings,
    tags: [{ name: 'SMS' }],
  };
}

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

async function write(): Promise<void> {
  for (const name of templateNames()) {
    const text = textOf(await templateOf(name));
    writeFileSync(path.join(__dirname, '..', `${name}.json`), `${text}\n`);
  }
}

if (require.main === module) void write();
