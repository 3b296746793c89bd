import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { balanceIn, getBalance } from '../../../nodes/SmsMessagingService/resources/balance';
import { RESOURCES } from '../../../nodes/SmsMessagingService/resources/index';
import { EVENTS } from '../../../nodes/SmsMessagingService/receiving/events';
import { contractOperations, contractSchemas, resolve } from '../../sandbox/contract';
import type { Schema } from '../../sandbox/contract';
import type { Gateway } from '../../sandbox/gateway';
import { credential, fieldsOf, flatten, OPERATIONS } from '../../kit/engine/descriptions';
import { useGateway } from '../../kit/engine/gateway';
import { byId, FIRST_ID } from '../../kit/engine/locators';
import { expectOutputSchema } from '../../kit/engine/outputSchema';
import { CONTINUE, descriptionOf } from '../../kit/engine/sends';
import { inContract, type Cases, type Item } from './cases';
import { lead } from './lead';
import { message } from './message';
import { qualification } from './qualification';
import { signature } from './signature';
import { template } from './template';

/** What holds for every operation of every resource. Each resource has a table of its operations. */

const PULL = { parameters: { count: 1 }, body: () => ({ count: 1 }) };

const TABLES: Record<string, Cases> = {
  balance: {
    get: {
      full: { parameters: {}, body: () => ({}) },
      // Guess: balance-unit
      records: (_, { state }) => [{ code: 0, msg: expect.any(String), balance: state.balance }],
    },
  },
  deliveryReport: {
    pull: {
      full: PULL,
      records: () => [
        expect.objectContaining({
          event: 'deliveryReport',
          status: expect.any(String),
          time_iso: expect.stringMatching(/Z$/),
        }),
      ],
    },
  },
  reply: {
    pull: {
      full: PULL,
      records: () => [expect.objectContaining({ event: 'reply', mobile: expect.any(String) })],
    },
  },
  ...{ lead, message, qualification, signature, template },
};

const CONTRACT = contractOperations();

const CASES = Object.entries(TABLES).flatMap(([resource, cases]) =>
  Object.entries(cases).map(([operation, entry]) => ({
    ...{ resource, operation },
    ...entry,
  })),
);

const world = useGateway({ records: { qualifications: 5, signatures: 5, templates: 5, leads: 5 } });
const { gateway, execute } = world;

beforeEach(() => {
  gateway.queueReports(3);
  gateway.queueReplies(3);
});

test('the tables have every operation of the node and of the contract', () => {
  const namesIn = (operations: { resource: string; operation: string }[]) =>
    operations.map(({ resource, operation }) => `${resource}.${operation}`).sort();
  expect(namesIn(CASES)).toEqual(namesIn(OPERATIONS));
  expect(new Set(CASES.map(inContract))).toEqual(new Set(CONTRACT));
});

// Guess: named-fields
test.each(CONTRACT)('the table sets every request field of $operationId', (described) => {
  const set = CASES.filter((each) => inContract(each) === described).flatMap(({ full }) =>
    Object.keys(full.body({} as Item)),
  );
  // In a template send, phone_data is a field of each message.
  const fields = Object.keys(described.request.properties ?? {});
  expect([...set, 'phone_data'].sort()).toEqual(expect.arrayContaining(fields));
});

test.each(Object.keys(FIRST_ID))(
  'an ID without a %s is an error that names it',
  async (resource) => {
    const { error } = await execute({ resource, operation: 'get', [`${resource}Id`]: byId(999) });
    expect(error?.message).toMatch(/^The service gave no [a-z ]+ with the ID 999$/);
  },
);

