import type { IDataObject, INodeParameters, IPairedItemData } from 'n8n-workflow';
import { byId } from '../../kit/engine/locators';
import { REPORTS_ONLY } from '../../kit/engine/pulls';
import { asJson, CONTINUE, inPairs, messagesOf, people, phone } from '../../kit/engine/sends';
import { coded, json, RESET, useScriptedService } from '../../kit/engine/scriptedService';
import type { Answer } from '../../kit/engine/scriptedService';
import { DEFAULTS, isSilent, meaningOf, statusOf } from '../../kit/engine/answerTable';
import type { Codes } from '../../kit/engine/answerTable';

/** What an answer means, for each HTTP status, code and body, to everything that asks. */

const CREDENTIALS = {
  'its switch off': { successCodes: '21', emptyCodes: '', otherCodes: 'unclear' },
  'others unclear': { customResultCodes: true, otherCodes: 'unclear' },
  'its own lists': {
    customResultCodes: true,
    successCodes: '21',
    emptyCodes: ' 10007 ',
    throttledCodes: 'abc',
    unclearCodes: '0,10004',
  },
};

const { useN8n, reply, answers } = useScriptedService();

const STATUSES = [200, 201, 204, 301, 302, 307, 308, 401, 404, 408, 409, 429, 499, 500, 503];
/** One of each kind: to try everything with each would take too long. */
const KINDS = [200, 204, 302, 404, 429, 500];
/** Where it depends on the code what an answer means. */
const BY_CODE = [200, 302, 404];

/** One of each meaning, and other ways to write some. */
const MEANINGS = [undefined, 0, 10004, 10007, 100, 21];
const CODES = [...MEANINGS, '0', ' 0 ', 'abc', null, ''];
const codesAt = (status: number) => (KINDS.includes(status) ? CODES : MEANINGS);

const EVIDENCE = [
  {},
  { batch_id: 'b-1' },
  { data: { count: '2' } },
  { data: { batch_id: 'b-1' } },
  { count: 1 },
  { count: 0 },
  { batch_id: '' },
];
const NO_EVIDENCE = [
  { result: { batch_id: 'b' } },
  { data: { task_id: 'b' } },
  { batchId: 'b' },
  // What the specification does not have says nothing.
  { ret: 1, errcode: 7, errno: 7, errors: ['x'], success: false, status: 'fail' },
];
const STRANGE_EVIDENCE = [
  ...[{ batch_id: 7 }, { count: 3, data: {} }, { count: 0, batch_id: 'b' }],
  { data: [null, { batch_id: 'b', count: 1 }] },
];

/** Of "too fast", of success and of a breakdown. They say nothing. */
const WORDS = ['提交过快, rate limit exceeded', '提交成功', '系统繁忙'];

const NO = { code: 21, msg: 'no' };
const NESTED = [
  [[NO]],
  [NO],
  [NO, NO],
  [{ ...NO, code: 10007 }],
  [[{ ...NO, batch_id: 'b-1' }]],
  [[{ ...NO, code: 0, batch_id: 'b-1', count: 2 }]],
  // A record, not an answer.
  [[{ id: 1, code: 21 }]],
].map((body) => JSON.stringify(body));
const TEXTS = ['<html>Log in</html>', 'OK', '5', '"text"', 'null', '', '[]', '{}', '{"data":null}'];
/** Without a limit, to read it would break. */
const DEEP = '['.repeat(5_000) + ']'.repeat(5_000);
const CUT_OFF = ['{"code":0,"batch_id":"b-1","cou', '{"code":21,"msg":"no","da'];

const RECORD = { batch_id: 'b', phone_number: '13810000000', status: 'DELIVRD' };
const hasRecord = ({ status, text }: Answer) => status !== 204 && text.includes('DELIVRD');

const LEAD = { id: 9, sign_id: 201, report_type: 1 };
/** A path: n8n's own engine would take half of the time here. */
const NTH = '={{ $json.nth }}';

/** An operation with a request for each item. */
interface Operation {
  parameters: INodeParameters;
  /** The field of the request that has the number of the item, from 1. */
  field: string;
  /** What stands beside `code` and `msg`. */
  bodies: object[];
  more: Answer[];
  /** Whether an answer that is not refused has the expected shape. */
  fits: (answer: Answer) => boolean;
}

