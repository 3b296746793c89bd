import type { IDataObject } from 'n8n-workflow';
import { useService } from '../harness/gateway';
import { descriptionOf, inPairs, people } from '../harness/sends';

/** Answers in the encodings of Chinese platforms. The letters of GBK are also those of GB2312 and GB18030. */

interface Answer {
  status?: number;
  type?: string;
  body: Buffer;
  /** Content-Length announces more, and the connection ends early. */
  isCut?: boolean;
}

let answer: Answer;

const world = useService((request, response) => {
  request.resume();
  const { status = 200, type = 'application/json', body, isCut } = answer;
  const length = body.length + (isCut ? 10 : 0);
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': length });
  response.write(body, () => {
    if (isCut) response.destroy();
    else response.end();
  });
});

/** Character → its two bytes in GBK. */
const BYTES = new Map<string, number[]>();
const gbk = new TextDecoder('gbk');
for (let first = 0x81; first <= 0xfe; first++) {
  for (let second = 0x40; second <= 0xfe; second++) {
    const character = gbk.decode(Uint8Array.of(first, second));
    if (character.length === 1) BYTES.set(character, [first, second]);
  }
}

function inGbk(text: string): Buffer {
  return Buffer.from(
    [...text].flatMap((character) => BYTES.get(character) ?? [character.charCodeAt(0)]),
  );
}

const JSON_TYPE = 'application/json';
const BALANCE = { resource: 'balance', operation: 'get' };
const REPLY = { mobile: '13800138000', content: '谢谢，退订', batch_id: 'b-1', ext_no: '01' };

const pull = async () =>
  (await world.execute({ resource: 'reply', operation: 'pull', count: 10 })).json;

const page = (...records: IDataObject[]) => JSON.stringify({ code: 0, msg: '成功', data: records });

// Guess: charset
test.each([
  ['GBK, told by nothing', inGbk(page(REPLY)), JSON_TYPE],
  ['GBK, told by the Content-Type', inGbk(page(REPLY)), 'application/json;charset=GBK'],
  ['GBK, called GB2312', inGbk(page(REPLY)), 'text/html; charset="gb2312"'],
  ['GBK, called GB18030', inGbk(page(REPLY)), 'application/json; Charset = gb18030'],
  ['GBK, called UTF-8', inGbk(page(REPLY)), 'application/json;charset=utf-8'],
  ['UTF-8', Buffer.from(page(REPLY)), JSON_TYPE],
  ['UTF-8 with a BOM', Buffer.from(`\ufeff${page(REPLY)}`), JSON_TYPE],
  ['UTF-8 with a BOM, called GBK', Buffer.from(`\ufeff${page(REPLY)}`), 'text/json;charset=gbk'],
])('a reply in %s is read', async (_, body, type) => {
  answer = { body, type };
  expect(await pull()).toMatchObject([REPLY]);
});

test('characters of GB18030 that take four bytes are read', async () => {
  const [before = '', after = ''] = page({ ...REPLY, content: '谢谢?' }).split('?');
  const body = Buffer.concat([inGbk(before), Buffer.of(0x95, 0x32, 0x82, 0x36), inGbk(after)]);
  answer = { body };
  expect(await pull()).toMatchObject([{ content: '谢谢𠀀' }]);
});

test('two bytes of GBK that are a character of UTF-8 too are read as the Content-Type says', async () => {
  const body = inGbk(page({ ...REPLY, content: '学' }).replace('成功', ''));
  answer = { body, type: 'application/json;charset=gbk' };
  expect(await pull()).toMatchObject([{ content: '学' }]);
});

// Guess: charset
test('a text in UTF-8 that the service cut inside a character costs the others nothing', async () => {
  const whole = Buffer.from(page(REPLY, { ...REPLY, content: '谢谢CUT' }));
  const at = whole.indexOf('CUT');
  answer = { body: Buffer.concat([whole.subarray(0, at - 1), whole.subarray(at + 3)]) };
  expect(await pull()).toMatchObject([REPLY, { content: '谢\ufffd' }]);
});

test('a text of the service that holds � stays as it is', async () => {
  answer = { body: Buffer.from(JSON.stringify({ code: 0, data: [{ ...REPLY, content: '���' }] })) };
  expect(await pull()).toMatchObject([{ content: '���' }]);
});

test('a page in GBK that ends in the middle is handed over with its characters', async () => {
  const body = inGbk(page(REPLY, REPLY)).subarray(0, -40);
  answer = { body };
  const poller = world.createPoller({ events: ['reply'] });
  await poller.tick();
  await poller.deactivate();
  expect(poller.executions.flat()).toMatchObject([
    { event: 'unreadable', answer: expect.stringContaining('"content":"谢谢，退订"') },
  ]);
});

test('a connection that ends early leaves a send open, whatever the bytes', async () => {
  answer = { body: inGbk(page(REPLY)), isCut: true };
  const { json } = await world.execute(inPairs(), people(1), {
    node: { onError: 'continueRegularOutput' },
  });
  expect(json).toMatchObject([
    { status: 'unknown', msg: expect.stringContaining('The connection broke before the answer') },
  ]);
});

describe('a refusal in GBK', () => {
  const REFUSAL = inGbk('{"code":1003,"msg":"余额不足"}');

  test.each([200, 400, 403, 429, 500])('is quoted and understood, HTTP %d', async (status) => {
    answer = { body: REFUSAL, status };
    const { error, run } = await world.execute(BALANCE);
    expect(error?.message).toContain('余额不足 (code 1003)');
    // Neither the bytes nor the request are kept.
    expect(JSON.stringify(run)).not.toContain('"Buffer"');
    expect(descriptionOf(error)).not.toContain('exampletech');
  });

  test('counts by its words: the queue is empty', async () => {
    answer = { body: inGbk('{"code":1004,"msg":"暂无数据"}') };
    const { json, error } = await world.execute({ resource: 'reply', operation: 'pull', count: 5 });
    expect([json, error]).toEqual([[], undefined]);
  });

  test('is quoted by the test of the credential', async () => {
    answer = { body: REFUSAL };
    expect(await world.testCredential()).toEqual({
      status: 'Error',
      message: expect.stringContaining('余额不足 (code 1003)'),
    });
    answer = { body: inGbk('{"code":0,"msg":"成功","balance":7}') };
    expect(await world.testCredential()).toMatchObject({ status: 'OK' });
  });
});

test('names in GBK are in the lists of the editor', async () => {
  const list = [{ id: 201, name: '物流通知', status: 2 }];
  answer = { body: inGbk(JSON.stringify({ code: 0, list, total: 1, page: 1, page_size: 50 })) };
  const { results } = await world.search('searchSignatures');
  expect(results).toMatchObject([{ name: expect.stringContaining('物流通知') }]);
});
