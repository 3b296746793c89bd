import type {
  IDataObject,
  INodeParameters,
  INodeProperties,
  INodePropertyCollection,
  INodePropertyMode,
  INodePropertyOptions,
} from 'n8n-workflow';
import { ACTION, createHarness, CREDENTIAL, TRIGGER } from '../../engine/harness';
import type { Harness } from '../../engine/harness';
import { byId } from '../../engine/harness/locators';
import { CONTINUE, people, withOptions } from '../../engine/harness/sends';
import { startGateway } from '../../sandbox/gateway';
import type { Fault, Gateway } from '../../sandbox/gateway';

/** A sandbox gateway, and n8n with a credential as n8n makes a new one: only the required fields are set. */
export interface Scene extends Harness {
  gateway: Gateway;
  credential: IDataObject;
}

/** Finds out what the package guesses. Each text must be on the page, as inline code. */
export type Probe = (scene: Scene) => string | string[] | Promise<string | string[]>;

/** Title of a row → its probe. */
export type Probes = Record<string, Probe>;

export const TOKEN = '<TOKEN>';

export async function startScene(): Promise<Scene> {
  const gateway = await startGateway({ records: { qualifications: 250 } });
  const { baseUrl, apiKey, apiSecret } = gateway;
  const { loader } = await createHarness({});
  const defaults = loader
    .getCredential(CREDENTIAL)
    .type.properties.map(({ name, default: value }) => [name, value] as const);
  const credential = {
    ...(Object.fromEntries(defaults) as IDataObject),
    ...{ baseUrl, apiKey, apiSecret, authorizationToken: TOKEN },
  };
  return { gateway, credential, ...(await createHarness(credential)) };
}

// --- Descriptions ---

/** The fields of the node, of the trigger, and of the credential, without those in collections. */
export const topFields = ({ loader, getNodeType }: Harness): INodeProperties[] => [
  ...getNodeType(ACTION).description.properties,
  ...getNodeType(TRIGGER).description.properties,
  ...loader.getCredential(CREDENTIAL).type.properties,
];

/** A field, and the fields in its collection. */
export function flatten(field: INodeProperties): INodeProperties[] {
  if (field.type === 'collection')
    return [field, ...(field.options as INodeProperties[]).flatMap(flatten)];
  if (field.type !== 'fixedCollection') return [field];
  const parts = field.options as INodePropertyCollection[];
  return [field, ...parts.flatMap(({ values }) => values.flatMap(flatten))];
}

/** What the editor shows of a field: its name, and the names of what can be chosen in it. */
export function namesIn(field: INodeProperties): string[] {
  const entries =
    field.type === 'options' || field.type === 'multiOptions'
      ? (field.options as INodePropertyOptions[]).map(({ name }) => name)
      : (field.modes ?? []).map(({ displayName }: INodePropertyMode) => displayName);
  return [field.displayName, ...entries];
}

/** The default value of a field, as text. An entry of a list has its name. */
export function defaultOf(scene: Scene, displayName: string): string {
  const field = topFields(scene)
    .flatMap(flatten)
    .find((each) => each.displayName === displayName);
  if (!field) throw new TypeError(`No field ${displayName}`);
  const entries = (field.options ?? []) as INodePropertyOptions[];
  const entry = entries.find(({ value }) => value === field.default);
  return entry?.name ?? String(field.default);
}

export interface Selection extends INodeParameters {
  resource: string;
  operation: string;
}

/** Every operation of the node. */
export const operations = ({ getNodeType }: Harness): Selection[] =>
  getNodeType(ACTION)
    .description.properties.filter(({ name }) => name === 'operation')
    .flatMap(({ options = [], displayOptions }) =>
      (options as INodePropertyOptions[]).map(({ value }) => ({
        resource: String(displayOptions?.show?.resource?.[0]),
        operation: String(value),
      })),
    );

/** The fields of an operation, apart from Resource and Operation. */
export const fieldsOf = (
  { getNodeType }: Harness,
  { resource, operation }: Selection,
): INodeProperties[] =>
  getNodeType(ACTION).description.properties.filter(
    ({ displayOptions: { show } = {} }) =>
      show?.resource?.includes(resource) &&
      show.operation?.includes(operation) &&
      // Not those that only a tool of an agent has.
      !('@tool' in show),
  );

