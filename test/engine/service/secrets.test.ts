import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { SecretMask } from '../../../nodes/SmsMessagingService/service/secrets';
import { useService } from '../../kit/engine/gateway';
import { CONTINUE, people, withOptions } from '../../kit/engine/sends';

/** Masking: the service quotes the secrets of a request wherever it can. */

const KEY = 'ak-4711-Lq9';
const SECRET = 'p@ss "w\\ord" ключ/密钥?+=';
const TOKEN = 'Bearer to?ken-4711-abc';

interface Answer {
  status?: number;
  statusText?: string;
  location?: string;
  /** A text is sent as it is. */
  body?: unknown;
  /** Whether the connection ends without an answer. */
  isBroken?: boolean;
}

/** @param quoted all secrets, and the request signature. @param inHeader the same without what no header can carry */
type Answering = (quoted: string, inHeader: string) => Answer;

let answering: Answering;

/** Everything that must not be shown. */
const secrets = new Set([KEY, SECRET, TOKEN]);

const harness = useService((request, response) => {
  request.resume();
  const signature = String(request.headers['x-sign']);
  secrets.add(signature).add(signature.toUpperCase());
  const inHeader = `${KEY} ${TOKEN} ${signature}`;
  const quoted = `${inHeader}${SECRET}${signature.toUpperCase()}${inHeader}`;
  const answer = answering(quoted, inHeader);
  const { status = 200, statusText = 'OK', location, body = '' } = answer;
  if (answer.isBroken) response.destroy();
  response.writeHead(status, statusText, location === undefined ? {} : { location });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
})({ apiKey: KEY, apiSecret: SECRET, authorizationToken: TOKEN });

const BALANCE = { resource: 'balance', operation: 'get' };
const PULL = { resource: 'reply', operation: 'pull', count: 10 };
const GET_ALL = { resource: 'template', operation: 'getAll', returnAll: true, simplify: false };

const OPERATIONS: INodeParameters[] = [
  withOptions({ maxRetries: 0 }),
  BALANCE,
  PULL,
  GET_ALL,
  { resource: 'signature', operation: 'create', name: 'S' },
];

/** What every operation, the editor and the trigger show and keep. */
async function everything(): Promise<unknown[]> {
  const shown: unknown[] = [];
  for (const parameters of OPERATIONS) {
    for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)
      shown.push(await harness.execute(parameters, people(1), { node: { onError } }));
  }
  const poller = harness.createPoller({ events: ['reply'] });
  await poller.tick().catch((error: unknown) => shown.push(error));
  await poller.deactivate();
  shown.push(poller.executions, poller.errors, poller.saved, await harness.testCredential());
  shown.push(await harness.search('searchTemplates').catch((error: unknown) => error));
  return shown;
}

/** All texts and names in a value, those of an error too that JSON leaves out. */
function textsIn(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  return Object.getOwnPropertyNames(value).flatMap((name) => [
    name,
    ...textsIn((value as IDataObject)[name], seen),
  ]);
}

const inEscapes = (text: string) =>
  text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Answers whose data is understood, and so keeps the API key: an account name is part of batch IDs. */
const UNDERSTOOD = new Set([
  ...['records', 'list', 'receipt', 'receipt with more'],
  ...['unknown shape', 'new record'],
]);

test.each<[string, Answering]>([
  ['message and code', (all) => ({ body: { code: `no ${all}`, msg: `bad ${all}` } })],
  ['request ID', (all) => ({ body: { code: 7, msg: 'no', request_id: all } })],
  ['message under another name', (all) => ({ body: { code: 7, message: `bad ${all}` } })],
  ['refusal with HTTP 400', (all) => ({ status: 400, body: { code: 7, msg: all } })],
  ['refusal with HTTP 429', (all) => ({ status: 429, body: { msg: all } })],
  ['failure with HTTP 500', (all) => ({ status: 500, body: { msg: all, [all]: all } })],
  ['nested arrays', (all) => ({ body: [[{ code: 7, msg: all }]] })],
  ['escapes of JSON', (all) => ({ body: `{"code":7,"msg":"${inEscapes(all)}"}` })],
  ['data of a refusal', (all) => ({ body: { code: 7, data: { [all]: [{ a: [all] }] } } })],
  ['records', (all) => ({ body: { code: 0, data: [{ mobile: 1, content: all, [all]: [all] }] } })],
  ['list', (all) => ({ body: { list: [{ id: 1, name: all, in: [{ [all]: all }] }], total: 1 } })],
  ['receipt', (all) => ({ body: { code: 0, msg: all, batch_id: all, count: 1 } })],
  ['receipt with more', (all) => ({ body: { code: 0, fee: all, data: { [all]: [all] } } })],
  ['unknown shape', (all) => ({ body: { code: 0, msg: all, [all]: all, list: all, data: all } })],
  ['new record', (all) => ({ body: { id: 1, name: all } })],
  ['text', (all) => ({ body: all })],
  ['cut-off JSON', (_, part) => ({ body: `{"code":0,"data":[{"content":"${part}` })],
  ['no answer', () => ({ isBroken: true })],
  ['web page', (all) => ({ body: `<html>${all}</html>` })],
  ['text of the status', (all, part) => ({ status: 500, statusText: part, body: all })],
  ['redirect', (all, part) => ({ status: 301, location: `https://x.example/${part}`, body: all })],
])('no secret is in outputs, errors and executions: %s', async (place, given) => {
  answering = given;
  const texts = textsIn(await everything());
  const all = [...secrets].filter((secret) => secret !== KEY || !UNDERSTOOD.has(place));
  expect(texts.filter((text) => all.some((secret) => text.includes(secret)))).toEqual([]);
  // Nothing is quoted of a web page, nor of the text of the status.
  const isQuoted = !['no answer', 'web page', 'text of the status'].includes(place);
  expect(texts.some((text) => text.includes('[hidden]'))).toBe(isQuoted);
});

