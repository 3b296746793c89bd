import * as fc from 'fast-check';
import {
  findById,
  readChanged,
  readDeleted,
  readChangedLeniently,
} from '../../../../dist/nodes/SmsMessagingService/operations/records/answers';
import { jsonValue, resultOf, withFields } from '../../harness/arbitraries';

/** Whatever the service answers, it becomes records or an error of this package. */

describe('an answer', () => {
  const answer = fc.oneof(
    jsonValue,
    withFields(['id', 'list', 'data', 'code', 'msg']),
    fc.record({ list: fc.array(jsonValue), total: jsonValue }),
    fc.array(fc.array(fc.record({ list: fc.array(withFields(['id'])) }))),
  );

  test.each([
    ['of a query by ID', findById],
    ['of a change', readChanged],
    ['of an inferred change', readChangedLeniently],
    ['of a deletion', readDeleted],
  ])('%s gives at least one record, or an error of this package', (_, read) => {
    fc.assert(
      fc.property(answer, fc.integer(), (value, id) => {
        const records = resultOf(() => (read as typeof findById)(value, id, 'lead'));
        if (records === undefined) return;
        expect(records.length).toBeGreaterThan(0);
        for (const record of records) expect(record).toBeInstanceOf(Object);
      }),
    );
  });

  test('may have a field `toString`, which is no function', () => {
    const odd = { toString: false };
    expect(readChangedLeniently({ data: [odd] })).toEqual([{ data: [odd] }]);
    expect(findById({ list: [{ lead_id: odd }, { id: 5 }] }, 5, 'lead')).toEqual([{ id: 5 }]);
  });

  test('of a query by ID gives the record with that ID, whatever else is in the answer', () => {
    fc.assert(
      fc.property(fc.array(withFields(['name'])), fc.nat(), fc.boolean(), (others, id, asText) => {
        const wanted = { id: asText ? String(id) : id, name: 'wanted' };
        const list = [...others.map((other) => ({ ...other, id: -1 })), wanted];
        expect(findById({ list }, id, 'lead')).toEqual([wanted]);
      }),
    );
  });
});
