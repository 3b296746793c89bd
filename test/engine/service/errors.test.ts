import type { INode } from 'n8n-workflow';
import { readAnswer } from '../../../nodes/SmsMessagingService/service/answer';
import type { Unanswered } from '../../../nodes/SmsMessagingService/service/answer';
import { adviceFor, exchangeError } from '../../../nodes/SmsMessagingService/service/errors';
import type { OperationAdvice } from '../../../nodes/SmsMessagingService/service/errors';
import { DEFAULT_CODES } from '../../../nodes/SmsMessagingService/service/resultCodes';
import { SecretMask } from '../../../nodes/SmsMessagingService/service/secrets';

/** What the user can do about a request without a usable answer. */

const problem = (statusCode: number, body: unknown, headers = {}) =>
  readAnswer(
    { statusCode, headers, body },
    { purpose: 'other', mask: new SecretMask([]), codes: DEFAULT_CODES },
  ) as Unanswered;

const UNREACHABLE: Unanswered = { kind: 'unreachable', reason: 'no connection' };

const OTHER =
  "Code 5 is in no list of the credential. If it means success, add it under 'Custom Result Codes' to 'Success Codes'; other meanings have lists of their own.";
const ALL_REFUSED =
  'If every operation is refused, check the credential, also its Custom Request Signing.';
const KEYS =
  "Check API Key and API Secret in the credential. If they are right, compare its Custom Request Signing with your provider's manual.";
const OUT_OF_ORDER =
  "The service may be out of order: try again later. If it never works, check the credential's Base URL.";

const inList = (code: number, list: string) => `Code ${code} is among '${list}' of the credential.`;

test.each<[string, Unanswered, string]>([
  ['a code in no list', problem(200, { code: 5 }), `${ALL_REFUSED} ${OTHER}`],
  ['it with HTTP 422', problem(422, { code: 5 }), `${ALL_REFUSED} ${OTHER}`],
  ['HTTP 400', problem(400, '<html>'), ALL_REFUSED],
  [
    'a code of Empty',
    problem(200, { code: 10004 }),
    `${ALL_REFUSED} ${inList(10004, 'Empty Codes')}`,
  ],
  ['HTTP 401', problem(401, { code: 5 }), KEYS],
  ['HTTP 403', problem(403, ''), KEYS],
  [
    'HTTP 404',
    problem(404, { code: 5 }),
    "Check the credential's Base URL: it must be the address that your SMS provider gave you, with its path prefix if it has one.",
  ],
  [
    'a redirect',
    problem(308, { code: 5 }, { location: '/v2' }),
    "Set the credential's Base URL to the address that the service redirects to, up to /sendsms or /openapi.",
  ],
  ['HTTP 429', problem(429, { code: 5 }), 'Wait a moment and try again.'],
  [
    'a code of Too Fast',
    problem(400, { code: 10007 }),
    `Wait a moment and try again. ${inList(10007, 'Too Fast Codes')}`,
  ],
  [
    'a code of Unclear',
    problem(200, { code: 100 }),
    `${OUT_OF_ORDER} ${inList(100, 'Unclear Codes')}`,
  ],
  ['HTTP 500, whatever the code', problem(500, { code: 5 }), OUT_OF_ORDER],
  ['a code of success with HTTP 400', problem(400, { code: 0 }), OUT_OF_ORDER],
  ['a web page', problem(200, '<html>'), OUT_OF_ORDER],
  [
    'no connection',
    UNREACHABLE,
    "Check the credential's Base URL and that this n8n can reach the service.",
  ],
  [
    'https to a port without it',
    { ...UNREACHABLE, needs: 'http' },
    "Check the port in the credential's Base URL. If the service has no https, the Base URL must start with http://, and Allow HTTP must be on.",
  ],
])('after %s', (_, exchange, advice) => {
  expect(adviceFor(exchange)).toBe(advice);
});

const OWN: OperationAdvice = {
  nothing: 'Nothing was sent.',
  check: "Check 'ID'.",
  unclear: 'Look at the service.',
  otherMeaning: 'Ask your provider',
};

test.each<[string, Unanswered, string]>([
  [
    'a refusal',
    problem(200, { code: 5 }),
    `Nothing was sent. Check 'ID'. ${ALL_REFUSED} Code 5 is in no list of the credential. Ask your provider.`,
  ],
  ['a refusal without code', problem(400, ''), "Nothing was sent. Check 'ID'."],
  ['HTTP 403', problem(403, ''), `Nothing was sent. ${KEYS}`],
  ['HTTP 429', problem(429, ''), 'Nothing was sent. Wait a moment and try again.'],
  ['HTTP 500', problem(500, ''), 'Look at the service.'],
  ['a web page', problem(200, '<html>'), "Look at the service. Check the credential's Base URL."],
  ['a login', problem(302, ''), "Look at the service. Check the credential's Base URL."],
  ['cut-off JSON', problem(200, '{"code":'), 'Look at the service.'],
])('an operation has its own advice after %s', (_, exchange, advice) => {
  expect(adviceFor(exchange, OWN)).toBe(advice);
});

test.each<[number, RegExp]>([
  [1, /^Check API Key and API Secret in the credential, also its Custom Request Signing: code 1 /],
  [15, /^Check the balance of the account: code 15 /],
  [10006, /^Ask your SMS provider: code 10006 /],
])(
  'code %d has its usual meaning first, and one more advice, whatever the operation',
  (code, first) => {
    const operations: OperationAdvice[] = [{}, { check: "Check 'ID'." }, { refused: 'Compare.' }];
    for (const own of operations) {
      for (const status of [200, 400, 422]) {
        const advice = adviceFor(problem(status, { code: String(code) }), own);
        expect(advice).toMatch(first);
        expect(advice.split('. ')).toHaveLength(3);
        expect(advice).toContain(OTHER.replace('5', String(code)));
      }
    }
    // The account of a service that gives out records is not refused.
    expect(adviceFor(problem(200, { code }), { refused: '' })).not.toMatch(first);
  },
);

test.each([200, '200', 201])(
  'code %p beside HTTP 200 is shown, and leads to Success Codes alone',
  (code) => {
    const exchange = problem(200, { code, msg: 'ok', data: [] });
    expect(exchange.reason).toBe(`The service refused the request: ok (code ${code})`);
    const pull = "If it means that nothing is waiting, add it to 'Empty Codes'";
    const own = { nothing: 'Nothing came.', check: "Check 'ID'.", otherMeaning: pull };
    for (const advice of [adviceFor(exchange), adviceFor(exchange, own)]) {
      expect(advice).toBe(
        `Code ${code} is in no list of the credential. If it means success, as such an HTTP status does, the request was done: add it under 'Custom Result Codes' to 'Success Codes'.`,
      );
    }
    // A refusal repeats its status, too.
    expect(adviceFor(problem(400, { code: 400 }), own)).toContain('Empty Codes');
  },
);

describe('the error', () => {
  const node = { name: 'SMS' } as INode;

  test('has what the service said, in words that n8n does not replace', () => {
    const said = { code: 5, msg: 'preexisting: EEXIST', request_id: 'r1' };
    const error = exchangeError(node, problem(400, said), { itemIndex: 2 });
    expect(error.message).toBe(
      'The service refused the request (HTTP 400): pre-existing: E-EXIST (code 5)',
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
    const error = exchangeError(node, exchange, { itemIndex: 0 });
    expect([error.context.itemIndex, error.failure]).toEqual([itemIndex, failure]);
  });
});
