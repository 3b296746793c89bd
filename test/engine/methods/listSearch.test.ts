import type { Gateway } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { gatewayPerTest } from '../harness/gateway';

/** The lists of the pickers. */

let gateway: Gateway;
let search: Harness['search'];

const restart = gatewayPerTest((world) => {
  ({ gateway, search } = world);
});

const bodies = () => gateway.requests.map(({ body }) => body);

/** The values of a list, page by page to its end. */
async function scroll(method: string): Promise<unknown[]> {
  const values: unknown[] = [];
  let token: string | undefined;
  do {
    const page = await search(method, undefined, token);
    values.push(...page.results.map(({ value }) => value));
    token = page.paginationToken as string | undefined;
  } while (token !== undefined && values.length < 200);
  return values;
}

/** What the editor gets of an error. */
async function failureOf(promise: Promise<unknown>) {
  const error = (await promise.catch((thrown: unknown) => thrown)) as {
    name: string;
    message: string;
    description: string;
    httpCode?: string;
  };
  return error;
}

describe('the label of an entry', () => {
  test('template: name, ID, disabled or not, review status, text', async () => {
    const { results, paginationToken } = await search('searchTemplates');
    expect(results).toEqual([
      {
        name: '登录验证码 · ID 301 · review status 2 · 您的验证码是${code},${minutes}分钟内有效,请勿告诉他人。',
        value: '301',
      },
      {
        name: '发货通知 · ID 302 · review status 2 · 尊敬的${name},您的订单${order}已发货,预计${date}送达。回复TD退订',
        value: '302',
      },
      {
        name: '系统维护通知 · ID 303 · review status 2 · 系统将于今晚22:00至24:00维护,期间服务可能中断,敬请谅解。',
        value: '303',
      },
      {
        name: '会员活动(审核中) · ID 304 · disabled · review status 1 · ${name}您好,会员日全场八折,详情见 ${link}',
        value: '304',
      },
    ]);
    expect(paginationToken).toBeUndefined();
  });

  test.each([
    ['searchSignatures', { name: '青禾科技 · ID 201 · qualification 101', value: '201' }],
    [
      'searchQualifications',
      { name: '青禾主体资质 · ID 101 · 上海青禾网络科技有限公司', value: '101' },
    ],
    [
      'searchLeads',
      { name: 'https://qinghe.example/help · 4008000001 · ID 401 · 青禾科技', value: '401' },
    ],
  ])('%s', async (method, first) => {
    const { results } = await search(method);
    expect(results).toHaveLength(2);
    expect(results[0]).toEqual(first);
  });

  test('has at most 100 characters, and without a name it has the ID', async () => {
    const { templates } = gateway.state;
    Object.assign(templates.get(301) ?? {}, { name: '', content: '', audit_status: 7 });
    Object.assign(templates.get(302) ?? {}, { content: '📦\n'.repeat(200) });
    const { results } = await search('searchTemplates');
    expect(results[0]?.name).toBe('ID 301 · review status 7');
    const label = results[1]?.name ?? '';
    expect([...label]).toHaveLength(100);
    expect(label).toMatch(/^发货通知 · ID 302 · review status 2 · (📦 )+📦?…$/u);
    gateway.state.leads.forEach((lead) =>
      Object.assign(lead, { url: '', phone_1: '', phone_2: '', sign_name: '' }),
    );
    expect((await search('searchLeads')).results.map(({ name }) => name)).toEqual([
      'ID 401',
      'ID 402',
    ]);
  });
});

describe('the search of the service is used', () => {
  test.each([
    ['searchTemplates', '通知', ['302', '303'], [{ name: '通知' }]],
    ['searchTemplates', ' 303 ', ['303'], [{ id: 303 }]],
    ['searchTemplates', '2026', [], [{ id: 2026 }, { name: '2026' }]],
    ['searchTemplates', '007', [], [{ name: '007' }]],
    ['searchTemplates', '9'.repeat(30), [], [{ name: '9'.repeat(30) }]],
    ['searchSignatures', '云岭', ['202'], [{ name: '云岭' }]],
    ['searchSignatures', '201', ['201'], [{ id: 201 }]],
    ['searchQualifications', '青禾网络', ['101'], [{ company_name: '青禾网络' }]],
    [
      'searchQualifications',
      '商城资质',
      ['102'],
      [{ company_name: '商城资质' }, { name: '商城资质' }],
    ],
    ['searchQualifications', '102', ['102'], [{ id: 102 }]],
    ['searchLeads', 'yunling', ['402'], [{ query_url: 'yunling' }]],
    ['searchLeads', '401', ['401'], [{ lead_id: 401 }]],
    [
      'searchLeads',
      '087160000002',
      ['402'],
      [{ query_phone1: '087160000002' }, { query_phone2: '087160000002' }],
    ],
  ])('%s for "%s"', async (method, text, values, searches) => {
    const { results } = await search(method, text);
    expect(results.map(({ value }) => value)).toEqual(values);
    expect(bodies()).toEqual(searches.map((fields) => ({ ...fields, page: 1, page_size: 50 })));
  });
});

