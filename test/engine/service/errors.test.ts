import type { INode } from 'n8n-workflow';
import { readAnswer } from '../../../nodes/SmsMessagingService/service/answer';
import type { Unanswered } from '../../../nodes/SmsMessagingService/service/answer';
import { exchangeError } from '../../../nodes/SmsMessagingService/service/errors';
import { DEFAULT_CODES } from '../../../nodes/SmsMessagingService/service/resultCodes';
import { SecretMask } from '../../../nodes/SmsMessagingService/service/secrets';

/** The error of a request without a usable answer. Its advice: advice.test.ts. */

const problem = (statusCode: number, body: unknown, headers = {}) =>
  readAnswer(
    { statusCode, headers, body },
    { purpose: 'other', mask: new SecretMask([]), codes: DEFAULT_CODES },
  ) as Unanswered;

const UNREACHABLE: Unanswered = { kind: 'unreachable', reason: 'no connection' };

const LIST = { task: 'list' } as const;

describe('the error', () => {
  const node = { name: 'SMS' } as INode;

  test('has what the service said, in words that n8n does not replace', () => {
    const said = { code: 5, msg: 'preexisting: EEXIST', request_id: 'r1' };
    const error = exchangeError(node, problem(400, said), LIST, 2);
    expect(error.message).toBe(
      'The service rejected the request (HTTP 400): pre-existing: E-EXIST (code 5)',
    );
    expect(error.description).toMatch(/Request ID of the service: r1\.$/);
    expect(error.context).toMatchObject({ itemIndex: 2, service: { ...said, http_status: 400 } });
    expect(error.httpCode).toBe('400');
  });

  test.each<[Unanswered, object | undefined]>([
    [problem(200, { code: 5 }), undefined],
    [problem(200, { code: 10004 }), undefined],
    [problem(404, ''), undefined],
    [problem(500, ''), { cause: 'temporarily-unavailable' }],
    [UNREACHABLE, { cause: 'temporarily-unavailable' }],
    [problem(401, ''), { cause: 'credential-invalid' }],
    [problem(403, ''), { cause: 'credential-invalid' }],
    [problem(429, '', { 'retry-after': '7' }), { cause: 'rate-limited', retryAfterMs: 7_000 }],
  ])('of %j tells n8n its sort: %j', (exchange, failure) => {
    expect(exchangeError(node, exchange, LIST, 0).failure).toEqual(failure);
  });
});
