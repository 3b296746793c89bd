import type { IDataObject } from 'n8n-workflow';
import { useHarness } from '../harness/gateway';
import { HONEST, startListService } from '../harness/listService';
import type { ListService, ListTraits, Refusal } from '../harness/listService';

/** Lists of services that are neither honest nor patient. */

let service: ListService;

const harness = useHarness(async () => {
  service = await startListService();
  return { baseUrl: service.baseUrl, apiKey: 'key', apiSecret: 'secret' };
});

afterAll(() => service.close());

const GET_ALL = { resource: 'template', operation: 'getAll', returnAll: true };

/** What Return All gives: records, hints, error. */
async function returnAll(traits: Partial<ListTraits>, extra: IDataObject = {}) {
  service.become({ ...HONEST, ...traits });
  const options = { extraFieldsJson: JSON.stringify(extra) };
  const { json, error, run } = await harness.execute({ ...GET_ALL, options });
  const [task] = run.data.resultData.runData.SMS ?? [];
  return { json, error, hints: task?.hints?.map(({ message }) => message) ?? [] };
}

async function scroll(traits: Partial<ListTraits>, text?: string): Promise<unknown[]> {
  service.become({ ...HONEST, ...traits });
  const values: unknown[] = [];
  let token: string | undefined;
  for (let calls = 0; calls < 40; calls++) {
    const page = await harness.search('searchTemplates', text, token);
    values.push(...page.results.map(({ value }) => value));
    token = page.paginationToken as string | undefined;
    if (token === undefined) return values;
  }
  throw new Error('The picker does not end');
}

const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

const UNCLEAR_END: Refusal[] = ['code', 'another shape', 'web page', 400, 404, 500, 503];

describe('the page behind the last is refused, without a total', () => {
  test.each(UNCLEAR_END)('by %s: all records come, and no hint', async (behindLast) => {
    const { json, error, hints } = await returnAll({ totalIsOffBy: undefined, behindLast });
    expect(error).toBeUndefined();
    expect(json).toEqual(service.records);
    expect(hints).toEqual([]);
  });

  test.each(UNCLEAR_END)(
    'by %s after a full page: a hint says which page was refused, and with what words',
    async (behindLast) => {
      const { json, error, hints } = await returnAll({
        count: 300,
        totalIsOffBy: undefined,
        behindLast,
      });
      expect(error).toBeUndefined();
      expect(json).toEqual(service.records);
      expect(hints).toHaveLength(1);
      expect(hints[0]).toMatch(
        /^The service gave 300 records\. Page 4 could not be read, so there may be more\. The .*\.$/,
      );
    },
  );

  test('smaller pages may show that it was the last', async () => {
    const traits = { count: 200, totalIsOffBy: undefined, behindLast: 'code' } as const;
    const { json, hints } = await returnAll(traits);
    expect(json).toEqual(service.records);
    // 200 records are 16 pages of 12, and one with the last 8.
    expect(service.asked).toContainEqual({ page: 17, page_size: 12 });
    expect(hints).toEqual([]);
  });

  test('the words of the service are in the hint', async () => {
    const { hints } = await returnAll({ count: 300, totalIsOffBy: undefined, behindLast: 'code' });
    expect(hints[0]).toMatch(/refused the request: this page is not given \(code 7\)\.$/);
  });

  test('a list of one short page comes without a hint', async () => {
    const { json, hints } = await returnAll({ count: 3, totalIsOffBy: undefined, behindLast: 404 });
    expect(json).toEqual(service.records);
    expect(hints).toEqual([]);
    expect(service.asked).toHaveLength(3);
  });

  test.each(UNCLEAR_END)('by %s: a picker ends', async (behindLast) => {
    expect(await scroll({ count: 150, totalIsOffBy: undefined, behindLast })).toEqual(idsUpTo(150));
  });
});

test.each(UNCLEAR_END)(
  'a total that is too high by one, and the page behind the last refused by %s',
  async (behindLast) => {
    const { json, error, hints } = await returnAll({ totalIsOffBy: 1, behindLast });
    expect(error).toBeUndefined();
    expect(json).toEqual(service.records);
    expect(hints).toEqual(['The service says that it has 251 records, but gave 250.']);
  },
);

test.each<Refusal>(['another shape', 'web page', 'cut off', 'reset', 400, 401, 404, 429, 500])(
  'the probe of page 0 gets %s: the list is given out',
  async (pageZero) => {
    const { json, error, hints } = await returnAll({ totalIsOffBy: undefined, pageZero });
    expect(error).toBeUndefined();
    expect(json).toEqual(service.records);
    expect(hints).toEqual([]);
    const empty = await returnAll({ count: 0, totalIsOffBy: undefined, pageZero });
    expect(empty).toMatchObject({ json: [], error: undefined });
  },
);

describe('a page in the middle is not given', () => {
  test.each<Refusal>(['code', 404, 500, 429, 401, 'reset'])(
    'by %s: a list with many more records is an error, which says how many came',
    async (how) => {
      const { json, error } = await returnAll({ count: 500, breaksAt: { index: 250, how } });
      expect(json).toEqual([]);
      expect(error?.message).toMatch(/ \(page \d, after 2[05]0 of 500 records\)$/);
    },
  );

  test.each<Refusal>([429, 401, 'reset'])(
    'by %s: a list without a total is an error, for another try may bring it',
    async (how) => {
      const { error } = await returnAll({
        count: 500,
        totalIsOffBy: undefined,
        breaksAt: { index: 250, how },
      });
      expect(error?.message).toMatch(/ \(page 3, after 200 records\)$/);
    },
  );
});

