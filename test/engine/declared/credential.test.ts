import { createHash, createHmac } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { SmsMessagingServiceApi } from '../../../credentials/SmsMessagingServiceApi.credentials';
import {
  meaningOfCode,
  readResultCodes,
} from '../../../nodes/SmsMessagingService/service/resultCodes';
import { REPORTS_ONLY } from '../../kit/engine/pulls';
import { descriptionOf, people, withOptions } from '../../kit/engine/sends';
import { coded, useScriptedService } from '../../kit/engine/scriptedService';
import { DEFAULTS } from '../../kit/engine/answerTable';

/** How the credential declares what answers mean, and where a user finds it. */

const { useN8n, answers } = useScriptedService();
const usual = useN8n();
const unclear = useN8n({ customResultCodes: true, otherCodes: 'unclear' });

const PULL = { resource: 'reply', operation: 'pull' };

test.each([['refused'], ['unclear']])(
  'the error of a code in no list names the setting that decides, while others are %s',
  async (others) => {
    const n8n = others === 'refused' ? usual : unclear;
    answers(coded(21));
    const send = await n8n.execute(withOptions({}), people(1));
    // A send is not told that a refusal may be none.
    expect(descriptionOf(send.error).includes("'Other Codes'")).toBe(others === 'unclear');
    expect(descriptionOf(send.error)).not.toMatch(/success/i);
    const pull = await n8n.execute(PULL);
    expect(descriptionOf(pull.error)).toContain('Empty Codes');
    const trigger = usual.createPoller(REPORTS_ONLY);
    await trigger.tick();
    await trigger.deactivate();
    const [error] = trigger.errors;
    expect(`${error?.message} ${descriptionOf(error)}`).toContain('Empty Codes');
  },
);

describe('a switch of the credential that is', () => {
  const keys = { baseUrl: 'http://localhost', apiKey: 'key', apiSecret: 'secret-of-key' };

  test.each<[unknown, boolean]>([
    [true, true],
    ['true', false],
    ['false', false],
    [false, false],
    [1, false],
  ])('%j is on: %j', async (value, isOn) => {
    const signing = {
      customSigning: value,
      signaturePayload: '{nonce}',
      signatureAlgorithm: 'hmacSha256',
    } as IDataObject;
    const { headers = {} } = await new SmsMessagingServiceApi().authenticate(
      { ...keys, ...signing } as never,
      { url: 'http://localhost/sendsms/balance', method: 'POST' },
    );
    const nonce = String(headers['X-Nonce']);
    const signed = `${keys.apiKey}${keys.apiSecret}${String(headers['X-Timestamp'])}${nonce}`;
    const sign = isOn
      ? createHmac('sha256', keys.apiSecret).update(nonce)
      : createHash('sha256').update(signed);
    expect(headers['X-Sign']).toBe(sign.digest('hex'));

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
