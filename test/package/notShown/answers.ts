import type { IDataObject } from 'n8n-workflow';
import { findAcceptance } from '../../../nodes/SmsMessagingService/sending/evidence';
import { readOutcome } from '../../../nodes/SmsMessagingService/sending/receipt';
import { readAnswer } from '../../../nodes/SmsMessagingService/service/answer';
import { withText } from '../../../nodes/SmsMessagingService/service/charset';
import { SecretMask } from '../../../nodes/SmsMessagingService/service/secrets';
import { CREDENTIAL } from '../../engine/harness';
import { byId } from '../../engine/harness/locators';
import { descriptionOf, people, TEMPLATE } from '../../engine/harness/sends';
import type { Probes, Scene } from './scene';
import { BALANCE, defaultOf, numbersFrom, outcomesOf, outputOf, ranges } from './scene';

const RECEIPT = { batch_id: 'b', count: 1 };

/** What becomes of a send that is answered with this body. */
async function statusWith(scene: Scene, body: unknown): Promise<string> {
  scene.gateway.fault({ kind: 'html', body: JSON.stringify(body) });
  const [item] = await outputOf(scene, TEMPLATE, people(1));
  return String(item?.status);
}

/** The timeouts of the requests that something makes, in milliseconds. */
async function timeoutsOf(scene: Scene, use: () => Promise<unknown>): Promise<number[]> {
  const { type } = scene.loader.getCredential(CREDENTIAL);
  const authenticate = jest.spyOn(type, 'authenticate' as never);
  await use();
  const calls = authenticate.mock.calls as unknown as [unknown, { timeout: number }][];
  authenticate.mockRestore();
  return [...new Set(calls.map(([, { timeout }]) => timeout))];
}

