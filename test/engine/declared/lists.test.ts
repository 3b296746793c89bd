import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { byId } from '../../kit/engine/locators';
import { descriptionOf } from '../../kit/engine/sends';
import { coded, json, useScriptedService } from '../../kit/engine/scriptedService';
import type { Answer } from '../../kit/engine/scriptedService';

/** How a list is read: by Get Many, by Get, by the pickers and by a check. */

const { useN8n, reply, answers, requests } = useScriptedService();
const { execute, search } = useN8n();

const ALL: INodeParameters = { resource: 'template', operation: 'getAll', returnAll: true };
const GET = { resource: 'template', operation: 'get', simplify: false };

const records = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => ({
    id: from + index,
    name: `record ${from + index}`,
  }));

interface Service {
  count: number;
  /** The most records on a page. */
  cap?: number;
  /** What stands beside the records. */
  states?: (asked: number) => IDataObject;
  /** Answers instead of a page. */
  instead?: (page: number) => Answer | undefined;
}

/** A service with one list. */
function serve({ count, cap = Infinity, states = () => ({}), instead }: Service): void {
  reply((body) => {
    const [page, asked] = [Number(body.page), Number(body.page_size)];
    const size = Math.min(asked, cap);
    const list = records((page - 1) * size + 1, Math.min(page * size, count));
    return instead?.(page) ?? json({ list, ...states(asked) });
  });
}

const pages = () => requests.map(({ page }) => page);

/** What Get Many gives: how many records, of which the first is the first of the list, and the hints. */
async function getMany(parameters: INodeParameters = {}) {
  const { json: found, hints, error } = await execute({ ...ALL, ...parameters });
  expect(found).toEqual(records(1, found.length));
  return { found: found.length, hints, error: error?.message };
}

const pageSize = (size: number) => ({ options: { pageSize: size } });

const total = (number: number) => () => ({ total: number });

describe('is there more?', () => {
  const capped = (states: Service['states']): Service => ({ count: 70, cap: 30, states });

  // Guess: end-of-list
  test.each<[string, Service, number, number]>([
    ['a short page ends a list without total', { count: 30 }, 30, 1],
    ['so does one with as many records as the total', { count: 30, states: total(30) }, 30, 1],
    ['a full page is followed', { count: 200 }, 200, 3],
    ['also where the total is too low', { count: 250, states: total(0) }, 250, 3],
    ['or is the total of one page', { count: 250, states: total(100) }, 250, 3],
    ['a short page is followed while the total is not reached', capped(total(70)), 70, 3],
    ['or where the service states its size', capped(() => ({ page_size: 30 })), 70, 3],
    ['but not with a size that is no reason', capped((asked) => ({ page_size: asked })), 30, 1],
    ['without total and size, a short page is believed', capped(() => ({})), 30, 1],
    ['also if only the first page states it', firstStates(70), 70, 3],
  ])('%s', async (_, service, found, asked) => {
    serve(service);
    expect(await getMany()).toEqual({ found, hints: [], error: undefined });
    expect(pages()).toEqual(Array.from({ length: asked }, (__, index) => index + 1));
  });

  /** A list of three pages, of which the second is shorter than the first. */
  function firstStates(count: number): Service {
    const lists = [records(1, 30), records(31, 50), records(51, count)];
    const instead = (page: number) =>
      json({ list: lists[page - 1] ?? [], ...(page === 1 && { total: count }) });
    return { count, instead };
  }

  // Guess: end-of-list
  test.each([undefined, 100, 250])(
    'a page without a new record is the end, with a total of %p',
    async (stated) => {
      serve({ count: 100, instead: () => json({ list: records(1, 100), total: stated }) });
      const missing = `The service says that it has ${stated} records, but gave 100.`;
      const hints = stated === 250 ? [missing] : [];
      expect(await getMany()).toEqual({ found: 100, hints, error: undefined });
      expect(pages()).toEqual([1, 2]);
    },
  );

  test('pages that overlap give each record once, and equal records on one page are all kept', async () => {
    const twice = [{ name: 'no ID' }, { name: 'no ID' }];
    answers(
      json({ list: [...records(1, 3), ...twice], total: 7 }),
      json({ list: [...records(3, 4), ...twice], total: 7 }),
      json({ list: [{ id: '4' }, { id: '' }], total: 7 }),
      json({ list: [], total: 7 }),
    );
    expect((await execute(ALL)).json.map(({ id, name }) => id ?? name)).toEqual([
      ...[1, 2, 3, 'no ID', 'no ID', 4, ''],
    ]);
  });

  // Guess: first-page
  test('page 0 is never asked for', async () => {
    answers(json({ list: [], total: 5 }));
    expect(await getMany()).toMatchObject({
      found: 0,
      hints: ['The service says that it has 5 records, but gave 0.'],
    });
    expect(pages()).toEqual([1]);
  });

  test('a list without end stops after 1,000 pages, with a hint', async () => {
    serve({ count: Infinity });
    const { found, hints } = await getMany(pageSize(1));
    expect([found, hints]).toEqual([
      1_000,
      ['1000 records were read. The list goes on after 1000 pages, and was not read further.'],
    ]);
  });
});

