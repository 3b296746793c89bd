import * as fc from 'fast-check';
import { NodeApiError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { queryAll } from '../../../nodes/SmsMessagingService/service/pages';
import type { ServiceClient } from '../../../nodes/SmsMessagingService/service/client';
import type { Exchange } from '../../../nodes/SmsMessagingService/service/answer';

interface ServiceOptions {
  shape?: (page: IDataObject) => unknown;
  maxPageSize?: number;
  /** What happens between two pages. */
  beforePage?: (page: number, records: IDataObject[]) => void;
  withoutTotal?: boolean;
  /** A total that the service states instead of the true one. */
  saysTotal?: number;
  /** From this page on, every page is this one again. */
  repeatFrom?: number;
  /** This page is empty. The pages after it have the records that follow. */
  emptyPage?: number;
  /** A larger page size is refused. */
  refusesAbove?: number;
}

/** A service with these records, and the page numbers that were requested. */
function serviceOf(
  records: IDataObject[],
  {
    shape = (page) => page,
    maxPageSize = 100,
    beforePage,
    withoutTotal,
    saysTotal,
    repeatFrom,
    emptyPage,
    refusesAbove = Infinity,
  }: ServiceOptions = {},
) {
  const asked: number[] = [];
  const client = clientOf((body) => {
    const number = body.page as number;
    asked.push(number);
    if (asked.length > 1000) throw new Error('The requests do not end');
    beforePage?.(number, records);
    if ((body.page_size as number) > refusesAbove) return refusal(7, 'page_size is too large');
    const page = Math.min(number, repeatFrom ?? number);
    const size = Math.min(body.page_size as number, maxPageSize);
    const shift = emptyPage !== undefined && page > emptyPage ? 1 : 0;
    const answer = shape({
      list:
        page === emptyPage ? [] : records.slice((page - 1 - shift) * size, (page - shift) * size),
      page: number,
      // The requested page size, whatever the service returns.
      page_size: body.page_size,
      ...(withoutTotal ? {} : { total: saysTotal ?? records.length }),
    });
    return { kind: 'answered', body: answer };
  });
  return { client, asked };
}

function clientOf(answer: (body: IDataObject) => Exchange): ServiceClient {
  return {
    exchange: async (_path: string, body: IDataObject) => answer(body),
    errorFor: ({ reason }: { reason: string }) =>
      new NodeApiError({ name: 'SMS' } as never, { message: reason }, { message: reason }),
  } as unknown as ServiceClient;
}

/** An answer with a code, as the client reads it. */
function refusal(code: number, msg: string, httpStatus = 200): Exchange {
  return { kind: 'refused', reason: msg, code, msg, httpStatus };
}

async function walk(client: ServiceClient, pageSize = 100): Promise<IDataObject[]> {
  const found: IDataObject[] = [];
  for await (const records of queryAll(client, '/list', {}, { pageSize })) found.push(...records);
  return found;
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `record ${index + 1}` }));

test('records alone, without total: all 250 come', async () => {
  const { client } = serviceOf(numbered(250), { shape: ({ list }) => list });
  expect(await walk(client)).toEqual(numbered(250));
});

