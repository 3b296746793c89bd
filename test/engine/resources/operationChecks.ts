import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';
import type { Operation } from '../../../nodes/SmsMessagingService/operations/operation';
import { RESOURCES } from '../../../nodes/SmsMessagingService/resources/index';
import { contractOperations } from '../../sandbox/contract';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway, GatewayOptions } from '../../sandbox/gateway';
import { ACTION, CREDENTIAL, createHarness } from '../harness';
import type { Harness } from '../harness';
import { action, operationsOf } from '../harness/descriptions';
import { useGateway } from '../harness/gateway';
import type { World } from '../harness/gateway';
import { byId } from '../harness/locators';
import { expectOutputSchema } from '../harness/outputSchema';
import { descriptionOf } from '../harness/sends';

/** What holds for every operation of every resource. Each resource has a table of its operations. */

/** What an input item holds. The parameters of the tables read it by expressions. */
export interface Item extends IDataObject {
  id: number;
  name: string;
  phone: string;
}

interface Request {
  parameters: INodeParameters;
  body: (item: Item) => IDataObject;
}

interface Case {
  /** In openapi.yaml, which has its path and says whether it is inferred. */
  operationId: string;
  /** With every field that the operation knows. */
  full: Request;
  /** With the required fields only. */
  minimal?: Request;
  /** What comes out for an item. */
  records: (item: Item, gateway: Gateway) => unknown[];
  /** The output of other situations, which has further fields. */
  more?: (world: World, parameters: INodeParameters) => Promise<IDataObject[]>;
  /** Sends and pulls work across items. Their own tests cover what differs. */
  isBatch?: true;
  /** The specification shows no answer or an empty one, so no answer has a wrong shape. */
  takesAnyObject?: true;
}

export interface ResourceCases {
  resource: string;
  /** Id of the resource's first record in the sandbox. The items are about the three after it. */
  firstId?: number;
  /** By operation. */
  cases: Record<string, Case>;
}

export const THE_ITEMS_ID = byId('={{ $json.id }}');

/** The page that a list is asked for first when all records are wanted. */
export const FIRST_PAGE = { page: 1, page_size: 100 };

/** The page that a list is asked for first when one record is wanted. */
export const SMALL_PAGE = { page: 1, page_size: 20 };

const INTERFACE = readFileSync(join(__dirname, '../../../docs/build/interface.md'), 'utf8');

const RECORDS = { qualifications: 5, signatures: 5, templates: 5, leads: 5 };

/**
 * Registers the tests of a resource: its table is complete, and each operation in it does what the
 * table says.
 *
 * @returns the gateway and n8n, for further tests of the resource
 */
