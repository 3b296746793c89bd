import { afterSetback } from '../../../nodes/SmsMessagingService/sending/backOff';
import { LABELS } from '../../../nodes/SmsMessagingService/sending/options';
import { byId } from '../../engine/harness/locators';
import {
  CUSTOM,
  isFor,
  messagesOf,
  people,
  TEMPLATE,
  withOptions,
} from '../../engine/harness/sends';
import { readAnswer } from '../../../nodes/SmsMessagingService/service/answer';
import { SecretMask } from '../../../nodes/SmsMessagingService/service/secrets';
import type { Unanswered } from '../../../nodes/SmsMessagingService/service/answer';
import type { RecordedRequest } from '../../sandbox/recordedRequest';
import type { Probes, Scene } from './scene';
import {
  BALANCE,
  bodiesOf,
  bodyOf,
  defaultOf,
  fieldsOf,
  keysOf,
  numbersFrom,
  outcomesOf,
  outputOf,
  ranges,
} from './scene';

const ONE = {
  ...TEMPLATE,
  phoneNumbers: '13800138000',
  parametersJson: '{"code":"1","minutes":"5"}',
};
const TEXT = { ...CUSTOM, phoneNumbers: '13800138000', content: 'Hello' };

const countsOf = ({ gateway }: Scene) => gateway.requests.map((each) => messagesOf(each).length);

/** The phone numbers of the requests of a send to each of these numbers. */
async function sentTo(scene: Scene, phones: string[], phoneNumberFormat?: string) {
  const options = { batchSize: 1, ...(phoneNumberFormat ? { phoneNumberFormat } : {}) };
  await outputOf(
    scene,
    { ...CUSTOM, content: 'x', options },
    phones.map((phone) => ({ phone })),
  );
  return bodiesOf(scene).map(({ phone_numbers: [phone] = [] }: { phone_numbers?: string[] }) =>
    String(phone),
  );
}

/** The names of the parameters that the editor finds in the text of a template. */
async function parametersIn({ gateway, mapperFields }: Scene, content: string, count: unknown) {
  const list = [{ id: 301, content, param_count: count }];
  gateway.fault({ kind: 'wrongShape', body: { list, total: 1 } });
  const { fields } = await mapperFields({ ...TEMPLATE, templateId: byId(301) });
  return fields.map(({ id }) => id);
}

