import * as fc from 'fast-check';
import { findPlaceholders } from '../../nodes/SmsMessagingService/parameters/placeholders';
import { EVENTS } from '../../nodes/SmsMessagingService/receiving/events';
import * as recognise from '../../nodes/SmsMessagingService/receiving/recognise';
import * as answer from '../../nodes/SmsMessagingService/service/answer';
import * as listEnvelope from '../../nodes/SmsMessagingService/service/listEnvelope';
import { SecretMask } from '../../nodes/SmsMessagingService/service/secrets';
import * as statement from '../../nodes/SmsMessagingService/service/statement';
import { EMPTY_LISTS } from '../engine/harness/emptyLists';
import { check } from './load';
import { rowsOf } from './startCheck';

/** The check holds the code of the nodes. These tests hold what it says of an answer against the nodes. */
const { rules } = check;

const record = (id: number) => ({ id, name: `record ${id}` });
const records = [record(1), record(2), record(3)];
const page = { list: records, total: 3, page: 1, page_size: 100 };

/** Lists as services write them, and answers that are none. */
const SHAPES: unknown[] = [
  page,
  { code: 0, msg: 'success', data: page, tp: 1 },
  [[page]],
  { code: 0, data: [[page]] },
  [[{ list: records, total: 3 }], [{ list: [record(4)], total: 1 }]],
  { code: 0, data: records, total: 3 },
  { code: 0, data: { rows: records, total: 3 } },
  { code: 0, msg: '', rows: records, total: 3 },
  { code: 0, result: page },
  { code: 0, data: { result: { rows: records } } },
  records,
  [records[0]],
  { code: 0, data: [records[0]] },
  { list: [null, 5, [record(1)], 'text', record(2)] },
  ...EMPTY_LISTS,
  { code: 0, error: null, errors: [], ext: {}, data: page },
  { code: 0, ext: { version: 2 }, data: records },
  { code: 0, msg: 'x', result: { size: 1, name: 'x' } },
  { list: 'x', total: 3 },
  { code: 0, data: [{ message: 'x' }] },
  { errors: [] },
  { code: null, msg: 'x', data: null },
  { msg: 'x', data: { list: [] } },
  { msg: 'x', data: page },
  { id: 1, name: 'x', more_data: [] },
  { code: 0, data: { id: 1, more_data: [] } },
  { code: 0, data: records, rows: records },
  { code: 0, data: 'x' },
  { code: 7, msg: 'x' },
  { code: 7, msg: 'x', data: page },
  [[{ code: 7, msg: 'x' }]],
  [{ id: 1 }, 'x'],
  {},
  { code: 200, msg: 'success', data: page },
  { code: 0, success: false, data: page },
  { code: 0, data: { code: 5, msg: 'x' } },
  { code: 0, errcode: 3, data: page },
  { success: false },
  { success: true, data: page },
  { status: 'error', data: [] },
];

const names = fc.constantFrom(
  ...[
    'code',
    'msg',
    'data',
    'list',
    'total',
    'page_size',
    'rows',
    'id',
    'success',
    'errors',
    'status',
  ],
);

/** Random JSON with the names that matter. */
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(0, 1, '0', '', 'x', 'success', null, true, false, records, page),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(names, tie('json'), { maxKeys: 5 }),
  ),
}));

/** Such JSON, and known shapes that have some other fields or stand in something else. */
const answers = fc.oneof(
  json,
  fc
    .tuple(fc.constantFrom(...SHAPES), fc.dictionary(names, json, { maxKeys: 2 }))
    .map(([shape, more]) => (Array.isArray(shape) ? shape : { ...(shape as object), ...more })),
  fc.tuple(fc.constantFrom(...SHAPES), names).map(([shape, name]) => ({ code: 0, [name]: shape })),
  fc.constantFrom(...SHAPES).map((shape) => [[shape]]),
);

const statuses = fc.constantFrom(200, 200, 200, 201, 302, 400, 404, 429, 500);

/** How many records of a list the nodes read in an answer. Undefined where they read none of it. */
function readByNodes(status: number, text: string): number | undefined {
  const raw = { statusCode: status, headers: {}, body: text };
  const exchange = answer.readAnswer(raw, '/openapi/lead/info', new SecretMask([]));
  if (exchange.kind !== 'answered') return undefined;
  return listEnvelope.findListEnvelope(exchange.body)?.records.length;
}