test.each(['deliveryReport', 'reply'] as const)(
  'a sample of a %s has the fields of the contract in their types',
  (event) => {
    const schema = contractSchemas()[event.replace(/^./, (letter) => letter.toUpperCase())];
    const typeOf = ({ type, $ref = '' }: Schema) => type ?? (resolve($ref) as Schema).type;
    const inContractType = Object.entries(schema?.properties ?? {}).map(([name, field]) => [
      name,
      typeOf(field) === 'integer' ? 'number' : typeOf(field),
    ]);
    const inSample = Object.entries(EVENTS[event].fields).map(([name, value]) => [
      name,
      typeof value,
    ]);
    expect(Object.fromEntries(inSample)).toEqual(Object.fromEntries(inContractType));
  },
);

test('the balance is found under data, too', () => {
  const answer = { code: 0, msg: 'ok', data: { balance: '12' } };
  expect(balanceIn(answer)).toBe(12);
  expect(getBalance.records(answer)).toMatchObject([{ balance: '12' }]);
});

describe('a reported link', () => {
  const create = { resource: 'lead', operation: 'create', signatureId: byId(201) };

  test.each([
    {},
    { additionalFields: { phone2: '', domain: 'example.com' } },
    { url: ' ', additionalFields: { phone2: '\u200b' } },
  ])('without a link and without a number is an error before any request: %j', async (more) => {
    const { error } = await execute({ ...create, ...more });
    expect(error?.message).toBe("A reported link needs 'URL', 'Phone 1' or 'Phone 2'");
    expect(gateway.requests).toHaveLength(0);
  });

  test.each([
    { url: 'https://example.com' },
    { phone1: '4008000001' },
    { additionalFields: { phone2: '4008000001' } },
    { options: { extraFieldsJson: '{ "phone_2": "4008000001" }' } },
  ])('with one of them is created: %j', async (more) => {
    expect((await execute({ ...create, ...more })).error).toBeUndefined();
    expect(gateway.requests).toHaveLength(1);
  });
});

// Nobody asks to have identity numbers and links to papers in the log of executions.
test.each(['node', 'tool'] as const)(
  'what is created and updated by a %s gives out no more than Get with Simplify',
  async (kind) => {
    const papers = { legalPersonCertificate: '310000190001010002', certificateFile: 'https://x' };
    const of = { resource: 'qualification', qualificationId: byId(101), simplify: false };
    const given = { ...of, output: 'raw', updateFields: papers, additionalFields: papers };
    const run = async (operation: string) => {
      const parameters = { ...given, operation, name: 'n', companyName: 'c' };
      return kind === 'node'
        ? JSON.stringify((await execute(parameters)).json)
        : JSON.stringify(await world.callTool('test.chainAgent', parameters, [{}]));
    };
    for (const operation of ['create', 'update']) {
      const shown = await run(operation);
      expect(shown).toContain('company_name');
      expect(shown).not.toMatch(/3100001900|https:/);
    }
  },
);

const REFUSAL = { kind: 'businessCode', code: 77, msg: 'not today' } as const;

/** How the advice begins when a request had no effect. */
const NOTHING: Record<string, string> = {
  message: 'Nothing was sent.',
  change: 'Nothing was changed.',
};

test.each<[string, INodeParameters, boolean]>([
  ['template', { operation: 'create', name: '={{ $json.name }}', content: 'Hello' }, true],
  ['template', { operation: 'delete', templateId: byId('={{ $json.id }}') }, true],
  ['template', { operation: 'get', templateId: byId('={{ $json.id }}') }, false],
])('a run of %s %j that stops says which items were done before', async (resource, given, says) => {
  const parameters = { resource, ...given };
  let id = 300;
  const items = () => [1, 2, 3].map(() => ({ id: ++id, name: `n${id}` }));
  const done = (count: number) =>
    `But items before this one were done: ${count}. Take them out before you run again.`;
  gateway.fault({ ...REFUSAL, nth: 2 });
  const stopped = await execute(parameters, items());
  expect(stopped.error?.message).toContain('not today');
  expect(descriptionOf(stopped.error).endsWith(done(1))).toBe(says);
  // Also before one that cannot be read, and not where the others are in the output.
  const unread = await execute(parameters, [...items().slice(0, 2), {}]);
  expect(descriptionOf(unread.error).endsWith(done(2))).toBe(says);
  gateway.fault({ ...REFUSAL, nth: gateway.requests.length + 1 });
  const first = descriptionOf((await execute(parameters, items())).error);
  const { json } = await execute(parameters, [...items(), {}], CONTINUE);
  expect(JSON.stringify([first, json])).not.toContain('were done');
});

