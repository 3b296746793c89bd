import * as fc from 'fast-check';
import { DEFAULT_SIGNATURE_PAYLOAD } from '../../nodes/SmsMessagingService/service/signing';
import type { Fault } from '../sandbox/faults';
import { optionsOf, PERSONALITIES } from '../sandbox/personalities';
import { startForTest } from '../sandbox/startForTest';
import type { Report } from './load';
import type { Changes } from './startCheck';
import { checkGateway, rowsOf } from './startCheck';

/** What the check says of the plain sandbox, with one report and one reply to pull. */
const PLAIN: Record<string, string> = {
  Answers: 'works: 25 of 25 requests were answered',
  'Base URL': 'works: the service answers at its paths',
  'Key and signature': 'works: accepted',
  Balance: 'works: a number',
  Qualifications: 'works: 2 records, as documented; at data.list; total fits',
  Templates: 'works: 4 records, as documented; at [][].list; total fits',
  Leads: 'works: 2 records, as documented; at [][].list; total fits',
  Signatures: 'works: 2 records, as documented; at [][].list; total fits',
  'Template parameters': 'works: marked as ${name} (3); their number fits in 4 of 4 templates',
  'Paths known by name only': 'works: 8 of 8 exist',
  'Pulled delivery report': 'works: 1 record, as documented',
  'Pulled reply': 'works: 1 record, as documented',
};

const LISTS = ['Qualifications', 'Templates', 'Leads', 'Signatures'];
const PULLS = ['Pulled delivery report', 'Pulled reply'];

/** The rows of the plain sandbox with an end that differs. */
function changed(names: string[], end: string, found = ', as documented'): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [name, String(PLAIN[name]).replace(/, as documented/, found) + end]),
  );
}

/** The rows of the lists where the records stand elsewhere. */
function standingAt(place: string): Record<string, string> {
  return Object.fromEntries(
    LISTS.map((name) => [name, String(PLAIN[name]).replace(/; at [^;]+/, `; at ${place}`)]),
  );
}

interface Expected {
  /** The rows that differ from those of the plain sandbox. */
  rows?: Record<string, string>;
  settings?: string[];
}

const WITHOUT_INFERRED: Expected = {
  rows: {
    Signatures: 'to set: HTTP 404, code 404 (3)',
    'Paths known by name only': 'to set: 0 of 8 exist, 8 do not',
  },
  settings: ['By ID: Field Signature', 'Endpoint Path: Options of Qualification: Create; …'],
};

/** What a personality changes in the report. The nodes cope with the others as they are. */
const EXPECTED: Record<string, Expected> = {
  'small-pages-refused': {
    rows: changed(LISTS, '; page_size 100 is not taken (HTTP 200, code 2012), but 6 is'),
  },
  'small-pages-cut': { rows: changed(LISTS, '; page_size is cut to 7') },
  'pages-from-zero': { rows: changed(LISTS, '; pages count from 0') },
  'records-under-data': { rows: standingAt('data') },
  'records-renamed': { rows: standingAt('data.records') },
  enveloped: { rows: standingAt('data.list') },
  'paths-elsewhere': WITHOUT_INFERRED,
  'paths-missing': WITHOUT_INFERRED,
  'percent-marks': {
    rows: {
      'Template parameters': 'to set: marked as %name% (3); their number fits in 1 of 4 templates',
    },
    settings: ['Specify Parameters: As JSON: Message: Send Template SMS'],
  },
  'times-without-zone': {
    rows: changed(PULLS, '; no time_iso, because time has no time zone or is none'),
  },
  'more-fields': { rows: changed([...LISTS, ...PULLS], '', '; also with tenant, tags') },
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
  expect(rowsOf(report)).toEqual({ ...PLAIN, ...rows });
  expect(report.settings.map(shortened)).toEqual(settings);
});

const CREDENTIAL = [
  'API Key',
  'API Secret',
  'Request Signing Template',
  'Request Signing Algorithm',
];

const USUAL = { signatureAlgorithm: 'sha256', signaturePayload: DEFAULT_SIGNATURE_PAYLOAD };

test.each([
  ['another key', [], { apiKey: 'another' }, 'code 1001'],
  ['another secret', [], { apiSecret: 'another' }, 'code 1002'],
  ['the usual signature', ['hmac-lines'], USUAL, 'code 1002'],
  ['nested refusals', ['hmac-lines', 'text-codes', 'errors-nested'], USUAL, 'code 1002'],
])('with %s it says what to set in the credential', async (_what, names, credential, said) => {
  const report = await checkPersonalities(names, { credential });
  expect(rowsOf(report)).toEqual({
    Answers: 'works: 23 of 23 requests were answered',
    'Base URL': 'works: the service answers at its paths',
    'Key and signature': `to set: refused: HTTP 200, ${said} (10)`,
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

describe('a pull that is refused', () => {
  const pulling = async (fault: Fault) => {
    const gateway = await startForTest();
    gateway.fault({ ...fault, path: '/sendsms/report/pull' });
    return await checkGateway(gateway, { pull: true });
  };

  test('with words that say why: nothing', async () => {
    const report = await pulling({ kind: 'businessCode', code: 1004, msg: 'nothing there' });
    expect(rowsOf(report)['Pulled delivery report']).toBe('works: nothing was waiting');
    expect(report.settings).toEqual([]);
  });

  test('with a code alone: Empty Codes', async () => {
    const report = await pulling({ kind: 'businessCode', code: 1004, msg: 'E1004' });
    expect(rowsOf(report)).toEqual({
      ...PLAIN,
      'Pulled delivery report': 'to set: HTTP 200, code 1004',
      'Pulled reply': 'works: nothing was waiting',
    });
    expect(report.settings).toMatchObject([
      {
        setting: 'Empty Codes',
        where: 'Credential, under Custom Result Codes',
        why: expect.stringContaining('HTTP 200, code 1004'),
      },
    ]);
  });

  test('without one, or with one for the sender: ask your SMS provider', async () => {
    for (const status of [403, 500]) {
      const report = await pulling({ kind: 'status', status, body: { code: 9 } });
      expect(report.settings).toEqual([]);
      expect(rowsOf(report)['Pulled delivery report']).toBe(
        `ask your SMS provider: HTTP ${status}, code 9`,
      );
    }
  });
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
