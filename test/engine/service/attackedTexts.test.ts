import { useService } from '../harness/gateway';

/** What strangers found who knew only what is promised: texts of the service, and secrets in them. */

/** X-Sign of the latest request. */
let signature = '';
let answerTo: () => { type?: string; body: string | Buffer };

const harness = useService((request, response) => {
  signature = String(request.headers['x-sign']);
  request.resume();
  request.on('end', () => {
    const { type = 'application/json', body } = answerTo();
    response.writeHead(200, { 'Content-Type': type });
    response.end(body);
  });
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

describe('a charset that the answer names', () => {
  const NAME = '您好，世界';
  const list = (name: string) => `{"code":0,"data":{"list":[{"id":1,"name":"${name}"}],"total":1}}`;
  const bigEndian = (bytes: Buffer) => Buffer.from(bytes).swap16();
  const inBig5 = Buffer.concat([
    Buffer.from('{"code":0,"data":{"list":[{"id":1,"name":"'),
    Buffer.from([0xb1, 0x7a, 0xa6, 0x6e]),
    Buffer.from('"}],"total":1}}'),
  ]);

  test.each<[string, Buffer, string, string]>([
    ['by a BOM of UTF-16', Buffer.from(`\ufeff${list(NAME)}`, 'utf16le'), 'application/json', NAME],
    [
      'by the other BOM of UTF-16',
      bigEndian(Buffer.from(`\ufeff${list(NAME)}`, 'utf16le')),
      'application/json; charset=utf-8',
      NAME,
    ],
    ['as UTF-16LE', Buffer.from(list(NAME), 'utf16le'), 'application/json; charset=utf-16le', NAME],
    ['as Big5', inBig5, 'application/json; charset=Big5', '您好'],
    ['as Latin 1, untruly', Buffer.from(list(NAME)), 'application/json; charset=ISO-8859-1', NAME],
    ['that nobody knows', Buffer.from(list(NAME)), 'application/json; charset=x-own', NAME],
  ])('%s is the one it is read in', async (_, body, type, name) => {
    answerTo = () => ({ body, type });
    const { error, json } = await harness.execute(GET_ALL);
    expect([error, json]).toEqual([undefined, [{ id: 1, name }]]);
  });
});
