import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { byId } from '../../engine/harness/locators';
import type { Probes, Scene } from './scene';
import {
  bodiesOf,
  bodyOf,
  defaultOf,
  fieldsOf,
  filled,
  isCode,
  keysOf,
  numbersFrom,
  operations,
  outputOf,
  ranges,
} from './scene';

const TEMPLATES = { resource: 'template', operation: 'getAll', returnAll: true };
const QUALIFICATIONS = { resource: 'qualification', operation: 'getAll', returnAll: true };
const EDIT_LEAD = { resource: 'lead', operation: 'update', leadId: byId(402) };
const RECORD = { id: 1, name: 'a' };

/** The names of the fields of a record in which a number is entered. */
function numberFields(scene: Scene, resource: string): string {
  return fieldsOf(scene, { resource, operation: 'create' })
    .flatMap(({ options = [] }) => options as INodeProperties[])
    .filter(isCode)
    .map(({ displayName }) => displayName)
    .join(', ');
}

/** The filters of the searches that a picker makes for a text that nothing matches. */
async function searchesFor(scene: Scene, picker: string, text: string): Promise<string> {
  const before = scene.gateway.requests.length;
  await scene.search(picker, text);
  return bodiesOf(scene)
    .slice(before)
    .filter(({ page }) => page === 1)
    .map((body) => keysOf(body).replace(', page, page_size', ''))
    .join(', ');
}

/** How many records come when the answer to a list has this body; its error, where it is one. */
async function countIn(scene: Scene, body: unknown): Promise<string> {
  scene.gateway.reset();
  scene.gateway.fault({ kind: 'wrongShape', body, times: Infinity });
  const json = await outputOf(scene, { ...TEMPLATES, returnAll: false, limit: 1 });
  return String(json[0]?.error ?? json.length);
}

/** The record that an edit gives out, where the answer has this body. */
async function changedBy(scene: Scene, parameters: IDataObject, body: unknown) {
  scene.gateway.fault({ kind: 'wrongShape', body });
  return JSON.stringify(await outputOf(scene, parameters as never));
}

