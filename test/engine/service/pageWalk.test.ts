import type { IDataObject } from 'n8n-workflow';
import {
  nextPage,
  pageNumberOf,
  startWalk,
} from '../../../nodes/SmsMessagingService/service/pageWalk';
import type {
  PageFailure,
  PageRead,
  Walk,
} from '../../../nodes/SmsMessagingService/service/pageWalk';
import { startWith } from '../../../nodes/SmsMessagingService/service/sizing';
import { useHarness } from '../harness/gateway';
import { HONEST, startListService } from '../harness/listService';
import type { ListService, ListTraits, Refusal } from '../harness/listService';

/** How a list is walked: first as steps, then at services that are neither honest nor patient. */

interface Answer {
  is: PageRead | PageFailure;
  fresh: number;
}

/** A page with fewer records than were asked for. */
const page = (length: number, total?: number, fresh = length): Answer => ({
  is: { kind: 'page', length, total, isFull: false },
  fresh,
});
const full = (length: number, total?: number, fresh = length): Answer => ({
  is: { kind: 'page', length, total, isFull: true },
  fresh,
});
const failure = (kind: PageFailure['kind'], mayBeSize = false): Answer => ({
  is: { kind, mayBeSize, reason: 'No', cause: new Error('No') as never },
  fresh: 0,
});
const REFUSED = failure('refused');
const UNCLEAR = failure('unclear');
const HINDERED = failure('hindered');
const TOO_LARGE = failure('refused', true);

const askedBy = (walk: Walk) =>
  [pageNumberOf(walk), walk.spot.sizing.current].join('x').replace('x100', '');

/** Which pages are asked for ("3x50" is page 3 of pages of 50; usually they have 100), and how it ends. */
function play(answers: Answer[]): string {
  let walk = startWalk(startWith(100));
  const asked = [askedBy(walk)];
  for (const { is, fresh } of answers) {
    const found = Math.max(walk.found, walk.read + fresh);
    const step = nextPage(walk, is, { fresh, found });
    if (step.kind === 'fail') return [...asked, `fails${step.place}`].join(' ');
    if (step.kind === 'end') return [...asked, step.hint ?? 'end'].join(' ');
    ({ walk } = step);
    asked.push(askedBy(walk));
  }
  return asked.join(' ');
}

const FULL = full(100);
const OF_500 = full(100, 500);
const OLD = full(100, 500, 0);
const OF_151 = [full(100, 151), page(50, 151), UNCLEAR, REFUSED];
const NOT_READ =
  'The service gave 200 records. Page 3 could not be read, so there may be more. No.';
const MISSING = 'The service says that it has 151 records, but gave 150.';

test.each<[string, Answer[], string]>([
  ['the total says where it is', [full(100, 130), page(30, 130)], '1 2 end'],
  ['a total that is too low does not', [full(100, 5), full(100, 5)], '1 2 3'],
  ['an empty page may be it', [FULL, page(5), page(0), REFUSED], '1 2 3 0 end'],
  ['a refusal after a short page is it', [FULL, page(50), REFUSED, REFUSED], '1 2 3 0 end'],
  ['one short page needs no hint', [page(3), REFUSED, UNCLEAR], '1 2 0 end'],
  ['a refusal after a full page', [FULL, FULL, REFUSED, HINDERED], `1 2 3 0 ${NOT_READ}`],
  ['one record is missing', [...OF_151, ...OF_151], `1 2 3 0 1 2 3 0 ${MISSING}`],
  ['many are', [OF_500, OF_500, REFUSED], '1 2 3 fails (page 3, after 200 of 500 records)'],
  ['another try may help', [FULL, FULL, HINDERED], '1 2 3 fails (page 3, after 200 records)'],
  ['page 1 is empty, page 0 is not', [page(0), page(30)], '1 0 2'],
  ['both are', [page(0), page(0)], '1 0 end'],
  ['page 0 cannot be read', [page(0), HINDERED], '1 0 end'],
  ['three pages without news', [OF_500, OLD, OLD, OLD], '1 2 3 4 0'],
])('the end of a list: %s', (_, answers, asked) => {
  expect(play(answers)).toBe(asked);
});

