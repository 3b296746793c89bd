// Finds out what an operation sends, and where: runs it in the built node with a value of its own in each
// parameter, and looks where these values are in the request. So the page says what the code does.
import { SmsMessagingService } from './package.mjs';

const BASE_URL = 'https://sms.example.com';

const node = new SmsMessagingService();

/**
 * The path of an operation, and by the name of each parameter (`options.userData`) its place in the
 * request (`messages[].params`). Parameters that are not sent are left out.
 *
 * @param {{ resource: string, operation: string }} selection
 * @param {import('n8n-workflow').INodeProperties[]} properties the fields of the operation
 * @returns {Promise<{ path: string, places: Record<string, string> }>}
 */
export async function requestOf(selection, properties) {
  const marks = new Map();
  const parameters = { ...selection, ...markedParameters(properties, marks) };
  // Which of two fields is read may depend on a third one, so the values that show a field are tried too.
  const variants = [{}, ...properties.map(conditionsOf)];
  const requests = await Promise.all(
    variants.map(async (variant) => await firstRequest({ ...parameters, ...variant })),
  );
  const places = [...marks].flatMap(([name, mark]) => {
    const place = requests.map(({ body }) => placeOf(mark, body)).find(Boolean);
    return place ? [[name, place]] : [];
  });
  return { path: requests[0].path, places: Object.fromEntries(places) };
}

/** Values for the fields, each different from all others, in a collection too. Notes them in `marks`. */
function markedParameters(properties, marks, parent = '') {
  const entries = properties.flatMap((property) => {
    const { name, type, default: initial } = property;
    if (type === 'hidden') return [];
    if (type === 'collection') {
      return [[name, markedParameters(property.options, marks, `${name}.`)]];
    }
    const mark = markOf(property, marks.size);
    // What a collection does not hold has its default in the code.
    if (mark === undefined) return parent === '' ? [[name, initial]] : [];
    marks.set(`${parent}${name}`, mark);
    return [[name, valueOf(type, mark)]];
  });
  return Object.fromEntries(entries);
}

/** A value that any field of the type takes: text that is a phone number, an ID and a code as well. */
function markOf({ type, default: initial }, index) {
  if (type === 'number') return String(1001 + index);
  const isText = type === 'string' && initial === '';
  const isObject = ['json', 'resourceLocator', 'resourceMapper'].includes(type);
  return isText || isObject ? String(13800000000 + index) : undefined;
}

function valueOf(type, mark) {
  if (type === 'number') return Number(mark);
  if (type === 'json') return { [mark]: mark };
  if (type === 'resourceMapper') return { mappingMode: 'defineBelow', value: { [mark]: mark } };
  return type === 'resourceLocator' ? { __rl: true, mode: 'id', value: mark } : mark;
}

/** Values of other fields with which the editor shows a field. */
function conditionsOf({ displayOptions: { show = {} } = {} }) {
  const names = Object.keys(show).filter((name) => !['resource', 'operation'].includes(name));
  return Object.fromEntries(names.map((name) => [name, show[name][0]]));
}

/** Where a value is in a request. A name that is the value itself is the user's: its object is the place. */
function placeOf(mark, value, place = '') {
  if (typeof value !== 'object' || value === null) {
    return String(value) === mark ? place.replace(/\[\]$/, '') : undefined;
  }
  if (Array.isArray(value)) {
    return value.map((entry) => placeOf(mark, entry, `${place}[]`)).find(Boolean);
  }
  if (mark in value) return place;
  return Object.entries(value)
    .map(([name, inner]) => placeOf(mark, inner, place ? `${place}.${name}` : name))
    .find(Boolean);
}

/** Runs the node until its first request, which gets no answer. */
async function firstRequest(parameters) {
  const requests = [];
  const context = contextOf(parameters, (request) => requests.push(request));
  const failure = await node.execute.call(context).catch((error) => error);
  const [request] = requests;
  const { resource, operation } = parameters;
  if (!request) throw new Error(`${resource}.${operation} made no request: ${failure.message}`);
  return { path: request.url.slice(BASE_URL.length), body: JSON.parse(request.body) };
}

/** As much of n8n as the operations use before their first request. */
function contextOf(parameters, onRequest) {
  return {
    getNode: () => ({ name: 'SMS', type: 'sms', typeVersion: 1, position: [0, 0], parameters }),
    getNodeParameter: (name, _itemIndex, fallback) =>
      name.split('.').reduce((value, key) => value?.[key], parameters) ?? fallback,
    getInputData: () => [{ json: {} }],
    getCredentials: async () => ({ baseUrl: BASE_URL, apiKey: 'key', apiSecret: 'secret' }),
    getContext: () => ({}),
    getWorkflow: () => ({ id: '1' }),
    getExecutionId: () => '1',
    getWorkflowDataProxy: () => ({ $runIndex: 0 }),
    getExecutionCancelSignal: () => undefined,
    continueOnFail: () => false,
    helpers: {
      httpRequestWithAuthentication: async (_credential, request) => {
        onRequest(request);
        throw new Error('There is no service here');
      },
      // The deduplication store, for the idempotency key.
      checkProcessedAndRecord: async (items) => ({ new: items, processed: [] }),
      removeProcessed: async () => undefined,
      getProcessedDataCount: async () => 0,
    },
  };
}
