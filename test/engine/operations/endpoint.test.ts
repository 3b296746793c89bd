import { updateIds } from '../../sandbox/deviations';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { shareGateway } from '../harness/gateway';
import { byId } from '../harness/locators';
import { CONTINUE, CUSTOM, descriptionOf, phone, TEMPLATE } from '../harness/sends';

/** What is the same for all operations is in resources/operationChecks.ts. */

let gateway: Gateway;
let execute: Harness['execute'];

shareGateway((world) => {
  ({ gateway, execute } = world);
});

test('Extra Fields are merged last, and replace fields of the same name', async () => {
  await execute({
    resource: 'template',
    operation: 'create',
    name: 'from the field',
    content: 'c',
    options: { extraFieldsJson: '={{ { name: "from the extra fields" } }}' },
  });
  expect(gateway.requests[0]?.body).toEqual({ name: 'from the extra fields', content: 'c' });
});

test('null in Extra Fields leaves a field out, and a long number keeps its digits', async () => {
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

const GET = { resource: 'template', operation: 'get', templateId: byId(301) };

describe('an operation whose path is not inferred', () => {
  test('works under the path prefix of the Base URL', async () => {
    const provider = await startGateway({ prefix: '/sms/v1' });
    const own = await createHarness(provider.credential());
    const { json } = await own.execute(GET);
    await provider.close();
    expect(json).toEqual([provider.state.templates.get(301)]);
    expect(provider.violations).toEqual([]);
  });

  test('answered with HTTP 404: the error names the Base URL first, then Endpoint Path', async () => {
    gateway.fault({ kind: 'status', status: 404 });
    const { error } = await execute(GET);
    expect(descriptionOf(error)).toBe(
      "Check the credential's Base URL, with its path prefix if it has one. If other operations work, set 'Endpoint Path' under Options to the path in your provider's manual.",
    );
  });
});

describe('a record', () => {
  test.each([
    ['get', {}],
    ['delete', { deleted: true }],
  ])('is the one with the chosen ID, sent under another name: %s', async (operation, found) => {
    const provider = await startGateway({
      deviations: [
        updateIds({ '/openapi/template/info': 'tid', '/openapi/template/delete': 'tid' }),
      ],
    });
    const own = await createHarness(provider.credential());
    const options = { extraFieldsJson: '{ "id": null, "tid": 301 }' };
    const { json, error } = await own.execute({ ...GET, operation, options });
    await provider.close();
    expect(error).toBeUndefined();
    expect(json).toMatchObject([{ id: 301, ...found }]);
    expect(provider.requests[0]?.rawBody).toBe('{"tid":301}');
  });

  test('is not changed where the extra fields leave out every change', async () => {
    const { error } = await execute({
      resource: 'template',
      operation: 'update',
      templateId: byId(301),
      updateFields: { name: 'n' },
      options: { extraFieldsJson: '{ "name": null }' },
    });
    expect(error?.message).toMatch(/'Update Fields' is empty/);
    expect(gateway.requests).toHaveLength(0);
  });
});

test('the extra fields of a list replace its page fields too', async () => {
  await execute({
    resource: 'template',
    operation: 'getAll',
    returnAll: false,
    limit: 1,
    filters: { name: 'x' },
    options: { extraFieldsJson: '{ "name": null, "page_size": 7 }' },
  });
  expect(gateway.requests[0]?.body).toEqual({ page: 1, page_size: 7 });
});

test.each([
  [{}, 'did not arrive here, 9 at most. Later'],
  [{ count: 50 }, 'did not arrive here. Later'],
])('a pull with the extra fields %j says of its size only what is true', async (extra, text) => {
  const options = { extraFieldsJson: JSON.stringify(extra) };
  const parameters = { resource: 'reply', operation: 'pull', count: 9, options };
  gateway.fault({ kind: 'html' });
  const { error } = await execute(parameters);
  expect(descriptionOf(error)).toContain(text);
  gateway.fault({ kind: 'businessCode', code: 77 });
  const refused = await execute(parameters);
  expect(descriptionOf(refused.error).includes("lower 'Count'")).toBe(!('count' in extra));
});

describe('each item has its own path and extra fields', () => {
  const OPTIONS = {
    endpointPath: '={{ $json.path }}',
    extraFieldsJson: '={{ $json.extra }}',
  };
  const ITEMS = ['/v2/a', '/v2/b'].map((path, index) => ({
    path,
    extra: { count: index + 1, name: `n${index}` },
    phone: phone(index),
    content: 'Hi',
    code: '1234',
  }));

  test.each([
    ['a request', GET],
    ['a list', { resource: 'lead', operation: 'getAll', returnAll: true }],
    ['a pull', { resource: 'reply', operation: 'pull', count: 9 }],
    ['a custom send', CUSTOM],
    ['a template send', TEMPLATE],
  ])('%s', async (_, parameters) => {
    await execute({ ...parameters, options: OPTIONS }, ITEMS, CONTINUE);
    const byPath = new Map(
      gateway.requests.map(({ path, rawBody }) => [path, JSON.parse(rawBody)]),
    );
    expect([...byPath.keys()].sort()).toEqual(['/v2/a', '/v2/b']);
    for (const { path, extra } of ITEMS) expect(byPath.get(path)).toMatchObject(extra);
  });
});
