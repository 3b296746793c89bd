/** examples/service-check.json, run with made-up SMS providers: it says what to set, and then it works. */
import { createServer } from 'node:http';
import fc from 'fast-check';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { listen } from '../kit/engine/listen';
import { INFERRED } from '../../examples/src/service-check/inferred';
import type { PathsSeen } from '../../examples/src/service-check/which-paths-exist';
import type { Report } from '../../examples/src/service-check/report';
import type { Gateway } from '../sandbox/gateway';
import { optionsOf, PERSONALITIES } from '../sandbox/personalities';
import { startForTest } from '../sandbox/startForTest';
import { readExample } from '../kit/workflows/workflowFiles';
import { createHarness } from '../kit/engine';
import { N8nNodes } from '../kit/n8nNodes/n8nNodes';
import { runTemplate } from './run';

/** What must not be in a report. Each occurs in answers, as a value or as a name of a field. */
const [PHONE, NAME, TOKEN] = ['13912345678', '王小明', '9f86d081884c7d65'];
const TEXTS = [
  ...[PHONE, NAME, TOKEN, '31000019000101123X', 'private.example', 'xiaoming@private.example'],
  ...['482913', 'Private-words'],
];
const PERSONAL = [...TEXTS, 'sandbox-key', 'sandbox-secret-5f2c91', '127.0.0.1'];

/** Each of them as it stands, and between the marks of a parameter. */
const ALL = TEXTS.map((text) => `${text}: %${text}% @${text}@ #${text}# {${text}}`).join();

/** A record with all of them in each text, and as names of fields. A content keeps its parameters, and has no others. */
function personal<Fields extends object>(record: Fields): Fields {
  const fields = Object.entries(record).map(([name, value]) => {
    if (typeof value !== 'string') return [name, value as unknown];
    return [name, name === 'content' ? value + TEXTS.join() : ALL];
  });
  const named = TEXTS.map((text, index) => [text, [text, 1, null, { [text]: text }][index % 4]]);
  return Object.fromEntries([...fields, ...named]) as Fields;
}

interface Checked {
  report: Report;
  paths: PathsSeen;
  page: string;
}

/** Loaded once: it gets another credential for each check. */
let harness: ReturnType<typeof createHarness> | undefined;

/**
 * Runs examples/service-check.json in n8n's engine, as a user does who enters the Base URL of this
 * credential. Nothing personal is on the page, nor in what it is made of.
 */
async function runCheck(
  credential: Record<string, unknown>,
  language = 'English',
): Promise<Checked> {
  harness ??= createHarness({}, { otherNodes: new N8nNodes().types });
  const entry = {
    'Base URL': `${String(credential.baseUrl)}/`,
    Language: language,
  };
  const { error, output } = await runTemplate(
    await harness,
    readExample('service-check'),
    'First contact',
    [entry],
    () => credential as ICredentialDataDecryptedObject,
  );
  if (error) throw new Error(error);
  const checked = {
    report: output('Report')[0] as unknown as Report,
    paths: output('Which paths exist')[0] as unknown as PathsSeen,
    page: String(output('Page')[0]?.page),
  };
  for (const each of PERSONAL) expect(JSON.stringify(checked)).not.toContain(each);
  return checked;
}

/**
 * What a personality needs of what the check sees, which is what neither sends nor changes nor takes anything: the
 * setting, and if it is one of the credential, its fields. In the order in which it is found out.
 */
const NEEDED: [personality: string, setting: string, fields?: (of: Gateway) => IDataObject][] = [
  ['prefix', 'Base URL', ({ baseUrl }) => ({ baseUrl })],
  [
    'hmac-lines',
    'Custom Request Signing',
    () => ({
      customSigning: true,
      signatureAlgorithm: 'hmacSha256',
      signaturePayload: '{method}\\n{path}\\n{timestamp}\\n{nonce}\\n{body}\\n',
    }),
  ],
  ['paths-elsewhere', 'Endpoint Path'],
  ['paths-elsewhere', 'By ID'],
  ['percent-marks', 'As JSON'],
];