export function checkOperations({ resource, firstId = 0, cases }: ResourceCases): World {
  const harness = useGateway({ records: RECORDS });
  const { gateway, execute } = harness;

  beforeEach(() => {
    gateway.queueReports(3);
    gateway.queueReplies(3);
  });

  const items = [1, 2, 3].map((offset): Item => ({
    id: firstId + offset,
    name: `name ${offset}`,
    phone: `1380013800${offset}`,
  }));
  const [first] = items as [Item];

  const requestsSent = () =>
    gateway.requests.map(({ method, path: sentTo, body }) => ({ method, path: sentTo, body }));

  const contract = contractOperations().filter(({ operationId }) =>
    operationId.startsWith(`${resource}.`),
  );

  describe('the table', () => {
    test('has every operation that the node describes', () => {
      const described = operationsOf(action).filter((each) => each.resource === resource);
      expect(Object.keys(cases).sort()).toEqual(described.map(({ operation }) => operation).sort());
    });

    test('has every operation of the contract', () => {
      const tested = Object.values(cases).map(({ operationId }) => operationId);
      const wanted = contract.map(({ operationId }) => operationId);
      expect([...new Set(tested)].sort()).toEqual(wanted.sort());
    });

    // Guess: named-fields
    test.each(contract)('sets every request field of $operationId', ({ operationId, request }) => {
      const same = Object.values(cases).filter((entry) => entry.operationId === operationId);
      const set = same.flatMap(({ full }) => Object.keys(full.body({} as Item)));
      // In a template send, phone_data is a field of each message.
      const fields = Object.keys(request.properties ?? {});
      expect([...set, 'phone_data'].sort()).toEqual(expect.arrayContaining(fields));
    });
  });

  if (cases.get && firstId > 0) {
    test(`an ID without a ${resource} is an error that names it`, async () => {
      const { error } = await execute({ resource, operation: 'get', [`${resource}Id`]: byId(999) });
      expect(error?.message).toMatch(/^There is no [a-z ]+ with the ID 999$/);
    });
  }

  describe.each(Object.entries(cases))(`${resource}.%s`, (operation, entry) => {
    const { full, minimal, records } = entry;
    const parameters = { resource, operation, ...full.parameters };
    const described = contract.find(({ operationId }) => operationId === entry.operationId);
    if (!described) throw new Error(`${entry.operationId} is not in test/sandbox/openapi.yaml`);
    const { path, inferred } = described;

    // Guess: named-paths
    test('is in docs/build/interface.md under its heading, with its path, shown or inferred', () => {
      const { endpoint } = operationOf(resource, operation);
      expect(INTERFACE).toContain(
        endpoint.source === 'inferred'
          ? `\n| ${endpoint.heading} | \`${endpoint.path}\` |`
          : `\n### ${endpoint.heading}\n\n\`POST ${endpoint.path}\``,
      );
    });

    // Guess: request-types
    test('sends every field in its type, and returns the answer as records', async () => {
      const expected = records(first, gateway);
      const { json, output, error } = await execute(parameters, [first]);
      expect(error).toBeUndefined();
      expect(requestsSent()).toEqual([{ method: 'POST', path, body: full.body(first) }]);
      expect(gateway.requests[0]?.headers).toMatchObject({
        'content-type': 'application/json',
        'x-api-key': gateway.apiKey,
        'x-timestamp': expect.stringMatching(/^\d{10}$/),
        'x-nonce': expect.stringMatching(/\S/),
        'x-sign': expect.stringMatching(/^[\da-f]{64}$/),
      });
      expect(json).toEqual(expected);
      expect(output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
        expected.map(() => ({ item: 0 })),
      );
    });

    if (minimal) {
      // Guess: required, not-set
      test('sends no field that was not set', async () => {
        const { error } = await execute({ resource, operation, ...minimal.parameters }, [first]);
        expect(error).toBeUndefined();
        expect(requestsSent()).toEqual([{ method: 'POST', path, body: minimal.body(first) }]);
      });
    }

    test('returns what its output schema says', async () => {
      // 'Simplify' is on by default.
      const { json } = await execute({ ...parameters, simplify: true }, [first]);
      const more = (await entry.more?.(harness, parameters)) ?? [];
      expectOutputSchema(`${resource}.${operation}`, [...json, ...more]);
    });

    test('pairs each output item with its input item', async () => {
      const expected = items.map((item) => records(item, gateway));
      const { output, json } = await execute(parameters, items);
      expect(json).toEqual(expected.flat());
      expect(output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
        expected.flatMap((found, item) => found.map(() => ({ item }))),
      );
      if (!entry.isBatch) {
        expect(requestsSent().map(({ body }) => body)).toEqual(items.map(full.body));
      }
    });

    if (!entry.isBatch) {
      test('continues after an item that failed, on both outputs', async () => {
        const expected = items.map((item) => records(item, gateway));
        const refusal = { kind: 'businessCode', code: 77, msg: 'not today', nth: 2 } as const;
        gateway.fault(refusal);
        const regular = await execute(parameters, items, {
          node: { onError: 'continueRegularOutput' },
        });
        expect(regular.output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual([
          ...(expected[0] ?? []).map(() => ({ item: 0 })),
          { item: 1 },
          ...(expected[2] ?? []).map(() => ({ item: 2 })),
        ]);
        expect(regular.json.filter(({ error }) => error)).toEqual([
          {
            error: expect.stringContaining('not today (code 77)'),
            message: expect.stringContaining('not today'),
            details: expect.objectContaining({ code: 77, msg: 'not today' }),
          },
        ]);

        gateway.reset();
        gateway.fault(refusal);
        const split = await execute(parameters, items, {
          node: { onError: 'continueErrorOutput' },
        });
        expect(split.json).toHaveLength((expected[0] ?? []).length + (expected[2] ?? []).length);
        expect(split.output?.[1]).toMatchObject([
          { json: { error: expect.stringContaining('not today') }, pairedItem: { item: 1 } },
        ]);
      });
    }

    describe.each([
      ['a business code', { kind: 'businessCode', code: 77, msg: 'not today' }, /not today/],
      ['HTTP 404', { kind: 'status', status: 404 }, /does not know this address/],
      ['a web page', { kind: 'html' }, /web page instead of JSON|may have been sent|unknown/],
    ] as const)('answered with %s', (_, fault, text) => {
      test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
        'reports it, without a secret: %s',
        async (onError) => {
          gateway.fault({ ...fault, times: Infinity });
          const { run, error, output } = await execute(parameters, [first], { node: { onError } });
          const failed = (output ?? []).flatMap((branch) => branch ?? []);
          if (onError === 'stopWorkflow') {
            expect(error?.message).toMatch(text);
            expect((error as { description?: string }).description).toMatch(/\S/);
          } else {
            expect(error).toBeUndefined();
            expect(failed).toHaveLength(1);
            expect(failed[0]?.json.error).toMatch(text);
            expect(failed[0]?.pairedItem).toEqual({ item: 0 });
            const branch = onError === 'continueErrorOutput' ? 1 : 0;
            expect(output?.[branch]).toHaveLength(1);
          }
          expect(gateway.requests).toHaveLength(1);
          expectNoSecrets(run, gateway);
        },
      );
    });

    test('refused: the advice says what did not happen, and names only fields that it has', async () => {
      gateway.fault({ kind: 'businessCode', code: 77, msg: 'no', times: Infinity });
      const { error } = await execute(parameters, [first]);
      const advice = descriptionOf(error);
      const nothing =
        NOTHING[resource] ?? ('change' in operationOf(resource, operation) ? NOTHING.change : '');
      const begins = Object.values(NOTHING).find((text) => advice.startsWith(text)) ?? '';
      expect(begins).toBe(nothing);
      const named = [...advice.matchAll(/(?<= )'([^']+)'/g)].map(([, name]) => name);
      expect(fieldNames(harness, resource, operation)).toEqual(expect.arrayContaining(named));
    });

    if (!entry.isBatch && !entry.takesAnyObject) {
      test('answered with JSON of another shape: the error shows its keys, not its data', async () => {
        const body = { request_id: 'the-data', result: 'the-data' };
        gateway.fault({ kind: 'wrongShape', body });
        const { error, run } = await execute(parameters, [first]);
        expect(error?.message).toMatch(/expected shape: it is an object with request_id, result/);
        expect(JSON.stringify(run)).not.toContain('the-data');
      });
    }

    /** The options of the table, and others. */
    const withOptions = (options: IDataObject): INodeParameters => ({
      ...parameters,
      options: { ...(full.parameters.options as INodeParameters), ...options } as INodeParameters,
    });

    /** The only request of a run with an SMS provider that has the operation under another path. */
    async function requestElsewhere(extra: IDataObject, options: GatewayOptions) {
      const provider = await startGateway({
        records: RECORDS,
        prefix: '/sms/v1',
        inferredRoutes: false,
        pathAliases: { '/v2/other.path': path },
        ...options,
      });
      provider.queueReports(3);
      provider.queueReplies(3);
      const own = await createHarness(provider.credential());
      const run = await own.execute(
        withOptions({
          endpointPath: '/v2/other.path',
          extraFieldsJson: JSON.stringify(extra),
        }),
        [first],
      );
      await provider.close();
      return { ...run, requests: provider.requests, violations: provider.violations };
    }

    test('uses Endpoint Path and Extra Fields', async () => {
      const { error, requests, violations } = await requestElsewhere(
        { extra: [1, true] },
        { unknownFieldsAllowed: true },
      );
      expect(requests.map(({ path: sentTo, body }) => ({ path: sentTo, body }))).toEqual([
        { path: '/v2/other.path', body: { ...full.body(first), extra: [1, true] } },
      ]);
      expect(violations).toEqual([]);
      expect(error).toBeUndefined();
    });

    test('null in Extra Fields leaves a field out', async () => {
      const { messages, phone_numbers, ...body } = full.body(first);
      const [name, ...others] = Object.keys(body);
      const { requests } = await requestElsewhere(
        { [name ?? 'none']: null },
        { validate: false, unknownFieldsAllowed: true },
      );
      const kept = others.map((other) => [other, body[other]]);
      const recipients = Object.entries({ messages, phone_numbers }).filter(([, value]) => value);
      expect(requests[0]).toMatchObject({ path: '/v2/other.path' });
      expect(requests[0]?.body).toEqual(Object.fromEntries([...kept, ...recipients]));
    });

    // Guess: unknown-path
    test('HTTP 404 names the field that sets the path', async () => {
      gateway.fault({ kind: 'status', status: 404, body: '<html>not found</html>' });
      const { error } = await execute(parameters, [first]);
      expect(descriptionOf(error)).toMatch(
        inferred
          ? /path of this operation is inferred.*'Endpoint Path' under Options.*Base URL/
          : /Base URL.*'Endpoint Path' under Options/,
      );
    });

    test.each([
      '={{ "" }}',
      'openapi/x',
      'https://evil.example/x',
      '//evil.example/x',
      '/a/../b',
      '/a/%2e%2e/b',
      '/a?b=c',
      '/a#b',
      '/a b',
      '/a\\b',
      '={{ 5 }}',
    ])('Endpoint Path %j is an error before any request', async (endpointPath) => {
      const { error } = await execute(withOptions({ endpointPath }), [first]);
      expect(error?.message).toMatch(/'Endpoint Path'/);
      expect(gateway.requests).toHaveLength(0);
    });

    test('Extra Fields that are no JSON object are an error before any request', async () => {
      const { error } = await execute(withOptions({ extraFieldsJson: '[1]' }), [first]);
      expect(error?.message).toMatch(/'Extra Fields \(JSON\)' must be a JSON object/);
      expect(gateway.requests).toHaveLength(0);
    });
  });
  return harness;
}

