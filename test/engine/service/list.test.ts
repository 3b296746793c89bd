import fc from 'fast-check';
import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../../../nodes/SmsMessagingService/service/json';
import { findList, requireList, strictList } from '../../../nodes/SmsMessagingService/service/list';
import { MAX_NESTING } from '../../../nodes/SmsMessagingService/service/visit';
import { useGatewayPerTest } from '../harness/gateway';

/** Where the records of a list are in an answer, whatever its shape. */

const { gateway, execute } = useGatewayPerTest();

type Shape = (page: IDataObject) => unknown;

const SHOWN: Record<string, Shape> = {
  'a page': (page) => page,
  'a page under data': (page) => ({ code: 0, msg: 'ok', data: page, tp: 1, request_id: 'r' }),
  'a page in an array in an array': (page) => [[page]],
};

const SIMILAR: Record<string, Shape> = {
  'a page under data alone': (page) => ({ code: 0, data: page }),
  'nested arrays under data': (page) => ({ code: 0, data: [[page]] }),
  'a page in an array': (page) => [page],
  'a page under another name': (page) => ({ code: 0, result: page }),
  'a page with another field': (page) => ({ ...page, pages: 1 }),
  'numbers as text': ({ total, ...page }) => ({ ...page, total: ` ${String(total)}` }),
};

/** Shapes in which records are known by their IDs. */
const BY_ID: Record<string, Shape> = {
  'records under data': ({ list, ...numbers }) => ({ code: 0, data: list, ...numbers }),
  'records under another name': ({ list, ...page }) => ({ code: 0, data: { rows: list, ...page } }),
  'records under a name of their own': ({ list, ...numbers }) => ({
    code: 0,
    msg: '',
    rows: list,
    ...numbers,
  }),
};

const RECORDS = [
  { id: 1, name: 'one' },
  { id: 2, name: 'two' },
];
const PAGE = { list: RECORDS, page: 1, page_size: 10, total: 21 };
const LIST = { records: RECORDS, total: 21, pageSize: 10 };

test.each(Object.entries(SHOWN))('%s is a shape of the specification', (_, shape) => {
  expect(strictList(shape(PAGE))).toEqual(LIST);
  expect(findList(shape(PAGE))).toEqual(LIST);
});

// Guess: wrappings
test.each(Object.entries({ ...SIMILAR, ...BY_ID }))('%s is read nevertheless', (_, shape) => {
  expect(strictList(shape(PAGE))).toBeUndefined();
  expect(findList(shape(PAGE))).toEqual(LIST);
});

test('records alone are read', () => {
  expect(findList(RECORDS)).toEqual({ records: RECORDS });
});

test('a page beside something else is not a list', () => {
  expect(findList([[PAGE], [{ message: 'no' }]])).toBeUndefined();
});

test('several pages in one answer are all read, without a total', () => {
  for (const page of [PAGE, { list: RECORDS, total: 2 }]) {
    expect(findList([[page], [page]])).toEqual({ records: [...RECORDS, ...RECORDS] });
  }
});

// Guess: wrappings
test.each([
  ['qualification', 'id'],
  ['qualification', 'cert_id'],
  ['qualification', 'certification_id'],
  ['qualification', 'qualification_id'],
  ['signature', 'sign_id'],
  ['signature', 'signature_id'],
  ['template', 'template_id'],
  ['lead', 'lead_id'],
])('a list of %ss is known by their %s', async (resource, name) => {
  const records = [{ [name]: 7, url: 'u' }];
  gateway.fault({ kind: 'wrongShape', body: { code: 0, data: records }, times: Infinity });
  const { json, error } = await execute({ resource, operation: 'getAll', simplify: false });
  expect([json, error]).toEqual([records, undefined]);
});