test.each<[string, Answer]>([
  ['a long message', { body: { code: 7, msg: 'x'.repeat(295) + KEY } }],
  [
    'a long message with a signature',
    { body: { code: 7, msg: 'x'.repeat(270) + 'ab12'.repeat(16) } },
  ],
  ['a long address', { status: 301, location: `https://x.example/${'x'.repeat(178)}${KEY}` }],
  ['an address without its query', { status: 301, location: `https://x.example/${TOKEN}` }],
])('no half of a secret is left where %s is cut', async (_, given) => {
  answering = () => given;
  const { error } = await harness.execute(BALANCE);
  expect(error?.message).toContain('[hid');
  expect(error?.message).not.toMatch(/ak-|Bearer|ab12/);
});

test('other values stay as they are, a hash of the user too', async () => {
  const record = { id: 1, name: '\u00e9 \\ "', hash: 'ab'.repeat(32), at: 1, is: null };
  answering = (_, part) => ({ body: { list: [{ ...record, note: `: ${part}` }], total: 1 } });
  const { json } = await harness.execute(GET_ALL);
  expect(json).toEqual([{ ...record, note: `: ${KEY} [hidden] [hidden]` }]);
});

test('a batch ID that begins with the API key stays exact, and is hidden in what is not understood', async () => {
  const record = { batch_id: `${KEY}-77`, mobile: 13800138000, content: KEY };
  answering = () => ({ body: { code: 0, data: [record] } });
  expect((await harness.execute(PULL)).json).toMatchObject([{ ...record, mobile: '13800138000' }]);
  answering = () => ({ body: { code: 0, data: record } });
  expect((await harness.execute(PULL)).json).toMatchObject([
    {
      event: 'unreadable',
      answer: { data: { ...record, batch_id: '[hidden]-77', content: '[hidden]' } },
    },
  ]);
});

test.each([{ batch_id: `${KEY}-77`, count: 1 }, { data: { batch_id: `${KEY}-77`, count: 1 } }])(
  'the batch of an unknown outcome can be looked up, and only its ID has the API key: %j',
  async (batch) => {
    answering = () => ({ body: { code: 100, msg: `busy ${KEY}`, note: KEY, ...batch } });
    expect((await harness.execute(withOptions({}), people(1), CONTINUE)).json).toMatchObject([
      {
        ...{ status: 'unknown', batch_id: `${KEY}-77`, batch_count: 1 },
        ...{ msg: expect.stringContaining('busy [hidden]'), answer: { note: '[hidden]' } },
      },
    ]);
  },
);

test('a request signature of another request is not in the words of the service', async () => {
  answering = () => ({ body: { code: 7, msg: `expected ${'AB12'.repeat(16)}` } });
  const { error } = await harness.execute(BALANCE);
  expect(error?.message).toContain('expected [hidden] (code 7)');
});

test.each([
  ['an API key', new SecretMask([], 'exampletech-1'), 'exampletech-1'],
  ['fewer than 8 characters', new SecretMask(['ab-12']), 'ab-12'],
  ['digits', new SecretMask(['13800138000']), '13800138000'],
])(
  'what a record may have, too, is hidden in the words of the service only: %s',
  (_, mask, value) => {
    const answer = { code: 1, msg: `no ${value}`, data: [{ content: `Hi ${value}` }] };
    expect(mask.hide(answer)).toEqual({ ...answer, msg: 'no [hidden]' });
    const words = { code: 1, message: `no ${value}` };
    expect(mask.hide(words)).toEqual({ ...words, message: 'no [hidden]' });
  },
);

test.each(['msg', 'name'])(
  'a token that is quoted without its Bearer is hidden: %s',
  async (field) => {
    const token = TOKEN.replace('Bearer ', '');
    answering = () => ({
      body: { code: field === 'msg' ? 7 : 0, msg: '', [field]: `no ${token}` },
    });
    const shown = textsIn(await everything());
    expect(shown.filter((text) => text.includes(token))).toEqual([]);
  },
);

test.each<[string, secrets: string[], answer: object, shown: object]>([
  ['fewer than 4 characters', ['abc'], { data: ['abc'] }, { msg: 'no abc', data: ['abc'] }],
  [
    'the longer of two that begin alike',
    ['secret-one', 'secret-one-more'],
    {},
    { msg: 'no [hidden]' },
  ],
  ['one that JSON writes otherwise', [SECRET], {}, { msg: 'no [hidden]' }],
  // It would mean something else.
  ['a code in digits', ['10004'], { code: '10004' }, { code: '10004', msg: 'no [hidden]' }],
])('of secrets, %s', (_, all, answer, shown) => {
  expect(new SecretMask(all).hide({ msg: `no ${all.at(-1)}`, ...answer })).toEqual(shown);
});
