/** `npm run templates`: writes the workflows of the desk from their sources, each into a file of its name. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { workflow } from '@n8n/workflow-sdk';
import type { NodeJSON } from '@n8n/workflow-sdk';

import { bundle } from '../../builder/bundle';
import { textOf, withAddress } from '../../builder/file';

import { layout, linesOf, nodesOf } from './layout';
import type { DeskWorkflow } from './parts';

const SOURCES = path.join(__dirname, 'workflows');
const CODE = 'desk/src/code';

/** The names of the workflows. */
const workflowNames = (): string[] =>
  readdirSync(SOURCES).map((file) => path.basename(file, '.ts'));

/** The module of a Code node, as `codes` calls it. Not every system has file names with a question mark. */
export const moduleOf = (name: string, node: string): string => `${name}/${node.replace('?', '')}`;

/** The texts of all Code nodes: a folder per workflow, a module per node. */
export function codes(): Map<string, string> {
  const modules = readdirSync(path.join(__dirname, 'code'), {
    recursive: true,
    encoding: 'utf8',
  })
    // Parts of the nodes have names that begin with a small letter.
    .filter((file) => /\/[A-Z][^/]*\.ts$/.test(file))
    .map((file) => `${CODE}/${file}`);
  return bundle(modules);
}

/** All workflows as n8n imports them, by name. */
export async function built() {
  const names = workflowNames();
  const sources = new Map<string, DeskWorkflow>();
  for (const name of names) {
    const source = (await import(`./workflows/${name}`)) as { default: DeskWorkflow };
    sources.set(name, source.default);
  }
  const texts = codes();
  return new Map(
    [...sources].map(([name, source]) => [name, toJson(name, source, sources, texts)]),
  );
}

function toJson(
  name: string,
  source: DeskWorkflow,
  sources: Map<string, DeskWorkflow>,
  texts: Map<string, string>,
) {
  const made = workflow(`sms-${name}`, `SMS · ${source.name}`, {
    executionOrder: 'v1',
    timezone: 'Asia/Shanghai',
    ...source.settings,
  });
  const { notes, positions } = layout(source);
  for (const note of notes) made.add(note);
  for (const lane of source.lanes) {
    for (const node of nodesOf(lane)) made.add(node);
    for (const { from, to, output, input } of linesOf(lane)) {
      made.connect(from, output, to, input);
    }
  }
  made.regenerateNodeIds();
  const { nodes, connections, settings } = made.toJSON();
  const places = new Map([...positions].map(([node, position]) => [node.name, position]));
  const complete = (node: NodeJSON): NodeJSON => {
    const { name: title = '', parameters = {} } = node;
    const position = places.get(title) ?? node.position;
    const called = parameters.workflowId as { value: string } | undefined;
    const calledName = called && sources.get(called.value.replace(/^sms-/, ''))?.name;
    return {
      ...withAddress(name, node),
      position,
      parameters: {
        ...parameters,
        ...('jsCode' in parameters && { jsCode: texts.get(moduleOf(name, title)) }),
        ...(calledName && {
          workflowId: { ...called, cachedResultName: `SMS · ${calledName}` },
        }),
      },
    };
  };
  return {
    id: `sms-${name}`,
    name: made.name,
    nodes: nodes.map(complete),
    connections,
    settings,
    tags: [{ name: 'SMS desk' }],
  };
}

async function write(): Promise<void> {
  for (const [name, file] of await built()) {
    writeFileSync(path.join(__dirname, '../workflows', `${name}.json`), `${textOf(file)}\n`);
  }
}

if (require.main === module) void write();
