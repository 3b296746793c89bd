import fc from 'fast-check';
import { EVENTS } from '../../../nodes/SmsMessagingService/receiving/events';
import { readAnswer } from '../../../nodes/SmsMessagingService/service/answer';
import { readPull } from '../../../nodes/SmsMessagingService/service/pull';
import { DEFAULT_CODES } from '../../../nodes/SmsMessagingService/service/resultCodes';
import { SecretMask } from '../../../nodes/SmsMessagingService/service/secrets';

/** Random answers to a pull: none is silent that does not say that nothing is there, and nothing gets lost. */

const RUNS = { numRuns: 1_000, seed: 1 };

const receive = (text: string) => {
  const answer = { statusCode: 200, headers: {}, body: Buffer.from(text) };
  const reading = { purpose: 'pull' as const, codes: DEFAULT_CODES, mask: new SecretMask([]) };
  const exchange = readAnswer(answer, reading);
  const { kind, records } = readPull(exchange, EVENTS.reply.fields);
  const isSaid = exchange.kind === 'empty' || exchange.kind === 'answered';
  const isTold = !isSaid || kind === 'unreadable' || kind === 'silent';
  return { records: JSON.stringify(records), isTold };
};

const name = fc.oneof(
  fc.constantFrom('status', 'message', 'errcode', 'success', 'result', 'list', 'rows', 'time'),
  fc.string(),
);
const others = fc.dictionary(name, fc.jsonValue(), { maxKeys: 4 });
const empty: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, '', 0, false, '[]', 'null'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.constant({}),
    fc.record({ a: fc.constant(null), b: fc.array(tie('value'), { maxLength: 2 }) }),
  ),
})).value;
const nothing = fc.oneof(empty, fc.record({ list: empty, page: fc.nat(), total: fc.nat() }));
const said = fc.constantFrom({ code: 0 }, { code: '0', msg: 'ok' }, { code: 10004 });

test('an answer with neither a code nor data is told', () => {
  fc.assert(
    fc.property(others, (answer) => {
      const silent = JSON.stringify({ ...answer, code: undefined, data: undefined });
      expect([silent, receive(silent).isTold]).toEqual([silent, true]);
    }),
    RUNS,
  );
});

test('an answer that says that nothing is there is an empty queue', () => {
  const harmless = fc.record({ tp: fc.nat(), success: fc.boolean(), total: fc.nat() });
  fc.assert(
    fc.property(fc.oneof(said, fc.constant({})), nothing, harmless, (code, data, more) => {
      const answer = JSON.stringify({ ...code, data, ...more });
      expect([answer, receive(answer)]).toEqual([answer, { records: '[]', isTold: false }]);
    }),
    RUNS,
  );
});

test('what stands under data, in a list or in a field of a record is not lost', () => {
  const MARK = '<r1>';
  const place = fc.constantFrom<(more: object) => unknown>(
    (more) => ({ ...more, data: MARK }),
    (more) => ({ ...more, data: [{ a: MARK }] }),
    (more) => ({ ...more, data: [{ a: MARK, list: [] }] }),
    (more) => ({ ...more, data: { list: [MARK] } }),
    (more) => ({ ...more, data: { list: [], rows: [MARK] } }),
    (more) => ({ ...more, data: [], rows: { a: MARK } }),
    (more) => ({ ...more, content: MARK }),
    (more) => [{ msg: '', ...more, content: MARK }],
    (more) => [[{ msg: '', ...more, data: undefined, id: MARK }]],
    (more) => [{ ...more, a: MARK }, {}],
  );
  const code = fc.oneof(said, fc.constantFrom({ code: 7 }, { code: 'x', msg: 'no' }, {}));
  fc.assert(
    fc.property(place, code, nothing, (put, given, data) => {
      const answer = JSON.stringify(put({ data, ...given }));
      expect([answer, receive(answer).records]).toEqual([answer, expect.stringContaining(MARK)]);
    }),
    RUNS,
  );
});
