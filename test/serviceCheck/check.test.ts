import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import { findPlaceholders } from '../../nodes/SmsMessagingService/methods/placeholders';
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
  const schemas = ['Qualification', 'Template', 'Lead', 'Signature', 'DeliveryReport', 'Reply'];
  for (const [index, { fields }] of [...check.LISTS, ...check.PULLS].entries()) {
    const schema = schemas[index] ?? '';
    const properties = Object.entries(contract.components.schemas[schema]?.properties ?? {});
    const kinds = properties.map(([name, { type = '' }]) => [name, KINDS[type]]);
    // Create signature alone has this field, and lists might.
    const more = schema === 'Signature' ? { signature_id: 'number' } : {};
    expect(fields).toEqual({ ...Object.fromEntries(kinds), ...more });
  }
});

interface Contract {
  components: { schemas: Record<string, { properties: Record<string, { type?: string }> }> };
}

/** Types of the contract, and what the check calls them. The contract refers to objects. */
const KINDS: Record<string, string> = {
  integer: 'number',
  string: 'text',
  boolean: 'boolean',
  array: 'list',
  '': 'object',
};

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

test('it finds the parameters of a template that the node finds', () => {
  const piece = fc.oneof(
    fc.constantFrom('${a}', '{{a}}', '{b}', '{ 1 }', '#c#', '#', '{', '}', '$', '{$d}', '%e%'),
    fc.string({ maxLength: 4 }),
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const paramCount = fc.option(fc.nat(5), { nil: undefined });
  fc.assert(
    fc.property(text, paramCount, (content, count) => {
      expect(check.readMarks(content, count).agrees).toBe(findPlaceholders(content, count).agrees);
    }),
    { numRuns: 2000 },
  );
});

describe('pages', () => {
  it.each([
    ['page 2 is refused', { text: '{"code":7}' }, 'page 2 is missing (HTTP 200, code 7)'],
    ['page 2 fails', { status: 500, text: '' }, 'page 2 is missing (HTTP 500)'],
    ['page 2 is no list', { text: '{}' }, 'page 2 is missing (no list is recognised)'],
    [
      'page 2 does not come',
      { failure: 'no answer in time' },
      'page 2 is missing (no answer in time)',
    ],
  ])('%s', (_what, fate: Fate, said) => {
    const three = [1, 2, 3].map(record);
    const rows = templatesAre(({ page, page_size }) =>
      page === 2 ? fate : listed(page === 1 ? three.slice(0, page_size) : [], 3),
    );
    expect(rows['Templates: pages']).toBe(
      `ask the operator: too few records to see a limit of page_size; pages count from 1; total fits; ${said}`,
    );
  });

  it('page 2 may be refused where it is behind the end', () => {
    const rows = templatesAre(({ page }) => (page === 2 ? { text: '{"code":7}' } : undefined));
    expect(rows['Templates: pages']).toMatch(/^works/);
  });

  it.each([
    ['a page of 100 fails', { status: 500, text: '' }, 'ask the operator'],
    ['a page of 100 is not found', NOWHERE, 'ask the operator'],
    ['a page of 100 is refused with HTTP 400', { status: 400, text: '' }, 'works'],
    ['a page of 100 is no list', { text: '{"code":0}' }, 'works'],
  ])('%s', (_what, fate: Fate, verdict) => {
    const rows = templatesAre(({ page_size }) => (page_size === 100 ? fate : undefined));
    expect(rows['Templates: pages']?.split(':')[0]).toBe(verdict);
  });

  it.each([
    ['too low', 1, 'total is too low'],
    ['too high', 9, 'total is higher than what comes'],
    ['no number', 'many', 'total is no number'],
    ['null', null, 'total is no number'],
    ['left out', undefined, 'total is not stated'],
    ['text', '2', 'total fits'],
  ])('a total that is %s', (_what, total, said) => {
    const rows = templatesAre(() => listed([record(1), record(2)], total));
    expect(rows['Templates: pages']).toMatch(new RegExp(`; ${said}$`));
  });

  it('a total that changes, and a page_size that is ignored', () => {
    const all = [1, 2, 3].map(record);
    const rows = templatesAre(({ page_size }) => listed(all, page_size));
    expect(rows['Templates: pages']).toBe(
      'works: page_size is ignored; pages count from 1; total differs from page to page',
    );
  });

  it('page 0 that is taken as page 1 is not a first page', () => {
    const rows = templatesAre(({ page }) => (page === 0 ? listed([record(1)], 2) : undefined));
    expect(rows['Templates: pages']).toMatch('pages count from 1');
  });

  it('a single page that answers does not tell where pages start', () => {
    const rows = templatesAre(({ page }) =>
      page === 0 ? listed([record(1)], 1) : { failure: 'no answer in time' },
    );
    expect(rows['Templates: pages']).toMatch('it cannot be told where pages start');
  });

  it('an account without records has nothing to set', () => {
    const report = reportOf(({ path, signed }) =>
      signed && path !== '/sendsms/balance' ? listed([], 0) : undefined,
    );
    expect(report.summary).toBe('Nothing to set.');
    expect(rowsOf(report).Templates).toBe(
      'cannot be told: records are under list; the account has none to look at',
    );
  });
});

describe('records', () => {
  const fieldsOf = (...records: unknown[]) =>
    templatesAre(() => listed(records))['Templates: fields'];

  it('without an ID cannot be chosen', () => {
    expect(fieldsOf({ ...TEMPLATE, id: undefined })).toBe('to set: 1 record: missing id');
    expect(fieldsOf({ ...TEMPLATE, id: null })).toBe('to set: 1 record: other kinds: id null');
  });

  it('with names that are none of a field are only counted', () => {
    expect(
      fieldsOf({ ...TEMPLATE, '13800138000': 1, 王小明: 2, a1b2c3d4e5f6: 3, extra_1: 4 }),
    ).toBe('works: 1 record: also extra_1, names that are no identifiers: 3');
  });

  it('may be null, numbers and lists among others', () => {
    const rows = templatesAre(() => listed([null, 5, [1], 'text', TEMPLATE]));
    expect(rows.Templates).toBe('works: records are under list; entries that are no records: 4');
    expect(rows['Templates: fields']).toBe('works: 1 record: as documented');
  });

  it('without a number of parameters are not judged', () => {
    const template = { ...TEMPLATE, content: '%a%', param_count: null };
    expect(templatesAre(() => listed([template]))['Template parameters']).toBe(
      'works: no marks; param_count is not stated',
    );
  });

  it('are no list where there is no object among them', () => {
    expect(templatesAre(() => listed([null, 5])).Templates).toBe(
      'to set: no list is recognised (4)',
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
    ['an empty body', { text: '' }, 'HTTP 200 with an empty body'],
    [
      'half of an answer',
      { text: '{"list":[{"id":1' },
      'HTTP 200 with JSON that is cut off or broken',
    ],
    ['text', { text: 'service unavailable' }, 'HTTP 200 with text that is no JSON'],
    ['HTTP 500', { status: 500, text: '{}' }, 'HTTP 500'],
    ['HTTP 429', { status: 429, text: '' }, 'HTTP 429'],
    ['no answer', { failure: 'no answer in time' }, 'no answer in time'],
    [
      'a code that is an object',
      { text: '{"code":{"toString":1}}' },
      'HTTP 200, a code that is no number',
    ],
    [
      'a code that is text',
      { text: '{"code":"SIGN_ERROR"}' },
      'HTTP 200, a code that is no number',
    ],
  ])('gives %s', (_what, fate: Fate, said) => {
    const report = reportOf(() => fate);
    expect(JSON.stringify(report.rows)).toMatch(said);
    expect(report.rows.length).toBeGreaterThan(3);
    expect(report.summary).not.toBe('Nothing to set.');
  });

  it('gives a web page: Base URL', () => {
    const report = reportOf(() => ({ text: '<!doctype html><title>Welcome</title>' }));
    expect(report.settings.map(({ setting }) => setting)).toEqual(['Base URL']);
  });

  it('refuses the account with HTTP 403, with and without key', () => {
    const report = reportOf(() => ({ status: 403, text: '{"code":9}' }));
    expect(report.settings.map(({ setting }) => setting)).toEqual(CREDENTIAL);
    expect(report.texts[0]).toMatch('the address that you ask from');
  });

  it('takes requests without key as well', () => {
    const report = reportOf(({ signed }) => (signed ? undefined : BALANCE));
    expect(rowsOf(report)['Key and signature']).toMatch(
      'ask the operator: accepted, but not needed',
    );
  });

  it('marks its successes with code 200', () => {
    const report = reportOf(({ signed }) =>
      signed ? { text: '{"code":200,"balance":5,"data":{"list":[{"id":1}]}}' } : undefined,
    );
    expect(report.settings).toEqual([]);
    expect(rowsOf(report)['Key and signature']).toMatch('code 200 (13), and yet with what was');
    expect(report.texts[0]).toMatch('another code than 0');
  });

  it('contradicts itself: success with HTTP 500, refusals among successes', () => {
    const report = reportOf(({ path, signed }, { page }) => {
      if (!signed) return undefined;
      if (path === '/sendsms/balance') return { status: 500, text: '{"code":"0"}' };
      return page === 1 ? { text: '{"code":5,"data":{"list":[]}}' } : undefined;
    });
    expect(rowsOf(report)).toMatchObject({
      'Key and signature': 'works: accepted',
      Balance: 'ask the operator: no field balance',
    });
  });

  it('gives something so deep that only this part of the report is missing', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    const rows = templatesAre(() => ({ text: `{"list":[{"deep":${deep}}]}` }));
    expect(rows['An answer']).toBe('ask the operator: too strange to be read');
    expect(rows.Leads).toBe('works: records are under list');
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
        expect(rows.filter(({ about }) => about === 'An answer')).toEqual([]);
        for (const { found } of rows) expect(found).not.toMatch(/undefined|\[object/);
        expect(texts.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  const CREDENTIAL = ['API Key', 'API Secret', 'Signature Payload', 'Signature Algorithm'];
});

test.each([
  ['connect ECONNREFUSED 127.0.0.1:9', 'no connection', 'Base URL'],
  ['The service refused the connection - perhaps it is offline', 'no connection', 'Base URL'],
  ['getaddrinfo ENOTFOUND sms.example', 'no such host', 'Base URL'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no answer in time', undefined],
  ['TimeoutError', 'no answer in time', undefined],
  ['The connection timed out, consider …', 'no answer in time', undefined],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'no certificate that is trusted', 'Base URL'],
  ['Invalid URL: sms', 'not a web address', 'Base URL'],
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
  expect(rowsOf(report).Answers).toMatch(`0 of 27 requests were answered; ${failure} (27)`);
  expect(report.settings.map((each) => each.setting)).toEqual(setting ? [setting] : []);
});
