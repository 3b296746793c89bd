import fc from 'fast-check';
import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { findList } from '../../../nodes/SmsMessagingService/service/list';
import { askPage } from '../../../nodes/SmsMessagingService/service/pages';

/** Where the records of a list are in an answer. */

type Shape = (page: IDataObject) => unknown;

const SHAPES: Record<string, Shape> = {
  'a page': (page) => page,
  'a page with another field': (page) => ({ ...page, pages: 1 }),
  'a page under data': (page) => ({ code: 0, msg: 'ok', data: page, tp: 1, request_id: 'r' }),
  'a page under data alone': (page) => ({ code: 0, data: page }),
  'a page in an array in an array': (page) => [[page]],
  'a page under data in an array in an array': (page) => [[{ code: 0, msg: 'ok', data: page }]],
  'numbers as text': ({ total, ...page }) => ({ ...page, total: ` ${String(total)}` }),
  'records directly under data': ({ list, ...numbers }) => ({ code: 0, data: list, ...numbers }),
  'a page under data beside an empty list': (page) => ({ code: 0, list: [], data: page }),
};

const RECORDS = [
  { id: 1, name: 'one' },
  { id: 2, name: 'two' },
];
const PAGE = { list: RECORDS, page: 1, page_size: 10, total: 21 };

test('records need no numbers, and no IDs', () => {
  const records = [{ name: 'one' }, {}];
  expect(findList({ code: 0, data: { list: records } })).toEqual({ records });
});

test('several pages in one answer are all read, without a total', () => {
  for (const page of [PAGE, { list: RECORDS, total: 2 }]) {
    expect(findList([[page], [page]])).toEqual({ records: [...RECORDS, ...RECORDS] });
  }
});

test.each<[unknown]>(
  [
    { code: 0, msg: 'success' },
    { code: '0', msg: 'success', tp: 1, request_id: 'r' },
    { code: 0, data: '' },
    { code: 0, data: {} },
    { code: 0, data: { list: null, total: 0 } },
    { code: 0, error: null, errors: [], ext: {}, data: { list: [], total: 0 } },
    { code: 0, msg: '', rows: [] },
    { list: null },
    [[{ list: [] }]],
    [[]],
    [],
  ].map((answer) => [answer]),
)('%j is an empty list', (answer) => {
  expect(findList(answer)?.records).toEqual([]);
});

describe.each(Object.entries(SHAPES))('%s', (_, shape) => {
  test('may have null for an empty list', () => {
    expect(findList(shape({ ...PAGE, list: null, total: 0 }))?.records).toEqual([]);
  });

  test('is read: no record is lost, and what is none is no list', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.object(), jsonValue)), (list) => {
        const areRecords = list.every(
          (entry) => typeof entry === 'object' && entry !== null && !Array.isArray(entry),
        );
        const found = areRecords ? { records: list, total: 21, pageSize: 10 } : undefined;
        expect(findList(shape({ ...PAGE, list } as never))).toEqual(found);
      }),
    );
  });
});

const jsonValue = fc.jsonValue({ maxDepth: 6 });

const SECRET = 'a-value-that-must-not-be-shown';

test.each([
  [{ code: 0, msg: SECRET, result: { size: 1, name: SECRET } }, /an object with code, msg, result/],
  [{ code: 0, data: [SECRET] }, /an object with code, data/],
  [{ code: 0, data: { rows: [{ id: 1 }], total: 1 } }, /an object with code, data/],
  [{ code: 0, data: { data: { list: [] } } }, /an object with code, data/],
  [{ msg: SECRET, [SECRET]: 1, '13800138000': 2 }, /an object with msg, other keys/],
  [{ code: 0, data: SECRET }, /an object with code, data/],
  [[{ id: 1 }, { id: 2 }], /an array of 2/],
  [[[{ list: [] }], [{ message: SECRET }]], /an array of 2/],
  [{}, /an empty object/],
  [SECRET, /string/],
  [null, /: it is object/],
  [[null], /an array of 1/],
])('%j is an error with its keys, without its values', async (body, shape) => {
  const client = { exchange: async () => ({ kind: 'answered', body }) } as never;
  const error = await askPage({ client, path: '' }, 1).catch((thrown: UserError) => thrown);
  if (!(error instanceof UserError)) throw new Error('It is taken for a page');
  expect(error.message).toMatch(/not of the expected shape/);
  expect(error.message).toMatch(shape);
  expect(`${error.message} ${error.description}`).not.toContain(SECRET);
});
