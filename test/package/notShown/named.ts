import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { descriptionOf } from '../../engine/harness/sends';
import type { Probes, Scene, Selection } from './scene';
import { bodyOf, fieldsOf, filled, flatten, keysOf, operations, outputOf } from './scene';

/** The operations that the editor marks as inferred, and their paths. */
function named(scene: Scene): (Selection & { path: string })[] {
  return operations(scene).flatMap((selection) => {
    const fields = fieldsOf(scene, selection).flatMap(flatten);
    const isInferred = fields.some(({ displayName }) => displayName.includes('are inferred'));
    const path = fields.find(({ displayName }: INodeProperties) => displayName === 'Endpoint Path');
    return isInferred && path ? [{ ...selection, path: String(path.default) }] : [];
  });
}

async function requestOf(scene: Scene, resource: string, operation: string): Promise<IDataObject> {
  const body = await bodyOf(scene, filled(scene, { resource, operation }, 'all'));
  return JSON.parse(body) as IDataObject;
}

/** The fields of a record that a request to create one does not have. */
async function notEntered(scene: Scene, resource: string): Promise<string> {
  const all = { resource, operation: 'getAll', simplify: false };
  const [record] = await outputOf(scene, { ...all, limit: 1 });
  const created = await requestOf(scene, resource, 'create');
  return Object.keys(record ?? {})
    .filter((name) => !(name in created))
    .join(', ');
}

/** The guesses about the operations that the specification only names. */
export const NAMED: Probes = {
  'Paths of these operations': async (scene) => {
    const paths = new Set<string>();
    for (const { path, ...selection } of named(scene)) {
      await outputOf(scene, filled(scene, selection, 'required'));
      const used = scene.gateway.requests.at(-1)?.path;
      paths.add(used === path ? path : `${path} or ${used}`);
    }
    return [...paths].sort();
  },

  'Address that is not known': async (scene) => {
    const found: string[] = [];
    for (const { resource, operation } of named(scene)) {
      scene.gateway.fault({ kind: 'status', status: 404 });
      const { error } = await scene.execute(filled(scene, { resource, operation }, 'required'));
      found.push(/'([^']*)' under Options/.exec(descriptionOf(error))?.[1] ?? 'nothing');
    }
    return [...new Set(found)];
  },

  'Path of the picker of signatures': async (scene) => {
    await scene.search('searchSignatures');
    return scene.gateway.requests.map(({ path }) => path);
  },

  'Request fields of these operations': async (scene) => [
    await notEntered(scene, 'qualification'),
    await notEntered(scene, 'template'),
    keysOf(await requestOf(scene, 'signature', 'getAll')),
  ],

  'Fields of an edited signature': async (scene) => {
    const created = await requestOf(scene, 'signature', 'create');
    const edited = await requestOf(scene, 'signature', 'update');
    return Object.keys(created)
      .filter((name) => !(name in edited))
      .join(', ');
  },

  'Answers of these operations': async (scene) => {
    const outputs = new Set<string>();
    for (const { path, ...selection } of named(scene)) {
      if (path.endsWith('/info') || path.endsWith('/delete')) continue;
      scene.gateway.fault({ kind: 'wrongShape', body: { ok: true }, path });
      outputs.add(JSON.stringify((await outputOf(scene, filled(scene, selection, 'required')))[0]));
    }
    return [...outputs];
  },
};