/** The same, by what the check says of a service that answers like this for leads. */
function readByCheck(status: number, text: string): number | undefined {
  const report = check.report(
    check.plan().map((request) => {
      const isBalance = request.path === '/sendsms/balance';
      const isAsked = request.signed && request.path === '/openapi/lead/info';
      if (isAsked) return { ...request, status, text };
      return { ...request, status: isBalance ? 200 : 404, text: '{"code":0,"balance":5}' };
    }),
  );
  const found = rowsOf(report).Leads ?? '';
  if (found.includes('the account has none')) return 0;
  const [, count] = /: (\d+) records?\b/.exec(found) ?? [];
  return count === undefined ? undefined : Number(count);
}

/** Equal records are counted once: there is no telling them from one that came with three requests. */
const unique = (body: unknown, count = 0) => {
  const found = listEnvelope.findListEnvelope(body)?.records ?? [];
  return count && new Set(found.map((each) => JSON.stringify(each.id ?? each))).size;
};

function expectSameReading(status: number, body: unknown): void {
  const text = JSON.stringify(body);
  const count = readByNodes(status, text);
  expect(readByCheck(status, text)).toBe(count === undefined ? undefined : unique(body, count));
}

test.each(SHAPES.map((shape) => [shape]))('%j: reads as many records as the nodes', (shape) => {
  for (const status of [200, 400, 500]) expectSameReading(status, shape);
});

test('the shapes above are read, empty, and not read', () => {
  const counts = SHAPES.map((shape) => readByNodes(200, JSON.stringify(shape)));
  expect(counts.filter((count) => count === undefined).length).toBeGreaterThan(15);
  expect(counts.filter((count) => count === 0).length).toBeGreaterThan(12);
  expect(counts.filter(Boolean).length).toBeGreaterThan(12);
});

test('of any answer: reads as many records as the nodes', () => {
  let read = 0;
  fc.assert(
    fc.property(statuses, answers, (status, body) => {
      expectSameReading(status, body);
      if (readByNodes(status, JSON.stringify(body))) read += 1;
    }),
    { numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(50);
});

test('of any text: takes it for what the nodes take it for', () => {
  const mask = new SecretMask([]);
  const text = fc.oneof(
    answers.map((value) => JSON.stringify(value)),
    answers.map((value) => `Warning: ${JSON.stringify(value)}`),
    answers.map((value) => JSON.stringify(JSON.stringify(value))),
    answers.map((value) => JSON.stringify(value).slice(0, -1)),
    fc.constant('<!doctype html>'),
  );
  fc.assert(
    fc.property(statuses, text, (statusCode, body) => {
      const raw = { statusCode, headers: {}, body };
      expect(rules.readAnswer(raw, '/x', mask)).toEqual(answer.readAnswer(raw, '/x', mask));
    }),
    { numRuns: 2_000 },
  );
});

test('of any answer: success, refusal and contradictions are those of the nodes', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(answers, (body) => {
      seen.add(statement.endingOf(body));
      expect(rules.endingOf(body)).toBe(statement.endingOf(body));
      for (const event of Object.values(EVENTS)) {
        expect(rules.recordsIn(body, event)).toEqual(recognise.recordsIn(body, event));
      }
    }),
    { numRuns: 2_000 },
  );
  for (const body of SHAPES) seen.add(statement.endingOf(body));
  expect([...seen].sort()).toEqual(['contradictory', 'done', 'refused', 'unsaid']);
});

test('of any template: the parameters are those that the node finds', () => {
  const piece = fc.oneof(
    fc.constantFrom('${a}', '{{a}}', '{b}', '{ 1 }', '#c#', '#', '{', '}', '$', '{$d}', '%e%'),
    fc.string({ maxLength: 4 }),
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, fc.option(fc.nat(5)), (content, count) => {
      const { agrees } = findPlaceholders(content, count ?? undefined);
      expect(saidOfTemplate({ id: 1, content, param_count: count })).toBe(agrees);
    }),
    { numRuns: 1_000 },
  );
});

/** Whether the check says that the node finds the parameters of a template. */
function saidOfTemplate(template: object): boolean {
  const report = check.report(
    check.plan().map((request) => {
      const isBalance = request.path === '/sendsms/balance';
      const list = request.path === '/openapi/template/info' ? [template] : [];
      const text = isBalance ? '{"balance":5}' : JSON.stringify({ list, total: list.length });
      return { ...request, status: 200, text };
    }),
  );
  const said = rowsOf(report)['Template parameters'] ?? '';
  expect(said).toMatch(/in [01] of 1 template\b/);
  return said.includes('in 1 of 1');
}
