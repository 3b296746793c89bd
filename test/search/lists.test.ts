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

const rarely = <T>(value: fc.Arbitrary<T>, freq = 3) => fc.option(value, { freq, nil: undefined });

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
    totalIsOffBy: rarely(fc.oneof(fc.constant(0), fc.constantFrom(-100, -1, 1, 2, 30, 5_000)), 1),
    pagesFrom: fc.constantFrom<0 | 1>(1, 1, 1, 0),
    cap: rarely(fc.integer({ min: 6, max: 60 })),
    sizeLimit: rarely(
      fc.record({
        above: fc.integer({ min: 6, max: 99 }),
        fromPage: fc.constantFrom(0, 2, 3),
        how: fc.constantFrom(...OF_SIZE),
      }),
    ),
    behindLast: fc.oneof(
      fc.constantFrom<ListTraits['behindLast']>('empty', 'repeats the last', 'begins anew'),
      fc.constantFrom(...BEHIND_LAST),
    ),
    pageZero: fc.constantFrom<ListTraits['pageZero']>('empty', 'first', ...ANY),
    isPinned: fc.constantFrom(false, false, false, true),
    breaksAt: rarely(
      fc.record({ index: fc.integer({ min: 0, max: 300 }), how: fc.constantFrom(...ANY) }),
      5,
    ),
    isEndless: fc.integer({ min: 0, max: 60 }).map((die) => die === 0),
    shape: fc.constantFrom<ListTraits['shape']>('bare', 'data', 'nested'),
  })
  .map((drawn) => ({ ...HONEST, ...drawn }));

/** Requests for a list with these traits, at most: it is read five times, in pages of six at least. */
function mostRequests({ count, cap = 100, isEndless }: ListTraits): number {
  const pages = Math.ceil(count / Math.min(cap, 6)) + 10;
  return isEndless ? 1_050 : 5 * (pages + 10);
}

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

/** Whether an answer has shown an end that is none, as an honest service shows a true one. */
function looksEnded(list: ListTraits, given: number): boolean {
  const { breaksAt, cap = 100, totalIsOffBy, count, isPinned, pagesFrom } = list;
  // All that came is all that the total says, and nothing asks for page 0.
  if (pagesFrom === 0 && given === count + (totalIsOffBy ?? 0)) return true;
  if (!breaksAt || totalIsOffBy !== undefined) return false;
  // Page 1 is empty, as that of an empty list, and page 0 is not given.
  if (pagesFrom === 0 && given === 0) return true;
  // A refused page ends a list after a page that is shorter than asked for, or than those before.
  return cap < 100 || isPinned || breaksAt.index > count;
}

/** An error only says what is true, and only where records cannot be had. */
function checkError({
  totalIsOffBy = 0,
  count,
  pagesFrom,
  breaksAt,
  behindLast,
}: ListTraits): void {
  const isRefusedEnd = !['empty', 'repeats the last', 'begins anew'].includes(String(behindLast));
  const isKnownToMiss = totalIsOffBy > 5 && isRefusedEnd;
  // Where pages count from 0, page 1 is behind the last page of a short list.
  const isFirstRefused = pagesFrom === 0 && isRefusedEnd && count <= 100;
  expect(breaksAt !== undefined || isKnownToMiss || isFirstRefused).toBe(true);
}

/** Nothing came twice, and nothing that is not in the list. */
function checkRecords(records: IDataObject[]): void {
  const names = records.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const existing = new Set(service.records.map(({ name }) => name));
  expect(names.filter((name) => !existing.has(name))).toEqual([]);
}

function judge(list: ListTraits, { records, hints, error }: Given): void {
  const { count, totalIsOffBy, isEndless } = list;
  expect(service.asked.length).toBeLessThanOrEqual(mostRequests(list));
  if (error) return checkError(list);
  if (isEndless) return expect(hints).toHaveLength(1);
  checkRecords(records);
  for (const hint of hints) checkHint(hint, list, records.length);
  if (hints.length === 0 && !looksEnded(list, records.length)) expect(records).toHaveLength(count);
  // A list that is complete, and said so.
  if (records.length === count && totalIsOffBy === 0) expect(hints).toEqual([]);
}

/** A picker has no place for a hint. */
function judgePicker(list: ListTraits, { records, error }: Given): void {
  const { count, breaksAt, isEndless } = list;
  // An account without records is an error too.
  if (error) return count > 0 ? checkError(list) : undefined;
  if (isEndless) return;
  checkRecords(records);
  if (!breaksAt && !looksEnded(list, records.length)) expect(records).toHaveLength(count);
}

function checkHint(hint: string, list: ListTraits, given: number): void {
  const [, total, found] = /says that it has (\d+) records, but gave (\d+)\.$/.exec(hint) ?? [];
  if (total !== undefined) {
    expect(list.totalIsOffBy).toBeDefined();
    expect([Number(total), Number(found)]).toEqual([list.count + (list.totalIsOffBy ?? 0), given]);
    return;
  }
  const [, gave, page] = /gave (\d+) records\. Page (\d+) could not be read/.exec(hint) ?? [];
  expect(Number(gave)).toBe(given);
  expect(service.refused.has(Number(page))).toBe(true);
}

/** All that a picker shows, as the user scrolls. */
async function scroll(search: Harness['search'], { isEndless }: ListTraits): Promise<Given> {
  const records: IDataObject[] = [];
  let token: string | undefined;
  try {
    for (let calls = 0; calls < (isEndless ? 20 : 300); calls++) {
      const page = await search('searchTemplates', '', token);
      records.push(...page.results.map(({ value }) => ({ name: `record ${value}` })));
      token = page.paginationToken as string | undefined;
      if (token === undefined) return { records, hints: [] };
    }
  } catch (error) {
    return { records, hints: [], error: error as Error };
  }
  expect(isEndless).toBe(true);
  return { records, hints: [] };
}

const GET_ALL = { resource: 'template', operation: 'getAll', returnAll: true };

afterAll(() => service.close());

test(
  `Return All gives every record once, or says what is missing, in ${SETTINGS.numRuns} random lists`,
  async () => {
    await fc.assert(
      fc.asyncProperty(traits, async (list) => {
        service.become(list);
        const { json: records, error, run } = await harness.execute(GET_ALL);
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
  `a picker shows every record once, or an error, in ${SETTINGS.numRuns} random lists`,
  async () => {
    await fc.assert(
      fc.asyncProperty(withIds, async (list) => {
        service.become(list);
        judgePicker(list, await scroll(harness.search, list));
      }),
      SETTINGS,
    );
  },
  60_000 + SETTINGS.numRuns * 2_000,
);
