import type { INodeParameters } from 'n8n-workflow';
import { createHarness } from '../../kit/engine';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';
import { REVIEWS } from '../../kit/engine/reviews';

/** The lists of the pickers. */

const { gateway, search, restart } = useGatewayPerTest();

/** The requests for the list itself. */
const searches = () => gateway.requests.filter(({ path }) => path === gateway.requests[0]?.path);
const bodies = () => searches().map(({ body }) => body);

describe('an entry', () => {
  // Guess: review-status
  test('of a template begins with what speaks against it, then has name, ID and text', async () => {
    const { results, paginationToken } = await search('searchTemplates');
    expect(results.map(({ value, name }) => `${value}: ${name}`)).toEqual([
      '301: 登录验证码 · ID 301 · 您的验证码是${code},${minutes}分钟内有效,请勿告诉他人。',
      '302: 发货通知 · ID 302 · 尊敬的${name},您的订单${order}已发货,预计${date}送达。回复TD退订',
      '303: 系统维护通知 · ID 303 · 系统将于今晚22:00至24:00维护,期间服务可能中断,敬请谅解。',
      '304: disabled · in review? · 会员活动(审核中) · ID 304 · ${name}您好,会员日全场八折,详情见 ${link}',
    ]);
    expect(paginationToken).toBeUndefined();
    expect(gateway.requests.map(({ path }) => path)).toEqual(['/openapi/template/info']);
  });

  test.each([
    ['searchSignatures', { name: '青禾科技 · ID 201', value: '201' }],
    [
      'searchQualifications',
      { name: '青禾主体资质 · ID 101 · 上海青禾网络科技有限公司', value: '101' },
    ],
    [
      'searchLeads',
      { name: 'https://qinghe.example/help · ID 401 · 4008000001 · 青禾科技', value: '401' },
    ],
  ])('of %s', async (method, first) => {
    const { results } = await search(method);
    expect(results).toHaveLength(2);
    expect(results[0]).toEqual(first);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['nothing but an ID', { name: null, content: null, sign_id: null }, 'ID 301'],
    ['a long ID', { id: '9007199254740993' }, 'n · ID 9007199254740993 · x'],
    ['HTML', { name: '<b>n</b>' }, '<b>n</b> · ID 301 · x'],
    ['line breaks', { name: ' a\n b', content: '\n\n' }, 'a b · ID 301'],
    [
      'a long text, of which 100 characters of the entry are shown',
      { content: '📦\n'.repeat(1_000), sign_id: 0 },
      `n · ID 301 · ${'📦 '.repeat(43)}…`,
    ],
    ['another status', { status: 3 }, 'n · ID 301 · x'],
    [
      'a status that nobody knows',
      { status: 3, audit_status: 7 },
      'review status 7? · n · ID 301 · x',
    ],
    // Guess: review-status
    ...REVIEWS.map(([audit_status, , mark]): [string, Record<string, unknown>, string] => [
      `review status ${JSON.stringify(audit_status)} while it is enabled`,
      { audit_status, status: true },
      `${mark && `${mark} · `}n · ID 301 · x`,
    ]),
    ...[false, 0, '0', 'false'].map((status): [string, Record<string, unknown>, string] => [
      `status ${JSON.stringify(status)}`,
      { status, audit_status: 0, sign_id: 0 },
      'disabled · in review? · n · ID 301 · x',
    ]),
  ])('of a template with %s', async (_, change, name) => {
    const template = { ...gateway.state.templates.get(301), name: 'n', content: 'x', ...change };
    gateway.fault({ kind: 'wrongShape', body: { list: [template], total: 1 } });
    expect((await search('searchTemplates')).results).toEqual([
      { name, value: String(template.id) },
    ]);
  });
});

test.each<[string, string[], INodeParameters[string]]>([
  ['of another than the chosen signature', ['302'], byId(' 201 ')],
  ['of any signature, as long as none is chosen', [], byId('', 'list')],
])('templates say that they are %s', async (_, marked, signatureId) => {
  const { results } = await search('searchTemplates', '', undefined, { signatureId });
  const isMarked = ({ name }: { name: string }) => name.includes(' · of another signature · ');
  expect(results.filter(isMarked).map(({ value }) => value)).toEqual(marked);
});

