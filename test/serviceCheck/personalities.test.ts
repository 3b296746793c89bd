import * as fc from 'fast-check';
import { DEFAULT_SIGNATURE_PAYLOAD } from '../../nodes/SmsMessagingService/service/signing';
import { optionsOf, PERSONALITIES } from '../sandbox/personalities';
import { startForTest } from '../sandbox/startForTest';
import type { Report } from './load';
import type { Changes } from './startCheck';
import { checkGateway, rowsOf } from './startCheck';

/** What the check says of the plain sandbox, with one report and one reply to pull. */
const PLAIN: Record<string, string> = {
  Answers: 'works: 29 of 29 requests were answered',
  'Base URL': 'works: the service answers at its paths',
  'Key and signature': 'works: accepted',
  Successes: 'works: HTTP 200 (15); code: number (6), absent (9)',
  Balance: 'works: number',
  Qualifications: 'works: records are under data.list',
  'Qualifications: pages': 'works: page_size 100 is kept; pages count from 1; total fits',
  'Qualifications: fields': 'works: 2 records: as documented',
  Templates: 'works: records are in nested arrays',
  'Templates: pages': 'works: page_size 100 is kept; pages count from 1; total fits',
  'Templates: fields': 'works: 4 records: as documented',
  Leads: 'works: records are in nested arrays',
  'Leads: pages': 'works: page_size 100 is kept; pages count from 1; total fits',
  'Leads: fields': 'works: 2 records: as documented',
  Signatures: 'works: records are in nested arrays',
  'Signatures: pages': 'works: page_size 100 is kept; pages count from 1; total fits',
  'Signatures: fields': 'works: 2 records: as documented',
  'Template parameters': 'works: ${name} in 3 templates; their number is param_count in 4 of 4',
  'Paths known by name only': 'works: 8 of 8 exist',
  'Pulled delivery report':
    'works: records are directly under data: as documented; time is seconds',
  'Pulled reply': 'works: records are directly under data: as documented; time is seconds',
};

const LISTS = ['Qualifications', 'Templates', 'Leads', 'Signatures'];

/** The same for every list, or for every pull. */
function each(names: string[], suffix: string, text: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name + suffix, text]));
}

const lists = (text: string) => each(LISTS, '', text);
const pages = (text: string) => each(LISTS, ': pages', `${text}; pages count from 1; total fits`);
const pulls = (text: string) => each(['Pulled delivery report', 'Pulled reply'], '', text);

interface Expected {
  /** The rows that differ from those of the plain sandbox. Null: there is no such row. */
  rows?: Record<string, string | null>;
  settings?: string[];
}

const WITHOUT_INFERRED: Expected = {
  rows: {
    Successes: 'works: HTTP 200 (12); code: number (6), absent (6)',
    Signatures: 'to set: HTTP 404, code 404 (4)',
    'Signatures: pages': null,
    'Signatures: fields': null,
    'Paths known by name only': 'to set: 0 of 8 exist, 8 do not',
  },
  settings: ['By ID: Field Signature', 'Endpoint Path: Options of Qualification: Create; …'],
};

/** What a personality changes in the report. Those that are not here change nothing. */
const EXPECTED: Record<string, Expected> = {
  'small-pages-refused': {
    rows: {
      Successes: 'works: HTTP 200 (11); code: number (5), absent (6)',
      ...pages('works: page_size 100 is not taken (HTTP 200, code 2012), but 2 is'),
    },
  },
  'small-pages-cut': { rows: pages('works: page_size 100 is cut to 7') },
  'pages-from-zero': {
    rows: {
      Successes: 'works: HTTP 200 (19); code: number (3), absent (16)',
      ...lists('works: records are under list'),
      ...each(LISTS, ': pages', 'works: page_size 100 is kept; pages count from 0; total fits'),
    },
  },
  'paths-elsewhere': WITHOUT_INFERRED,
  'paths-missing': WITHOUT_INFERRED,
  'percent-marks': {
    rows: {
      'Template parameters': 'to set: %name% in 3 templates; their number is param_count in 1 of 4',
    },
    settings: ['Specify Parameters: As JSON: Message: Send Template SMS'],
  },
  'times-in-milliseconds': {
    rows: pulls('works: records are directly under data: as documented; time is milliseconds'),
  },
  'times-as-text': {
    rows: pulls(
      'works: records are directly under data: other kinds: time text; time is seconds as text',
    ),
  },
  'times-as-dates': {
    rows: pulls('works: records are directly under data: other kinds: time text; time is a date'),
  },
  nulls: {
    rows: {
      'Qualifications: fields':
        'works: 2 records: other kinds: legal_person_identity_card_verso null, operator_identity_card_verso null',
      'Templates: fields': 'works: 4 records: other kinds: remark null (in 3 of 4)',
      'Leads: fields':
        'works: 2 records: other kinds: url_ext null (in 1 of 2), phone_2 null (in 1 of 2), customer_call_url null',
      'Signatures: fields':
        'works: 2 records: other kinds: brings_data null, customer_call_url null',
      'Pulled delivery report':
        'works: records are directly under data: other kinds: phone_data null, user_data null; time is seconds',
      'Pulled reply':
        'works: records are directly under data: other kinds: ext_no null; time is seconds',
    },
  },
  'more-fields': {
    rows: {
      ...each(LISTS, ': fields', 'works: 2 records: also tenant, tags'),
      'Templates: fields': 'works: 4 records: also tenant, tags',
      ...pulls('works: records are directly under data: also tenant, tags; time is seconds'),
    },
  },
  'text-codes': { rows: { Successes: 'works: HTTP 200 (15); code: text (6), absent (9)' } },
  'http-201': { rows: { Successes: 'works: HTTP 201 (15); code: number (6), absent (9)' } },
  'null-data': { rows: { Successes: 'works: HTTP 200 (15); code: number (8), absent (7)' } },
  'no-data': { rows: { Successes: 'works: HTTP 200 (15); code: number (8), absent (7)' } },
  'records-under-data': {
    rows: {
      Successes: 'works: HTTP 200 (15); code: number (15)',
      ...lists('works: records are directly under data'),
      ...pages('works: too few records to see a limit of page_size'),
    },
  },
  'records-renamed': {
    rows: {
      Successes: 'works: HTTP 200 (15); code: number (15)',
      ...lists('works: records are under data.records'),
      ...pulls('works: records are under data.records: as documented; time is seconds'),
    },
  },
  enveloped: {
    rows: {
      Successes: 'works: HTTP 200 (15); code: number (15)',
      Balance: 'works: number under data',
      ...lists('works: records are under data.list'),
    },
  },
  'text-numbers': {
    rows: {
      Balance: 'works: text',
      'Qualifications: fields': 'works: 2 records: other kinds: id text',
      'Templates: fields':
        'works: 4 records: other kinds: id text, param_count text, audit_status text, sign_id text, lead_id text',
      'Leads: fields': 'works: 2 records: other kinds: id text, sign_id text',
      'Signatures: fields': 'works: 2 records: other kinds: id text, certification_id text',
      'Pulled delivery report':
        'works: records are directly under data: other kinds: split_count text; time is seconds',
    },
  },
  'long-numbers': {
    rows: {
      'Qualifications: fields': 'works: 2 records: beyond 2⁵³: id',
      'Templates: fields': 'works: 4 records: beyond 2⁵³: id, sign_id, lead_id',
      'Leads: fields': 'works: 2 records: beyond 2⁵³: id, sign_id',
      'Signatures: fields': 'works: 2 records: beyond 2⁵³: id, certification_id',
    },
  },
};

