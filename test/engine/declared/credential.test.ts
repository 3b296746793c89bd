import { createHash, createHmac } from 'node:crypto';
import { SmsMessagingServiceApi } from '../../../credentials/SmsMessagingServiceApi.credentials';
import {
  meaningOfCode,
  readResultCodes,
} from '../../../nodes/SmsMessagingService/service/resultCodes';
import { descriptionOf, people, withOptions } from '../../kit/engine/sends';
import { coded, useScriptedService } from '../../kit/engine/scriptedService';
import { DEFAULTS } from '../../kit/engine/answerTable';

/** How the credential declares what answers mean, and where a user finds it. */

const { useN8n, answers } = useScriptedService();
const usual = useN8n();
const unclear = useN8n({ customResultCodes: true, otherCodes: 'unclear' });

test.each([
  ['refused', usual],
  ['unclear', unclear],
])(
  'the error of a send with a code in no list names the setting that decides, while others are %s',
  async (others, { execute }) => {
    answers(coded(21));
    const advice = descriptionOf((await execute(withOptions({}), people(1))).error);
    // A send is not told that a refusal may be none.
    expect(advice.includes("'Other Codes'")).toBe(others === 'unclear');
    expect(advice).not.toMatch(/success/i);
  },
);

const OWN_SIGNING = { signaturePayload: '{nonce}', signatureAlgorithm: 'hmacSha256' };

describe('a switch of the credential that is', () => {
  const keys = { baseUrl: 'http://localhost', apiKey: 'key', apiSecret: 'secret-of-key' };

  test.each<[unknown, boolean]>([
    [true, true],
    ['true', false],
    ['false', false],
    [false, false],
    [1, false],
  ])('%j is on: %j', async (value, isOn) => {
    const { headers } = await new SmsMessagingServiceApi().authenticate(
      { ...keys, customSigning: value, ...OWN_SIGNING } as never,
      { url: 'http://localhost/sendsms/balance', method: 'POST' },
    );
    const {
      'X-Nonce': nonce,
      'X-Timestamp': time,
      'X-Sign': sign,
    } = headers as Record<'X-Nonce' | 'X-Timestamp' | 'X-Sign', string>;
    const made = isOn
      ? createHmac('sha256', keys.apiSecret).update(nonce)
      : createHash('sha256').update(`${keys.apiKey}${keys.apiSecret}${time}${nonce}`);
    expect(sign).toBe(made.digest('hex'));
    const codes = readResultCodes({ customResultCodes: value, emptyCodes: '21' } as never);
    expect(meaningOfCode(21, codes)).toBe(isOn ? 'empty' : 'other');
  });
});

test('the form shows the default codes, and says at Too Fast that a request is sent again', () => {
  const { properties } = new SmsMessagingServiceApi();
  const shown = properties.filter(({ name }) => name in DEFAULTS);
  expect(Object.fromEntries(shown.map((field) => [field.name, field.default]))).toEqual(DEFAULTS);
  expect(shown.find(({ name }) => name === 'throttledCodes')?.description).toContain('again');
});
