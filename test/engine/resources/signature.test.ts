import { startGateway } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import { byId } from '../harness/locators';
import { FIRST_PAGE, SMALL_PAGE, THE_ITEMS_ID, checkOperations } from './operationChecks';
import type { Item } from './operationChecks';

const SIGNATURE_PARAMETERS = {
  applyComment: 'for orders',
  bringsData: 'b',
  qualificationId: byId(102),
  customerCallUrl: 'https://example.com/callback',
  moreData: '={{ ["x", $json.name] }}',
  type: 2,
  use: 0,
};

const signatureBody = (item: Item) => ({
  apply_comment: 'for orders',
  brings_data: 'b',
  certification_id: 102,
  customer_call_url: 'https://example.com/callback',
  more_data: ['x', item.name],
  type: 2,
  use: 0,
});

checkOperations({
  resource: 'signature',
  firstId: 201,
  cases: {
    create: {
      operationId: 'signature.create',
      full: {
        parameters: {
          name: '={{ $json.name }}',
          // Guess: signature-extras
          additionalFields: { ...SIGNATURE_PARAMETERS, signatureId: byId(201) },
        },
        body: (item) => ({ name: item.name, ...signatureBody(item), signature_id: 201 }),
      },
      // Guess: required-as-a-whole
      minimal: { parameters: { name: 'n' }, body: () => ({ name: 'n' }) },
      records: (item) => [{ certification_id: 102, id: expect.any(Number), name: item.name }],
    },
    delete: {
      operationId: 'signature.delete',
      takesAnyObject: true,
      full: { parameters: { signatureId: THE_ITEMS_ID }, body: ({ id }) => ({ id }) },
      records: ({ id }) => [{ deleted: true, id }],
    },
    get: {
      operationId: 'signature.query',
      full: {
        parameters: { signatureId: THE_ITEMS_ID, simplify: false },
        body: ({ id }) => ({ id, ...SMALL_PAGE }),
      },
      records: ({ id }, { state }) => [state.signatures.get(id)],
    },
    getAll: {
      operationId: 'signature.query',
      full: {
        parameters: { returnAll: true, filters: { name: '云岭' } },
        body: () => ({ name: '云岭', ...FIRST_PAGE }),
      },
      minimal: { parameters: { limit: 1 }, body: () => ({ page: 1, page_size: 1 }) },
      records: (_, { state }) => [state.signatures.get(202)],
    },
    update: {
      operationId: 'signature.update',
      takesAnyObject: true,
      full: {
        parameters: {
          signatureId: THE_ITEMS_ID,
          // Guess: signature-edit
          updateFields: { name: '={{ $json.name }}', ...SIGNATURE_PARAMETERS },
        },
        // Guess: update-id
        body: (item) => ({ id: item.id, name: item.name, ...signatureBody(item) }),
      },
      minimal: {
        parameters: { signatureId: THE_ITEMS_ID, updateFields: { applyComment: '' } },
        body: ({ id }) => ({ id, apply_comment: '' }),
      },
      records: (item) => [{ certification_id: 102, id: item.id, name: item.name }],
    },
  },
});

// Guess: token-form
test.each([
  ['its own path', {}],
  ['another path', { endpointPath: '/v2/sign' }],
])(
  'creating a signature sends the authorization token, and no output shows it: %s',
  async (_, options) => {
    const provider = await startGateway({
      authorizationToken: 'token-7c1e9b',
      pathAliases: { '/v2/sign': '/openapi/sign/create' },
    });
    const own = await createHarness(provider.credential());
    const create = { resource: 'signature', operation: 'create', name: 'Example', options };
    const { run, json } = await own.execute(create);
    await provider.close();
    expect(json).toMatchObject([{ name: 'Example' }]);
    expect(provider.requests[0]?.headers.authorization).toBe('token-7c1e9b');
    expect(JSON.stringify(run)).not.toContain('token-7c1e9b');
  },
);
