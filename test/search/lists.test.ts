import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Harness } from '../engine/harness';
import { useHarness } from '../engine/harness/gateway';
import { HONEST, startListService } from '../engine/harness/listService';
import type { ListService, ListTraits, Refusal } from '../engine/harness/listService';
import { settings } from './settings';

/** Return All and the pickers, at services with random lists, honest or not. */

const SETTINGS = settings(12);

const OF_SIZE: Refusal[] = ['code', 'cut off', 400, 413, 422, 500, 503];
const BEHIND_LAST: Refusal[] = ['code', 'another shape', 'web page', 400, 404, 500, 503];
const ANY: Refusal[] = [...BEHIND_LAST, 'cut off', 'reset', 401, 413, 429];

/** Once in so many lists; otherwise undefined. */
const oncePer = <T>(lists: number, value: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: lists - 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: value },
  );

const traits: fc.Arbitrary<ListTraits> = fc
  .record({
    count: fc.oneof(
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 31, max: 450 }),
      fc.constantFrom(50, 100, 150, 200, 300, 400),
    ),
    ids: fc.constantFrom<ListTraits['ids']>(
      'number',
      'text',
      'missing',
      'empty',
      'null',
      '0',
      'template_id',
    ),
    totalIsOffBy: oncePer(2, fc.oneof(fc.constant(0), fc.constantFrom(-100, -1, 1, 2, 30, 5_000))),
    cap: oncePer(2, fc.integer({ min: 6, max: 60 })),
    statesSize: fc.constantFrom<ListTraits['statesSize']>('asked', 'given', undefined),
    sizeLimit: oncePer(
      6,
      fc.record({
        above: fc.integer({ min: 6, max: 99 }),
        fromPage: fc.constantFrom(1, 2, 3),
        how: fc.constantFrom(...OF_SIZE),
      }),
    ),
    behindLast: fc.oneof(
      fc.constantFrom<ListTraits['behindLast']>('empty', 'repeats the last', 'begins anew'),
      fc.constantFrom(...BEHIND_LAST),
    ),
    isPinned: fc.constantFrom(false, false, false, true),
    breaksAt: oncePer(
      6,
      fc.record({ index: fc.integer({ min: 0, max: 300 }), how: fc.constantFrom(...ANY) }),
    ),
    isEndless: fc.integer({ min: 0, max: 60 }).map((die) => die === 0),
    shape: fc.constantFrom<ListTraits['shape']>('bare', 'data', 'nested'),
  })
  .map((drawn) => ({ ...HONEST, ...drawn }));

let service: ListService;

const harness = useHarness(async () => {
  service = await startListService();
  return { baseUrl: service.baseUrl, apiKey: 'key', apiSecret: 'secret' };
});

/** What a user gets. */
interface Given {
  records: IDataObject[];
  hints: string[];
  error?: Error;
}

/** The total that the service states. */
const statedTotal = ({ totalIsOffBy, count }: ListTraits) =>
  totalIsOffBy === undefined ? undefined : Math.max(0, count + totalIsOffBy);

/**
 * Whether the first page looks like the last one: it is shorter than asked for, the service does not say that
 * its pages are shorter, and no total says that there is more.
 */
function looksEnded(list: ListTraits): boolean {
  const { cap = Infinity, statesSize, count, isEndless } = list;
  const [first] = service.asked;
  const isSilent = cap < Number(first?.page_size) && statesSize !== 'given';
  const given = isEndless ? cap : Math.min(cap, count);
  return isSilent && (statedTotal(list) ?? 0) <= given && service.asked.length === 1;
}

/** Nothing that is not in the list. */
function checkExisting(records: IDataObject[]): string[] {
  const names = records.map(({ name }) => String(name));
  const existing = new Set(service.records.map(({ name }) => name));
  expect(names.filter((name) => !existing.has(name))).toEqual([]);
  return names;
}

/** Each page is asked for once, in order, and none twice or from 0. */
function checkPages(): void {
  const pages = service.asked.map(({ page }) => page);
  expect(pages).toEqual(pages.map((_, index) => index + 1));
}

