import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';
import type { Operation } from '../../../nodes/SmsMessagingService/operations/operation';
import { RESOURCES } from '../../../nodes/SmsMessagingService/resources/index';
import { contractOperations } from '../../sandbox/contract';
import type { Gateway } from '../../sandbox/gateway';
import { ACTION, CREDENTIAL } from '../harness';
import type { Harness } from '../harness';
import { OPERATIONS } from '../harness/descriptions';
import { useGateway } from '../harness/gateway';
import type { World } from '../harness/gateway';
import { byId } from '../harness/locators';
import { expectOutputSchema } from '../harness/outputSchema';
import { CONTINUE, descriptionOf } from '../harness/sends';

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
  /** With every field that the operation knows. */
  full: Request;
  /** With the required fields only. */
  minimal?: Request;
  /** What comes out for an item. */
  records: (item: Item, gateway: Gateway) => unknown[];
  /** The output of other situations, which has further fields. */
  more?: (world: World, parameters: INodeParameters) => Promise<IDataObject[]>;
}

/** The fields that an update changes, and what is sent of them. It returns the record as it is then. */
interface Update extends Pick<Case, 'full'>, Partial<Pick<Case, 'records'>> {
  minimal: Request;
}

export interface ResourceCases {
  resource: string;
  /** Id of the resource's first record in the sandbox. The items are about the three after it. */
  firstId?: number;
  /** By operation. */
  cases: Record<string, Case>;
}

/** The page that a list is asked for first when all records are wanted. */
export const FIRST_PAGE = { page: 1, page_size: 100 };