const READS = [
  '/sendsms/balance',
  '/openapi/cert/info',
  '/openapi/template/info',
  '/openapi/lead/info',
  '/openapi/sign/info',
];

/** A credential as a user makes it who knows address, key and secret. */
function firstCredential({ apiKey, apiSecret, origin }: Gateway): IDataObject {
  const signing = { customSigning: false, signaturePayload: '', signatureAlgorithm: 'sha256' };
  return { apiKey, apiSecret, baseUrl: origin, ...signing };
}

function advised({ report }: Checked): string {
  return report.actions.map(({ what }) => what).join('\n');
}

function verdicts({ report }: Checked): Record<string, string> {
  return Object.fromEntries(
    report.rows.map(({ about, verdict, found }) => [about, `${verdict}: ${found}`]),
  );
}

/** A gateway full of personal data. */
async function startFilled(names: readonly string[]): Promise<Gateway> {
  const gateway = await startForTest({ ...optionsOf(names), validate: false });
  gateway.queueReports(3);
  gateway.queueReplies(3);
  const { qualifications, signatures, templates, leads, reports, replies } = gateway.state;
  for (const records of [qualifications, signatures, templates, leads] as Map<number, object>[]) {
    for (const [id, record] of records) records.set(id, personal(record));
  }
  for (const records of [reports, replies] as object[][]) {
    records.splice(0, Infinity, ...records.map(personal));
  }
  return gateway;
}

/** Checks a provider as at first contact, and again with what the first report says to set in the credential. */
async function meet(names: readonly string[]): Promise<void> {
  const gateway = await startFilled(names);
  let needed = NEEDED.filter(([personality]) => names.includes(personality));
  let credential = firstCredential(gateway);
  for (;;) {
    const checked = await runCheck(credential);
    const next = needed.find(([, , fields]) => fields);
    for (const [, setting] of next ? [next] : needed) expect(advised(checked)).toContain(setting);
    if (!next) {
      expect(checked.report.actions.length > 0).toBe(needed.length > 0);
      expect(checked.report.rows.map(({ verdict }) => verdict)).not.toContain('cannot be told');
      return;
    }
    needed = needed.filter((each) => each !== next);
    credential = { ...credential, ...next[2]?.(gateway) };
  }
}

test('of a provider as specified it says that there is nothing to set, and changes and takes nothing', async () => {
  const gateway = await startFilled([]);
  const checked = await runCheck(gateway.credential());
  expect(verdicts(checked)).toEqual({
    Balance: 'works: a number',
    Qualifications: 'works: 2 records',
    Templates: 'works: 4 records',
    'Reported Links': 'works: 2 records',
    Signatures: 'works: 2 records',
    'Template parameters': 'works: found in 4 of 4 templates',
    'Paths known by name only': `works: ${INFERRED.length} of ${INFERRED.length} exist`,
  });
  expect(checked.report.actions).toEqual([]);
  expect(checked.page).toContain('<p>Nothing to set.</p>');
  expect(checked.page).toContain('<td>Balance</td><td><span class="mark green">works</span></td>');
  const { reports, replies } = gateway.state;
  expect([reports, replies]).toMatchObject([{ length: 3 }, { length: 3 }]);
  expect(gateway.deliveries().size).toBe(0);
  const pathsAsked = (isSigned: boolean) =>
    gateway.requests
      .filter(({ headers }) => 'x-sign' in headers === isSigned)
      .map(({ path }) => path);
  expect(pathsAsked(true)).toEqual(READS);
  // At paths that are inferred it asks without key.
  const known = ['/sendsms/balance', '/openapi/sms-service-check/no-such-path'];
  expect(pathsAsked(false)).toEqual([...known, ...INFERRED.map(({ path }) => path)]);
});

