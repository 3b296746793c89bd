import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import type { ServiceClient } from '../../nodes/SmsMessagingService/service/client';
import { queryAll } from '../../nodes/SmsMessagingService/service/pages';
import { contractOperations } from '../sandbox/contract';
import { check } from './load';
import type { CheckAnswer, CheckRequest, Report } from './load';
import { rowsOf } from './startCheck';

/** What comes of a request. */
type Fate = { status?: number; text: string; location?: string } | { failure: string };

const record = (id: number) => ({ id, name: `record ${id}` });
const BALANCE = { text: '{"code":0,"balance":5}' };
const UNSIGNED = { status: 401, text: '{"code":1000}' };
const NOWHERE = { status: 404, text: '{"code":404}' };

/** A service that gives two records of each list, changed by `fateOf` for some requests. */
function reportOf(fateOf: (request: CheckRequest, fields: Fields) => Fate | undefined): Report {
  const answers = check.plan().map((request): CheckAnswer => {
    const fields = JSON.parse(request.body) as Fields;
    const fate = fateOf(request, fields) ?? usualFate(request, fields);
    return { ...request, ...('failure' in fate ? fate : { status: 200, ...fate }) };
  });
  return check.report(answers);
}

interface Fields {
  page?: number;
  page_size?: number;
}

function usualFate({ path, signed }: CheckRequest, { page }: Fields): Fate {
  if (!signed) return path.includes('no-such') ? NOWHERE : UNSIGNED;
  if (path === '/sendsms/balance') return BALANCE;
  return page === 1 ? listed([record(1), record(2)], 2) : listed([], 2);
}

function listed(list: unknown[], total?: unknown, more: object = {}): Fate {
  return { text: JSON.stringify({ list, total, ...more }) };
}

/** Only answers to signed requests for templates are changed. */
function templatesAre(fateOf: (fields: Fields) => Fate | undefined): Record<string, string> {
  return rowsOf(
    reportOf(({ path, signed }, fields) =>
      signed && path === '/openapi/template/info' ? fateOf(fields) : undefined,
    ),
  );
}

test('the fields are those of the contract', () => {
  const contract = parse(
    readFileSync(join(__dirname, '../sandbox/openapi.yaml'), 'utf8'),
  ) as Contract;
  const schemas = ['Qualification', 'Template', 'Lead', 'Signature'];
  for (const [index, { fields, optional = [] }] of check.LISTS.entries()) {
    const { properties } = contract.components.schemas[schemas[index] ?? ''] ?? {};
    // Create signature alone has signature_id, and lists might.
    const known = [...fields, ...optional].filter((name) => name !== 'signature_id');
    expect(known.sort()).toEqual(Object.keys(properties ?? {}).sort());
  }
});

interface Contract {
  components: { schemas: Record<string, { properties: object }> };
}

describe('what is asked', () => {
  it('is the same every time, and only reads with key and signature', () => {
    expect(check.plan()).toEqual(check.plan({ pull: false }));
    const signed = check.plan({ pull: true }).filter((request) => request.signed);
    expect([...new Set(signed.map(({ path }) => path))]).toEqual([
      '/sendsms/balance',
      '/openapi/cert/info',
      '/openapi/template/info',
      '/openapi/lead/info',
      '/openapi/sign/info',
      '/sendsms/report/pull',
      '/sendsms/mo/pull',
    ]);
    expect(check.plan().some(({ path }) => path.endsWith('/pull'))).toBe(false);
  });

  it('covers the paths that the contract marks as inferred', () => {
    const inferred = contractOperations().filter((operation) => operation.inferred);
    expect(check.INFERRED.map(({ path }) => path).sort()).toEqual(
      inferred.map(({ path }) => path).sort(),
    );
    for (const { path } of inferred) {
      expect(check.plan()).toContainEqual({ path, body: '{}', signed: false });
    }
  });
});

