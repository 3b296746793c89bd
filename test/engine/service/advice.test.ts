import type { INode } from 'n8n-workflow';
import {
  ADVICE,
  ADVICE_UNKNOWN,
  adviceIn,
  adviceOn,
  situationOf,
  TASKS,
} from '../../../nodes/SmsMessagingService/service/advice';
import type { Asked, Situation, Task } from '../../../nodes/SmsMessagingService/service/advice';
import { RESOURCES } from '../../../nodes/SmsMessagingService/resources/index';
import { readAnswer } from '../../../nodes/SmsMessagingService/service/answer';
import type { Unanswered } from '../../../nodes/SmsMessagingService/service/answer';
import { exchangeError } from '../../../nodes/SmsMessagingService/service/errors';
import { readNetworkFailure } from '../../../nodes/SmsMessagingService/service/networkFailure';
import {
  DEFAULT_CODES,
  readResultCodes,
} from '../../../nodes/SmsMessagingService/service/resultCodes';
import { SecretMask } from '../../../nodes/SmsMessagingService/service/secrets';
import { action, credential, flatten, TRIGGER_FIELDS } from '../../kit/engine/descriptions';

/** The error of a request without a usable answer, and what a user can do: the table of situation and task. */

const isOf = (group: keyof typeof TASKS, task: Task) =>
  (TASKS[group] as readonly Task[]).includes(task);

/** The longest names. */
const names = {
  template: '1234567890123456789',
  record: 'Reported Link',
  plural: 'delivery reports',
  sizeField: 'Max Records per Poll',
  expected: "a page with a 'list' of records",
};

/** Every request that advice tells from others. */
const REQUESTS: Asked[] = [
  ...TASKS.send.flatMap((task) => [false, true].map((isMany) => ({ task, isMany, names }))),
  ...TASKS.pull.flatMap((task) => [
    { task, isMany: true, names },
    ...(['records', 'unreadable'] as const).map((arrived) => ({ task, arrived, names })),
  ]),
  ...[...TASKS.change, ...TASKS.read].flatMap((task) =>
    [false, true].map((isGuess) => ({ task, isGuess, isMany: task === 'list', names })),
  ),
  ...RESOURCES.flatMap(({ operations }) => operations).flatMap(({ endpoint: { warning } }) =>
    warning ? [{ task: 'created' as const, warning, names }] : [],
  ),
];

const STATUSES = [200, 302, 308, 400, 401, 404, 413, 429, 500];
const CODES = [undefined, 0, 1, 15, 10_006, 200, 2003, 10_004, 10_007, 100];
const BODIES = ['<html>Log in</html>', '{"code":0,"da', 'OK'];

/** Every kind of answer that cannot be used, as a request for this task is told of it. */
function problemsOf({ task }: Asked): Unanswered[] {
  const purpose = isOf('send', task) ? 'send' : isOf('pull', task) ? 'pull' : 'other';
  const answers = STATUSES.flatMap((statusCode) => [
    ...CODES.map((code) => ({ statusCode, body: JSON.stringify({ code, msg: 'no' }) })),
    ...BODIES.map((body) => ({ statusCode, body })),
    { statusCode, body: JSON.stringify({ code: 21, batch_id: 'b', count: 1 }) },
  ]);
  const read = (otherCodes: string) => {
    const codes = readResultCodes({ customResultCodes: true, otherCodes });
    return answers.map((answer) =>
      readAnswer({ ...answer, headers: { location: '/x' } }, { purpose, codes, mask: NO_MASK }),
    );
  };
  const failures = ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT'].map((code) =>
    readNetworkFailure({ code }, 1000),
  );
  const noHttps = readNetworkFailure({ message: 'write EPROTO x:wrong version number:' }, 1000);
  const exchanges = [...read('refused'), ...read('unclear'), ...failures, noHttps];
  return exchanges.filter((exchange) => exchange.kind !== 'answered');
}

const NO_MASK = new SecretMask([]);

/** What an answer is that came, and was not refused. */
function answersTo({ task, arrived }: Asked): Situation[] {
  if (!isOf('pull', task)) return ['unexpected'];
  return arrived ? ['unexpected', 'notInCharset'] : ['unexpected', 'silent'];
}

const EVERY = REQUESTS.flatMap((asked) => [
  ...problemsOf(asked).map((problem) => ({
    asked,
    situation: situationOf(problem, asked),
    advice: adviceOn(problem, asked),
  })),
  ...answersTo(asked).map((situation) => ({
    asked,
    situation,
    advice: adviceIn(situation, asked),
  })),
]);

/** Where advice is like that, as lines. */
const saying = (fits: (advice: string) => boolean, to: (asked: Asked) => boolean = () => true) => {
  const found = EVERY.filter(({ asked, advice }) => fits(advice) && to(asked));
  return [...new Set(found.map((each) => `${each.asked.task}, ${each.situation}: ${each.advice}`))];
};