test('1,037 records come once each, in order, in 11 requests', async () => {
  const { client, asked } = serviceOf(numbered(1037));
  expect(await walk(client)).toEqual(numbered(1037));
  expect(asked).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

// Guess: page-fields
test('another number and size of the page than were asked for hide no record', async () => {
  const shape = (page: IDataObject) => ({ ...page, page: 9, page_size: 1 });
  expect(await walk(serviceOf(numbered(250), { shape }).client)).toEqual(numbered(250));
});

test('a list without a total is read until a page is empty', async () => {
  const { client, asked } = serviceOf(numbered(250), { withoutTotal: true });
  expect(await walk(client)).toEqual(numbered(250));
  // And page 0, because nothing says that the list begins with page 1.
  expect(asked).toEqual([1, 2, 3, 4, 0]);
});

// Guess: end-of-list
test('the requests end after a few pages when the service repeats a page', async () => {
  const { client, asked } = serviceOf(numbered(500), { repeatFrom: 2 });
  expect(await walk(client)).toEqual(numbered(200));
  expect(asked).toEqual([1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0]);
});

// Guess: page-fields
test.each([0, 1, 3, 100, 249])(
  'a wrong total of %d hides none of 250 records',
  async (saysTotal) => {
    const { client } = serviceOf(numbered(250), { saysTotal });
    expect(await walk(client)).toEqual(numbered(250));
  },
);

// Guess: page-fields
test.each([0, 1, 2])(
  'a wrong total of %d hides no record of a service with smaller pages',
  async (saysTotal) => {
    const { client } = serviceOf(numbered(100), { saysTotal, maxPageSize: 30 });
    expect(await walk(client)).toEqual(numbered(100));
  },
);

// Guess: end-of-list
test('a total that is much too high costs a few requests', async () => {
  const { client, asked } = serviceOf(numbered(250), { saysTotal: 1_000_000 });
  expect(await walk(client)).toEqual(numbered(250));
  expect(asked).toEqual([1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0]);
});

test.each([1, 2, 3])('an empty page %d does not end a list with more records', async (page) => {
  const { client } = serviceOf(numbered(250), { emptyPage: page });
  expect(await walk(client)).toEqual(numbered(250));
});

// Guess: page-size
test.each([
  [50, [1, 1, 2, 3, 4]],
  [20, [1, 1, 1, 1, ...Array.from({ length: 13 }, (_, index) => index + 2)]],
])(
  'the page size is halved, for the whole run, when the service refuses more than %d',
  async (refusesAbove, pages) => {
    const { client, asked } = serviceOf(numbered(160), { refusesAbove });
    expect(await walk(client)).toEqual(numbered(160));
    expect(asked).toEqual(pages);
    // The run remembers the page size.
    asked.length = 0;
    await walk(client);
    expect(asked.filter((page) => page === 1)).toHaveLength(1);
  },
);

// Guess: page-size
test('a refusal of any page size is the error of the first request', async () => {
  let asked = 0;
  const client = clientOf(() => {
    asked += 1;
    return refusal(9, `no, ${asked}`);
  });
  await expect(walk(client)).rejects.toThrow('no, 1');
  expect(asked).toBe(5);
});

test('a refusal stays the error when the answer to a smaller page is not a list', async () => {
  const answers: Exchange[] = [
    refusal(7, 'no'),
    { kind: 'answered', body: { code: 0, data: 'x' } },
  ];
  const client = clientOf(() => answers.shift() as Exchange);
  await expect(walk(client)).rejects.toThrow('no');
});

// Guess: repeat, page-refusal
test.each([401, 403, 404, 429])('HTTP %d does not change the page size', async (status) => {
  let asked = 0;
  const client = clientOf(() => {
    asked += 1;
    return refusal(9, 'no', status);
  });
  await expect(walk(client)).rejects.toThrow('no');
  expect(asked).toBe(1);
});

test('a record that is deleted between two pages hides no other record', async () => {
  const { client } = serviceOf(numbered(300), {
    beforePage: (page, records) => {
      if (page === 2 && records.length === 300) records.splice(0, 5);
    },
  });
  const found = await walk(client);
  expect(found).toHaveLength(300);
  expect(new Set(found.map(({ id }) => id)).size).toBe(300);
});

test('records that are added between two pages bring no record twice', async () => {
  const { client } = serviceOf(numbered(300), {
    beforePage: (page, records) => {
      if (page === 2 && records.length === 300) records.unshift({ id: 1000 }, { id: 1001 });
    },
  });
  // The total says that there are more, so the list is read again.
  expect(await walk(client)).toEqual([...numbered(300), { id: 1000 }, { id: 1001 }]);
});

test('equal records in one page are all returned', async () => {
  const twice = [{ name: 'no id' }, { name: 'no id' }, { id: 7 }, { id: 7, name: 'changed' }];
  expect(await walk(serviceOf(twice).client)).toEqual(twice);
});

describe('for any data', () => {
  test('every record comes once, for any size of list and pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(120),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        async (count, pageSize, maxPageSize, withoutTotal) => {
          const { client } = serviceOf(numbered(count), { maxPageSize, withoutTotal });
          expect(await walk(client, pageSize)).toEqual(numbered(count));
        },
      ),
    );
  });

  test('no remaining record is missed, whatever is deleted between the pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(120),
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.record({ page: fc.integer({ min: 2, max: 8 }), index: fc.nat(119) })),
        async (count, pageSize, deletions) => {
          const left = [...deletions];
          const { client } = serviceOf(numbered(count), {
            beforePage: (page, records) => {
              for (const deletion of left.filter((entry) => entry.page === page)) {
                records.splice(deletion.index, 1);
                left.splice(left.indexOf(deletion), 1);
              }
            },
          });
          const stayed = numbered(count);
          const found = await walk(client, pageSize);
          const ids = found.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          // The same deletions in a copy, to know which records remain.
          const remaining = serviceRecordsAfter(stayed, deletions, left);
          expect(ids).toEqual(expect.arrayContaining(remaining));
        },
      ),
    );
  });
});

/** The IDs that remain after the deletions that took place, in the order of their pages. */
function serviceRecordsAfter(
  records: IDataObject[],
  deletions: { page: number; index: number }[],
  notDone: { page: number; index: number }[],
): unknown[] {
  const done = deletions.filter((deletion) => !notDone.includes(deletion));
  for (const { index } of done.sort((a, b) => a.page - b.page)) records.splice(index, 1);
  return records.map(({ id }) => id);
}