test.each<[string, Answer[], string]>([
  ['is halved', [TOO_LARGE, TOO_LARGE, full(25)], '1 1x50 1x25 2x25'],
  ['on page 2 too', [FULL, TOO_LARGE, full(50), TOO_LARGE, full(25)], '1 2 3x50 4x50 7x25 8x25'],
  ['is given up if no size helps', Array(5).fill(TOO_LARGE), '1 1x50 1x25 1x12 1x6 fails'],
  ['is not halved behind the last page', [FULL, page(50), TOO_LARGE], '1 2 3 0'],
  // 200 records are 16 pages of 12, and one with the last 8.
  [
    'may show that page 2 was the last',
    [FULL, FULL, TOO_LARGE, TOO_LARGE, TOO_LARGE, page(8, undefined, 0), REFUSED],
    '1 2 3 5x50 9x25 17x12 0x12 end',
  ],
  ['is not what another refusal means', [REFUSED], '1 fails'],
])('a size that is refused %s', (_, answers, asked) => {
  expect(play(answers)).toBe(asked);
});

test.each([
  [10, '1x5'],
  [9, undefined],
])('a refused page of %d records is halved to 5 at least', (size, next) => {
  const step = nextPage(startWalk(startWith(size)), TOO_LARGE.is);
  expect(step.kind === 'ask' ? askedBy(step.walk) : undefined).toBe(next);
});

test('a list that never ends is read up to 1,000 pages, or to the total that it states', () => {
  const pages = (total?: number) => Array<Answer>(1_000).fill(full(3, total));
  expect(play(pages())).toMatch(
    / 1000 3000 records were read\. The list goes on after 1000 pages, and was not read further\.$/,
  );
  expect(play(pages(3_300))).toMatch(/ 1001$/);
});

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

  test.each(UNCLEAR_END)('by %s after a full page: a hint says which page', async (behindLast) => {
    const traits = { count: 300, totalIsOffBy: undefined, behindLast };
    const { json, error, hints } = await returnAll(traits);
    expect(error).toBeUndefined();
    expect(json).toEqual(service.records);
    expect(hints).toEqual([expect.stringMatching(/^The service gave 300 records\. Page 4 /)]);
  });

  test('the hint after a full page has the words of the service', async () => {
    const { hints } = await returnAll({ count: 300, totalIsOffBy: undefined, behindLast: 'code' });
    expect(hints[0]).toMatch(/refused the request: this page is not given \(code 7\)\.$/);
  });

  test.each(UNCLEAR_END)('by %s: a picker ends', async (behindLast) => {
    expect(await scroll({ count: 150, totalIsOffBy: undefined, behindLast })).toEqual(idsUpTo(150));
  });
});

test.each(UNCLEAR_END)('a total that is too high by one, then %s: a hint', async (behindLast) => {
  const { json, error, hints } = await returnAll({ totalIsOffBy: 1, behindLast });
  expect(error).toBeUndefined();
  expect(json).toEqual(service.records);
  expect(hints).toEqual(['The service says that it has 251 records, but gave 250.']);
});

test.each<Refusal>(['another shape', 'web page', 'cut off', 'reset', 400, 401, 404, 429, 500])(
  'page 0 gets %s: the list is given out',
  async (pageZero) => {
    const { json, error, hints } = await returnAll({ totalIsOffBy: undefined, pageZero });
    expect(error).toBeUndefined();
    expect(json).toEqual(service.records);
    expect(hints).toEqual([]);
    const empty = await returnAll({ count: 0, totalIsOffBy: undefined, pageZero });
    expect(empty).toMatchObject({ json: [], error: undefined });
  },
);

test.each<[Refusal, totalIsOffBy: number | undefined]>([
  ['code', 0],
  [404, 0],
  [500, 0],
  [429, 0],
  [401, 0],
  ['reset', 0],
  [429, undefined],
  [401, undefined],
  [403, undefined],
  ['reset', undefined],
])(
  'a page in the middle that gets %s (total off by %p) is an error, which says how many came',
  async (how, totalIsOffBy) => {
    const traits = { count: 500, totalIsOffBy, breaksAt: { index: 250, how } };
    const { json, error } = await returnAll(traits);
    expect(json).toEqual([]);
    const of = totalIsOffBy === 0 ? ' of 500' : '';
    expect(error?.message).toMatch(new RegExp(` \\(page \\d, after 2[05]0${of} records\\)$`));
  },
);

// Guess: page-refusal
describe('a size that is refused', () => {
  const HOW: Refusal[] = ['code', 'cut off', 400, 408, 413, 422, 500, 503];

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
      const sizes = [100, 100, 50, 25, 25];
      const paging = [1, 2, 3, 5, 6].map((page, index) => ({ page, page_size: sizes[index] }));
      expect(service.asked.slice(0, 5)).toEqual(paging);
      expect(await scroll(traits)).toEqual(idsUpTo(250));
    },
  );

  test.each<Refusal>([401, 404, 429, 'reset', 'web page'])('is not what %s says', async (how) => {
    const { error } = await returnAll({ sizeLimit: { above: 30, fromPage: 1, how } });
    expect(error).toBeDefined();
    expect(service.asked).toHaveLength(1);
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