describe('lists', () => {
  it.each([
    ['a page of 100 fails', { status: 500, text: '' }, 'ask your SMS provider'],
    ['a page of 100 is not found', NOWHERE, 'ask your SMS provider'],
    ['a page of 100 is no list', { text: '{"a":1}' }, 'ask your SMS provider'],
    ['a page of 100 is refused with HTTP 400', { status: 400, text: '' }, 'works'],
    ['a page of 100 is refused with a code', { text: '{"code":7}' }, 'works'],
  ])('%s', (_what, fate: Fate, verdict) => {
    const rows = templatesAre(({ page_size }) =>
      page_size === 100 ? fate : listed([TEMPLATE], 1),
    );
    expect(rows.Templates?.split(':')[0]).toBe(verdict);
    expect(rows.Templates).toMatch(/page_size 100 is not taken \(.*\), but 6 is/);
  });

  it('whose pages count from 0 are read whole, also without total', async () => {
    const all = Array.from({ length: 150 }, (_, id) => ({ ...TEMPLATE, id }));
    for (const total of [undefined, 150]) {
      const pageOf = ({ page = 0, page_size = 0 }: Fields) => ({
        list: all.slice(page * page_size, (page + 1) * page_size),
        total,
      });
      const rows = templatesAre((fields) => ({ text: JSON.stringify(pageOf(fields)) }));
      expect(await countByNodes(pageOf)).toBe(all.length);
      expect(rows.Templates).toBe(
        `works: 62 records, as documented; at list; ${total ? 'total fits' : 'no total'}; pages count from 0`,
      );
    }
  });

  it('page 0 that is taken as page 1 is not a first page', () => {
    const rows = templatesAre(() => listed([TEMPLATE], 1));
    expect(rows.Templates).toBe('works: 1 record, as documented; at list; total fits');
  });

  it('whose records have links that are signed anew each time: each record counts once', () => {
    let signature = 0;
    const rows = templatesAre(() => listed([{ ...TEMPLATE, remark: `?sign=${signature++}` }], 1));
    expect(rows.Templates).toBe('works: 1 record, as documented; at list; total fits');
  });

  it('of an account without records have nothing to set', () => {
    const report = reportOf(({ path, signed }) =>
      signed && path !== '/sendsms/balance' ? listed([], 0) : undefined,
    );
    expect(report.summary).toBe('Nothing to set.');
    expect(rowsOf(report).Templates).toBe('cannot be told: the account has none to look at');
  });

  it('with records without an ID cannot be offered', () => {
    for (const id of [undefined, null, '']) {
      expect(templatesAre(() => listed([{ ...TEMPLATE, id }])).Templates).toMatch(/^to set/);
    }
  });

  it('with names that are none of a field: only their number is shown', () => {
    const odd = { '13800138000': 1, 王小明: 2, a1b2c3d4e5f6: 3, extra_1: 4 };
    expect(templatesAre(() => listed([{ ...TEMPLATE, ...odd }])).Templates).toBe(
      'works: 1 record; also with extra_1, others: 3; at list; no total',
    );
  });

  const TEMPLATE = {
    id: 1,
    name: '',
    content: '',
    param_count: 0,
    audit_status: 1,
    status: true,
    type: 1,
    sign_id: 1,
    lead_id: 0,
    remark: '',
  };

  /** How many records the nodes get of a list. */
  async function countByNodes(pageOf: (fields: Fields) => object): Promise<number> {
    const exchange = async (_path: string, fields: Fields) => ({
      kind: 'answered',
      body: pageOf(fields),
    });
    let count = 0;
    const pages = queryAll({ exchange } as unknown as ServiceClient, '/list', {});
    for await (const records of pages) count += records.length;
    return count;
  }
});

describe('paths that are inferred', () => {
  const pathsOf = (fateOf: (path: string) => Fate | undefined) =>
    reportOf(({ path, signed }) => (signed ? undefined : fateOf(path)));

  it('cannot be told where an existing path answers like one that does not exist', () => {
    const report = pathsOf(() => UNSIGNED);
    expect(rowsOf(report)['Paths known by name only']).toBe(
      'cannot be told: 1 of 8 exist, 7 cannot be told',
    );
    expect(report.summary).toBe('Nothing to set.');
    expect(report.texts[0]).toMatch('set Endpoint Path');
  });

  it('cannot be told where an answer is like neither, or does not come', () => {
    const odd = [
      { status: 403, text: '' },
      { failure: 'no answer in time' },
      { status: 502, text: '<html>' },
    ];
    const report = pathsOf((path) => (path.includes('update') ? odd.pop() : undefined));
    expect(rowsOf(report)['Paths known by name only']).toBe(
      'cannot be told: 5 of 8 exist, 3 cannot be told',
    );
  });

  it('a list that is answered exists, whatever the comparison says', () => {
    const report = pathsOf((path) => (path.includes('/sign/') ? NOWHERE : undefined));
    expect(report.settings.map(({ where }) => where)).toEqual([
      'Options of Signature: Update; Signature: Delete',
    ]);
  });

  it('a list that nobody finds does not exist, whatever the comparison says', () => {
    const report = reportOf(({ path, signed }) =>
      signed ? (path.includes('/sign/') ? NOWHERE : undefined) : UNSIGNED,
    );
    expect(report.settings.map(({ setting, where }) => `${setting}: ${where}`)).toEqual([
      'By ID: Field Signature',
      'Endpoint Path: Options of Signature: Get, Get Many',
    ]);
  });
});