async function checkPersonalities(names: string[], changes: Changes = {}): Promise<Report> {
  const gateway = await startForTest(optionsOf(names));
  gateway.queueReports(3);
  gateway.queueReplies(3);
  return await checkGateway(gateway, changes);
}

function shortened({ setting, where }: { setting: string; where: string }): string {
  return `${setting}: ${where.replace(/;.*/, '; …')}`;
}

test('of the plain sandbox it says that there is nothing to set', async () => {
  const report = await checkPersonalities([], { pull: true });
  expect(rowsOf(report)).toEqual(PLAIN);
  expect(report.settings).toEqual([]);
  expect(report.summary).toBe('Nothing to set.');
});

test.each(PERSONALITIES.map(({ name }) => name))('%s: what works and what to set', async (name) => {
  const report = await checkPersonalities([name], { pull: true });
  const { rows = {}, settings = [] } = EXPECTED[name] ?? {};
  const expected = Object.entries({ ...PLAIN, ...rows }).filter(([, text]) => text !== null);
  expect(rowsOf(report)).toEqual(Object.fromEntries(expected));
  expect(report.settings.map(shortened)).toEqual(settings);
});

const CREDENTIAL = ['API Key', 'API Secret', 'Signature Payload', 'Signature Algorithm'];

const USUAL = { signatureAlgorithm: 'sha256', signaturePayload: DEFAULT_SIGNATURE_PAYLOAD };

test.each([
  ['another key', [], { apiKey: 'another' }, 'code 1001'],
  ['another secret', [], { apiSecret: 'another' }, 'code 1002'],
  ['the usual signature', ['hmac-lines'], USUAL, 'code 1002'],
  ['nested refusals', ['hmac-lines', 'text-codes', 'errors-nested'], USUAL, 'code 1002'],
])('with %s it says what to set in the credential', async (_what, names, credential, said) => {
  const report = await checkPersonalities(names, { credential });
  expect(rowsOf(report)).toEqual({
    Answers: 'works: 27 of 27 requests were answered',
    'Base URL': 'works: the service answers at its paths',
    'Key and signature': `to set: all refused alike: HTTP 200, ${said} (13)`,
    'Lists and templates': 'cannot be told: ask again when key and signature are accepted',
    'Paths known by name only': 'works: 8 of 8 exist',
  });
  expect(report.settings.map(({ setting }) => setting)).toEqual(CREDENTIAL);
});

test.each([
  ['prefix', 'HTTP 404', 'A path prefix may be missing'],
  ['redirect', 'HTTP 301', 'the same paths with a prefix in front'],
])('with a Base URL without its path, %s: it says so', async (name, said, why) => {
  const gateway = await startForTest(optionsOf([name]));
  const report = await checkGateway(gateway, { credential: { baseUrl: gateway.origin } });
  expect(rowsOf(report)['Base URL']).toMatch(`to set: ${said}`);
  expect(report.settings.map(({ setting }) => setting)).toEqual(['Base URL']);
  expect(report.settings[0]?.why).toMatch(why);
});

test('any personalities together: every setting of each is there', async () => {
  const settingsOf = (name: string) => EXPECTED[name]?.settings ?? [];
  const together = fc.uniqueArray(fc.constantFrom(...PERSONALITIES.map(({ name }) => name)), {
    minLength: 2,
    maxLength: 8,
    selector: (name) => PERSONALITIES.find((known) => known.name === name)?.about,
  });
  await fc.assert(
    fc.asyncProperty(together, async (chosen) => {
      const report = await checkPersonalities(chosen);
      expect(report.settings.map(shortened).sort()).toEqual(chosen.flatMap(settingsOf).sort());
      expect(report.rows.filter(({ verdict }) => !['works', 'to set'].includes(verdict))).toEqual(
        [],
      );
    }),
    { numRuns: 25 },
  );
});
