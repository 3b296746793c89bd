import * as fc from 'fast-check';
import {
  requireById,
  readChanged,
  readDeleted,
  weighChange,
} from '../../../../nodes/SmsMessagingService/service/reading/changes';
import { jsonValue, resultOf, withFields } from '../../harness/arbitraries';

/** Whatever the service answers, it becomes records or an error of this package. */

const changed = (isDocumented: boolean) => (answer: unknown, id?: number) =>
  readChanged(answer, { noun: 'lead', isDocumented, id });

const find = (answer: unknown, id: number) => requireById(answer, id, 'lead');

describe('an answer', () => {
  const answer = fc.oneof(
    jsonValue,
    withFields(['id', 'list', 'data', 'code', 'msg']),
    fc.record({ list: fc.array(jsonValue), total: jsonValue }),
    fc.array(fc.array(fc.record({ list: fc.array(withFields(['id'])) }))),
  );

  test.each([
    ['of a query by ID', find],
    // Guess: changed-record
    ['of a change', changed(true)],
    ['of an inferred change', changed(false)],
    ['of a deletion', readDeleted],
  ])('%s gives at least one record, or an error of this package', (_, read) => {
    fc.assert(
      fc.property(answer, fc.integer(), (value, id) => {
        const records = resultOf(() => read(value, id));
        if (records === undefined) return;
        expect(records.length).toBeGreaterThan(0);
        for (const record of records) expect(record).toBeInstanceOf(Object);
      }),
    );
  });

  test.each(['created', 'updated', 'deleted'] as const)('%s is weighed, whatever it is', (done) => {
    fc.assert(
      fc.property(answer, (body) => {
        const { kind } = weighChange({ kind: 'answered', body }, done);
        expect(['answered', 'unclear']).toContain(kind);
      }),
    );
  });

  test('may have a field `toString`, which is no function', () => {
    const odd = { toString: false };
    expect(changed(false)({ data: [odd] })).toEqual([{ data: [odd] }]);
    expect(find({ list: [{ lead_id: odd }, { id: 5 }] }, 5)).toEqual([{ id: 5 }]);
  });

  // Guess: one-record
  test('of a query by ID gives the record with that ID, whatever else is in the answer', () => {
    fc.assert(
      fc.property(
        fc.array(withFields(['name'])),
        fc.integer({ min: 1 }),
        fc.boolean(),
        (others, id, asText) => {
          const wanted = { id: asText ? String(id) : id, name: 'wanted' };
          const list = [...others.map((other) => ({ ...other, id: -1 })), wanted];
          expect(find({ list }, id)).toEqual([wanted]);
        },
      ),
    );
  });
});