const requestsSent = () =>
  gateway.requests.map(({ method, path: sentTo, body }) => ({ method, path: sentTo, body }));

describe.each(CASES)('$resource.$operation', ({ resource, operation, full, ...entry }) => {
  const { minimal, records, more } = entry;
  const parameters: INodeParameters = { resource, operation, ...full.parameters };
  const { path, inferred } = inContract({ resource, operation });
  const described = RESOURCES.find(({ option }) => option.value === resource);
  const own = described?.operations.find(({ option }) => option.value === operation);
  const firstId = FIRST_ID[resource] ?? 0;
  // They are about the records after the first one.
  const threeItems = [1, 2, 3].map((offset): Item => ({
    id: firstId + offset,
    name: `name ${offset}`,
    phone: `1380013800${offset}`,
  }));
  const [first] = threeItems as [Item];
  // Sends and pulls work across items. Their own tests cover what differs.
  const items = /^(send|pull)/.test(operation) ? [first] : threeItems;

  // Guess: named-paths
  test('is the operation of the contract; where that has x-inferred, it is a guess', () => {
    const { isGuess = false, path: stated } = own?.endpoint ?? {};
    expect({ isGuess, path: stated }).toEqual({ path, isGuess: inferred });
  });

  test('sends every field in its type, and returns each answer as records of its item', async () => {
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
    // Guess: required
    test('sends no field that was not set', async () => {
      const { error } = await execute({ resource, operation, ...minimal.parameters }, [first]);
      expect(error).toBeUndefined();
      expect(requestsSent()).toEqual([{ method: 'POST', path, body: minimal.body(first) }]);
    });
  }

  test('returns what its output schema says, which npm run docs writes', async () => {
    // 'Simplify' is on by default.
    const { json } = await execute({ ...parameters, simplify: true }, [first]);
    const others = (await more?.(world, parameters)) ?? [];
    expectOutputSchema(`${resource}.${operation}`, [...json, ...others]);
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

  const nothing = NOTHING[resource] ?? (/d$/.test(own?.repetition ?? '') ? NOTHING.change : '');

  test.each([
    [REFUSAL, /not today/, new RegExp(`^${nothing}`)],
    [
      { kind: 'status', status: 404, body: '<html>not found</html>' },
      /does not know this address/,
      inferred
        ? /path of this operation is a guess.*'Endpoint Path' under Options.*Base URL/
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
      const shown = flatten([...fieldsOf({ resource, operation }), ...credential.properties]);
      expect(shown.map(({ displayName }) => displayName)).toEqual(expect.arrayContaining(named));
      expect(gateway.requests).toHaveLength(1);
      expectNoSecrets(run, gateway);
    },
  );

  test('uses Endpoint Path and Extra Fields', async () => {
    const endpointPath = '/v2/other.path';
    const others = { endpointPath, extraFieldsJson: '{ "extra": [1, true] }' };
    const options = { ...(parameters.options as IDataObject), ...others } as INodeParameters;
    await execute({ ...parameters, options }, [first], CONTINUE);
    expect(
      gateway.requests.map(({ path: sentTo, rawBody }) => [sentTo, JSON.parse(rawBody)]),
    ).toEqual([[endpointPath, { ...full.body(first), extra: [1, true] }]]);
  });
});

function expectNoSecrets(stored: unknown, { apiKey, apiSecret, requests }: Gateway): void {
  const text = JSON.stringify(stored);
  expect(text).not.toContain(apiKey);
  expect(text).not.toContain(apiSecret);
  for (const { headers } of requests) expect(text).not.toContain(headers['x-sign']);
}