test('in Chinese it says the same of a provider that differs, but for what the nodes say', async () => {
  const gateway = await startFilled(['paths-elsewhere', 'percent-marks']);
  const english = await runCheck(gateway.credential());
  const { report, page } = await runCheck(gateway.credential(), '中文');
  expect(report.rows.map(({ verdict }) => verdict)).toEqual(
    english.report.rows.map(({ verdict }) => verdict),
  );
  expect(report.actions).toHaveLength(english.report.actions.length);
  for (const { about } of report.rows) expect(about).toMatch(/\p{Script=Han}/u);
  for (const text of report.texts) expect(text).toMatch(/\p{Script=Han}/u);
  expect(page).toContain('<main lang="zh">');
  expect(page).not.toMatch(/undefined|\{\w+\}/);
});

test('first contact with any personalities: it names what to set for each', async () => {
  const names = Object.keys(PERSONALITIES);
  const together = fc.uniqueArray(fc.constantFrom(...names), { minLength: 2, maxLength: 8 });
  const examples = names.map((name): [string[]] => [[name]]);
  const numRuns = examples.length + 15;
  await fc.assert(fc.asyncProperty(together, meet), { examples, numRuns });
});

/** What is wrong, and what to set in the credential, once. */
test.each<
  [what: string, credential: IDataObject, setting: RegExp, answer: IDataObject | undefined]
>([
  ['another key', { apiKey: 'another' }, /API Key/, undefined],
  [
    'another secret',
    { apiSecret: 'Private-words' },
    /API Secret.*Request Signing Template/,
    undefined,
  ],
  ['plain http to elsewhere', { baseUrl: 'http://sms.example' }, /Allow HTTP/, undefined],
  ['nobody there', { baseUrl: 'https://127.0.0.1:1' }, /Base URL/, undefined],
  ...['ok', ''].map((msg): [string, IDataObject, RegExp, IDataObject] => [
    `a code of success that the nodes do not know, “${msg}”`,
    {},
    /Custom Result Codes.*Success Codes/,
    { code: 200, msg, balance: 5 },
  ]),
])('%s: it says what to set in the credential, once', async (_, credential, setting, body) => {
  const gateway = await startForTest();
  if (body) gateway.fault({ kind: 'wrongShape', body, times: Infinity });
  const checked = await runCheck({ ...gateway.credential(), ...credential });
  expect(checked.report.actions).toHaveLength(1);
  expect(advised(checked)).toMatch(setting);
  expect(Object.keys(verdicts(checked))).toEqual(['Access', 'Lists and templates']);
});

test('lists that fail: the others are told, an advice stands once, and an ID can be entered', async () => {
  const gateway = await startForTest();
  for (const path of ['/openapi/cert/info', '/openapi/lead/info'])
    gateway.fault({ kind: 'status', status: 500, path, times: Infinity });
  const checked = await runCheck(gateway.credential());
  expect(verdicts(checked)).toMatchObject({
    'Reported Links': 'fails: The service could not complete the request (HTTP 500), code 500',
    Templates: 'works: 4 records',
  });
  expect(checked.report.actions).toEqual([
    { what: expect.stringContaining('try again later'), where: 'Qualifications, Reported Links' },
    { what: expect.stringContaining('field Qualification,'), where: 'Qualifications' },
    { what: expect.stringContaining('field Reported Link,'), where: 'Reported Links' },
  ]);
});

/** What a service of its own answers to a path. */
type Answer = (path: string, isSigned: boolean) => [status: number, body: object] | undefined;