function judge(list: ListTraits, { records, hints, error }: Given): void {
  const { count, isEndless } = list;
  checkPages();
  // A first page that does not come is the error, and nothing else is one.
  expect(error !== undefined).toBe(service.refused.has(1));
  if (error) return expect([records, hints]).toEqual([[], []]);
  if (isEndless && service.refused.size === 0 && !looksEnded(list)) return checkEndless(hints);
  if (isEndless) return;
  const names = checkExisting(records);
  expect(new Set(names).size).toBe(names.length);
  for (const hint of hints) checkHint(hint, list, records.length);
  // What the service would give is given, and no page is left out in silence.
  const hasFailed = service.refused.size > 0;
  expect(records.length === count || hasFailed || looksEnded(list)).toBe(true);
  const saysMore = hasFailed || (statedTotal(list) ?? 0) > records.length;
  expect(hints).toHaveLength(saysMore ? 1 : 0);
}

function checkEndless(hints: string[]): void {
  expect(service.asked).toHaveLength(1_000);
  expect(hints).toEqual([expect.stringMatching(/goes on after 1000 pages/)]);
}

function checkHint(hint: string, list: ListTraits, given: number): void {
  const [, total, found] = /says that it has (\d+) records, but gave (\d+)\.$/.exec(hint) ?? [];
  if (total !== undefined) {
    expect([Number(total), Number(found)]).toEqual([statedTotal(list), given]);
    return expect(Number(total)).toBeGreaterThan(given);
  }
  const [, gave, page] = /gave (\d+) records\. Page (\d+) could not be read/.exec(hint) ?? [];
  expect(Number(gave)).toBe(given);
  expect(service.refused.has(Number(page))).toBe(true);
}

/** A picker has no place for a hint: a page that fails is an error when the user gets there. */
function judgePicker(list: ListTraits, { records, error }: Given, hasEnded: boolean): void {
  const { count, isEndless, behindLast } = list;
  checkPages();
  // An account without records is an error too.
  expect(error !== undefined).toBe(service.refused.size > 0 || (count === 0 && !isEndless));
  if (!hasEnded) return expect(isEndless || behindLast === 'begins anew').toBe(true);
  if (isEndless || error) return;
  const names = checkExisting(records);
  expect(new Set(names).size === count || looksEnded(list)).toBe(true);
  // A page that is shown again is one that the service gives again, among others.
  if (!list.isPinned && behindLast !== 'begins anew') {
    expect(new Set(names).size).toBe(names.length);
  }
}

/** All that a picker shows, as the user scrolls, and whether it ends. */
async function scroll(search: Harness['search']): Promise<[Given, boolean]> {
  const records: IDataObject[] = [];
  let token: string | undefined;
  try {
    for (let calls = 0; calls < 100; calls++) {
      const page = await search('searchTemplates', '', token);
      records.push(...page.results.map(({ value }) => ({ name: `record ${value}` })));
      token = page.paginationToken as string | undefined;
      if (token === undefined) return [{ records, hints: [] }, true];
    }
  } catch (error) {
    return [{ records, hints: [], error: error as Error }, true];
  }
  return [{ records, hints: [] }, false];
}

const GET_ALL = { resource: 'template', operation: 'getAll', returnAll: true };

const sizes = fc.constantFrom({}, {}, { pageSize: 10 }, { pageSize: 50 }, { pageSize: 300 });

afterAll(() => service.close());

test(
  `Return All gives every record once, or says what is missing, in ${SETTINGS.numRuns} random lists`,
  async () => {
    await fc.assert(
      fc.asyncProperty(traits, sizes, async (list, options) => {
        service.become(list);
        const { json: records, error, run } = await harness.execute({ ...GET_ALL, options });
        const [task] = run.data.resultData.runData.SMS ?? [];
        const hints = task?.hints?.map(({ message }) => message) ?? [];
        judge(list, { records, hints, error });
      }),
      SETTINGS,
    );
  },
  60_000 + SETTINGS.numRuns * 2_000,
);

const withIds = traits.filter(({ ids }) => ['number', 'text', 'template_id'].includes(ids));

test(
  `a picker shows every record, or an error, in ${SETTINGS.numRuns} random lists`,
  async () => {
    await fc.assert(
      fc.asyncProperty(withIds, async (list) => {
        service.become(list);
        judgePicker(list, ...(await scroll(harness.search)));
      }),
      SETTINGS,
    );
  },
  60_000 + SETTINGS.numRuns * 2_000,
);
