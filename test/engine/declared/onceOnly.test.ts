import type { IExecuteContextData } from 'n8n-workflow';
import { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import { CONTINUE, inPairs, people, phone, RETRY, savedContext } from '../../kit/engine/sends';
import { coded, json, RESET, useScriptedService } from '../../kit/engine/scriptedService';
import type { Answer } from '../../kit/engine/scriptedService';

/**
 * Nobody pays twice: how often a request is made, and what becomes of its keys. Which answers are a refusal, and
 * which are unclear, is in answers.test.ts: here is one of each sort.
 */

const { useN8n, requests, answers } = useScriptedService();
const { execute } = useN8n();

const store = DeduplicationStore.install();
beforeEach(() => store.clear());

const OK = coded(0, { count: 2, batch_id: 'b-1' });
const EVIDENCE = { batch_id: 'b-1' };
const PARAMETERS = inPairs({ idempotencyKey: '={{ $json.code }}', maxRetries: 1 });
const RETRIED = { ...RETRY, maxTries: 3 };

const REFUSED: [string, Answer][] = [
  ['a code in no list', coded(21)],
  ['words of "too fast"', json({ code: 21, msg: '提交过快, rate limit exceeded' })],
  ['words of success', json({ code: 21, msg: '提交成功' })],
  ['words of a breakdown', json({ code: 21, msg: '系统繁忙' })],
  ['a code of Empty', coded(10004)],
  ['a web page at 404', { status: 404, text: '<html>no such page</html>' }],
];

const UNKNOWN: [string, Answer][] = [
  ['a refusal with a batch_id', coded(21, EVIDENCE)],
  ['Too Fast with a count', coded(10007, { count: 2 })],
  ['Too Fast at HTTP 503', coded(10007, {}, 503)],
  ['a code of Unclear', coded(100)],
  ['success at HTTP 503', coded(0, EVIDENCE, 503)],
  ['a count of 0', coded(0, { count: 0, ...EVIDENCE })],
  ['a cut-off acceptance', { status: 200, text: '{"code":0,"batch_id":"b-1"' }],
  ['no answer', RESET],
];

/** A run under Retry On Fail, and "Retry execution" after it. */
async function runTwice(onError: 'stopWorkflow' | 'continueRegularOutput') {
  const contextData: IExecuteContextData = {};
  await execute(PARAMETERS, people(2), { contextData, node: { ...RETRIED, onError } });
  const first = { requests: requests.length, keys: store.values().length };
  answers(OK);
  const saved = { contextData: savedContext(contextData), ...CONTINUE };
  const { json: items } = await execute(PARAMETERS, people(2), saved);
  const statuses = new Set(items.map(({ status }) => status));
  return { ...first, retried: requests.length, statuses: [...statuses] };
}

describe.each(['stopWorkflow', 'continueRegularOutput'] as const)('On Error %s', (onError) => {
  test.each(REFUSED)('%s: one request, and the key is free', async (_, answer) => {
    answers(answer);
    const expected = { requests: 1, keys: 0, retried: 1, statuses: ['accepted'] };
    expect(await runTwice(onError)).toEqual(expected);
  });

  test.each(UNKNOWN)('%s: one request for ever, and the key is kept', async (_, answer) => {
    answers(answer);
    const expected = { requests: 1, keys: 2, retried: 0, statuses: ['unknown'] };
    expect(await runTwice(onError)).toEqual(expected);
    const { json: items } = await execute(PARAMETERS, people(2), CONTINUE);
    expect(items.map(({ status }) => status)).toEqual(['skipped', 'skipped']);
    expect(requests).toHaveLength(0);
  });

  test.each([coded(21, {}, 429), { status: 429, text: '<html></html>' }, coded(10007)])(
    '%j once, and always: the request is made again until it gets through',
    async (answer) => {
      answers(answer, OK);
      expect(await runTwice(onError)).toMatchObject({ requests: 2, keys: 2, retried: 0 });
      store.clear();
      answers(answer);
      const always = await runTwice(onError);
      expect(always).toMatchObject({ keys: 0, retried: 1, statuses: ['accepted'] });
      expect(always.requests).toBeGreaterThan(1);
    },
  );

  test('Too Fast once, then a refusal: no third request', async () => {
    answers(coded(10007), coded(21));
    expect(await runTwice(onError)).toMatchObject({ requests: 2, keys: 0 });
  });
});

test.each<[number, Answer[]]>([
  [0, [coded(21), coded(21)]],
  [1, [OK, coded(21)]],
  [1, [coded(21), OK]],
  [1, [coded(21), coded(21, EVIDENCE)]],
  [1, [coded(100), coded(21)]],
])('%d keys are kept of an item whose requests end with %j', async (keys, script) => {
  answers(...script);
  const items = [{ phone: [0, 1, 2, 3].map(phone), code: 'order' }];
  await execute(PARAMETERS, items, CONTINUE);
  expect(requests).toHaveLength(2);
  expect(store.values()).toHaveLength(keys);
});
