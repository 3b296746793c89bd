/** `npm run templates`: writes the workflows of the desk from their sources, each into a file of its name. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { workflow } from '@n8n/workflow-sdk';
import type { NodeJSON } from '@n8n/workflow-sdk';

import { bundle } from '../../builder/bundle';
import { textOf, withAddress } from '../../builder/file';

import { layout, linesOf, nodesOf } from './layout';
import { runOf } from './parts';
import type { DeskWorkflow, Run } from './parts';

const ROOT = path.join(__dirname, '../..');

/** The names of the workflows: a folder for each, with its source and the modules of its Code nodes. */
const workflowNames = (): string[] =>
  readdirSync(__dirname).filter((name) => existsSync(path.join(__dirname, name, 'workflow.ts')));

/** The workflow whose folder has this name. */
export async function sourceOf(name: string): Promise<DeskWorkflow> {
  return ((await import(`./${name}/workflow`)) as { default: DeskWorkflow }).default;
}

/** What the Code nodes of a workflow do, each with the path of its module in the repository. */
export async function modulesOf(name: string): Promise<Map<Run, string>> {
  const folder = path.join(__dirname, name);
  const found = new Map<Run, string>();
  for (const file of readdirSync(folder)) {
    if (file === 'workflow.ts') continue;
    const { default: run } = (await import(path.join(folder, file))) as { default?: Run };
    // The others are parts of these.
    if (run) found.set(run, path.relative(ROOT, path.join(folder, file)));
  }
  return found;
}

/** All workflows as n8n imports them, by name. */
export async function built() {
  const names = workflowNames();
  const sources = new Map<string, DeskWorkflow>();
  const modules = new Map<Run, string>();
  for (const name of names) {
    sources.set(name, await sourceOf(name));
    for (const [run, module] of await modulesOf(name)) modules.set(run, module);
  }
  const texts = bundle([...modules.values()]);
  const textOfRun = (run: Run) => texts.get(modules.get(run) ?? '');
  return new Map(
    [...sources].map(([name, source]) => [name, toJson(name, source, sources, textOfRun)]),
  );
}

function toJson(
  name: string,
  source: DeskWorkflow,
  sources: Map<string, DeskWorkflow>,
  textOfRun: (run: Run) => string | undefined,
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
  const runs = new Map(source.lanes.flatMap(nodesOf).map((each) => [each.name, runOf(each)]));
  const complete = (node: NodeJSON): NodeJSON => {
    const { name: title = '', parameters = {} } = node;
    const position = places.get(title) ?? node.position;
    const called = parameters.workflowId as { value: string } | undefined;
    const run = runs.get(title);
    const calledName = called && sources.get(called.value.replace(/^sms-/, ''))?.name;
    return {
      ...withAddress(name, node),
      position,
      parameters: {
        ...parameters,
        ...(run && { jsCode: textOfRun(run) }),
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