describe('the pages of a list', () => {
  test.each(['specification', 'bare', 'envelope', 'nested'] as const)(
    'are requested as the user scrolls (pagination), with the list shape %s',
    async (listShape) => {
      await restart({ listShape, records: { templates: 120 } });
      const values = await scroll('searchTemplates');
      expect(values).toEqual([...gateway.state.templates.keys()].map(String));
      expect(gateway.requests.length).toBeLessThanOrEqual(4);
    },
  );

  test('continue the search that had results', async () => {
    await restart({ records: { qualifications: 60 } });
    gateway.state.qualifications.forEach((record) =>
      Object.assign(record, { name: '资质', company_name: '公司' }),
    );
    const first = await search('searchQualifications', '资质');
    const second = await search('searchQualifications', '资质', first.paginationToken as string);
    expect([...first.results, ...second.results]).toHaveLength(60);
    expect(bodies().slice(1)).toEqual([
      { name: '资质', page: 1, page_size: 50 },
      { name: '资质', page: 2, page_size: 50 },
    ]);
  });

  test('may be shorter than the requested page size', async () => {
    await restart({ maxPageSize: 20, records: { leads: 30 } });
    const first = await search('searchLeads');
    const second = await search('searchLeads', undefined, first.paginationToken as string);
    expect([...first.results, ...second.results].map(({ value }) => value)).toEqual(
      [...gateway.state.leads.keys()].map(String),
    );
  });
});

describe('a list', () => {
  test('is searched by name when the service refuses the search by ID', async () => {
    gateway.fault({
      kind: 'businessCode',
      code: 2009,
      times: Infinity,
      match: ({ body }) => 'id' in (body as object),
    });
    Object.assign(gateway.state.templates.get(302) ?? {}, { name: '2026 notice' });
    const { results } = await search('searchTemplates', '2026');
    expect(results.map(({ value }) => value)).toEqual(['302']);
  });

  test('has no entry for a record without an ID', async () => {
    gateway.fault({
      kind: 'wrongShape',
      body: { list: [{ name: 'x' }, { id: 7, name: 'y' }, { id: '', name: 'z' }], total: 3 },
    });
    const { results } = await search('searchTemplates');
    expect(results).toEqual([{ name: 'y · ID 7', value: '7' }]);
  });

  test('is requested in smaller pages when the service refuses the page size 50', async () => {
    await restart({ records: { templates: 40 } });
    gateway.fault({
      kind: 'businessCode',
      code: 7,
      times: Infinity,
      match: ({ body }) => (body as { page_size: number }).page_size > 20,
    });
    const values = await scroll('searchTemplates');
    expect(values).toEqual([...gateway.state.templates.keys()].map(String));
  });
});

describe('a list without entries is an error with the reason', () => {
  test('an account without records', async () => {
    gateway.state.templates.clear();
    expect(await failureOf(search('searchTemplates'))).toMatchObject({
      name: 'NodeOperationError',
      message: 'This account has no templates',
      description: expect.stringContaining('right account'),
    });
  });

  test('but not a search without results: the editor keeps the search field', async () => {
    gateway.state.templates.clear();
    expect(await search('searchTemplates', 'nothing')).toEqual({ results: [] });
  });

  test('signatures, when the service has another path', async () => {
    await restart({ inferredRoutes: false });
    expect(await failureOf(search('searchSignatures'))).toMatchObject({
      name: 'NodeApiError',
      httpCode: '404',
      description: expect.stringMatching(/Base URL.*"By ID".*inferred/s),
    });
  });

  test('a path of the specification that the service does not know', async () => {
    gateway.fault({ kind: 'status', status: 404 });
    const { description } = await failureOf(search('searchTemplates'));
    expect(description).toContain("Check the credential's Base URL");
  });

  test('a wrong key', async () => {
    ({ search } = await createHarness({ ...gateway.credential(), apiKey: 'other' }));
    const error = await failureOf(search('searchLeads'));
    expect(error).toMatchObject({ name: 'NodeApiError' });
    expect(error.message).toContain('code 1001');
  });

  test.each([
    ['a service that cannot be reached', undefined, 'No connection to the service'],
    ['a web page', { kind: 'html' }, 'web page'],
    ['another shape', { kind: 'wrongShape', body: { rows: ['a'] } }, 'rows'],
    [
      'records without id',
      { kind: 'wrongShape', body: { list: [{ name: 'x' }], total: 1 } },
      'name',
    ],
  ] as const)('%s', async (_, fault, message) => {
    if (fault) gateway.fault(fault);
    else ({ search } = await createHarness(unreachable()));
    expect((await failureOf(search('searchQualifications'))).message).toContain(message);
  });
});

function unreachable() {
  return { ...gateway.credential(), baseUrl: 'http://127.0.0.1:1' };
}