describe('a page that fails', () => {
  const FAILURES: [string, Answer, RegExp][] = [
    ['a code', coded(7), /\(code 7\)/],
    ['HTTP 500', json({}, 500), /HTTP 500/],
    ['HTTP 401', json({}, 401), /HTTP 401/],
    ['HTTP 429', json({}, 429), /HTTP 429/],
    ['another shape', json({ rows: ['a'] }), /an object with rows/],
    ['JSON that is cut off', { status: 200, text: '{"list":[{"id"' }, /cut off/],
    ['no answer', { status: 0, text: '' }, /./],
  ];

  test.each(FAILURES)('%s: what came before is given out, with a hint', async (_, answer, why) => {
    serve({ count: 500, states: total(500), instead: (page) => (page === 3 ? answer : undefined) });
    const { found, hints, error } = await getMany();
    expect([found, error, pages()]).toEqual([200, undefined, [1, 2, 3]]);
    expect(hints).toEqual([
      expect.stringMatching(
        /^The service gave 200 records\. Page 3 could not be read, so there may be more\. \S.*[^.]\.$/,
      ),
    ]);
    expect(hints[0]).toMatch(why);
    // Nothing came before the first page.
    answers(answer);
    expect(await getMany()).toEqual({ found: 0, hints: [], error: expect.stringMatching(why) });
    expect(pages()).toEqual([1]);
  });
});

describe('Page Size', () => {
  // Guess: page-size
  test.each([
    [ALL, 100],
    [{ ...ALL, ...pageSize(7) }, 7],
    [{ ...ALL, returnAll: false, limit: 20 }, 20],
    [{ ...ALL, returnAll: false, limit: 20, ...pageSize(15) }, 15],
    [{ ...ALL, returnAll: false, limit: 300 }, 100],
    [{ ...ALL, options: { extraFieldsJson: '{"page_size": 9}', pageSize: 20 } }, 9],
  ])('%j asks for pages of %d', async (parameters, size) => {
    serve({ count: 50 });
    await execute(parameters);
    expect([...new Set(requests.map(({ page_size }) => page_size))]).toEqual([size]);
  });

  // Guess: page-size
  test.each([
    ['template', coded(7)],
    ['template', json({}, 400)],
    ['template', json({}, 413)],
    ['signature', coded(7)],
  ])('%s: a size that is refused with %j is an error that names it', async (resource, answer) => {
    answers(answer);
    const { error } = await execute({ ...ALL, resource });
    expect(descriptionOf(error)).toContain("lower 'Page Size' under Options");
    expect(requests).toHaveLength(1);
  });
});

test('a Limit ends the list without a hint, at once', async () => {
  serve({ count: 500, states: total(500) });
  expect(await getMany({ returnAll: false, limit: 150 })).toMatchObject({ found: 150, hints: [] });
  expect(pages()).toEqual([1, 2]);
});

test('a page that Extra Fields fix is the only one', async () => {
  serve({ count: 500, states: total(500) });
  const options = { extraFieldsJson: '{"page": 2}' };
  const result = await execute({ ...ALL, options });
  expect(result.json).toEqual(records(101, 200));
  expect([pages(), result.hints]).toEqual([[2], []]);
});

