import fc from 'fast-check';
import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { readChanged, readDeleted } from '../../../nodes/SmsMessagingService/service/changes';

/** What the answers to changes hold, and that nothing else passes for it. */

const changed = (isDocumented: boolean) => (answer: unknown, id?: number) =>
  readChanged(answer, id, isDocumented);

const REJECTED = { id: 5, status: 'rejected', error: 'x', success: false, code: 7 };
const LIST = { page: 1, page_size: 10, total: 2 };

test.each<[isDocumented: boolean, answer: unknown, records: IDataObject[]]>([
  [true, { id: 5, url: 'u' }, [{ id: 5, url: 'u' }]],
  [true, { code: 0, msg: 'ok', data: { id: 7 } }, [{ id: 7 }]],
  // Fields of a record say nothing about its change.
  [true, REJECTED, [REJECTED]],
  [true, { list: [{ id: 4 }, { id: 5 }, { url: 'no ID' }], ...LIST }, [{ id: 5 }]],
  [true, [[{ list: [{ name: 'no ID' }], ...LIST }]], [{ name: 'no ID' }]],
  // A code is one of success.
  [true, { code: 0, msg: 'ok' }, [{ code: 0, msg: 'ok' }]],
  [false, {}, [{}]],
])('a change (shown in the specification: %p) is done by %j', (isDocumented, answer, records) => {
  expect(changed(isDocumented)(answer, 5)).toEqual(records);
});

test.each<[isDocumented: boolean, answer: unknown]>([
  [true, {}],
  [true, { id: 0, msg: 'exists' }],
  [true, { ok: true }],
  [true, []],
  [false, [{}, {}]],
  ...[true, false].map((shown): [boolean, unknown] => [
    shown,
    [[{ list: [{ id: 4 }, { name: 'no ID' }] }]],
  ]),
])('a change (shown: %p) may be done with %j: an error says so', (isDocumented, answer) => {
  const read = () => changed(isDocumented)(answer, 5);
  expect(read).toThrow(/not of the expected shape/);
  expect(read).toThrow(
    expect.objectContaining({ description: expect.stringMatching(/it may have been done\./) }),
  );
});

test('all records of the answer are those that were created', () => {
  const created = [{ id: 4 }, { name: 'no ID' }];
  expect(changed(true)({ list: created, ...LIST })).toEqual(created);
});

test('a deletion is done by nothing or a code of success, and by nothing else', () => {
  for (const done of [{}, [], { code: 0, msg: 'ok' }]) {
    expect(readDeleted(done, 5)).toEqual([{ deleted: true, id: 5 }]);
  }
  for (const other of [{ ok: true }, { id: 5 }, 'OK']) {
    expect(() => readDeleted(other, 5)).toThrow(/not of the expected shape/);
  }
});

/** Whatever a service may answer. */
const answers = fc.anything({
  key: fc.constantFrom('list', 'data', 'id', 'code', 'msg'),
  values: [fc.constantFrom(null, 'x', 7, true, { toString: false })],
});

test.each([
  ['a change', changed(true)],
  ['an inferred change', changed(false)],
  ['a deletion', readDeleted],
])('any answer to %s gives at least one record, or an error of this package', (_, read) => {
  fc.assert(
    fc.property(answers, (answer) => {
      try {
        const records = read(answer, 5);
        expect(records).not.toEqual([]);
        for (const record of records) expect(typeof record).toBe('object');
      } catch (error) {
        expect(error).toBeInstanceOf(UserError);
        expect((error as UserError).description).toMatch(/\S/);
      }
    }),
  );
});