/** The guesses about sends. */
export const SENDS: Probes = {
  'Most messages in a request': async (scene) => {
    await outputOf(scene, TEMPLATE, people(250));
    return [defaultOf(scene, LABELS.batchSize), countsOf(scene).join(', ')];
  },

  'Messages that share a request': async (scene) => {
    const items = [{ phone: '13800138000' }, { phone: '13800138001', extra: '1' }];
    const json = '={{ $json.extra ? { code: "1", extra: "1" } : { code: "1" } }}';
    await outputOf(scene, { ...TEMPLATE, parametersJson: json }, items);
    return countsOf(scene).join(', ');
  },

  'Which phone numbers are taken': async (scene) => {
    const prefixes = numbersFrom(10, 99);
    const mobile = prefixes.map((prefix) => `${prefix}013800138`.padEnd(11, '0').slice(0, 11));
    const taken = await sentTo(scene, mobile);
    scene.gateway.reset();
    const lengths = numbersFrom(1, 30).map((length) => '9'.repeat(length));
    const any = await sentTo(scene, lengths, 'any');
    return [
      defaultOf(scene, 'Phone Number Format'),
      ranges(taken.map((phone) => Number(phone.slice(0, 2)))),
      ranges(any.map(({ length }) => length)),
    ];
  },

  'Form of a phone number': async (scene) => {
    const sent = await sentTo(scene, ['+86 138-0013-8000', '+85261234567'], 'any');
    return sent.join(', ');
  },

  'The same number twice': async (scene) => {
    await outputOf(scene, { ...ONE, phoneNumbers: '13800138000, 13800138000' });
    return [defaultOf(scene, 'Duplicate Numbers'), countsOf(scene).join(', ')];
  },

  'What a refusal of a send is about': async (scene) => {
    const { gateway } = scene;
    const match = (request: RecordedRequest) => request.path.endsWith('/send') && isFor(4)(request);
    gateway.fault({ kind: 'businessCode', code: 9000, match, times: Infinity });
    const sizesWith = async (options: object) => {
      gateway.requests.length = 0;
      await outputOf(scene, withOptions({ ...options }), people(8));
      const sends = gateway.requests.filter(({ path }) => path.endsWith('/send'));
      return sends.map((each) => messagesOf(each).length).join(', ');
    };
    return [
      defaultOf(scene, 'Refused Requests'),
      `${await sizesWith({})} messages`,
      await sizesWith({ refusedRequests: 'divide' }),
    ];
  },

  'Messages that a lower count left out': async (scene) => {
    scene.gateway.fault({ kind: 'acceptedFewer', acceptedCount: 2 });
    const json = await outputOf(scene, TEMPLATE, people(3));
    const statuses = new Set(json.map(({ status }) => String(status)));
    return [[...statuses].join(', '), json[0]?.warning ? 'warning' : 'no warning'];
  },

  'Where a receipt stands': async (scene) => {
    const receipts = {
      'under data': { code: 0, data: { batch_id: 'b', count: 1 } },
      batchId: { code: 0, batchId: 'b', count: 1 },
      'no count': { code: 0, batch_id: 'b' },
      'count 0': { code: 0, batch_id: 'b', count: 0 },
      'no batch_id': { code: 0, count: 1 },
      'two batches': { code: 0, data: [{ batch_id: 'b' }, { batch_id: 'c' }] },
      'code 9000 and a batch': { code: 9000, batch_id: 'b' },
    };
    const groups = await outcomesOf(scene, Object.entries(receipts), ([, body]) => ({
      kind: 'wrongShape',
      body,
    }));
    return Object.entries(groups).map(
      ([status, some]) => `${status}: ${some.map(([name]) => name).join(', ')}`,
    );
  },

  'Rate limits': async (scene) => {
    const path = '/sendsms/template/send';
    scene.gateway.fault({ kind: 'slow', delayMs: 100, path, times: Infinity });
    await outputOf(scene, withOptions({ batchSize: 1 }), people(8));
    const { maxInFlight } = scene.gateway;
    return String(maxInFlight) === defaultOf(scene, 'Max Concurrency')
      ? String(maxInFlight)
      : `${maxInFlight} in flight`;
  },

  'When a request is made again': async (scene) => {
    const groups = await outcomesOf(scene, numbersFrom(400, 599), (status) => ({
      kind: 'status',
      status,
      retryAfter: '0',
    }));
    const after = (pauses: number, retryAfterMs?: number) => {
      const tempo = { atOnce: 1, atMost: 1, pauses, unclear: 0 };
      const next = afterSetback(tempo, { kind: 'throttled', retryAfterMs }, true, 9, 0);
      return next.kind === 'goOn' ? next.pauseMs : Infinity;
    };
    const pauses = [0, 1, 2].map((earlier) => after(earlier));
    const longest = numbersFrom(1, 600).findLast((seconds) => after(0, seconds * 1000) < Infinity);
    scene.gateway.reset();
    scene.gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', times: Infinity });
    await outputOf(scene, BALANCE);
    const ofBalance = scene.gateway.requests.length;
    return [
      ranges(groups.repeated),
      `${ofBalance} request`,
      defaultOf(scene, 'Max Retries'),
      `${pauses.join(', ')} ms`,
      `${longest} s`,
    ];
  },

  'Form of Retry-After': () => {
    const forms = {
      seconds: '2',
      'HTTP date': 'Wed, 21 Oct 2015 07:28:00 GMT',
      words: 'soon',
    };
    const understood = Object.entries(forms).filter(([, text]) => {
      const raw = { statusCode: 429, headers: { 'retry-after': text }, body: '' };
      const exchange = readAnswer(raw, '/', new SecretMask([]));
      return (exchange as Unanswered).retryAfterMs !== undefined;
    });
    return understood.map(([name]) => name).join(', ');
  },

  'Whether the service knows a repeated send': async (scene) =>
    keysOf(JSON.parse(await bodyOf(scene, ONE))),

  'Phone Data and User Data': async (scene) => {
    const options = { userData: 'order', phoneData: 'person' };
    const [template, custom] = [
      await bodyOf(scene, { ...ONE, options }),
      await bodyOf(scene, { ...TEXT, options }),
    ].map((body) => JSON.parse(body) as { messages?: object[] });
    return [keysOf(template), keysOf(template?.messages?.[0]), keysOf(custom)];
  },

  'Template without parameters': async (scene) => {
    const body = await bodyOf(scene, { ...ONE, parametersJson: '{}' });
    return /"params":[^}]*\}/.exec(body)?.[0] ?? 'no params';
  },

  'Empty parameters': async (scene) => {
    const statuses: unknown[] = [];
    for (const code of ['', ' ']) {
      const parametersJson = JSON.stringify({ code });
      statuses.push((await outputOf(scene, { ...ONE, parametersJson }))[0]?.status);
    }
    const isSent = scene.gateway.requests.length > 0;
    return isSent ? 'sent' : [...new Set(statuses)].join(', ');
  },

  'Marks of template parameters': async (scene) => {
    const marks = ['${name}', '{{name}}', '{name}', '{1}', '#name#', '%name%', '[name]', '<name>'];
    const known: string[] = [];
    for (const mark of marks) {
      const names = await parametersIn(scene, `Dear ${mark}!`, undefined);
      if (names.length === 1) known.push(mark);
    }
    return known.join(' ');
  },

  'What param_count counts': async (scene) => {
    const agreeing: number[] = [];
    for (const count of numbersFrom(0, 5)) {
      const names = await parametersIn(scene, '${a} and ${a} and ${b}', count);
      if (names.length > 0) agreeing.push(count);
    }
    return agreeing.join(', ');
  },

  'Template review status': async (scene) => {
    const [first] = (await scene.search('searchTemplates', '审核中')).results;
    const label = String(first?.name).split(' · ');
    scene.gateway.reset();
    await outputOf(scene, { ...ONE, templateId: byId(first?.value) });
    const sent = bodiesOf(scene).map(({ template_id }) => `"template_id":${String(template_id)}`);
    const disabled: string[] = [];
    for (const status of [false, 0, '0', 'false', 1, 2, null]) {
      const list = [{ id: 301, content: 'x', status }];
      scene.gateway.fault({ kind: 'wrongShape', body: { list, total: 1 } });
      const text = await scene.templateText({ templateId: byId(301) });
      if (text.includes('disabled')) disabled.push(JSON.stringify(status));
    }
    const parts = label.filter((part) => /^review status \d|disabled/.test(part));
    return [disabled.join(', '), ...parts, ...sent];
  },

  'Signature of a template SMS': async (scene) => {
    const optional = fieldsOf(scene, { resource: 'message', operation: 'sendTemplate' }).filter(
      (field) => !field.required && field.displayName === 'Signature',
    );
    const body = await bodyOf(scene, { ...ONE, signatureId: byId(202) });
    const html = await scene.templateText({ templateId: byId(301), signatureId: byId(202) });
    return [
      /This template belongs to another signature/.exec(html)?.[0] ?? '',
      ...optional.map(({ displayName }) => displayName),
      /"sms_sign_id":\d+/.exec(body)?.[0] ?? '',
    ];
  },

  'Text of a custom SMS': async (scene) => {
    const long = 'x'.repeat(2000);
    const texts = ['Hello', long, ' '];
    const sent: string[] = [];
    for (const content of texts) {
      const body = await bodyOf(scene, { ...TEXT, content });
      if (body.includes(`"content":"${content}"`)) sent.push(content);
    }
    return [`"content":"${sent[0]}"`, `${sent.at(-1)?.length} characters`];
  },
};
