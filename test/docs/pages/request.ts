import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { SmsMessagingService } from '../../../nodes/SmsMessagingService/SmsMessagingService.node';
import { fieldsIn } from './fields';

type Values = Record<string, unknown>;

/**
 * By the name of each parameter (`options.userData`) its place in the request (`messages[].params`). The
 * operation runs with a value of its own in each parameter, and the request shows where these values are.
 * Parameters that are not sent are left out.
 */
export async function placesOf(
  selection: { resource: string; operation: string },
  properties: INodeProperties[],
): Promise<Record<string, string>> {
  const marks = new Map<string, string>();
  const parameters = { ...selection, ...markedParameters(properties, marks) };
  const item = Object.fromEntries([...marks.values()].map((mark) => [mark, mark]));
  // Which of two fields is read may depend on a third one, so the values that show a field are tried too.
  const variants = [{}, ...properties.map(conditionsOf)];
  const bodies = await Promise.all(
    variants.map(async (variant) => await bodyOfFirstRequest({ ...parameters, ...variant }, item)),
  );
  const places = [...marks].flatMap(([name, mark]) => {
    const place = bodies.map((body) => placeOf(mark, body, '')).find(Boolean);
    return place ? [[name, place] as const] : [];
  });
  return Object.fromEntries(places);
}

/** Values for the fields, each different from all others, in a collection too. Notes them in `marks`. */
function markedParameters(
  properties: INodeProperties[],
  marks: Map<string, string>,
  parent = '',
): Values {
  const values: Values = {};
  for (const property of properties) {
    const { name, type, default: initial } = property;
    const mark = markOf(property, marks.size);
    if (type === 'collection') {
      values[name] = markedParameters(fieldsIn(property), marks, `${name}.`);
    } else if (mark !== undefined) {
      marks.set(`${parent}${name}`, mark);
      values[name] = valueOf(type, mark);
    } else if (type !== 'hidden' && parent === '') {
      // What a collection does not hold has its default in the code.
      values[name] = initial;
    }
  }
  return values;
}

/**
 * A value that any field of the type takes: text that is a phone number, an ID and a code as well, and a
 * number that is no default and that few maximums forbid.
 */
function markOf({ type, default: initial }: INodeProperties, index: number): string | undefined {
  if (type === 'number') return String(201 + index);
  const isText = type === 'string' && initial === '';
  const isObject = ['json', 'resourceLocator', 'resourceMapper'].includes(type);
  return isText || isObject ? String(13800000000 + index) : undefined;
}

function valueOf(type: string, mark: string): unknown {
  if (type === 'number') return Number(mark);
  if (type === 'json') return { [mark]: mark };
  if (type === 'resourceMapper') {
    return { mappingMode: 'defineBelow', value: { [mark]: mark }, schema: [{ id: mark }] };
  }
  return type === 'resourceLocator' ? { __rl: true, mode: 'id', value: mark } : mark;
}

/** Values of other fields with which the editor shows a field. */
function conditionsOf({ displayOptions }: INodeProperties): Values {
  const others = Object.entries(displayOptions?.show ?? {}).filter(
    ([name]) => !['resource', 'operation'].includes(name),
  );
  return Object.fromEntries(others.map(([name, values]) => [name, values?.[0]]));
}

/** Where a value is in a request. A name that is the value itself is the user's: its object is the place. */
function placeOf(mark: string, value: unknown, place: string): string | undefined {
  if (typeof value !== 'object' || value === null) {
    return String(value) === mark ? place.replace(/\[\]$/, '') : undefined;
  }
  if (mark in value) return place;
  const inner = Array.isArray(value)
    ? value.map((entry) => placeOf(mark, entry, `${place}[]`))
    : Object.entries(value).map(([name, each]) =>
        placeOf(mark, each, place ? `${place}.${name}` : name),
      );
  return inner.find(Boolean);
}

/** Runs the node until its first request, which gets no answer. */
async function bodyOfFirstRequest(parameters: Values, item: Values): Promise<unknown> {
  const bodies: string[] = [];
  const context = contextOf(parameters, item, (body) => bodies.push(body));
  const failure: unknown = await new SmsMessagingService().execute
    .call(context as unknown as IExecuteFunctions)
    .catch((error: unknown) => error);
  const [body] = bodies;
  if (body === undefined) throw new Error('The operation made no request', { cause: failure });
  return JSON.parse(body);
}

/** As much of n8n as the operations use before their first request. */
function contextOf(parameters: Values, item: Values, onRequest: (body: string) => void) {
  return {
    getNode: () => ({ name: 'SMS', type: 'sms', typeVersion: 1, position: [0, 0], parameters }),
    getNodeParameter: (name: string, _itemIndex: number, fallback?: unknown) =>
      name
        .split('.')
        .reduce<unknown>((value, key) => (value as Values | undefined)?.[key], parameters) ??
      fallback,
    getInputData: () => [{ json: item }],
    getCredentials: async () =>
      await Promise.resolve({
        baseUrl: 'https://sms.example.com',
        apiKey: 'key',
        apiSecret: 'secret',
      }),
    getContext: () => ({}),
    getWorkflow: () => ({ id: '1' }),
    getExecutionId: () => '1',
    getWorkflowDataProxy: () => ({ $runIndex: 0 }),
    getExecutionCancelSignal: () => undefined,
    continueOnFail: () => false,
    helpers: {
      httpRequestWithAuthentication: async (_credential: string, { body }: { body: string }) => {
        onRequest(body);
        return await Promise.reject(new Error('There is no service here'));
      },
      // The deduplication store, for the idempotency key.
      checkProcessedAndRecord: async (items: unknown[]) =>
        await Promise.resolve({ new: items, processed: [] }),
      removeProcessed: async () => await Promise.resolve(),
      getProcessedDataCount: async () => await Promise.resolve(0),
    },
  };
}
