// What an update of the desk keeps: which workflows in n8n are the desk's, and what their owner has set in them.
import { createHash } from 'node:crypto';

/** @typedef {import('./postgres.mjs').Node & { id?: string, notes?: string, disabled?: boolean, credentials?: Record<string, { id: string | null, name: string }> }} Node */
/** @typedef {Record<string, Record<string, ({ node: string }[] | null)[]>>} Connections */
/** @typedef {{ id: string, name: string, active?: boolean, isArchived?: boolean, nodes: Node[], connections: Connections, settings?: Record<string, unknown>, tags?: { name: string }[] }} Workflow */

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
 * @param {Workflow} workflow
 */
export function fileIdOf({ id, nodes }) {
  if (/^sms-[a-z-]+$/.test(id)) return id;
  const about = nodes.find(({ name }) => name === 'About')?.notes ?? '';
  const fileId = about.split(' ')[0];
  return about === markOf(fileId, id) ? fileId : undefined;
}

/**
 * Where workflows keep their tables: nothing, if they have none.
 *
 * @param {Workflow[]} workflows
 */
export function storeOf(workflows) {
  const types = new Set(workflows.flatMap(({ nodes }) => nodes.map(({ type }) => type)));
  if (types.has('n8n-nodes-base.postgres')) return 'postgres';
  return types.has('n8n-nodes-base.dataTable') ? 'tables' : undefined;
}

/** The ID that a node of the desk has always had. @param {string} fileId @param {Node} node */
export function nodeIdOf(fileId, { type, name }) {
  const hash = createHash('sha256').update(`${fileId}:${type}:${name}`).digest('hex');
  const variant = ((parseInt(hash[16] ?? '', 16) & 3) | 8).toString(16);
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `4${hash.slice(13, 16)}`];
  return [...parts, `${variant}${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-');
}

/** @param {Connections[string] | undefined} outputs */
const targetsOf = (outputs) =>
  Object.values(outputs ?? {}).flatMap((links) => links.flatMap((each) => each ?? []));

/**
 * A workflow of the files with what its owner has set, switched off and added in n8n.
 *
 * @param {Workflow} file
 * @param {Workflow} there the same in n8n, of this version or an earlier one
 * @returns {{ workflow: Workflow, kept: string[] }} `kept`: what is not as in the file, in words
 * @throws Error if nodes of the owner's stand where the desk's own way would have to lead around them
 */
export function keeping(file, there) {
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
  const own = there.nodes.filter(
    (node) => !names.has(node.name) && node.id !== nodeIdOf(file.id, node),
  );
  if (own.length > 0) kept.push(`your own ${own.map(({ name }) => name).join(', ')}`);
  const connections = withOwn(file.connections, there.connections, names, own);
  const { timezone } = { ...there.settings };
  if (timezone && timezone !== file.settings?.timezone) kept.push(`time zone ${timezone}`);
  const settings = { ...file.settings, ...(timezone ? { timezone } : {}) };
  return { workflow: { ...file, nodes: [...nodes, ...own], connections, settings }, kept };
}

/**
 * The parameters of a node with settings. Fields of Edit Fields that the desk computes are the desk's.
 *
 * @param {Node} node @param {Node} before @param {string[]} kept
 */
function settingsOf(node, before, kept) {
  if (node.type !== 'n8n-nodes-base.set') {
    if (JSON.stringify(node.parameters) !== JSON.stringify(before.parameters)) kept.push(node.name);
    return before.parameters;
  }
  const set = before.parameters.assignments?.assignments ?? [];
  const assignments = node.parameters.assignments.assignments.map((field) => {
    const own = set.find(({ name }) => name === field.name);
    if (!own || own.value === field.value || String(field.value).startsWith('=')) return field;
    kept.push(`${node.name}: ${field.name} ${own.value}`);
    return { ...field, value: own.value };
  });
  return { ...node.parameters, assignments: { assignments } };
}

/**
 * The connections of the file, and those to and between the owner's nodes.
 *
 * @param {Connections} connections @param {Connections} before
 * @param {Set<string>} names of the desk's nodes @param {Node[]} own
 */
function withOwn(connections, before, names, own) {
  const isOwn = new Set(own.map(({ name }) => name));
  const all = structuredClone(connections);
  for (const [from, outputs] of Object.entries(before)) {
    if (isOwn.has(from)) {
      const back = targetsOf(outputs).find(({ node }) => names.has(node));
      if (back) throw new Error(`your node “${from}” leads into the desk's “${back.node}”`);
      all[from] = outputs;
      continue;
    }
    for (const [type, links] of Object.entries(outputs)) {
      for (const [index, each] of links.entries()) {
        const added = (each ?? []).filter(({ node }) => isOwn.has(node));
        if (added.length === 0) continue;
        if (!names.has(from))
          throw new Error(`“${from}”, behind which your node “${added[0]?.node}” stands, is gone`);
        const to = ((all[from] ??= {})[type] ??= []);
        while (to.length <= index) to.push([]);
        to[index] = [...(to[index] ?? []), ...added];
      }
    }
  }
  return all;
}