/** The guesses about answers in general. */
export const ANSWERS: Probes = {
  'Codes other than 0': async (scene) => {
    scene.gateway.fault({ kind: 'businessCode', code: 9000, msg: 'no' });
    const [item] = await outputOf(scene, TEMPLATE, people(1));
    const { status, code, msg } = item ?? {};
    return [String(status), String(code), String(msg)];
  },

  'Type of code': async (scene) => {
    const successes: unknown[] = [];
    for (const code of [0, '0', ' 0 ', '000', 'OK', 'success', '', null, true, false, 1, 200]) {
      const status = await statusWith(scene, { code, ...RECEIPT });
      if (status === 'accepted') successes.push(code);
    }
    return successes.map((code) => JSON.stringify(code)).join(', ');
  },

  'Answers without code': async (scene) => await statusWith(scene, RECEIPT),

  'Form of a refusal': async (scene) => {
    const shown: string[] = [];
    for (const name of ['msg', 'message', 'error', 'errmsg', 'desc', 'request_id', 'requestId']) {
      scene.gateway.fault({ kind: 'wrongShape', body: { code: 9000, [name]: 'words' } });
      const { error } = await scene.execute(BALANCE);
      if (`${error?.message} ${descriptionOf(error)}`.includes('words')) shown.push(name);
    }
    const nested = [[{ code: 9000, msg: 'no' }]];
    const isRefused = (await statusWith(scene, nested)) === 'rejected';
    return [shown.join(', '), isRefused ? JSON.stringify(nested) : 'not nested'];
  },

  'Failures without a code': () => {
    const kindOf = (body: unknown) => {
      const raw = { statusCode: 200, headers: {}, body: JSON.stringify(body) };
      return readAnswer(raw, '/', new SecretMask([])).kind;
    };
    const words = [{ success: false }, { status: 'error' }, { error: 'denied' }, { errcode: 7 }];
    const other = [
      { code: 0, success: false },
      { code: 0, data: false },
      { code: 200, msg: 'success' },
    ];
    const found = [
      ...words.filter((body) => kindOf(body) === 'refused'),
      ...other.filter((body) => kindOf(body) === 'unclear'),
    ];
    return found.map((body) => JSON.stringify(body));
  },

  'Refusals that have accepted something': () => {
    const signs = [
      { batch_id: 'b' },
      { task_id: 't1' },
      { message_ids: ['m1'] },
      { count: 1 },
      { success_count: 1 },
      { fail_count: 1 },
      { data: [{ code: 0 }] },
      { data: [{ mobile: '13800138000', status: 0 }] },
      { request_id: 'r' },
      { fail_count: 2 },
      { success: false },
    ];
    const found = signs.filter((sign) => findAcceptance({ code: 7, ...sign }, 2) !== undefined);
    return found.map((sign) => JSON.stringify(sign));
  },

  'Acceptances that speak against themselves': () => {
    const signs = [
      { data: { success: false } },
      { data: { status: 'FAIL' } },
      { successCount: 0 },
      { fail_count: 2 },
      { fail_count: 1 },
    ];
    const outcomes = signs.map((sign) => {
      const body = { code: 0, batch_id: 'b', count: 2, ...sign };
      const { status, warning } = readOutcome({ kind: 'answered', body }, 2);
      return [JSON.stringify(sign), warning === undefined ? status : 'warning'];
    });
    const found = outcomes.filter(([, status]) => ['unknown', 'warning'].includes(String(status)));
    return found.map(([sign = '']) => sign);
  },

  'Words of a refusal': () => {
    const guesses: Record<string, string[]> = {
      unclear: ['系统繁忙', '内部错误', 'timeout', '部分成功'],
      throttled: ['提交过快', 'rate limit exceeded'],
      refused: ['号码频率超限', '余额不足'],
    };
    return Object.entries(guesses).flatMap(([kind, texts]) =>
      texts.filter((msg) => {
        const raw = { statusCode: 200, headers: {}, body: JSON.stringify({ code: 7, msg }) };
        return readAnswer(raw, '/', new SecretMask([])).kind === kind;
      }),
    );
  },

  'Text around the JSON': () => {
    const json = '{"code":0}';
    const texts = {
      'warning of PHP': `<br /><b>Notice</b>: x ${json}`,
      call: `callback(${json});`,
      'JSON text': JSON.stringify(json),
      'web page': `<html>${json}</html>`,
    };
    const read = Object.entries(texts).filter(([, body]) => {
      const raw = { statusCode: 200, headers: {}, body };
      return readAnswer(raw, '/', new SecretMask([])).kind === 'answered';
    });
    return read.map(([name]) => name).join(', ');
  },

  'Field error of a record': async (scene) => {
    scene.gateway.fault({ kind: 'html', body: '{"id":7,"error":"none"}' });
    const lead = { resource: 'lead', operation: 'create', signatureId: byId(201) };
    const [item] = await outputOf(scene, lead);
    return Object.keys(item ?? {}).filter((name) => item?.[name] === 'none');
  },

  'Refusals with another HTTP 2xx': async (scene) => {
    const groups = await outcomesOf(scene, numbersFrom(200, 299), (status) => ({
      kind: 'status',
      status,
      body: { code: 9000, msg: 'no' },
    }));
    return ranges(groups.rejected);
  },

  'HTTP statuses other than 200': async (scene) => {
    const groups = await outcomesOf(scene, numbersFrom(300, 599), (status) => ({
      kind: 'status',
      status,
      body: '<html>no</html>',
      ...(status === 429 ? { retryAfter: '0' } : {}),
    }));
    return [ranges(groups.rejected), ranges(groups.unknown), ranges(groups.repeated)];
  },

  'Code 0 with another HTTP status': async (scene) => {
    const groups = await outcomesOf(scene, [201, 302, 400, 404, 429, 500, 503], (status) => ({
      kind: 'status',
      status,
      body: { code: 0, ...RECEIPT },
    }));
    return Object.keys(groups);
  },

  'HTTP 401, 403 and 404': async (scene) => {
    const naming = async (text: string) => {
      const found: number[] = [];
      for (const status of [400, 401, 402, 403, 404, 405, 407, 410, 422]) {
        scene.gateway.fault({ kind: 'status', status });
        const { error } = await scene.execute(BALANCE);
        if (descriptionOf(error).startsWith(text)) found.push(status);
      }
      return found.join(', ');
    };
    return [await naming('Check API Key'), await naming("Check the credential's Base URL")];
  },

  'Answers that are not whole': async (scene) => {
    const kinds = ['resetBeforeAccept', 'resetAfterAccept', 'truncatedJson', 'html', 'emptyBody'];
    const groups = await outcomesOf(scene, kinds as 'html'[], (kind) => ({ kind }));
    return Object.keys(groups);
  },

  'Content-Type of an answer': async (scene) => {
    scene.gateway.fault({ kind: 'html', body: '{"code":0,"msg":"","balance":7}' });
    return JSON.stringify((await outputOf(scene, BALANCE))[0]?.balance ?? 'nothing');
  },

  'Charset of an answer': () => {
    const body = Buffer.from('cdcbb6a9', 'hex');
    const textIn = (type: string, bytes = body) =>
      withText({ statusCode: 200, headers: { 'content-type': type }, body: bytes }).body;
    // These bytes are a character of UTF-8 too.
    const either = Buffer.from('d1a7', 'hex');
    const names = ['gbk', 'gb2312', 'big5', 'gb18030', 'utf-8'].filter(
      (name) => textIn(`text/html;charset=${name}`, either) === '学',
    );
    return [names.join(', '), textIn('application/json') === '退订' ? body.toString('hex') : ''];
  },

  'Depth of an answer': () => {
    const isRead = (depth: number) =>
      readAnswer(
        { statusCode: 200, headers: {}, body: '['.repeat(depth) + ']'.repeat(depth) },
        '/',
        new SecretMask([]),
      ).kind === 'answered';
    return String(Math.max(...numbersFrom(1, 200).filter(isRead)));
  },

  'Time that an answer takes': async (scene) => {
    const lists = () => outputOf(scene, { resource: 'template', operation: 'getAll' });
    const pulls = () => outputOf(scene, { resource: 'reply', operation: 'pull' });
    const sends = await timeoutsOf(scene, () => outputOf(scene, TEMPLATE, people(1)));
    const [, ofNames] = await timeoutsOf(scene, () => scene.search('searchTemplates'));
    return [
      ...(String(sends) === defaultOf(scene, 'Timeout') ? sends : ['not the default']),
      ...(await timeoutsOf(scene, lists)),
      ...(await timeoutsOf(scene, pulls)),
      String(ofNames),
      await timeoutOfCredentialTest(scene),
    ].map((milliseconds) => `${milliseconds} ms`);
  },

  'Numbers that come as texts, and the reverse': async (scene) => {
    scene.gateway.fault({
      kind: 'html',
      body: '{"code":0,"data":[{"batch_id":17,"status":"DELIVRD","split_count":"2"}]}',
    });
    const [report] = await outputOf(scene, { resource: 'deliveryReport', operation: 'pull' });
    const { batch_id, split_count } = report ?? {};
    return [JSON.stringify({ batch_id }), JSON.stringify({ split_count })];
  },

  'Fields beyond the specification': async (scene) => {
    const body = { list: [{ id: 301, tags: ['a'] }], total: 1 };
    scene.gateway.fault({ kind: 'wrongShape', body });
    const templateId = byId(301);
    const json = await outputOf(scene, { resource: 'template', operation: 'get', templateId });
    return JSON.stringify(json[0]);
  },

  'Secrets in an answer': async (scene) => {
    const msg = `bad key ${scene.gateway.apiKey}`;
    scene.gateway.fault({ kind: 'businessCode', code: 9000, msg });
    const { error } = await scene.execute(BALANCE);
    return /bad key (\S+)/.exec(error?.message ?? '')?.[1] ?? '';
  },

  'Unit of the balance': async (scene) => {
    scene.gateway.fault({ kind: 'wrongShape', body: { code: 0, msg: '', balance: 12345 } });
    const [{ balance } = {} as IDataObject] = await outputOf(scene, BALANCE);
    return JSON.stringify({ balance });
  },

  'Where the balance stands': async (scene) => {
    scene.gateway.fault({ kind: 'wrongShape', body: { code: 0, data: { balance: 7 } } });
    const [item] = await outputOf(scene, BALANCE);
    return Object.keys(item ?? {}).includes('balance') ? 'data.balance' : 'not found';
  },

  'How a credential can be tested': async (scene) => {
    await scene.testCredential();
    return scene.gateway.requests.map(({ path }) => path);
  },
};

async function timeoutOfCredentialTest({ getNodeType, credential }: Scene): Promise<number> {
  let timeout = 0;
  const request = async (options: { timeout: number }) => {
    ({ timeout } = options);
    return { statusCode: 200, headers: {}, body: '{"code":0,"balance":1}' };
  };
  const test = getNodeType('smsMessagingService').methods?.credentialTest?.testConnection;
  await test?.call({ helpers: { request } } as never, { data: credential } as never);
  return timeout;
}
