import { createHash } from 'node:crypto';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { SmsMessagingServiceApi } from '../../../credentials/SmsMessagingServiceApi.credentials';
import type { Harness, Poller } from '../harness';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { REPORTS_ONLY } from '../harness/pulls';
import { CONTINUE, descriptionOf, messagesOf, people, withOptions } from '../harness/sends';
import { coded, json, useScriptedService } from './service';
import type { Answer } from './service';

/** What readings of prose and of unknown fields did at 88d9a92: issue 51. */

const { useN8n, requests, answers } = useScriptedService();
const usual = useN8n();
const unclear = useN8n({ customResultCodes: true, otherCodes: 'unclear' });
const { execute } = usual;

/** A failed test must not leave a trigger to the account that the next one starts with. */
const triggers: Poller[] = [];
const triggerOf = (...args: Parameters<Harness['createPoller']>) => {
  const trigger = usual.createPoller(...args);
  triggers.push(trigger);
  return trigger;
};
afterEach(async () => {
  for (const trigger of triggers.splice(0)) await trigger.deactivate();
});

const said = (msg: string, code: unknown = 21) => json({ code, msg });
const OK = coded(0, { count: 1, batch_id: 'b-1' });
const PULL = { resource: 'reply', operation: 'pull' };

const statusesOf = async (count: number, options: IDataObject = {}) =>
  (await execute(withOptions(options), people(count), CONTINUE)).json.map(({ status }) => status);

test.each([
  '短信已入队,流速超限,将延迟下发',
  'Accepted, rate limit reached, delivery will be delayed',
  '签名频次超限',
  'rate limit exceeded',
])('a refusal is final, whatever its words: %s', async (msg) => {
  answers(said(msg));
  expect(await statusesOf(10)).toEqual(Array(10).fill('rejected'));
  expect(requests.map((body) => messagesOf({ body }).length)).toEqual([10]);
});

test('a refused request is not divided', async () => {
  answers(coded(21));
  expect(await statusesOf(9, { refusedRequests: 'divide' })).toEqual(Array(9).fill('rejected'));
  expect(requests).toHaveLength(1);
});

test.each(['暂无配置通道', '该账号已停用，暂无法拉取', '接口暂无法使用', '账号异常，暂无可用通道'])(
  'a refused pull is an error, whatever its words: %s',
  async (msg) => {
    answers(said(msg));
    const trigger = triggerOf({}, { activation: 'update' });
    await expect(trigger.activate()).rejects.toThrow(msg);
    answers(json({}), json({}), said(msg));
    await trigger.activate();
    await trigger.tick();
    expect(trigger.errors.map(({ message }) => message)).toEqual([expect.stringContaining(msg)]);
    answers(said(msg));
    expect((await execute(PULL)).error?.message).toContain(msg);
  },
);

test.each([
  { ret: 1 },
  { errcode: 7 },
  { errno: 7 },
  { errors: ['x'] },
  { success: false },
  { status: 'fail' },
])('a field that the specification does not have says nothing: %j', async (more) => {
  answers(coded(0, { count: 1, batch_id: 'b-1', ...more }));
  expect(await statusesOf(8, { batchSize: 1, maxConcurrency: 1 })).toEqual(
    Array(8).fill('accepted'),
  );
});

test.each<[string, Answer, Harness]>([
  ['rejected', json({ code: 5, msg: '模板不存在', data: { msg_id: 'req-77' } }), usual],
  ['unknown', coded(100), usual],
  ['unknown', coded(21), unclear],
  ['rejected', coded(10004), unclear],
  ['accepted', coded(0), usual],
  ['accepted', json({ count: 1, batch_id: 'b-1' }), usual],
  ['unknown', coded(0, { count: 0 }), usual],
])('a message is %s after %j', async (status, answer, n8n) => {
  answers(answer);
  const { json: items } = await n8n.execute(withOptions({}), people(1), CONTINUE);
  expect(items).toMatchObject([{ status }]);
  expect(requests).toHaveLength(1);
});

describe('the codes of the public manual hold while the switch is off', () => {
  test.each([10004, '10005'])('%j: there is nothing to pull', async (code) => {
    answers(coded(code));
    const trigger = triggerOf({}, { activation: 'update' });
    await trigger.activate();
    await trigger.tick();
    expect(trigger.errors).toEqual([]);
    expect(await execute(PULL)).toMatchObject({ error: undefined, json: [] });
  });

  test.each([10007, '10008'])('%j: too fast', async (code) => {
    answers(coded(code), OK);
    expect(await statusesOf(1)).toEqual(['accepted']);
    expect(requests).toHaveLength(2);
    answers(coded(code), json({ data: [{ batch_id: 'b', time: 1767225600 }] }), json({}));
    const trigger = triggerOf(REPORTS_ONLY);
    await trigger.tick();
    expect([trigger.executions.flat().length, trigger.errors]).toEqual([1, []]);
  });
});

