import { createHash, createHmac } from 'node:crypto';
import { byId } from '../../engine/harness/locators';
import { TEMPLATE } from '../../engine/harness/sends';
import type { Probes, Scene } from './scene';
import {
  BALANCE,
  bodiesOf,
  bodyOf,
  defaultOf,
  fieldsOf,
  filled,
  header,
  keysOf,
  numbersFrom,
  operations,
  outcomesOf,
  outputOf,
} from './scene';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** X-Sign of a request that the credential test makes, with these fields of the credential. */
async function signatureWith(scene: Scene, change: Record<string, string>): Promise<string> {
  await scene.testCredential({ ...scene.credential, customSigning: true, ...change });
  return header(scene, 'x-sign');
}

function describeDigits(text: string): string {
  const isHexadecimal = /^[\da-f]+$/.test(text);
  return `${text.length} ${isHexadecimal ? 'lower-case hexadecimal digits' : 'characters'}`;
}

/** Makes a request with every operation of the node. */
async function useEveryOperation(scene: Scene): Promise<void> {
  for (const selection of operations(scene)) {
    await outputOf(scene, filled(scene, selection, 'required'));
  }
}

/** The guesses about how every request is made. */
export const REQUESTS: Probes = {
  'Base URL and path prefix': async (scene) => {
    const baseUrl = `${scene.gateway.baseUrl}/sms/v1/`;
    await scene.testCredential({ ...scene.credential, baseUrl });
    return scene.gateway.requests[0]?.path ?? '';
  },

  Version: async (scene) => {
    await outputOf(scene, BALANCE);
    const names = Object.keys(scene.gateway.requests[0]?.headers ?? {});
    return names.filter((name) => name.startsWith('x-')).join(', ');
  },

  'Plain HTTP': async (scene) => {
    const baseUrl = 'http://sms.example.com';
    const { message } = await scene.testCredential({ ...scene.credential, baseUrl });
    return message.split('. ')[0] ?? '';
  },

  Redirects: async (scene) => {
    const to = (location: string) => async () => {
      const groups = await outcomesOf(scene, numbersFrom(300, 399), (status) => ({
        kind: 'redirect',
        status,
        location,
      }));
      scene.gateway.reset();
      return groups.rejected?.join(', ') ?? 'none';
    };
    const samePath = await to(`${scene.gateway.origin}/v2/sendsms/template/send`)();
    return [samePath, await to('/elsewhere')()];
  },

  'Unit of X-Timestamp': async (scene) => {
    await outputOf(scene, BALANCE);
    const sent = header(scene, 'x-timestamp');
    const units: Record<number, string> = { 1: 'milliseconds', 1000: 'seconds' };
    return `${units[Math.round(Date.now() / Number(sent))]}, ${sent.length} digits`;
  },

  'Form of X-Nonce': async (scene) => {
    await outputOf(scene, BALANCE, Array(20).fill({}));
    const nonces = scene.gateway.requests.map(({ headers }) => String(headers['x-nonce']));
    const isRepeated = new Set(nonces).size < nonces.length;
    return `${describeDigits(nonces[0] ?? '')}${isRepeated ? ', repeated' : ''}`;
  },

  'What X-Sign is made of': async (scene) => {
    const payload = defaultOf(scene, 'Request Signing Template');
    await outputOf(scene, BALANCE);
    const text = payload
      .replace('{apiKey}', scene.gateway.apiKey)
      .replace('{apiSecret}', scene.gateway.apiSecret)
      .replace('{timestamp}', header(scene, 'x-timestamp'))
      .replace('{nonce}', header(scene, 'x-nonce'));
    return header(scene, 'x-sign') === sha256(text) ? payload : 'another payload';
  },

  'Key of the HMAC': async (scene) => {
    const signature = await signatureWith(scene, {
      signatureAlgorithm: 'hmacSha256',
      signaturePayload: 'text',
    });
    const candidates = { 'API Key': scene.gateway.apiKey, 'API Secret': scene.gateway.apiSecret };
    const [key] =
      Object.entries(candidates).find(
        ([, value]) => createHmac('sha256', value).update('text').digest('hex') === signature,
      ) ?? [];
    return [defaultOf(scene, 'Request Signing Algorithm'), key ?? 'another key'];
  },

  'Values in the payload': async (scene) => {
    const signaturePayload = '{method} {path} {body}';
    const signature = await signatureWith(scene, {
      baseUrl: `${scene.gateway.baseUrl}/sms`,
      signaturePayload,
    });
    const candidates = ['/sms/sendsms/balance', '/sendsms/balance'].flatMap((path) =>
      ['POST', 'post'].map((method) => `${method} ${path} ${scene.gateway.requests[0]?.rawBody}`),
    );
    const signed = candidates.find((text) => sha256(text) === signature);
    return [signaturePayload, signed ?? 'other values'];
  },

  'Line breaks in the payload': async (scene) => {
    const lineBreak = '\\n';
    const signature = await signatureWith(scene, { signaturePayload: `a${lineBreak}b` });
    const found = ['\n', '\r\n', '\\n'].find((text) => sha256(`a${text}b`) === signature) ?? '';
    const characters = Array.from(found, (character) => {
      const code = character.charCodeAt(0).toString(16).toUpperCase();
      return `U+${code.padStart(4, '0')}`;
    });
    return [lineBreak, characters.join(' ')];
  },

  'Form of X-Sign': async (scene) => {
    await outputOf(scene, BALANCE);
    return describeDigits(header(scene, 'x-sign'));
  },

  'Spaces around key, secret and token': async (scene) => {
    const [apiKey, apiSecret] = [` ${scene.gateway.apiKey} `, ` ${scene.gateway.apiSecret} `];
    const { status } = await scene.testCredential({ ...scene.credential, apiKey, apiSecret });
    return status === 'OK' ? header(scene, 'x-api-key') : 'another key or secret';
  },

  'Meaning of the authorization header': async (scene) => {
    await useEveryOperation(scene);
    const paths = scene.gateway.requests
      .filter(({ headers }) => 'authorization' in headers)
      .map(({ path }) => path);
    return [...new Set(paths)].join(', ');
  },

  'Form of the authorization header': async (scene) => {
    await outputOf(scene, { resource: 'signature', operation: 'create', name: 'x' });
    return header(scene, 'authorization');
  },

  'Header Accept': async (scene) => {
    await outputOf(scene, BALANCE);
    return header(scene, 'accept');
  },

  'Body of the balance query': async (scene) => await bodyOf(scene, BALANCE),

  'Required fields': (scene) =>
    operations(scene).flatMap((selection) => {
      const names = fieldsOf(scene, selection)
        .filter(({ required }) => required)
        .map(({ displayName }) => displayName);
      return ['create', 'sendTemplate', 'sendCustom'].includes(selection.operation)
        ? names.join(', ')
        : [];
    }),

  'Create signature: required as a whole': async (scene) => {
    const selection = { resource: 'signature', operation: 'create' };
    const required = await bodyOf(scene, filled(scene, selection, 'required'));
    return keysOf(JSON.parse(required));
  },

  'Fields that are not set': async (scene) => {
    await useEveryOperation(scene);
    const empty = bodiesOf(scene).flatMap((body) =>
      Object.keys(body).filter((name) => [null, ''].includes(body[name] as null)),
    );
    const [first] = scene.gateway.requests.filter(({ path }) => path === '/openapi/lead/create');
    return empty.length > 0 ? `empty: ${empty.join(', ')}` : (first?.rawBody ?? '');
  },

  'Numbers and texts in requests': async (scene) => {
    const body = await bodyOf(scene, {
      ...TEMPLATE,
      phoneNumbers: '={{ 13800138000 }}',
      parametersJson: '{"code":"007"}',
    });
    return [...body.matchAll(/"(?:template_id|phone_number|code)":"?\w+"?/g)].map(([text]) => text);
  },

  'IDs beyond 2^53': async (scene) => {
    const id = '9007199254740993';
    scene.gateway.fault({ kind: 'html', body: `{"list":[{"id":${id}}],"total":1}` });
    const json = await outputOf(scene, {
      resource: 'template',
      operation: 'get',
      templateId: byId(id),
    });
    return [scene.gateway.requests[0]?.rawBody ?? '', JSON.stringify(json[0])];
  },
};
