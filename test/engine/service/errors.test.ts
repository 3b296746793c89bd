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

  const SLOW_DOWN = { cause: 'rate-limited', retryAfterMs: 7_000 };

  // The first item is named only if others may be better off.
  test.each<[Unanswered, number | undefined, object | undefined]>([
    [problem(200, { code: 5 }), 0, undefined],
    [problem(200, { code: 10004 }), 0, undefined],
    [problem(404, ''), undefined, undefined],
    [problem(500, ''), 0, { cause: 'temporarily-unavailable' }],
    [UNREACHABLE, undefined, { cause: 'temporarily-unavailable' }],
    [problem(401, ''), undefined, { cause: 'credential-invalid' }],
    [problem(403, ''), undefined, { cause: 'credential-invalid' }],
    [problem(429, '', { 'retry-after': '7' }), undefined, SLOW_DOWN],
  ])('of %j names the item %p, and tells n8n its sort: %j', (exchange, itemIndex, failure) => {
    const error = exchangeError(node, exchange, LIST, 0);
    expect([error.context.itemIndex, error.failure]).toEqual([itemIndex, failure]);
  });
});
