/** `npm run templates`: writes the templates from their sources. Each stands in a file of its name. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { workflow } from '@n8n/workflow-sdk';
import type { WorkflowSettings } from '@n8n/workflow-sdk';

import { textOf, withAddress } from '../../builder/file';
import type { Node } from '../../builder/parts';

export interface Template {
  name: string;
  notes: Node[];
  /** From, to, and the output and the input, if they are not the first. */
  lines: [Node, Node, number?, number?][];
  /** Sub-nodes of an agent: the node, whom it serves, and as what. */
  serves?: [Node, Node, string][];
  settings?: WorkflowSettings;
}

/** The names of the templates that have a source. */
export const templateNames = (): string[] =>
  readdirSync(__dirname)
    .filter((file) => file.endsWith('.ts') && file !== 'build.ts')
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

async function write(): Promise<void> {
  for (const name of templateNames()) {
    const text = textOf(await templateOf(name));
    writeFileSync(path.join(__dirname, '..', `${name}.json`), `${text}\n`);
  }
}

if (require.main === module) void write();