const OPERATIONS: Record<string, Operation> = {
  'a deletion': {
    parameters: { resource: 'qualification', operation: 'delete', qualificationId: byId(NTH) },
    field: 'id',
    bodies: [{}],
    more: [json([]), { status: 200, text: '' }, ...CUT_OFF.map((text) => ({ status: 200, text }))],
    fits: ({ status, text }) => status === 204 || !/^\{("code":(null|""),)?"msg"/.test(text),
  },
  'a creation': {
    parameters: { resource: 'lead', operation: 'create', signatureId: byId(NTH), url: 'x' },
    field: 'sign_id',
    bodies: [LEAD],
    more: [json(LEAD), json({ ...LEAD, ret: 1, success: false, status: 'fail' })],
    fits: ({ status }) => status !== 204,
  },
  'a pull by hand': {
    parameters: { resource: 'deliveryReport', operation: 'pull', count: NTH },
    field: 'count',
    bodies: [{}, { data: [] }, { data: [RECORD] }],
    more: [json({ data: [{ ...RECORD, code: 21 }] })],
    fits: () => true,
  },
};

/** The answers, each with its result. */
const table = (given: Answer[], results: string[]) =>
  given.map(({ status, text }, row) => `HTTP ${status} ${text}: ${results[row]}`);

/** Gives each answer to the first request of its row, and `other` to all others. Counts them by row. */
function replyByRow(given: Answer[], rowOf: (body: IDataObject) => number, other: Answer) {
  const seen = given.map(() => 0);
  reply((body) => {
    const row = rowOf(body);
    const nth = (seen[row] = (seen[row] ?? 0) + 1);
    return nth === 1 ? (given[row] ?? other) : other;
  });
  return seen;
}

describe.each(Object.entries(CREDENTIALS))('with a credential that has %s', (name, fields) => {
  const isUsual = name === 'its switch off';
  const codes: Codes = isUsual ? DEFAULTS : { ...DEFAULTS, ...fields };
  const statuses = isUsual ? STATUSES : BY_CODE;
  const { execute, createPoller } = useN8n(fields);

  describe('a send', () => {
    /** Two messages for each answer. After every second one a good answer ends a series of setbacks. */
    async function check(answersOfRows: Answer[]) {
      const good = json({ count: 2, batch_id: 'b-2' });
      const given = answersOfRows.flatMap((answer, row) => (row % 2 ? [answer, good] : [answer]));
      const rowOf = (body: IDataObject) =>
        (Number(messagesOf({ body })[0]?.phone_number) - Number(phone(0))) / 2;
      const seen = replyByRow(given, rowOf, good);
      const parameters = { ...inPairs(), ...asJson('{ "code": "1" }') };
      const run = await execute(parameters, people(2 * given.length), CONTINUE);
      const found = given.map((_, row) => {
        const both = run.json.slice(2 * row, 2 * row + 2).map(({ status }) => status);
        return `${[...new Set(both)].join(' and ')} after ${seen[row]}`;
      });
      const expected = given.map((answer) => {
        const times = meaningOf('send', answer, codes) === 'slow down' ? 2 : 1;
        return `${statusOf(answer, codes)} after ${times}`;
      });
      expect(table(given, found)).toEqual(table(given, expected));
    }

    // Guess: http-status, redirect, code
    test.each(statuses)('HTTP %d, with each code and evidence', async (status) => {
      const evidence = isUsual && KINDS.includes(status) ? EVIDENCE : EVIDENCE.slice(0, 3);
      await check(
        codesAt(status).flatMap((code) => evidence.map((more) => coded(code, more, status))),
      );
    });

    if (!isUsual) return;

    // Guess: refusal-accepted
    test('other bodies, and what looks like evidence', async () => {
      const at = (status: number) => (text: string) => ({ status, text });
      const evidence = [...NO_EVIDENCE, ...STRANGE_EVIDENCE];
      await check([
        ...[200, 302, 308, 404, 408, 429].flatMap((each) =>
          [...TEXTS, ...NESTED, DEEP].map(at(each)),
        ),
        ...[200, 302, 500].flatMap((each) => CUT_OFF.map(at(each))),
        ...evidence.flatMap((more) => [0, 21].map((code) => coded(code, more))),
        ...WORDS.map((msg) => json({ code: 21, msg })),
        RESET,
      ]);
    });
  });

  // Guess: deletion
  test.each(Object.entries(OPERATIONS))('%s', async (title, operation) => {
    const { parameters, field, bodies, more, fits } = operation;
    const what = title === 'a pull by hand' ? 'pull' : 'other';
    const isChange = title === 'a deletion' || title === 'a creation';
    const given = [
      ...statuses.flatMap((status) =>
        codesAt(status).flatMap((code) => bodies.map((body) => coded(code, body, status))),
      ),
      ...[...more, { status: 200, text: '<html></html>' }],
    ];
    const expected = given.map((answer) => {
      const meaning = meaningOf(what, answer, codes);
      const isDone = meaning === 'nothing there' || (meaning === 'done' && fits(answer));
      if (hasRecord(answer)) return '1 items, done in 1';
      // Handed over whole.
      if (meaning === 'done' && what === 'pull' && isSilent(answer)) return '1 items, failed in 1';
      if (isDone) return `${what === 'pull' ? 0 : 1} items, done in 1`;
      const isNot = meaning === 'refused' || meaning === 'slow down';
      return `0 items, ${isChange ? (isNot ? 'not done' : 'may have been done') : 'failed'} in 1`;
    });
    const other = { code: codes.successCodes, msg: '', ...bodies[0] };
    const seen = replyByRow(given, (body) => Number(body[field]) - 1, json(other));
    const items = given.map((_, row) => ({ nth: row + 1 }));
    const { output } = await execute(parameters, items, CONTINUE);
    const found = given.map((answer, row) => {
      const own = (output?.[0] ?? []).filter(
        ({ pairedItem }) => (pairedItem as IPairedItemData).item === row,
      );
      const failed = own.filter((item) => item.json.error);
      // Beside records there may be an item with an error, or a hint.
      const isFailed = failed.length > 0 && !hasRecord(answer);
      const isSlow = meaningOf(what, answer, codes) === 'slow down';
      // Such a request may be made again, or not.
      if (isSlow && !isFailed && seen[row] === 2) return expected[row] ?? '';
      const isNot = JSON.stringify(failed).includes('Nothing was changed');
      const effect = !isChange ? 'failed' : isNot ? 'not done' : 'may have been done';
      return `${own.length - failed.length} items, ${isFailed ? effect : 'done'} in ${seen[row]}`;
    });
    expect(table(given, found)).toEqual(table(given, expected));
  });

  // A trigger goes on after 429: receiving/pullTurns.test.ts, and test/search for records beside it.
  const clear = statuses.filter((status) => status !== 429);

  // Guess: empty-code
  test.each(clear)('a poll of the trigger, HTTP %d', async (status) => {
    const given = codesAt(status).flatMap((code, index) => {
      const time = 1767225600 + 100 * status + index;
      return [{}, { data: [{ ...RECORD, time }] }].map((more) => coded(code, more, status));
    });
    // A poll for each answer; an empty one follows.
    const poller = createPoller(REPORTS_ONLY, { isEachMinute: true });
    const found: string[] = [];
    for (const answer of given) {
      answers(answer, json({ data: [] }));
      const before = { items: poller.executions.flat().length, errors: poller.errors.length };
      await poller.tick();
      const items = poller.executions.flat().slice(before.items);
      const said = poller.errors.length > before.errors ? 'an error' : 'no error';
      found.push([...items.map(({ event }) => event), said].join(', '));
    }
    await poller.deactivate();
    const expected = given.map((answer, row) => {
      const meaning = meaningOf('pull', answer, codes);
      const isFine = ['done', 'nothing there', 'slow down'].includes(meaning);
      const error = isFine ? 'no error' : 'an error';
      if (meaning === 'done' && isSilent(answer)) return 'unreadable, an error';
      if (!hasRecord(answer)) return error;
      // Whether records beside a code of Empty or Too Fast are an error is not promised.
      const isOpen = meaning === 'nothing there' || meaning === 'slow down';
      const isThere = found[row]?.startsWith('deliveryReport, ');
      return isOpen && isThere ? (found[row] ?? '') : `deliveryReport, ${error}`;
    });
    expect(table(given, found)).toEqual(table(given, expected));
  });
});
