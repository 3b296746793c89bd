import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startGateway } from '../sandbox/gateway';
import type { Gateway } from '../sandbox/gateway';
import { optionsOf } from '../sandbox/personalities';
import { createHarness } from '../kit/engine';
import { byId } from '../kit/engine/locators';
import { people, TEMPLATE } from '../kit/engine/sends';

/** First contact with an SMS provider who differs from what the nodes expect. docs/run/provider.md lists what to set. */

const RECORDS = 45;

const BALANCE = { resource: 'balance', operation: 'get' };
const LIST = { resource: 'template', operation: 'getAll', returnAll: true, simplify: false };
const PULL = { resource: 'reply', operation: 'pull' };
const UPDATE = {
  resource: 'template',
  operation: 'update',
  templateId: byId(305),
  updateFields: { remark: 'Changed' },
};
const SIGNATURE = {
  resource: 'signature',
  operation: 'create',
  name: 'New',
  qualificationId: byId(101),
};
const WHOLE = {
  additionalFields: {
    ...{ applyComment: 'c', bringsData: 'b', customerCallUrl: 'https://example.com' },
    ...{ moreData: 'm', type: 1, use: 1, signatureId: byId(201) },
  },
};

let gateway: Gateway;

async function meet(personality: string) {
  gateway = await startGateway({
    ...optionsOf([personality]),
    records: { qualifications: RECORDS, signatures: RECORDS, templates: RECORDS, leads: RECORDS },
  });
}

afterEach(async () => await gateway.close());

/** n8n with a credential in which only the address and the keys are right. */
async function ask(parameters: INodeParameters, credential: IDataObject = {}) {
  const { apiKey, apiSecret, origin } = gateway;
  const { execute } = await createHarness({ baseUrl: origin, apiKey, apiSecret, ...credential });
  return await execute(parameters, people(parameters.resource === 'message' ? 25 : 1));
}

function state(): string {
  const { signatures, templates, accepted } = gateway.state;
  return JSON.stringify([[...signatures], [...templates], [...accepted]]);
}

const HMAC = {
  customSigning: true,
  signatureAlgorithm: 'hmacSha256',
  signaturePayload: '{method}\\n{path}\\n{timestamp}\\n{nonce}\\n{body}\\n',
};
const TOKEN = { authorizationToken: 'Bearer sandbox-token-77' };
const TEMPLATE_ID = { options: { extraFieldsJson: '{ "id": null, "template_id": 305 }' } };
const ELSEWHERE = { options: { endpointPath: '/v3/manage/template/update' } };

test.each<[string, INodeParameters, string, INodeParameters, IDataObject]>([
  ['prefix', BALANCE, 'Base URL', {}, {}],
  ['hmac-lines', BALANCE, 'Custom Request Signing', {}, HMAC],
  ['bearer-token', SIGNATURE, 'Authorization Token', {}, TOKEN],
  ['small-pages-refused', LIST, 'Page Size', { options: { pageSize: 20 } }, {}],
  ['small-pulls-refused', PULL, 'Count', { count: 30 }, {}],
  ['few-recipients', TEMPLATE, 'Batch Size', { options: { batchSize: 10 } }, {}],
  ['whole-signatures', SIGNATURE, 'Additional Fields', WHOLE, {}],
  ['update-ids', UPDATE, 'Extra Fields (JSON)', TEMPLATE_ID, {}],
  ['paths-elsewhere', UPDATE, 'Endpoint Path', ELSEWHERE, {}],
])('%s: what fails changes nothing, and names what to set', async (name, ...contact) => {
  const [parameters, setting, set, credential] = contact;
  await meet(name);
  const before = state();
  const { error } = await ask(parameters);
  const { message, description } = error as { message: string; description?: string };
  expect(`${message}. ${description}`).toContain(setting);
  expect(state()).toBe(before);
  const { baseUrl } = gateway;
  const then = await ask({ ...parameters, ...set }, name === 'prefix' ? { baseUrl } : credential);
  expect(then.error).toBeUndefined();
});
