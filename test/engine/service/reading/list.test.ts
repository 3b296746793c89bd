import { useGatewayPerTest } from '../../harness/gateway';

const { gateway, execute } = useGatewayPerTest();

// Guess: wrappings
test.each([
  ['qualification', 'id'],
  ['qualification', 'cert_id'],
  ['qualification', 'certification_id'],
  ['qualification', 'qualification_id'],
  ['signature', 'sign_id'],
  ['signature', 'signature_id'],
  ['template', 'template_id'],
  ['lead', 'lead_id'],
])('a list of %ss is known by their %s', async (resource, name) => {
  const records = [{ [name]: 7, url: 'u' }];
  gateway.fault({ kind: 'wrongShape', body: { code: 0, data: records }, times: Infinity });
  const { json, error } = await execute({ resource, operation: 'getAll', simplify: false });
  expect([json, error]).toEqual([records, undefined]);
});
