/** Makes workflows of their sources, as n8n imports them. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { workflow } from '@n8n/workflow-sdk';
import type { IDataObject, NodeJSON } from '@n8n/workflow-sdk';

import { bundle } from './bundle';
import { layout } from './layout';
import type { Workflow } from './parts';

const ROOT = path.join(__dirname, '..');

/** Workflows that belong together. The paths are those in the repository. */
export interface House {
  /** Has a folder for each workflow, with its source and the modules of its Code nodes. */
  sources: string;
  /** Gets a file for each. */
  files: string;
  tag: string;
  /** Whether n8n keeps them by their own IDs: otherwise it gives each a new one. */
  hasIds: boolean;
  /** What each says of where it comes from, below what it is about. */
  origin?: (name: string) => string;
}

/** The workflow whose folder has this name. */
export async function sourceOf({ sources }: House, name: string): Promise<Workflow> {
  const file = path.join(ROOT, sources, name, 'workflow');
  return ((await import(file)) as { default: Workflow }).default;
}

/** The path of a Code node's module in the repository. */
export const moduleOf = ({ sources }: House, name: string, title: string): string =>
  path.join(sources, name, `${title.toLowerCase().match(/\w+/g)?.join('-')}.ts`);

/** All workflows as n8n imports them, by name. */
export async function built(house: House) {
  const folder = path.join(ROOT, house.sources);
  const names = readdirSync(folder).filter((name) =>
    existsSync(path.join(folder, name, 'workflow.ts')),
  );
  const sources = new Map<string, Workflow>();
  for (const name of names) sources.set(name, await sourceOf(house, name));
  const texts = bundle(
    [...sources].flatMap(([name, { nodes }]) =>
      nodes
        .filter(({ config }) => isToBeFilled(config.parameters))
        .map((node) => moduleOf(house, name, node.name)),
    ),
  );
  return new Map(
    [...sources].map(([name, source]) => [name, toJson(house, name, source, sources, texts)]),
  );
}

/** Whether these are parameters of a Code node as `code` leaves it. */
const isToBeFilled = (parameters: IDataObject = {}): boolean => parameters.jsCode === '';

function toJson(
  house: House,
  name: string,
  source: Workflow,
  sources: Map<string, Workflow>,
  texts: Map<string, string>,
) {
  const { tag, hasIds, origin } = house;
  const id = `sms-${name}`;
  const made = workflow(id, `SMS · ${source.name}`, {
    executionOrder: 'v1',
    timezone: 'Asia/Shanghai',
    ...source.settings,
  });
  const about = [source.about, origin?.(name)].filter(Boolean).join('\n');
  const { notes, positions } = layout({ ...source, about });
  for (const note of notes) made.add(note);
  for (const lane of source.lanes) {
    for (const node of lane.nodes) made.add(node);
    for (const { from, to, output, input } of lane.lines) {
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
        ...(isToBeFilled(parameters) && { jsCode: texts.get(moduleOf(house, name, title)) }),
        ...(calledName && {
          workflowId: { ...called, cachedResultName: `SMS · ${calledName}` },
        }),
      },
    };
  };
  return {
    ...(hasIds && { id }),
    name: made.name,
    nodes: nodes.map(complete),
    connections,
    settings,
    tags: [{ name: tag }],
  };
}

/** n8n keeps the address of what waits for a call by this, which the SDK makes anew each time. */
const WAITS = /\.(webhook|wait|form|formTrigger|chatTrigger|chat|chatHitlTool)$/;

/** The node with the address that its name gives it, if it waits for calls. */
function withAddress(template: string, made: NodeJSON): NodeJSON {
  const node = { ...made };
  delete node.webhookId;
  if (!WAITS.test(node.type)) return node;
  const hash = createHash('sha256').update(`${template}/${node.name}`).digest('hex');
  const webhookId = hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { ...node, webhookId };
}

/** A line for each node: the source is for people, and a small file for who downloads it. */
function textOf({ nodes, ...others }: { nodes: NodeJSON[] }): string {
  const lines = nodes.map((node) => JSON.stringify(node)).join(',\n');
  return JSON.stringify({ ...others, nodes: [] }).replace(
    '"nodes":[]',
    () => `"nodes":[\n${lines}\n]`,
  );
}

/** Writes each workflow into a file of its name. */
export async function write(house: House): Promise<void> {
  for (const [name, file] of await built(house)) {
    writeFileSync(path.join(ROOT, house.files, `${name}.json`), `${textOf(file)}\n`);
  }
}