/** How the advice begins when a request had no effect. An operation that only reads says nothing. */
const NOTHING: Record<string, string> = {
  message: 'Nothing was sent.',
  deliveryReport: 'This request pulled nothing.',
  reply: 'This request pulled nothing.',
  change: 'Nothing was changed.',
};

/** An operation of the node. */
function operationOf(resource: string, operation: string): Operation {
  return RESOURCES.filter(({ option }) => option.value === resource)
    .flatMap(({ operations }) => operations)
    .find(({ option }) => option.value === operation) as Operation;
}

/** The names of an operation's fields and of the credential's, as the editor shows them. */
function fieldNames(
  { getNodeType, loader }: Harness,
  resource: string,
  operation: string,
): string[] {
  const isOwn = ({ displayOptions: { show } = {} }: INodeProperties) =>
    show?.resource?.includes(resource) && show.operation?.includes(operation);
  const own = getNodeType(ACTION).description.properties.filter(isOwn);
  const inCollections = own.flatMap(({ options = [] }) => options as INodeProperties[]);
  const { properties } = loader.getCredential(CREDENTIAL).type;
  return [...own, ...inCollections, ...properties].map(({ displayName }) => displayName);
}

function expectNoSecrets(stored: unknown, { apiKey, apiSecret, requests }: Gateway): void {
  const text = JSON.stringify(stored);
  expect(text).not.toContain(apiKey);
  expect(text).not.toContain(apiSecret);
  for (const { headers } of requests) expect(text).not.toContain(headers['x-sign']);
}
