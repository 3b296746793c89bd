import type { RequestOperation } from '../../../nodes/SmsMessagingService/operations/operation';
import { targetOf } from '../../../nodes/SmsMessagingService/operations/records';
import { runOperation } from '../../../nodes/SmsMessagingService/operations/runner';
import { readRequired } from '../../../nodes/SmsMessagingService/parameters/fields';
import { templateLocator } from '../../../nodes/SmsMessagingService/parameters/locators';
import { template } from '../../../nodes/SmsMessagingService/resources/template';
import type { GatewayOptions, ListShape } from '../../sandbox/gateway';
import { useGatewayPerTest } from '../harness/gateway';
import { byId } from '../harness/locators';

const { gateway, execute, restart } = useGatewayPerTest();

describe('Return All over 1,037 records', () => {
  const all = { resource: 'template', operation: 'getAll', returnAll: true };

  /** Starts a service with that many templates. */
  const serve = async (options: GatewayOptions = {}) =>
    await restart({ records: { templates: 1037 }, ...options });

  test.each<ListShape>(['nested', 'envelope', 'bare'])(
    'come once each, in order, from the list shape %s',
    async (listShape) => {
      await serve({ listShape });
      const { json } = await execute(all);
      expect(json).toEqual([...gateway.state.templates.values()]);
      expect(json).toHaveLength(1037);
      expect(gateway.requests).toHaveLength(11);
    },
  );

  test('records that are deleted between two pages: none comes twice', async () => {
    await serve();
    gateway.fault({
      kind: 'slow',
      delayMs: 1,
      // Called when the fifth page is requested, before the answer.
      match: ({ body }) => {
        if ((body as { page: number }).page !== 5) return false;
        for (const id of [301, 302, 450]) gateway.state.templates.delete(id);
        return true;
      },
    });
    const { json, error } = await execute(all);
    expect(error).toBeUndefined();
    const ids = json.map(({ id }) => id as number);
    expect(new Set(ids).size).toBe(ids.length);
    // Three moved to a page that was read before: their number is that of the deleted ones.
    expect(ids).toHaveLength(1034);
  });
});

test('another operation on records can stand beside the usual five, and send a flag', async () => {
  const archive: RequestOperation = {
    kind: 'request',
    option: { name: 'Archive', value: 'archive', action: 'Archive template', description: '' },
    endpoint: { heading: 'Archive a template', path: '/v2/archive', source: 'inferred' },
    properties: [],
    target: targetOf(templateLocator),
    body: (parameter) =>
      readRequired(
        { is_archived: { type: 'boolean', displayName: 'Archived', description: '' } },
        parameter,
      ),
    records: (answer, id) => [{ id, answer: typeof answer }],
  };
  const { createContext } = await restart({
    pathAliases: { '/v2/archive': '/openapi/template/update' },
    unknownFieldsAllowed: true,
  });
  const context = createContext(
    { resource: 'template', operation: 'archive', templateId: byId(301), isArchived: false },
    [{}],
  );
  const [items] = await runOperation(context, [
    { ...template, operations: [...template.operations, archive] },
  ]);
  expect(gateway.requests.map(({ body }) => body)).toEqual([{ id: 301, is_archived: false }]);
  expect(items).toEqual([{ json: { id: 301, answer: 'object' }, pairedItem: { item: 0 } }]);
});