describe('the search of the service is used', () => {
  // Guess: search
  test.each([
    ['searchTemplates', '通知', ['302', '303'], [{ name: '通知' }]],
    ['searchTemplates', ' 303 ', ['303'], [{ id: 303 }]],
    ['searchTemplates', '007', [], [{ name: '007' }]],
    ['searchSignatures', '201', ['201'], [{ id: 201 }]],
    [
      'searchQualifications',
      '青禾网络',
      ['101'],
      [{ company_name: '青禾网络' }, { name: '青禾网络' }],
    ],
    ['searchLeads', 'yunling', ['402'], [{ query_url: 'yunling' }]],
    ['searchLeads', '401', ['401'], [{ lead_id: 401 }]],
    [
      'searchLeads',
      '087160000002',
      ['402'],
      [
        { query_phone1: '087160000002' },
        { query_phone2: '087160000002' },
        { query_url: '087160000002' },
      ],
    ],
  ])('%s for "%s"', async (method, text, values, searches) => {
    const { results } = await search(method, text);
    expect(results.map(({ value }) => value)).toEqual(values);
    expect(bodies()).toEqual(searches.map((fields) => ({ ...fields, page: 1, page_size: 20 })));
  });
});

test('the next page of a list is that of all searches', async () => {
  await restart({ records: { qualifications: 30 } });
  gateway.state.qualifications.forEach((record) =>
    Object.assign(record, { name: '资质', company_name: '公司' }),
  );
  const first = await search('searchQualifications', '资质');
  const second = await search('searchQualifications', '资质', first.paginationToken as string);
  expect([...first.results, ...second.results]).toHaveLength(30);
  const fields = [{ company_name: '资质' }, { name: '资质' }];
  expect(bodies()).toEqual(
    [1, 2].flatMap((page) => fields.map((field) => ({ ...field, page, page_size: 20 }))),
  );
});

describe('a list of leads is searched by all filters that the text fits', () => {
  beforeEach(() => {
    const [first, second] = [...gateway.state.leads.values()];
    Object.assign(first ?? {}, { phone_1: '12345', phone_2: '', url: '' });
    Object.assign(second ?? {}, { phone_1: '', phone_2: '', url: 'https://a.example/12345' });
  });

  const found = async () => (await search('searchLeads', '12345')).results.map((r) => r.value);

  test('also where the service refuses the ID and the filters for phone numbers', async () => {
    const refused = ['lead_id', 'query_phone1', 'query_phone2'];
    gateway.fault({
      kind: 'businessCode',
      code: 2009,
      times: Infinity,
      match: ({ body }) => refused.some((name) => name in (body as object)),
    });
    expect(await found()).toEqual(['402']);
  });

  test('and shows a lead once that several of them find', async () => {
    Object.assign(gateway.state.leads.get(401) ?? {}, { url: 'https://a.example/12345' });
    expect(await found()).toEqual(['401', '402']);
  });
});

describe('a list without entries is an error with the reason', () => {
  test('an account without records', async () => {
    gateway.state.templates.clear();
    await expect(search('searchTemplates')).rejects.toMatchObject({
      name: 'NodeOperationError',
      message: 'This account has no templates',
      description: expect.stringContaining('right account'),
    });
  });

  test('but not a search without results: the editor keeps the search field', async () => {
    gateway.state.templates.clear();
    expect(await search('searchTemplates', 'nothing')).toEqual({ results: [] });
  });

  // Guess: signature-list
  test('signatures, when the service has another path', async () => {
    await restart({ inferredRoutes: false });
    await expect(search('searchSignatures')).rejects.toMatchObject({
      name: 'NodeApiError',
      httpCode: '404',
      description: expect.stringMatching(/Base URL.*"By ID"/s),
    });
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
    const unreachable = { ...gateway.credential(), baseUrl: 'http://127.0.0.1:1' };
    const asked = fault ? { search } : await createHarness(unreachable);
    await expect(asked.search('searchQualifications')).rejects.toThrow(message);
  });
});