describe('a service that is out of order', () => {
  it.each([
    ['an empty body', { text: '' }, 'HTTP 200 without JSON (23)'],
    ['half of an answer', { text: '{"list":[{"id":1' }, 'HTTP 200 without JSON (23)'],
    ['HTTP 500', { status: 500, text: '{}' }, 'HTTP 500 (23)'],
    ['HTTP 429', { status: 429, text: '' }, 'HTTP 429 (23)'],
    ['no answer', { failure: 'no answer in time' }, 'no answer in time (23)'],
    ['a code that is an object', { text: '{"code":{"toString":1}}' }, 'a code that is no number'],
    ['a code that is text', { text: '{"code":"SIGN_ERROR"}' }, 'a code that is no number'],
    ['words alone', { text: '{"msg":"log in"}' }, 'HTTP 200, neither a success nor a refusal'],
  ])('gives %s', (_what, fate: Fate, said) => {
    const report = reportOf(() => fate);
    expect(JSON.stringify(report.rows)).toContain(said);
    expect(report.rows.length).toBeGreaterThan(3);
    expect(report.summary).not.toBe('Nothing to set.');
  });

  it('gives a web page: Base URL', () => {
    const report = reportOf(() => ({ text: '<!doctype html><title>Welcome</title>' }));
    expect(report.settings.map(({ setting }) => setting)).toEqual(['Base URL']);
  });

  it('refuses the account with HTTP 403, with and without key', () => {
    const report = reportOf(() => ({ status: 403, text: '{"code":9}' }));
    expect(report.settings.map(({ setting }) => setting)).toEqual([
      'API Key',
      'API Secret',
      'Request Signing Template',
      'Request Signing Algorithm',
    ]);
    expect(report.texts[0]).toMatch('the address that you ask from');
  });

  it('takes requests without key as well', () => {
    const report = reportOf(({ signed }) => (signed ? undefined : BALANCE));
    expect(rowsOf(report)['Key and signature']).toMatch(
      'ask your SMS provider: accepted, but not needed',
    );
  });

  it.each(['ok', 'done'])('marks its successes with code 200, “%s”', (msg) => {
    const body = { code: 200, msg, balance: 5, data: { list: [{ id: 1 }] } };
    const report = reportOf(({ signed }) => (signed ? { text: JSON.stringify(body) } : undefined));
    expect(report.settings.map(({ setting }) => setting)).toEqual(['Success Codes']);
    expect(rowsOf(report)['Key and signature']).toMatch(/^to set.*code 200.*and yet with what was/);
  });

  it('gives values that are objects', () => {
    const odd = { toString: 1 };
    const report = reportOf(({ path, signed }) => {
      if (!signed) return undefined;
      if (path === '/sendsms/balance') return { text: JSON.stringify({ balance: odd }) };
      return listed([{ id: odd, content: odd, param_count: odd }]);
    });
    expect(rowsOf(report).Balance).toBe('ask your SMS provider: no number under balance');
  });

  it('gives any JSON at all, and the report is complete', () => {
    const value = fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc.string(),
      fc.constantFrom('[[', '{"code":0}', '{"data":[{}]}', '{"list":null}'),
    );
    const fate = fc.oneof(
      fc.record({ status: fc.constantFrom(200, 201, 301, 400, 404, 429, 500), text: value }),
      fc.record({ failure: fc.constant('a broken connection') }),
    );
    fc.assert(
      fc.property(fc.array(fate, { minLength: 1, maxLength: 12 }), (fates) => {
        let next = 0;
        const { rows, texts } = reportOf(() => fates[next++ % fates.length]);
        for (const { found } of rows) expect(found).not.toMatch(/undefined|\[object/);
        expect(texts.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ['connect ECONNREFUSED 127.0.0.1:9', 'no connection', 'Base URL'],
  ['The service refused the connection - perhaps it is offline', 'no connection', 'Base URL'],
  ['getaddrinfo ENOTFOUND sms.example', 'no connection', 'Base URL'],
  ['Invalid URL: sms', 'no connection', 'Base URL'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no answer in time', undefined],
  ['The connection timed out, consider …', 'no answer in time', undefined],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'no certificate that is trusted', 'Base URL'],
  [
    'The request goes to a, but the credential is for b',
    "another host than the credential's",
    'Base URL',
  ],
  [
    "The credential's Base URL uses plain http",
    'plain http, which the credential does not allow',
    'Allow HTTP',
  ],
  [
    'Node does not have any credentials set',
    'no credential that can be used',
    'SMS Messaging Service API',
  ],
  ['ECONNRESET', 'a broken connection', undefined],
])('%s is %s', (error, failure, setting) => {
  expect(check.failureOf(error)).toBe(failure);
  const report = reportOf(() => ({ failure }));
  expect(rowsOf(report).Answers).toMatch(`0 of 23 requests were answered; ${failure} (23)`);
  expect(report.settings.map((each) => each.setting)).toEqual(setting ? [setting] : []);
});