/** The body of a request with parameters under their names there, and what is not sent as it was set. */
export const bodyOf = (parameters: INodeParameters, converted: IDataObject): IDataObject => ({
  ...Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`),
      value,
    ]),
  ),
  ...converted,
});

/** What Simplify leaves of a record. */
export const pick = (record: object | undefined, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, (record as IDataObject)[name]]));

/** Get, Update and Delete of the record with the item's ID. The service may have another name for that of Get. */
export function ofOneRecord(
  resource: string,
  recordsOf: (gateway: Gateway) => Map<number, object>,
  update: Update,
  idOfGet = 'id',
): Record<'get' | 'update' | 'delete', Case> {
  const parameters = { [`${resource}Id`]: byId('={{ $json.id }}') };
  const change = ({ parameters: updateFields, body }: Request): Request => ({
    parameters: { ...parameters, updateFields },
    body: (item) => ({ id: item.id, ...body(item) }),
  });
  const full = change(update.full);
  return {
    get: {
      full: {
        // Guess: one-record
        parameters: { ...parameters, simplify: false },
        body: ({ id }) => ({ [idOfGet]: id, page: 1, page_size: 20 }),
      },
      // Guess: created-at
      records: ({ id }, gateway) => [recordsOf(gateway).get(id)],
    },
    update: {
      records: (item, gateway) => [{ ...recordsOf(gateway).get(item.id), ...full.body(item) }],
      ...update,
      full,
      minimal: change(update.minimal),
    },
    delete: {
      full: { parameters, body: ({ id }) => ({ id }) },
      records: ({ id }) => [{ deleted: true, id }],
    },
  };
}

const REFUSAL = { kind: 'businessCode', code: 77, msg: 'not today' } as const;

const ELSEWHERE = '/v2/other.path';

/**
 * Registers the tests of a resource: its table is complete, and each operation in it does what the
 * table says.
 *
 * @returns the gateway and n8n, for further tests of the resource
 */
export function checkOperations({ resource, firstId = 0, cases }: ResourceCases): World {
  const harness = useGateway({
    records: { qualifications: 5, signatures: 5, templates: 5, leads: 5 },
  });
  const { gateway, execute } = harness;

  beforeEach(() => {
    gateway.queueReports(3);
    gateway.queueReplies(3);
  });

  const threeItems = [1, 2, 3].map((offset): Item => ({
    id: firstId + offset,
    name: `name ${offset}`,
    phone: `1380013800${offset}`,
  }));
  const [first] = threeItems as [Item];

  const requestsSent = () =>
    gateway.requests.map(({ method, path: sentTo, body }) => ({ method, path: sentTo, body }));

  const contract = contractOperations().filter(({ operationId }) =>
    operationId.startsWith(`${resource}.`),
  );
  /** One query of the contract gives a record, and a list. */
  const inContract = (operation: string) => {
    const named = (name: string) =>
      contract.find(({ operationId }) => operationId === `${resource}.${name}`);
    const described = named(operation) ?? named('query');
    if (!described) throw new Error(`${resource}.${operation} is not in test/sandbox/openapi.yaml`);
    return described;
  };

  test('the table has every operation of the node and of the contract', () => {
    const described = OPERATIONS.filter((each) => each.resource === resource);
    expect(Object.keys(cases).sort()).toEqual(described.map(({ operation }) => operation).sort());
    expect(new Set(Object.keys(cases).map(inContract))).toEqual(new Set(contract));
  });

  // Guess: named-fields
  test.each(contract)('the table sets every request field of $operationId', (described) => {
    const set = Object.entries(cases)
      .filter(([operation]) => inContract(operation) === described)
      .flatMap(([, { full }]) => Object.keys(full.body({} as Item)));
    // In a template send, phone_data is a field of each message.
    const fields = Object.keys(described.request.properties ?? {});
    expect([...set, 'phone_data'].sort()).toEqual(expect.arrayContaining(fields));
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
    const { path, inferred, heading } = inContract(operation);
    // Sends and pulls work across items. Their own tests cover what differs.
    const items = /^(send|pull)/.test(operation) ? [first] : threeItems;

    // Guess: named-paths, request-types
    test('sends every field in its type, and returns each answer as records of its item', async () => {
      expect(operationOf(resource, operation).endpoint).toMatchObject({ heading, path });
      const expected = items.map((item) => records(item, gateway));
      const { json, output, error } = await execute(parameters, items);
      expect(error).toBeUndefined();
      expect(requestsSent()).toEqual(
        items.map((item) => ({ method: 'POST', path, body: full.body(item) })),
      );
      expect(json).toEqual(expected.flat());
      expect(output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
        expected.flatMap((found, item) => found.map(() => ({ item }))),
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

    test.each([
      ['continueRegularOutput', 0],
      ['continueErrorOutput', 1],
    ] as const)('goes on after an item that was refused: %s', async (onError, branch) => {
      gateway.fault({ ...REFUSAL, nth: items.length === 1 ? 1 : 2 });
      const { run, output, error } = await execute(parameters, items, { node: { onError } });
      expect(error).toBeUndefined();
      const itemsWith = (isFailed: boolean) =>
        (output ?? [])
          .flatMap((found) => found ?? [])
          .filter(({ json }) => 'error' in json === isFailed)
          .map(({ pairedItem }) => (pairedItem as { item: number }).item);
      const failed = items.length === 1 ? 0 : 1;
      expect(itemsWith(true)).toEqual([failed]);
      expect([...new Set(itemsWith(false))]).toEqual(items.length === 1 ? [] : [0, 2]);
      const shown = output?.[branch]?.filter(({ json }) => 'error' in json) ?? [];
      expect(shown.map(({ json }) => json.error)).toEqual([
        expect.stringContaining('not today (code 77)'),
      ]);
      expectNoSecrets(run, gateway);
    });

    const nothing =
      NOTHING[resource] ?? ('change' in operationOf(resource, operation) ? NOTHING.change : '');

    // Guess: unknown-path
    test.each([
      [REFUSAL, /not today/, new RegExp(`^${nothing}`)],
      [
        { kind: 'status', status: 404, body: '<html>not found</html>' },
        /does not know this address/,
        inferred
          ? /path of this operation is inferred.*'Endpoint Path' under Options.*Base URL/
          : /Base URL.*'Endpoint Path' under Options/,
      ],
      [{ kind: 'html' }, /web page instead of JSON|may have been sent|unknown/, /\S/],
    ] as const)(
      'answered with %j: the error says what to do, and names only fields that there are',
      async (fault, text, advice) => {
        gateway.fault({ ...fault, times: Infinity });
        const { run, error } = await execute(parameters, [first]);
        const description = descriptionOf(error);
        expect(error?.message).toMatch(text);
        expect(description).toMatch(advice);
        const named = [...description.matchAll(/(?<= )'([^']+)'/g)].map(([, name]) => name);
        expect(fieldNames(harness, resource, operation)).toEqual(expect.arrayContaining(named));
        expect(gateway.requests).toHaveLength(1);
        expectNoSecrets(run, gateway);
      },
    );

    /** The options of the table, and others. */
    const withOptions = (options: IDataObject): INodeParameters => ({
      ...parameters,
      options: { ...(full.parameters.options as INodeParameters), ...options } as INodeParameters,
    });

    test('uses Endpoint Path and Extra Fields', async () => {
      const extraFieldsJson = '{ "extra": [1, true] }';
      const options = { endpointPath: ELSEWHERE, extraFieldsJson };
      await execute(withOptions(options), [first], CONTINUE);
      expect(
        gateway.requests.map(({ path: sentTo, rawBody }) => [sentTo, JSON.parse(rawBody)]),
      ).toEqual([[ELSEWHERE, { ...full.body(first), extra: [1, true] }]]);
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
