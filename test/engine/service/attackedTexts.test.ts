import { createServer } from 'node:http';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { listen } from '../harness/listen';

/** What strangers found who knew only what is promised: texts of the service, and secrets in them. */

let harness: Harness;
/** X-Sign of the latest request. */
let signature = '';
let answerTo: () => { type?: string; body: string | Buffer };

const server = createServer((request, response) => {
  signature = String(request.headers['x-sign']);
  request.resume();
  request.on('end', () => {
    const { type = 'application/json', body } = answerTo();
    response.writeHead(200, { 'Content-Type': type });
    response.end(body);
  });
});

beforeAll(async () => {
  const baseUrl = `http://${await listen(server)}`;
  harness = await createHarness({ baseUrl, apiKey: 'key', apiSecret: 'a-long-secret' });
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const GET_ALL = { resource: 'template', operation: 'getAll', returnAll: true };

test.each<[string, (signature: string) => string]>([
  ['its text in Base64', (text) => Buffer.from(text).toString('base64')],
  ['its text in the Base64 of addresses', (text) => Buffer.from(text).toString('base64url')],
  ['Base64 around its text', (text) => Buffer.from(`sign=${text}&`).toString('base64')],
  ['its text in hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ['its bytes in Base64', (text) => Buffer.from(text, 'hex').toString('base64')],
  ['its bytes in capitals', (text) => text.toUpperCase()],
])('no request signature is in outputs and errors: %s', async (_, written) => {
  answerTo = () => ({ body: JSON.stringify({ code: 7, msg: `not ${written(signature)}` }) });
  const { error } = await harness.execute({ resource: 'balance', operation: 'get' });
  expect(error?.message).toMatch(/not .*\[hidden\].* \(code 7\)$/);
  expect(error?.message).not.toContain(written(signature).slice(4, 24));
  const list = () => [{ id: 1, name: `not ${written(signature)}` }];
  answerTo = () => ({ body: JSON.stringify({ code: 0, data: { list: list(), total: 1 } }) });
  const { json } = await harness.execute(GET_ALL);
  expect(json).toMatchObject([{ name: expect.stringContaining('[hidden]') }]);
});