/** Checks a service that gives empty lists, refuses requests without key, and differs in what `answerOf` says. */
async function checkService(answerOf: Answer): Promise<Checked> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const isSigned = 'x-sign' in request.headers;
    const usual = isSigned
      ? ([200, { code: 0, balance: 5, data: { list: [], total: 0 } }] as const)
      : ([path.includes('no-such') ? 404 : 401, { code: 1 }] as const);
    const [status, body] = answerOf(path, isSigned) ?? usual;
    response.writeHead(status).end(JSON.stringify(body));
  });
  const baseUrl = `http://${await listen(server)}`;
  try {
    return await runCheck({ baseUrl, apiKey: 'key', apiSecret: 'secret' });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('an account without records has nothing to set', async () => {
  const checked = await checkService(() => undefined);
  expect(checked.report.actions).toEqual([]);
  expect(verdicts(checked)['Reported Links']).toBe(
    'cannot be told: the account has none to look at',
  );
});

test.each([2, '2'])(
  'a stated number of parameters that is not found, %j: As JSON',
  async (stated) => {
    const template = { id: 1, content: 'You owe ${sum}.', param_count: stated };
    const checked = await checkService((path, isSigned) =>
      isSigned && path.endsWith('template/info')
        ? [200, { code: 0, data: { list: [template], total: 1 } }]
        : undefined,
    );
    expect(verdicts(checked)['Template parameters']).toBe('fails: found in 0 of 1 template');
    expect(advised(checked)).toMatch('As JSON');
  },
);

describe('without key and signature', () => {
  test.each([
    // It may be about something else.
    [403, { code: 9 }, 'the address that you ask from'],
    [200, { code: 0, balance: 5 }, 'without key and signature too'],
  ])('the same answer %i to all: it says so', async (status, body, text) => {
    const { report } = await checkService(() => [status, body]);
    expect(report.texts[0]).toMatch(text);
  });

  test('a path is not there: Endpoint Path of its operations alone', async () => {
    const { report } = await checkService((path) =>
      path.includes('lead/delete') ? [404, { code: 1 }] : undefined,
    );
    expect(report.actions).toEqual([
      { what: expect.stringContaining('Endpoint Path'), where: 'Reported Link: Delete' },
    ]);
  });

  test.each([
    [404, 'fails'],
    [403, 'works'],
  ])('%i for the list of signatures, with them: %s', async (status, verdict) => {
    const checked = await checkService((path, isSigned) =>
      isSigned && path.endsWith('sign/info') ? [status, { code: 1 }] : undefined,
    );
    expect(verdicts(checked)['Paths known by name only']).toMatch(verdict);
  });

  test.each([
    ['every path is refused alike', 401, 401],
    ['the answer to no path says anything', 500, 500],
    ['only one path is answered before there are too many requests', 401, 429],
  ])('%s: only the list that was given is known to exist', async (_what, ofBalance, ofOthers) => {
    const checked = await checkService((path, isSigned) =>
      isSigned ? undefined : [path.endsWith('/balance') ? ofBalance : ofOthers, { code: 1 }],
    );
    expect(checked.report.texts[0]).toMatch('set Endpoint Path');
    expect(verdicts(checked)['Paths known by name only']).toBe(
      `cannot be told: 1 of ${INFERRED.length} exist, ${INFERRED.length - 1} cannot be told`,
    );
  });
});

test.each([
  { kind: 'businessCode', code: 1, msg: ALL },
  { kind: 'status', status: 500, body: `<p>${ALL}</p>` },
  { kind: 'status', status: 403, body: personal({ code: PHONE }) },
  { kind: 'status', status: 500, body: { request_id: TOKEN }, path: '/openapi/lead/info' },
  { kind: 'html', body: `<p>${ALL}</p>` },
  {
    kind: 'wrongShape',
    body: { code: 0, data: { [PHONE]: [{ id: NAME }], total: PHONE, page_size: '482913' } },
  },
  { kind: 'redirect', location: `https://private.example/${TOKEN}/sendsms/balance` },
  { kind: 'redirect', location: `/${TOKEN}/sendsms/balance` },
  { kind: 'resetBeforeAccept' },
] as const)('nothing personal in the report of $kind', async (fault) => {
  const gateway = await startFilled([]);
  // Here the names of parameters are personal, too.
  for (const template of gateway.state.templates.values()) template.content = ALL;
  gateway.fault({ ...fault, times: Infinity });
  await runCheck(gateway.credential());
});