describe('Get', () => {
  const get = async (id: number) => await execute({ ...GET, templateId: byId(id) });

  test('finds its record on a later page of a service that ignores the ID', async () => {
    serve({ count: 90 });
    expect((await get(50)).json).toEqual(records(50, 50));
    expect(pages()).toEqual([1, 2, 3]);
  });

  const TWICE = ['a', 'b'].map((name) => ({ id: 9, name }));

  test.each<[string, IDataObject[], IDataObject[] | string]>([
    ['signature', [{ id: 7 }, { id: '9' }], [{ id: '9' }]],
    ['signature', [{ name: 'no ID' }], [{ name: 'no ID' }]],
    ['signature', [{ id: 7 }, { name: 'no ID' }], 'The service gave no signature with the ID 9'],
    ['template', [{ template_id: 7 }], 'The service gave no template with the ID 9'],
    ['template', TWICE, TWICE],
    ['template', [{ id: { toString: false } }, { id: 9 }], [{ id: 9 }]],
  ])('of the %s 9 among %j gives %j', async (resource, list, wanted) => {
    answers(json({ list, page: 1, page_size: 20, total: list.length }));
    const parameters = { ...GET, resource, [`${resource}Id`]: byId(9) };
    const { json: found, error } = await execute(parameters);
    if (typeof wanted === 'string') expect(error?.message).toContain(wanted);
    else expect(found).toEqual(wanted);
  });

  test.each([0, 90])('of %d records without it is an error', async (count) => {
    serve({ count });
    expect((await get(95)).error?.message).toBe('The service gave no template with the ID 95');
  });

  test('does not say that there is none if a page failed', async () => {
    serve({ count: 90, instead: (page) => (page === 3 ? coded(7) : undefined) });
    expect((await get(95)).error?.message).toContain('(code 7)');
  });
});

describe('a picker', () => {
  /** All that it shows as the user scrolls, call by call. */
  async function scroll(text = '') {
    const shown: unknown[][] = [];
    let token: string | undefined;
    do {
      const { results, paginationToken } = await search('searchTemplates', text, token);
      shown.push(results.map(({ value }) => Number(value)));
      token = paginationToken as string | undefined;
    } while (token !== undefined && shown.length < 50);
    return shown;
  }

  test.each<[string, Service, number[]]>([
    ['a page of 20 per call', { count: 45, states: total(45) }, [20, 20, 5]],
    ['every full page, without total', { count: 40 }, [20, 20, 0]],
    ['every full page, whatever the total', { count: 40, states: total(20) }, [20, 20, 0]],
    ['smaller pages, up to the total', { count: 18, cap: 7, states: total(18) }, [7, 7, 4]],
    [
      'smaller pages, as stated',
      { count: 16, cap: 7, states: () => ({ page_size: 7 }) },
      [7, 7, 2],
    ],
  ])('shows %s', async (_, service, lengths) => {
    serve(service);
    const shown = await scroll();
    expect(shown.map(({ length }) => length)).toEqual(lengths);
    expect(shown.flat()).toEqual(records(1, service.count).map(({ id }) => id));
    expect(pages()).toEqual([1, 2, 3]);
    expect([...new Set(requests.map(({ page_size }) => page_size))]).toEqual([20]);
  });

  test.each<[string, (page: number) => number, number, object]>([
    ['ignores the page', () => 1, 50, {}],
    ['ignores the page, and states more', () => 1, 50, { total: 90 }],
    ['begins anew behind the last page', (page) => 1 + ((page + 1) % 2), 60, {}],
    ['repeats the last page', (page) => Math.min(page, 2), 60, {}],
  ])('shows each record once and ends, if the service %s', async (_, pageAt, count, stated) => {
    let links = 0;
    reply(({ page }) => {
      const from = 50 * (pageAt(Number(page)) - 1) + 1;
      const list = records(from, Math.min(from + 49, 60));
      // Each answer has other links to the same files.
      const shown = list.map((record) => ({ ...record, file: `/file?sign=${++links}` }));
      return json({ list: shown, ...stated });
    });
    expect((await scroll()).flat()).toEqual(records(1, count).map(({ id }) => id));
  });

  test('keeps only the record with the ID that is searched for', async () => {
    serve({ count: 45 });
    expect(await scroll('17')).toEqual([[17]]);
    expect(requests).toEqual([{ id: 17, page: 1, page_size: 20 }]);
  });

  test('shows the error of a later page when the user scrolls there', async () => {
    serve({ count: 45, instead: (page) => (page === 2 ? coded(7) : undefined) });
    const { results, paginationToken } = await search('searchTemplates');
    expect(results).toHaveLength(20);
    await expect(search('searchTemplates', '', paginationToken as string)).rejects.toThrow(
      'code 7',
    );
  });
});