/** The IDs of records of the sandbox. */
const IDS: Record<string, number> = {
  templateId: 301,
  signatureId: 201,
  qualificationId: 101,
  leadId: 402,
};

function valueFor(field: INodeProperties): INodeParameters[string] {
  const { name, type } = field;
  if (type === 'resourceLocator') return byId(IDS[name]);
  if (type === 'number') return 7;
  if (isCode(field)) return '7';
  return name === 'phoneNumbers' ? '13800138000' : 'x';
}

/** Whether a field is for a number whose values are not documented. */
export const isCode = ({ placeholder }: INodeProperties): boolean => placeholder === 'e.g. 1';

/** A value for the required fields of an operation, or for all that it sends. */
export function filled(
  scene: Scene,
  selection: Selection,
  which: 'required' | 'all',
): INodeParameters {
  const fields = fieldsOf(scene, selection);
  const required = fields.filter((field) => field.required);
  const optional = fields.filter(({ name }) =>
    ['additionalFields', 'updateFields', 'filters'].includes(name),
  );
  const added = optional.map((collection) => {
    const all = collection.options as INodeProperties[];
    // An update without a change is no request.
    const some = which === 'all' ? all : all.slice(0, collection.name === 'updateFields' ? 1 : 0);
    return [collection.name, Object.fromEntries(some.map((each) => [each.name, valueFor(each)]))];
  });
  return {
    ...selection,
    ...(Object.fromEntries(required.map((each) => [each.name, valueFor(each)])) as INodeParameters),
    ...(Object.fromEntries(added) as INodeParameters),
  };
}

// --- Runs ---

/** Runs the action node. A failure is in the json of its item. */
export async function outputOf(
  { execute }: Scene,
  parameters: INodeParameters,
  items: IDataObject[] = [{}],
): Promise<IDataObject[]> {
  return (await execute(parameters, items, CONTINUE)).json;
}

/** The bodies of the requests so far, as they were sent. */
export const bodiesOf = ({ gateway }: Scene): IDataObject[] =>
  gateway.requests.map(({ rawBody }) => JSON.parse(rawBody) as IDataObject);

/** The body of the only request of a run, as text. */
export async function bodyOf(scene: Scene, parameters: INodeParameters): Promise<string> {
  const before = scene.gateway.requests.length;
  await outputOf(scene, parameters);
  return scene.gateway.requests[before]?.rawBody ?? 'no request';
}

export const keysOf = (json: unknown) => Object.keys(json as object).join(', ');

/** The value of a header of the latest request. */
export const header = ({ gateway }: Scene, name: string) =>
  String(gateway.requests.at(-1)?.headers[name]);

export const BALANCE = { resource: 'balance', operation: 'get' };

// --- What became of sends ---

/**
 * Sends one message for each case, each in its own request that has a fault, and groups the cases by
 * outcome. A request that was made again is `repeated`.
 */
export async function outcomesOf<T>(
  scene: Scene,
  cases: readonly T[],
  faultOf: (each: T) => Fault,
): Promise<Record<string, T[]>> {
  const items = people(cases.length);
  const numberIn = ({ body }: { body: unknown }) =>
    (body as { messages: { phone_number: string }[] }).messages[0]?.phone_number ?? '';
  const indexes = new Map(items.map(({ phone }, index) => [phone, index]));
  cases.forEach((each, index) => {
    scene.gateway.fault({
      ...faultOf(each),
      match: (request) => indexes.get(numberIn(request)) === index,
    });
  });
  const json: IDataObject[] = [];
  // Each in a run of its own: a run stops after a few unclear answers in a row.
  for (const item of items) json.push(...(await outputOf(scene, withOptions({}), [item])));
  const requests = new Map<string, number>();
  for (const request of scene.gateway.requests) {
    requests.set(numberIn(request), (requests.get(numberIn(request)) ?? 0) + 1);
  }
  const groups: Record<string, T[]> = {};
  cases.forEach((each, index) => {
    const isRepeated = (requests.get(items[index]?.phone ?? '') ?? 0) > 1;
    (groups[isRepeated ? 'repeated' : String(json[index]?.status)] ??= []).push(each);
  });
  return groups;
}

/** Whole numbers as text: `300, 302-306`. */
export function ranges(numbers: readonly number[] = []): string {
  const parts: [number, number][] = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

export const numbersFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