// Guess: empty-list
test.each<[unknown]>(
  [
    { code: 0, msg: 'success' },
    { code: '0', msg: 'success', tp: 1, request_id: 'r' },
    { code: 0, data: null },
    { code: 0, data: '' },
    { code: 0, data: {} },
    { code: 0, data: [] },
    { code: 0, data: { list: null, total: 0 } },
    { code: 0, data: { rows: [], total: 0 } },
    { code: 0, data: { rows: null, page: 1 } },
    { code: 0, data: { page: 2, page_size: 100, total: 100 } },
    [[{ page: 1, page_size: 100, total: 0 }]],
    { code: 0, error: null, errors: [], ext: {}, data: { list: [], total: 0 } },
    { code: 0, ext: { version: 2 }, data: [] },
    { code: 0, msg: '', rows: [] },
    { list: [] },
    { list: null },
    [[{ list: [] }]],
    [[]],
    [],
  ].map((answer) => [answer]),
)('%j is an empty list', (answer) => {
  expect(requireList(answer).records).toEqual([]);
});

describe.each(Object.entries({ ...SHOWN, ...SIMILAR }))('%s', (_, shape) => {
  // Guess: empty-list
  test.each([[null], [[]]])('may have %j for an empty list', (list) => {
    expect(findList(shape({ ...PAGE, list, total: 0 }))).toMatchObject({ records: [], total: 0 });
  });

  test('no record is lost, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(jsonValue), fc.option(fc.nat()), (list, total) => {
        const { records } = requireList(shape({ list, page: 1, total } as never));
        // Records in an array of their own are taken out of it.
        const entries = list.flatMap((entry) =>
          Array.isArray(entry) && entry.length > 0 && entry.every(isObject) ? entry : [entry],
        );
        const original = records.map((record, index) =>
          isObject(entries[index]) ? record : record.value,
        );
        expect(original).toEqual(entries);
      }),
    );
  });
});

const jsonValue = fc.jsonValue({ maxDepth: 6 });

test('any answer is records or an error of this package', () => {
  fc.assert(
    fc.property(jsonValue, (answer) => {
      try {
        expect(Array.isArray(requireList(answer).records)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(UserError);
      }
    }),
  );
});

test('a page is found as deep as answers are looked into, and no deeper', () => {
  const inside = (levels: number): unknown => (levels === 1 ? PAGE : { data: inside(levels - 1) });
  expect(findList(inside(MAX_NESTING))).toEqual(LIST);
  expect(findList(inside(MAX_NESTING + 1))).toBeUndefined();
  const deep: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
  expect(() => requireList(deep)).toThrow(UserError);
});

const SECRET = 'a-value-that-must-not-be-shown';

// Guess: wrappings
test.each([
  [{ code: 0, msg: SECRET, result: { size: 1, name: SECRET } }, /an object with code, msg, result/],
  [{ list: SECRET, total: 3 }, /an object with list, total/],
  [{ code: 0, data: [{ message: SECRET }] }, /an object with code, data/],
  [{ errors: [] }, /an object with errors/],
  [{ msg: SECRET, [SECRET]: 1, '13800138000': 2 }, /an object with msg, other keys/],
  [{ errors: [{ message: SECRET, request_id: SECRET }] }, /an object with errors/],
  [{ id: 1, name: SECRET, more_data: [] }, /an object with id, name, more_data/],
  [{ code: 0, data: { id: 1, name: SECRET, more_data: [] } }, /an object with code, data/],
  [{ code: 0, data: [{ id: 1 }], rows: [{ id: 2 }] }, /an object with code, data, rows/],
  [{ code: 0, data: SECRET }, /an object with code, data/],
  [[{ message: SECRET }], /an array of 1/],
  [[{ id: 1 }, SECRET], /an array of 2/],
  [{}, /an empty object/],
  [SECRET, /string/],
])('%j is an error with its keys, without its values', (answer, message) => {
  expect(() => requireList(answer)).toThrow(message);
  expect(() => requireList(answer)).toThrow(UserError);
  expect(() => requireList(answer)).not.toThrow(SECRET);
});
