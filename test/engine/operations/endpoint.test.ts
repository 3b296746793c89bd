import { useGateway } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';
import { CONTINUE } from '../../kit/engine/sends';

/** What is the same for all operations is in resources/resources.test.ts. */

const { gateway, execute } = useGateway();

const GET = { resource: 'template', operation: 'get', templateId: byId(301) };

test('Extra Fields replace fields, null leaves one out, and a long number keeps its digits', async () => {
  await execute({
    resource: 'template',
    operation: 'update',
    templateId: byId(301),
    updateFields: { name: 'n', remark: 'r' },
    options: {
      extraFieldsJson:
        '{ "name": null, "type": 9007199254740993, "sign_id": 1.0, "remark": "9007199254740993" }',
    },
  });
  expect(gateway.requests[0]?.rawBody).toBe(
    '{"id":301,"remark":"9007199254740993","type":9007199254740993,"sign_id":1}',
  );
});

test('an ID that is too long for JavaScript keeps its digits in an update', async () => {
  const item = { id: '46325770266034861' };
  const templateId = byId('={{ $json.id }}');
  const updateFields = { name: 'n' };
  await execute({ resource: 'template', operation: 'update', templateId, updateFields }, [item]);
  expect(gateway.requests[0]?.rawBody).toBe('{"id":46325770266034861,"name":"n"}');
});

const REQUESTS: Record<string, string> = {
  '/openapi/lead/info': '{"lead_id":401}',
  '/openapi/lead/create': '{"sign_id":201,"url":"x"}',
};

describe('a record that is sent under another name, or with another ID,', () => {
  // What its service takes is not in the specification, so the request is one that is.
  const { gateway: provider, execute: ask } = useGateway({
    deviations: [{ request: (path) => REQUESTS[path] ?? '{"id":301}' }],
  });

  const page = (...list: object[]) => ({ list, total: list.length, page: 1, page_size: 50 });
  /** The service answers the next request with this. */
  const answerWith = (body: unknown) =>
    provider.fault({ kind: 'html', accept: false, body: JSON.stringify(body), times: Infinity });

  test('a list with null in it, outside quotes, is as n8n gives it', async () => {
    const extraFieldsJson = '={"ids": {{ JSON.stringify($json.ids) }} }';
    answerWith({});
    await ask({ ...GET, operation: 'delete', options: { extraFieldsJson } }, [{ ids: [1, null] }]);
    expect(provider.requests[0]?.rawBody).toBe('{"id":301,"ids":[1,null]}');
  });

  test.each(['{ "id": null }', '{ "id": null, "tid": 301 }', '{ "x": 7 }'])(
    'that was deleted keeps its ID with the extra fields %s',
    async (extraFieldsJson) => {
      answerWith({});
      const { json } = await ask({ ...GET, operation: 'delete', options: { extraFieldsJson } });
      expect(json).toEqual([{ id: 301, deleted: true }]);
    },
  );

  test('with another ID in the extra fields is the one that was sent', async () => {
    const options = { extraFieldsJson: '{ "id": 7 }' };
    answerWith(page({ id: 301 }, { id: 7 }));
    expect((await ask({ ...GET, options })).json).toEqual([{ id: 7 }]);
    provider.clearFaults();
    answerWith({});
    expect((await ask({ ...GET, operation: 'delete', options })).json).toEqual([
      { id: 7, deleted: true },
    ]);
    const lead = { resource: 'lead', operation: 'get', leadId: byId(401), simplify: false };
    provider.clearFaults();
    answerWith(page({ id: 401 }, { id: 7 }));
    const { json } = await ask({ ...lead, options: { extraFieldsJson: '{ "lead_id": "7" }' } });
    expect(json).toEqual([{ id: 7 }]);
  });

  test('is not changed without a field, but by one in the extra fields', async () => {
    const update = { ...GET, operation: 'update', updateFields: {} };
    expect((await ask(update)).error?.message).toMatch(/'Update Fields' is empty/);
    expect(provider.requests).toHaveLength(0);
    answerWith({ id: 301 });
    const { error } = await ask({ ...update, options: { extraFieldsJson: '{ "category": 1 }' } });
    expect(error).toBeUndefined();
    expect(provider.requests).toHaveLength(1);
  });
});

describe('each item has its own path and extra fields', () => {
  const OPTIONS = {
    endpointPath: '={{ $json.path }}',
    extraFieldsJson: '={{ $json.extra }}',
  };
  const ITEMS = ['/v2/a', '/v2/b'].map((path, index) => ({
    path,
    extra: { count: index + 1, name: `n${index}` },
  }));

  test.each([
    ['a request', GET],
    ['a list', { resource: 'lead', operation: 'getAll', returnAll: true }],
    ['a pull', { resource: 'reply', operation: 'pull', count: 9 }],
  ])('%s', async (_, parameters) => {
    await execute({ ...parameters, options: OPTIONS }, ITEMS, CONTINUE);
    const byPath = new Map(
      gateway.requests.map(({ path, rawBody }) => [path, JSON.parse(rawBody)]),
    );
    expect([...byPath.keys()].sort()).toEqual(['/v2/a', '/v2/b']);
    for (const { path, extra } of ITEMS) expect(byPath.get(path)).toMatchObject(extra);
  });
});

const NOT_PATHS = [
  ...['={{ "" }}', '={{ 5 }}', 'openapi/x', 'https://evil.example/x', '//evil.example/x'],
  ...['/a/../b', '/a/%2e%2e/b', '/a?b=c', '/a#b', '/a b', '/a\\b'],
];
const NOT_FIELDS = ['[1]', '"text"', '{'];

test.each([
  ...NOT_PATHS.map((path) => ['endpointPath', path, /'Endpoint Path'/] as const),
  ...NOT_FIELDS.map(
    (json) => ['extraFieldsJson', json, /'Extra Fields \(JSON\)' (must be|is not valid) /] as const,
  ),
])('%s as %j is an error before any request', async (name, value, message) => {
  const { error } = await execute({ ...GET, options: { [name]: value } });
  expect(error?.message).toMatch(message);
  expect(gateway.requests).toHaveLength(0);
});