test('every text of the table is said', () => {
  const said = EVERY.map(({ advice }) => advice).join('\n');
  for (const [situation, texts] of Object.entries(ADVICE)) {
    if (situation !== 'tooMany') expect(EVERY.map((each) => each.situation)).toContain(situation);
    for (const text of typeof texts === 'string' ? [texts] : Object.values<string>(texts)) {
      const pattern = text.replace(/[.*+?^$()[\]\\|]/g, '\\$&').replace(/\{\w+\}/g, '.+');
      expect([situation, text, new RegExp(pattern).test(said)]).toEqual([situation, text, true]);
    }
  }
});

test('advice has one or two sentences, and at most 220 characters', () => {
  expect(saying((advice) => advice.length > 220)).toEqual([]);
  expect(saying((advice) => ![1, 2].includes(advice.split(/[.!?] /).length))).toEqual([]);
  expect(saying((advice) => !advice.endsWith('.') || /[{}]|undefined/.test(advice))).toEqual([]);
});

test('a send is never told that a refusal may mean success', () => {
  expect(
    saying(
      (advice) => /success/i.test(advice),
      ({ task }) => isOf('send', task),
    ),
  ).toEqual([]);
});

test('Empty Codes are for a pull without records', () => {
  const isEmpty = ({ task, arrived }: Asked) => isOf('pull', task) && !arrived;
  const namesIt = (advice: string) => advice.includes('Empty Codes');
  expect(saying(namesIt, (asked) => !isEmpty(asked))).toEqual([]);
  const byOther = EVERY.filter(
    ({ asked, situation }) => isEmpty(asked) && situation === 'refusedCode',
  );
  expect(byOther.filter(({ advice }) => !namesIt(advice))).toEqual([]);
});

test('it names only fields that there are', () => {
  const fields = flatten([
    ...[...action.description.properties, ...TRIGGER_FIELDS],
    ...credential.properties,
  ]);
  const labels = new Set([...fields.map(({ displayName }) => displayName), 'data', 'list']);
  const named = EVERY.flatMap(({ advice }) =>
    [...advice.matchAll(/(?<= )'([^']+)'/g)].map(([, name = '']) => name),
  );
  expect([...new Set(named)].filter((name) => !labels.has(name))).toEqual([]);
});

const problem = (statusCode: number, body: unknown, headers = {}) =>
  readAnswer(
    { statusCode, headers, body },
    { purpose: 'other', mask: NO_MASK, codes: DEFAULT_CODES },
  ) as Unanswered;

describe('the likeliest cause comes first', () => {
  const noBalance = problem(200, { code: 2003, msg: '余额不足' });
  const codeOfHttp = problem(200, { code: 200, msg: 'ok' });
  const TEMPLATE =
    "Check that template 301 is enabled and has passed its review, that 'Signature' fits it, and then the parameters and 'Phone Numbers'.";

  test.each<[advice: string, Unanswered, Asked]>([
    [TEMPLATE, noBalance, { task: 'template', names: { template: 301 } }],
    [
      'Code 15 often means that the balance of the account is used up.',
      problem(200, { code: '15' }),
      { task: 'template' },
    ],
    [
      'Look at the delivery reports before you send again: code 200 is in no list of the credential.',
      codeOfHttp,
      { task: 'custom' },
    ],
    [
      "If code 200 means success, add it to 'Success Codes' under 'Custom Result Codes' in the credential, because the request was done then.",
      codeOfHttp,
      { task: 'pull', names: { plural: 'replies', sizeField: 'Count' } },
    ],
    [
      'Nothing was changed. It must not be reported.',
      noBalance,
      { task: 'updated', warning: 'It must not be reported' },
    ],
    [
      "Nothing was changed. The path of this operation is a guess: set 'Endpoint Path' under Options to the one in your provider's manual, and check the credential's Base URL.",
      problem(404, ''),
      { task: 'created', isGuess: true },
    ],
    [
      'The change may have been made: look at the service before you make it again.',
      problem(500, ''),
      { task: 'deleted' },
    ],
    [
      "Set the credential's Base URL to the address that the service redirects to, up to /sendsms or /openapi.",
      problem(308, { code: 5 }, { location: '/v2' }),
      { task: 'list' },
    ],
    [
      `${ADVICE_UNKNOWN} Code 100 is among 'Unclear Codes' of the credential.`,
      problem(200, { code: 100 }),
      { task: 'custom' },
    ],
  ])('%s', (advice, exchange, asked) => {
    expect(adviceOn(exchange, asked)).toBe(advice);
  });
});

describe('the error', () => {
  const node = { name: 'SMS' } as INode;

  test('has what the service said, in words that n8n does not replace', () => {
    const said = { code: 5, msg: 'preexisting: EEXIST', request_id: 'r1' };
    const error = exchangeError(node, problem(400, said), { task: 'list' }, 2);
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
    [{ kind: 'unreachable', reason: 'no connection' }, { cause: 'temporarily-unavailable' }],
    [problem(401, ''), { cause: 'credential-invalid' }],
    [problem(403, ''), { cause: 'credential-invalid' }],
    [problem(429, '', { 'retry-after': '7' }), { cause: 'rate-limited', retryAfterMs: 7_000 }],
  ])('of %j tells n8n its sort: %j', (exchange, failure) => {
    expect(exchangeError(node, exchange, { task: 'list' }, 0).failure).toEqual(failure);
  });
});
