// What an update of the desk keeps: which workflows in n8n are the desk's, and what their owner has set in them.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

/** @typedef {{ name: string, type: string, typeVersion: number, parameters: Record<string, any>, id?: string, notes?: string, disabled?: boolean, credentials?: Record<string, { id: string | null, name: string }> }} Node */
/** @typedef {Record<string, Record<string, ({ node: string }[] | null)[]>>} Connections */
/** @typedef {{ id: string, name: string, active?: boolean, isArchived?: boolean, versionId?: string, activeVersionId?: string | null, nodes: Node[], connections: Connections, settings?: Record<string, unknown>, tags?: { id?: string, name: string }[] }} Workflow */

/** What stands below a node with settings on the canvas. */
export const KEPT = 'An update keeps what you set here';

/**
 * The mark of a workflow, in the notes of its note *About*. It names the ID that n8n gave the workflow: a copy has
 * another, so it does not pass for the desk's.
 *
 * @param {string} fileId @param {string} id
 */
const markOf = (fileId, id) => `${fileId} in ${id}`;

/** @template {Workflow} W @param {W} workflow @param {string} id that n8n gave it @returns {W} */
export const marked = (workflow, id) => ({
  ...workflow,
  nodes: workflow.nodes.map((node) =>
    node.name === 'About' ? { ...node, notes: markOf(workflow.id, id) } : node,
  ),
});

/**
 * The ID in the files of a workflow in n8n; nothing, if it is not the desk's. One imported at its address has it itself.
 *
 * @param {Workflow} workflow @param {{ id: string }[]} files
 */
export function fileIdOf({ id, nodes }, files) {
  if (files.some((file) => file.id === id)) return id;
  const about = nodes.find(({ name }) => name === 'About')?.notes ?? '';
  const fileId = about.split(' ')[0];
  return about === markOf(fileId, id) ? fileId : undefined;
}

/** Whether a node has the ID that the desk gives it. @param {string} fileId @param {Node} node */
export const isDesks = (fileId, node) => node.id === nodeIdOf(fileId, node);

/** @param {string} fileId @param {Pick<Node, 'type' | 'name'>} node */
export function nodeIdOf(fileId, { type, name }) {
  const hash = createHash('sha256').update(`${fileId}:${type}:${name}`).digest('hex');
  const variant = ((parseInt(hash[16] ?? '', 16) & 3) | 8).toString(16);
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `4${hash.slice(13, 16)}`];
  return [...parts, `${variant}${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-');
}

/** Each line of connections: from which output of which node, and to what. @param {Connections} connections */
const linesOf = (connections) =>
  Object.entries(connections).flatMap(([from, outputs]) =>
    Object.entries(outputs).flatMap(([type, links]) =>
      links.flatMap((each, index) => (each ?? []).map((to) => ({ from, type, index, to }))),
    ),
  );

/**
 * A workflow of the files with what its owner has set, switched off and added in n8n.
 *
 * @param {Workflow} file
 * @param {Workflow} there the same in n8n, of this version or an earlier one
 * @returns {{ workflow: Workflow, kept: string[] }} `kept`: what is not as in the file, in words
 * @throws Error if a node of the desk has another name or kind, or nodes of the owner's stand where the desk's own
 *   way would have to lead around them
 */
export function keeping(file, there) {
  for (const node of there.nodes) assertNamed(file, node);
  /** @type {string[]} */
  const kept = [];
  const nodes = file.nodes.map((node) => {
    const before = there.nodes.find(({ name }) => name === node.name);
    if (before?.disabled) kept.push(`${node.name} off`);
    const parameters = node.notes === KEPT && before ? settingsOf(node, before, kept) : undefined;
    return {
      ...node,
      ...(before?.disabled && { disabled: true }),
      ...(parameters && { parameters }),
    };
  });
  const names = new Set(nodes.map(({ name }) => name));
  const own = there.nodes.filter((node) => !names.has(node.name) && !isDesks(file.id, node));
  if (own.length > 0) kept.push(`your own ${own.map(({ name }) => name).join(', ')}`);
  const connections = withOwn(file.connections, there.connections, names, own);
  const { timezone } = { ...there.settings };
  if (timezone !== file.settings?.timezone) kept.push(`time zone ${timezone ?? 'of n8n'}`);
  const settings = { ...file.settings, timezone };
  return { workflow: { ...file, nodes: [...nodes, ...own], connections, settings }, kept };
}

/** @param {Workflow} file @param {Node} node in n8n */
function assertNamed(file, node) {
  const { name = node.name } = file.nodes.find(({ id }) => id === node.id) ?? {};
  if (name !== node.name)
    throw new Error(`the desk's “${name}” is called “${node.name}” there. Give it its name again`);
  const isOther = file.nodes.some((each) => each.name === name && each.type !== node.type);
  if (isOther && !isDesks(file.id, node))
    throw new Error(`“${name}” is the name of a node of the desk. Give yours another`);
}

/**
 * The parameters of a node with settings. The fields of the desk have their names as IDs: others are the owner's.
 *
 * @param {Node} node @param {Node} before @param {string[]} kept
 */
function settingsOf(node, before, kept) {
  if (node.type !== 'n8n-nodes-base.set' || before.parameters.mode === 'raw') {
    // n8n's database sorts their names.
    if (!isDeepStrictEqual(node.parameters, before.parameters)) kept.push(node.name);
    return before.parameters;
  }
  const set = before.parameters.assignments?.assignments ?? [];
  const assignments = node.parameters.assignments.assignments.map((field) => {
    const own = set.find(({ name }) => name === field.name);
    if (!own || (own.value === field.value && own.type === field.type)) return field;
    kept.push(`${node.name}: ${field.name} ${own.value}`);
    return { ...field, type: own.type, value: own.value };
  });
  const names = new Set(assignments.map(({ name }) => name));
  const added = set.filter(({ id, name }) => !names.has(name) && id !== name);
  if (added.length > 0) kept.push(`${node.name}: ${added.map(({ name }) => name).join(', ')}`);
  return { ...node.parameters, assignments: { assignments: [...assignments, ...added] } };
}

const WAY =
  ". An update would break its way: put your nodes behind the desk's last, or into a workflow of your own";

/**
 * The connections of the file, and those to and between the owner's nodes.
 *
 * @param {Connections} connections @param {Connections} before
 * @param {Set<string>} names of the desk's nodes @param {Node[]} own
 */
function withOwn(connections, before, names, own) {
  const isOwn = new Set(own.map(({ name }) => name));
  const all = structuredClone(connections);
  for (const { from, type, index, to } of linesOf(before)) {
    if (isOwn.has(from) && !isOwn.has(to.node))
      throw new Error(`your node “${from}” leads into the desk's “${to.node}”${WAY}`);
    if (!isOwn.has(to.node)) continue;
    if (!isOwn.has(from) && !names.has(from))
      throw new Error(`“${from}”, behind which your node “${to.node}” stands, is gone${WAY}`);
    const outputs = ((all[from] ??= {})[type] ??= []);
    while (outputs.length <= index) outputs.push([]);
    outputs[index] = [...(outputs[index] ?? []), to];
  }
  return all;
}