// Guess: page-refusal
describe('a size that is refused', () => {
  const HOW: Refusal[] = ['code', 'code 0 with words', 'cut off', 400, 408, 413, 422, 500, 503];

  test.each(HOW)('by %s is halved', async (how) => {
    const traits = { sizeLimit: { above: 30, fromPage: 1, how } };
    const { json, error } = await returnAll(traits);
    expect(error).toBeUndefined();
    expect(json).toEqual(service.records);
    expect(service.asked.slice(0, 4).map(({ page_size }) => page_size)).toEqual([100, 50, 25, 25]);
    expect(await scroll(traits)).toEqual(idsUpTo(250));
  });

  test.each(HOW)(
    'by %s from the second page on: the list goes on in smaller pages',
    async (how) => {
      const traits = { totalIsOffBy: undefined, sizeLimit: { above: 30, fromPage: 2, how } };
      const { json, error, hints } = await returnAll(traits);
      expect(error).toBeUndefined();
      expect(json).toEqual(service.records);
      expect(hints).toEqual([]);
      expect(service.asked.slice(0, 5)).toEqual([
        { page: 1, page_size: 100 },
        { page: 2, page_size: 100 },
        { page: 3, page_size: 50 },
        { page: 5, page_size: 25 },
        { page: 6, page_size: 25 },
      ]);
      expect(await scroll(traits)).toEqual(idsUpTo(250));
    },
  );

  test.each<Refusal>([401, 404, 429, 'reset', 'web page'])('is not what %s says', async (how) => {
    const { error } = await returnAll({ sizeLimit: { above: 30, fromPage: 1, how } });
    expect(error).toBeDefined();
    expect(service.asked).toHaveLength(1);
  });

  test('by words with code 0 alone is no empty list', async () => {
    const { error } = await returnAll({
      sizeLimit: { above: 1, fromPage: 1, how: 'code 0 with words' },
    });
    expect(error?.message).toBe('The service refused the request: page_size is too large');
  });
});

describe('IDs that are none', () => {
  // Guess: end-of-list
  test.each<ListTraits['ids']>(['missing', 'empty', 'null', '0', 'template_id'])(
    '%s: all 250 records come, without a hint',
    async (ids) => {
      const { json, hints } = await returnAll({ ids });
      expect(json).toEqual(service.records);
      expect(hints).toEqual([]);
    },
  );

  test('a record with its ID under another name can be chosen', async () => {
    expect(await scroll({ ids: 'template_id', count: 60 })).toEqual(idsUpTo(60));
  });
});

describe('a list that never ends', () => {
  test('is read up to 1,000 pages, and a hint says so', async () => {
    const { json, hints } = await returnAll({ isEndless: true, cap: 3, totalIsOffBy: undefined });
    expect(json).toHaveLength(3000);
    expect(hints).toEqual([
      '3000 records were read. The list goes on after 1000 pages, and was not read further.',
    ]);
    expect(service.asked).toHaveLength(1000);
  });

  test('but a list that states more records is read to its end', async () => {
    const { json, hints } = await returnAll({ count: 2200, cap: 2 });
    expect(json).toEqual(service.records);
    expect(hints).toEqual([]);
  });
});

describe('a picker', () => {
  test.each([0, undefined])('goes on behind a pinned record (total off by %p)', async (off) => {
    const values = await scroll({ count: 201, isPinned: true, totalIsOffBy: off });
    expect(values).toEqual(idsUpTo(201));
  });

  test.each([0, 1000, undefined])('ends where pages begin anew (total off by %p)', async (off) => {
    const values = await scroll({ count: 120, behindLast: 'begins anew', totalIsOffBy: off });
    expect(values).toEqual(idsUpTo(120));
  });

  // Guess: first-page
  test('finds the records of a page 0, without a total', async () => {
    const values = await scroll({ count: 120, pagesFrom: 0, totalIsOffBy: undefined });
    expect([...values].sort()).toEqual(idsUpTo(120).sort());
  });
});

describe('a page that the user has fixed in Extra Fields', () => {
  test.each([
    [{ page: 2 }, [101, 200]],
    [{ page: 2, page_size: 7 }, [8, 14]],
  ])('%j is asked for once', async (extra, [first, last]) => {
    const { json, hints } = await returnAll({ totalIsOffBy: 50 }, extra);
    expect(json).toHaveLength(Number(last) - Number(first) + 1);
    expect(json[0]).toMatchObject({ id: first });
    expect(hints).toEqual([]);
    expect(service.asked).toHaveLength(1);
  });

  test('is an error after one request when it is refused', async () => {
    const { error } = await returnAll({ breaksAt: { index: 0, how: 'code' } }, { page: 2 });
    expect(error).toBeDefined();
    expect(service.asked).toHaveLength(1);
  });

  test('a fixed size is kept for all pages, and never halved', async () => {
    const { json } = await returnAll({ totalIsOffBy: 0 }, { page_size: 70 });
    expect(json).toEqual(service.records);
    expect(service.asked.map(({ page_size }) => page_size)).toEqual([70, 70, 70, 70]);
    const refused = await returnAll(
      { sizeLimit: { above: 30, fromPage: 1, how: 'code' } },
      { page_size: 70 },
    );
    expect(refused.error).toBeDefined();
    expect(service.asked).toHaveLength(1);
  });
});
