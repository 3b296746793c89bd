/** What an update makes of any change of an owner's (`keeping`), against what desk/README.md promises. */
import fc from 'fast-check';
import type { INode } from 'n8n-workflow';

import { keeping, KEPT, nodeIdOf } from '../update.mjs';
import type { WorkflowFile } from '../../test/kit/n8n/client';
import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';

type File = WorkflowFile & { id: string };

const OWN = ['Mine', 'Mine too', 'Model'];

const own = (name: string): INode => ({
  ...{ id: `own ${name}`, name, type: 'n8n-nodes-base.code', typeVersion: 2 },
  ...{ position: [0, 0], parameters: { by: name } },
});

/** Which node, and what its owner does to it. */
const change = fc.record({
  what: fc.constantFrom(
    ...['off', 'delete', 'move', 'set', 'add', 'raw', 'break', 'rename', 'replace', 'link', 'link'],
  ),
  node: fc.nat(),
  from: fc.nat(),
  output: fc.nat(2),
  type: fc.constantFrom('main', 'ai_languageModel'),
  value: fc.oneof(fc.string(), fc.integer(), fc.constant('={{ 1 }}')),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

type Field = Record<'id' | 'name' | 'type' | 'value', unknown>;
const fieldsOf = (node?: INode) =>
  (node?.parameters.assignments as { assignments: Field[] } | undefined)?.assignments ?? [];

/** What n8n's editor does to the links of a node with another name, or none. */
function relink(there: File, name: string, now?: string): void {
  const { [name]: from, ...others } = there.connections;
  there.connections = { ...others, ...(from && now && { [now]: from }) };
  for (const links of Object.values(there.connections).flatMap((each) => Object.values(each)))
    for (const [at, each] of links.entries())
      links[at] = (each ?? []).flatMap((to) =>
        to.node === name ? (now ? [{ ...to, node: now }] : []) : [to],
      );
}

const ACTS: Record<string, (there: File, node: INode, how: Change) => void> = {
  off: (_, node) => Object.assign(node, { disabled: true }),
  move: (_, node) => Object.assign(node, { position: [7, 7] }),
  break: (_, node) => node.notes !== KEPT && Object.assign(node, { parameters: {} }),
  rename: (there, node) => {
    relink(there, node.name, `${node.name} there`);
    Object.assign(node, { name: `${node.name} there` });
  },
  replace: (_, node) => Object.assign(node, own(node.name), { type: 'n8n-nodes-base.noOp' }),
  delete: (there, node) => {
    relink(there, node.name);
    there.nodes = there.nodes.filter((each) => each !== node);
  },
  set: ({ nodes }, _, { node, value }) => {
    const fields = nodes.flatMap((each) => (each.notes === KEPT ? fieldsOf(each) : []));
    Object.assign(fields[node % fields.length] ?? {}, { value, type: typeof value });
  },
  add: ({ nodes }, _, { node, value }) => {
    const all = nodes.filter((each) => each.notes === KEPT && fieldsOf(each).length > 0);
    const fields = fieldsOf(all[node % all.length]);
    fields.push({ id: 'own', name: `mine ${fields.length}`, type: typeof value, value });
  },
  raw: ({ nodes }, _, { node, value }) => {
    const all = nodes.filter((each) => each.notes === KEPT);
    const parameters = { mode: 'raw', jsonOutput: `{ "hour": ${value} }`, options: {} };
    Object.assign(all[node % all.length] ?? {}, { parameters });
  },
  link: ({ nodes, connections }, { name: to }, { from, output, type }) => {
    const source = nodes[from % nodes.length]?.name ?? '';
    const links = ((connections[source] ??= {})[type] ??= []);
    while (links.length <= output) links.push([]);
    (links[output] ??= []).push({ node: to, type: type as 'main', index: 0 });
  },
};

/** Every connection, as words. */
const linksOf = ({ connections }: WorkflowFile) =>
  Object.entries(connections).flatMap(([from, outputs]) =>
    Object.entries(outputs).flatMap(([type, links]) =>
      links.flatMap((each, at) => (each ?? []).map(({ node }) => [from, node, type, at] as const)),
    ),
  );

test('the desk is as in its file but for what is set, off or added, and nothing of the owner’s is lost', () => {
  const run = (name: string, changes: Change[]) => {
    const file = readDesk(name) as File;
    const there = structuredClone(file);
    there.nodes.push(...OWN.map(own));
    for (const how of changes) {
      // Half of the changes are about the owner's own nodes.
      const some = how.node % 2 === 0 ? there.nodes.slice(-OWN.length) : there.nodes;
      const node = some[how.node % some.length];
      if (node) ACTS[how.what]?.(there, node, how);
    }
    const isRenamed = there.nodes.some(({ id, name: now }) =>
      file.nodes.find((each) => each.id === id && each.name !== now),
    );
    const owned = there.nodes.filter(({ id }) => id.startsWith('own'));
    const isOwn = new Set(owned.map(({ name: own }) => own));
    const isTheirs = new Set(file.nodes.map((node) => node.name));
    const isReplaced = owned.some(({ name: own }) => isTheirs.has(own));
    const links = linksOf(there);
    const leadsBack = links.some(([from, to]) => isOwn.has(from) && !isOwn.has(to));
    // A step of the owner's hangs on what neither is the desk's nor there.
    const isOrphan = links.some(
      ([from, to]) => isOwn.has(to) && !isOwn.has(from) && !isTheirs.has(from),
    );
    let made;
    try {
      made = keeping(file as never, there as never).workflow as unknown as File;
    } catch {
      expect(isRenamed || isReplaced || leadsBack || isOrphan).toBe(true);
      return;
    }
    expect([isRenamed, isReplaced, leadsBack, isOrphan]).toEqual(Array(4).fill(false));
    for (const node of file.nodes) {
      const before = there.nodes.find((each) => each.id === node.id);
      const after = made.nodes.filter((each) => each.name === node.name);
      expect(after).toHaveLength(1);
      expect(after[0]?.disabled ?? false).toBe(before?.disabled ?? false);
      if (node.notes === KEPT && before) expect(after[0]?.parameters).toEqual(before.parameters);
      else expect({ ...after[0], disabled: false }).toEqual({ ...node, disabled: false });
    }
    expect(made.nodes.slice(file.nodes.length)).toEqual(owned);
    const names = new Set(made.nodes.map((each) => each.name));
    const ownLinks = links.filter(
      ([from, to]) => (isOwn.has(from) || isOwn.has(to)) && names.has(to),
    );
    const all = linksOf(made)
      .filter(([, to]) => names.has(to))
      .map(String);
    expect(all.toSorted()).toEqual([...linksOf(file), ...ownLinks].map(String).toSorted());
    const again = keeping(file as never, made as never);
    expect(again.workflow).toEqual(made);
  };
  const names = fc.constantFrom(...deskNames());
  fc.assert(fc.property(names, fc.array(change, { maxLength: 6 }), run), { numRuns: 60 });
});

test.each(deskNames())('the nodes of %s have the IDs by which an update knows them', (name) => {
  const { id = '', nodes } = readDesk(name);
  expect(nodes.map((node) => node.id)).toEqual(nodes.map((node) => nodeIdOf(id, node)));
});