test.each([['refused'], ['unclear']])(
  'the error of a code in no list names the setting that would change it, while others are %s',
  async (others) => {
    const n8n = others === 'refused' ? usual : unclear;
    answers(coded(21));
    const send = await n8n.execute(withOptions({}), people(1));
    expect(descriptionOf(send.error)).toMatch(/(Other|Unclear|Success) Codes/);
    const pull = await n8n.execute(PULL);
    expect(descriptionOf(pull.error)).toContain('Empty Codes');
    const trigger = triggerOf(REPORTS_ONLY);
    await trigger.tick();
    const [error] = trigger.errors;
    expect(`${error?.message} ${descriptionOf(error)}`).toContain('Empty Codes');
  },
);

describe('a switch of the credential that is', () => {
  const keys = { baseUrl: 'http://localhost', apiKey: 'key', apiSecret: 'secret-of-key' };
  const lists = { successCodes: '0', emptyCodes: '21', throttledCodes: '', unclearCodes: '' };

  test.each<[unknown, boolean]>([
    [true, true],
    ['true', false],
    ['false', false],
    [false, false],
    [1, false],
  ])('%j is on: %j', async (value, isOn) => {
    const signing = { customSigning: value, signaturePayload: '{nonce}' } as IDataObject;
    const { headers = {} } = await new SmsMessagingServiceApi().authenticate(
      { ...keys, ...signing } as never,
      { url: 'http://localhost/sendsms/balance', method: 'POST' },
    );
    const nonce = String(headers['X-Nonce']);
    const signed = `${keys.apiKey}${keys.apiSecret}${String(headers['X-Timestamp'])}${nonce}`;
    expect(headers['X-Sign']).toBe(
      createHash('sha256')
        .update(isOn ? nonce : signed)
        .digest('hex'),
    );

    answers(coded(21));
    const context = usual.createContext({}, [{}]);
    const trigger = triggerOf(REPORTS_ONLY, {
      getCredentials: async <T extends object>(type: string) =>
        ({
          ...(await context.getCredentials<T>(type, 0)),
          ...lists,
          customResultCodes: value,
        }) as T,
    });
    await trigger.tick();
    expect(trigger.errors).toHaveLength(isOn ? 0 : 1);
  });
});

test('the form shows the default codes, and says at Too Fast that a request is sent again', () => {
  const { properties } = new SmsMessagingServiceApi();
  const shown = properties.filter(({ name }) => name.endsWith('Codes'));
  const shape = ({ name, displayName, default: value, options = [] }: INodeProperties) => [
    name,
    displayName,
    value,
    ...options.map((option) => option.name).sort(),
  ];
  expect(shown.slice(1).map(shape)).toEqual([
    ['successCodes', 'Success Codes', '0'],
    ['emptyCodes', 'Empty Codes', '10004, 10005'],
    ['throttledCodes', 'Too Fast Codes', '10007, 10008'],
    ['unclearCodes', 'Unclear Codes', '100'],
    ['otherCodes', 'Other Codes', 'refused', 'May Have Been Sent', 'Not Sent'],
  ]);
  expect(shown[3]?.description).toContain('again');
});

test('what a run does once: parse a constant, and store its keys', async () => {
  const store = await DeduplicationStore.install();
  store.clear();
  const parametersJson = '{"code": "4711", "minutes": "5"}';
  const parse = jest.spyOn(JSON, 'parse');
  const remove = jest.spyOn(store, 'removeProcessed');
  const add = jest.spyOn(store, 'checkProcessedAndRecord');
  answers(coded(0, { count: 100, batch_id: 'b-1' }));
  const options = { idempotencyKey: '={{ $json.code }}', maxMessages: 500 };
  await execute({ ...withOptions(options), parametersJson }, people(200));
  const parsed = parse.mock.calls.filter(([text]) => text === parametersJson);
  const added = add.mock.calls.flatMap(([keys]) => keys);
  const removed = remove.mock.calls.length;
  jest.restoreAllMocks();
  expect(parsed.length).toBeLessThanOrEqual(2);
  expect([added.length, removed]).toEqual([200, 0]);
});
