import { gzipSync } from 'node:zlib';
import { useService } from '../../kit/engine/gateway';
import { people, TEMPLATE } from '../../kit/engine/sends';

/** Answers in a charset that they name, and with bytes that are none in it. A reply cannot be had again. */

let answer: { type: string; bytes: Buffer; headers?: object; status?: number };

const useN8n = useService((request, response) => {
  const { type, bytes, headers, status = 200 } = answer;
  request.resume().on('end', () => {
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(bytes);
  });
});
const harness = useN8n();

/** 退订 in GBK. */
const OPT_OUT = Buffer.from([0xcd, 0xcb, 0xb6, 0xa9]);

/** JSON with these bytes in place of `?`. */
const json = (text: string, bytes = OPT_OUT) => {
  const [before = '', after = ''] = text.split('?');
  return Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
};

const REPLY = '{"code":0,"data":[{"mobile":13800138000,"content":"?"}]}';
const EMPTY = '{"code":0,"msg":"?","data":[]}';

async function receive(given: typeof answer) {
  answer = given;
  const poller = harness.createPoller({ events: ['reply'], options: { maxRecordsPerPoll: 1 } });
  await poller.tick();
  await poller.deactivate();
  const [error] = poller.errors;
  return { items: poller.executions.flat(), told: poller.errors.length, error };
}

test.each([
  ['application/json; charset=GBK', json(REPLY)],
  ["text/plain; x=y; Charset = 'gb18030'", json(REPLY)],
  ['application/json; charset=big5', json(REPLY, Buffer.from([0xb0, 0x68, 0xad, 0x71]))],
  ['application/json; charset=utf-16le', Buffer.from(REPLY.replace('?', '退订'), 'utf16le')],
  ['application/json', json(REPLY, Buffer.from('退订'))],
  ['application/json', json(`\ufeff${REPLY}`, Buffer.from('退订'))],
  // A charset that nobody knows.
  ['application/json; charset=x-carrier', json(REPLY, Buffer.from('退订'))],
])('%s is read, compressed too', async (type, plain) => {
  const headers = { 'content-encoding': 'gzip' };
  const { items, told } = await receive({ type, bytes: gzipSync(plain), headers });
  expect(items).toMatchObject([
    { mobile: '13800138000', content: expect.stringMatching(/^退[订訂]$/) },
  ]);
  expect(told).toBe(0);
});

describe('bytes that are none in the charset', () => {
  const type = 'application/json; charset=utf-8';

  test('are told, and all of them are handed over beside what could be read', async () => {
    const bytes = json(REPLY);
    const { items, told, error } = await receive({ type, bytes });
    expect(items).toMatchObject([
      { event: 'reply', mobile: '13800138000', content: expect.stringContaining('\ufffd') },
      { event: 'unreadable' },
    ]);
    expect(Buffer.from(String(items[1]?.answer), 'latin1')).toEqual(bytes);
    expect(told).toBe(1);
    expect(error?.message).toContain('bytes that are not in its charset');
  });

  test('show no secret', async () => {
    const bytes = json(REPLY.replace('13800138000', '"a-long-secret"'));
    const { items } = await receive({ type, bytes });
    expect(JSON.stringify(items)).not.toContain('a-long-secret');
  });

  test('start no execution where there is nothing', async () => {
    expect(await receive({ type, bytes: json(EMPTY) })).toMatchObject({ items: [], told: 0 });
    const refusal = json('{"code":9,"msg":"?"}');
    expect(await receive({ type, bytes: refusal })).toMatchObject({ items: [], told: 1 });
  });

  test('are none where the answer was cut off in a character', async () => {
    const bytes = json('{"code":0,"data":[{"content":"T?', Buffer.from('退').subarray(0, 2));
    const { items } = await receive({ type, bytes });
    expect(items).toEqual([{ event: 'unreadable', answer: bytes.subarray(0, -2).toString() }]);
  });

  test('do not make a send unclear', async () => {
    answer = { type, bytes: json('{"code":0,"msg":"?","batch_id":"b-1","count":1}') };
    const { json: output } = await harness.execute(TEMPLATE, people(1));
    expect(output).toMatchObject([{ status: 'accepted', batch_id: 'b-1' }]);
  });
});

test('a list is in its charset, and so is the refusal of a credential', async () => {
  answer = {
    type: 'application/json; charset=GBK',
    bytes: json('{"list":[{"id":46325770266034860,"name":"?"}],"total":1}'),
  };
  const { json: list } = await harness.execute({ resource: 'template', operation: 'getAll' });
  expect(list).toMatchObject([{ id: '46325770266034860', name: '退订' }]);
  answer = { ...answer, bytes: json('{"code":9,"msg":"?"}') };
  const { message } = await harness.testCredential();
  expect(message).toContain('退订');
});