/** The guesses about lists, and about records and their changes. */
export const LISTS: Probes = {
  'Fields of a page': async (scene) => {
    const body = (answer: unknown) => {
      const { data } = answer as { data: IDataObject };
      return { data: { ...data, total: 3, page: 9, page_size: 1 } };
    };
    scene.gateway.fault({ kind: 'wrongShape', body, times: Infinity });
    return `${(await outputOf(scene, QUALIFICATIONS)).length} of ${scene.gateway.state.qualifications.size}`;
  },

  'Number of the first page': async (scene) => {
    await outputOf(scene, TEMPLATES);
    const first = bodiesOf(scene)[0]?.page;
    scene.gateway.fault({ kind: 'wrongShape', body: { list: [] }, times: Infinity });
    await outputOf(scene, { ...TEMPLATES, returnAll: false, limit: 1 });
    const whenEmpty = bodiesOf(scene).slice(1, 3);
    return [String(first), whenEmpty.map(({ page }) => page).join(', ')];
  },

  'Highest page_size': async (scene) => {
    scene.gateway.fault({ kind: 'businessCode', code: 9000, times: Infinity });
    await outputOf(scene, TEMPLATES);
    return bodiesOf(scene)
      .map(({ page_size }) => page_size)
      .join(', ');
  },

  'Refusals that may be about the page size': async (scene) => {
    const divided: number[] = [];
    for (const status of [200, ...numbersFrom(400, 431), 500, 503]) {
      const before = scene.gateway.requests.length;
      scene.gateway.fault({ kind: 'status', status, body: { code: 9000 }, times: 5 });
      await scene.search('searchTemplates').catch(() => undefined);
      if (scene.gateway.requests.length > before + 1) divided.push(status);
      scene.gateway.clearFaults();
    }
    return ranges(divided);
  },

  'Page size of the pickers': async (scene) => {
    await scene.search('searchTemplates');
    return [String(bodiesOf(scene)[0]?.page_size), defaultOf(scene, 'Limit')];
  },

  'End of a list': async (scene) => {
    const body = { list: [RECORD], total: 1000 };
    scene.gateway.fault({ kind: 'wrongShape', body, times: Infinity });
    const json = await outputOf(scene, TEMPLATES);
    const pages = bodiesOf(scene).map(({ page }) => page);
    return [pages.join(', '), `${json.length} record`];
  },

  'Why the wrappings of lists differ': async (scene) => {
    const shapes: Record<string, unknown> = {
      list: { list: [RECORD], total: 1 },
      'data.list': { code: 0, data: { list: [RECORD], total: 1 } },
      '[[].list]': [[{ list: [RECORD], total: 1 }]],
      data: { code: 0, data: [RECORD] },
      'data.rows': { code: 0, data: { rows: [RECORD], total: 1 } },
      rows: { code: 0, rows: [RECORD] },
      'two lists': { code: 0, list: 1, a: [RECORD], b: [RECORD] },
      'no id': { code: 0, data: [{ name: 'a' }] },
    };
    const read: string[] = [];
    for (const [name, body] of Object.entries(shapes)) {
      if ((await countIn(scene, body)) === '1') read.push(name);
    }
    return read.join(', ');
  },

  'Lists without records': async (scene) => {
    const bodies = [
      { code: 0 },
      { code: 0, data: null },
      { list: null },
      { code: 0, data: {} },
      [],
    ];
    const empty: string[] = [];
    for (const body of bodies) {
      if ((await countIn(scene, body)) === '0') empty.push(JSON.stringify(body));
    }
    return empty;
  },

  'How a text is searched': async (scene) => [
    await searchesFor(scene, 'searchQualifications', 'nobody'),
    await searchesFor(scene, 'searchTemplates', 'nobody'),
    await searchesFor(scene, 'searchSignatures', 'nobody'),
    await searchesFor(scene, 'searchLeads', 'nobody'),
  ],

  'Search for digits': async (scene) => [
    await searchesFor(scene, 'searchQualifications', '99999'),
    await searchesFor(scene, 'searchTemplates', '99999'),
    await searchesFor(scene, 'searchLeads', '99999'),
  ],

  'Several filters': async (scene) => {
    const selection = { resource: 'qualification', operation: 'getAll' };
    return keysOf(JSON.parse(await bodyOf(scene, filled(scene, selection, 'all'))));
  },

  'Empty filters': async (scene) =>
    await bodyOf(scene, { ...QUALIFICATIONS, returnAll: false, filters: { name: '' } }),

  'One record by its ID': async (scene) => {
    const bodies: string[] = [];
    for (const selection of operations(scene)) {
      if (selection.operation !== 'get' || selection.resource === 'balance') continue;
      bodies.push(await bodyOf(scene, filled(scene, selection, 'required')));
    }
    return bodies;
  },

  'Codes of a qualification': (scene) => numberFields(scene, 'qualification'),
  'Codes of a lead': (scene) => numberFields(scene, 'lead'),

  'Fields of a signature in a list': async (scene) => {
    const body = { list: [{ sign_id: 201, use: 3 }], total: 1 };
    scene.gateway.fault({ kind: 'wrongShape', body });
    const signatureId = byId(201);
    return JSON.stringify(
      (await outputOf(scene, { resource: 'signature', operation: 'get', signatureId }))[0],
    );
  },

  'Time of created_at': async (scene) => {
    const qualificationId = byId(101);
    const [item] = await outputOf(scene, {
      resource: 'qualification',
      operation: 'get',
      qualificationId,
    });
    return String(item?.created_at);
  },

  'Files of a qualification': async (scene) => {
    const selection = { resource: 'qualification', operation: 'create' };
    const body = JSON.parse(await bodyOf(scene, filled(scene, selection, 'all'))) as IDataObject;
    const { certificate_file, authorization_file } = body;
    return JSON.stringify({ certificate_file, authorization_file });
  },

  'signature_id, brings_data and customer_call_url': (scene) => {
    const fields = fieldsOf(scene, { resource: 'signature', operation: 'create' });
    const added = fields.find(({ name }) => name === 'additionalFields');
    return ((added?.options ?? []) as INodeProperties[])
      .map(({ displayName }) => displayName)
      .filter((name) => ['Brings Data', 'Customer Call URL', 'Signature'].includes(name))
      .join(', ');
  },

  'Record in the answer to an edited lead': async (scene) => {
    const edit = { ...EDIT_LEAD, updateFields: { url: 'x' } };
    const page = (...ids: number[]) => ({ list: ids.map((id) => ({ id })), total: ids.length });
    return [
      await changedBy(scene, edit, page(401, 402)),
      await changedBy(scene, edit, page(401, 403)),
    ];
  },

  'Record in the answer to a change': async (scene) => {
    const create = { resource: 'lead', operation: 'create', signatureId: byId(201) };
    const bodies: Record<string, unknown> = {
      bare: { id: 7 },
      data: { code: 0, data: { id: 7 } },
      list: { list: [{ id: 7 }], total: 1 },
    };
    const read: string[] = [];
    for (const [name, body] of Object.entries(bodies)) {
      if ((await changedBy(scene, create, body)) === '[{"id":7}]') read.push(name);
    }
    return read.join(', ');
  },

  'Answer to a deletion': async (scene) => {
    const remove = { resource: 'template', operation: 'delete', templateId: byId(301) };
    const outputs = [];
    for (const body of [{}, { code: 0, msg: 'gone' }]) {
      scene.gateway.reset();
      outputs.push(await changedBy(scene, remove, body));
    }
    return [...new Set(outputs)];
  },

  'Name of the ID in an update': async (scene) => {
    const names: string[] = [];
    for (const selection of operations(scene)) {
      if (selection.operation !== 'update') continue;
      const body = await bodyOf(scene, filled(scene, selection, 'required'));
      names.push(String(Object.keys(JSON.parse(body) as object)[0]));
    }
    return [...new Set(names)].join(', ');
  },

  'Fields that an edit leaves out': async (scene) =>
    await bodyOf(scene, { ...EDIT_LEAD, updateFields: { phone1: '4008000009' } }),

  'Empty text in an edit': async (scene) =>
    await bodyOf(scene, { ...EDIT_LEAD, updateFields: { url: '' } }),

  'ID 0': async (scene) => {
    const update = { resource: 'template', operation: 'update', templateId: byId(301) };
    return await bodyOf(scene, { ...update, updateFields: { leadId: byId(0) } });
  },

  'When a lead counts as reported': async (scene) => {
    const edit = { ...EDIT_LEAD, leadId: byId(401), updateFields: { url: 'x' } };
    await outputOf(scene, edit);
    return scene.gateway.requests.map(({ path }) => path).join(', ');
  },
};
