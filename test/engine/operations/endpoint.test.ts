import { startGateway } from '../../sandbox/gateway';
import type { Gateway } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { shareGateway } from '../harness/gateway';
import { byId } from '../harness/locators';

/** What is the same for all inferred operations is in resources/operationChecks.ts. */

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

describe('an operation whose path is not inferred', () => {
  const GET = { resource: 'template', operation: 'get', templateId: byId(301) };

  test('works under the path prefix of the Base URL', async () => {
    const provider = await startGateway({ prefix: '/sms/v1' });
    const own = await createHarness(provider.credential());
    const { json } = await own.execute(GET);
    await provider.close();
    expect(json).toEqual([provider.state.templates.get(301)]);
    expect(provider.violations).toEqual([]);
  });

  test('answered with HTTP 404: the error names the Base URL, not Endpoint Path', async () => {
    gateway.fault({ kind: 'status', status: 404 });
    const { error } = await execute(GET);
    expect((error as { description?: string }).description).toMatch(/Base URL/);
    expect((error as { description?: string }).description).not.toMatch(/Endpoint Path/);
  });
});
