/** A draft that lacks something can be completed, or thrown away. */
import { DateTime } from 'luxon';

import { evaluate, parametersOf } from '../../test/kit/workflows/expression';
import { items, runCode, type Item } from '../../test/kit/workflows/codeNode';
import type { N8n } from '../../builder/code/n8n';
import asARequest from '../src/campaign-load/as-a-request';
import choices from '../src/campaign-load/choices';
import readTheTable from '../src/campaign-load/read-the-table';
import { runDesk, type Row, type World } from './workflow';

const now = DateTime.fromISO('2026-12-01T02:00:00', { zone: 'utc' });
const TEMPLATE = { id: 302, name: 'Shipped', content: '${name}: ${order}', sign_id: 202 };

interface Campaign extends Row {
  state?: string;
  missing?: string;
}

let tables: Record<string, Row[]>;
let runs = 0;
/** For how many minutes the service has not been asked. */
let silent = 0;

beforeEach(() => {
  jest.useFakeTimers({ now: now.toMillis() });
  tables = { 'sms.recipients': [], 'sms.campaigns': [], 'sms.tokens': [] };
});
afterEach(() => jest.useRealTimers());

/** What *SMS · Service* has stored. */
const said = (asked: DateTime): Row[] =>
  [
    ...[{ what: 'template', records: [TEMPLATE, { id: 304, status: false }] }],
    ...[{ what: 'signature', records: [{ id: 202, name: 'Shop' }] }],
    ...[{ what: 'balance', balance: 9_000 }],
  ].map((row) => ({
    ...{ ...row, records: 'records' in row ? JSON.stringify(row.records) : null },
    ...{ asked: asked.toISO(), answered: now.toISO(), error: '' },
  }));

/** Runs a workflow a second later. */
function runAt(workflow: string, start: string, input: object, more: Partial<World> = {}) {
  const at = now.plus({ seconds: (runs += 1) });
  jest.setSystemTime(at.toMillis());
  tables['sms.service'] = said(at.minus({ minutes: silent }));
  return runDesk(
    workflow,
    start,
    { ...input },
    { tables, now: at, execution: String(runs), ...more },
  );
}

/** Loads a list, as a program posts it. Something may happen while its rows are made. */
function load(recipients: Row[], others: Row = {}, meanwhile?: () => void): Row {
  const body = { campaign: 'Spring', template_id: '302', recipients, ...others };
  const chosen = (): Row[] => {
    const { id, ...choice } = { ...TEMPLATE };
    meanwhile?.();
    return [
      {
        template_id: String(id),
        template: choice.name,
        content: choice.content,
        signature_id: '',
        signature: 'Shop',
      },
    ];
  };
  const given: World['given'] = meanwhile && { 'What it is sent with': chosen };
  return runAt('campaign-load', 'Recipients arrive', { body }, { given }).Answer?.[0] ?? {};
}

const campaign = () => (tables['sms.campaigns']?.[0] ?? {}) as Campaign;

const rows = () =>
  (tables['sms.recipients'] ?? []).map(
    ({ phone_number, parameters }) => `${String(phone_number)} ${String(parameters)}`,
  );

/** The page of the campaign. */
function open(query: Row = {}): string {
  const asked = { query: { campaign: String(campaign().id), ...query } };
  const { 'Show the page': shown } = runAt('campaign-page', 'Page is opened', asked);
  return String(shown?.[0]?.page);
}

/** Presses a button of a page. */
function press(page: string, action: string, others: object = {}): Record<string, Row[]> {
  const form = page.match(/<form.*?<\/form>/gs)?.find((each) => each.includes(`value="${action}"`));
  if (!form) throw new Error(`There is no button "${action}".`);
  const inputs = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(inputs.map(([, name, value]) => [name, value]));
  const body = { ...fields, ...others };
  return runAt('campaign-buttons', 'Button is pressed', { body });
}

const [LI, HAN] = ['13810000010', '13810000011'];

describe('a program is told what is wrong with its request, and nothing is stored', () => {
  const PEOPLE = [{ phone: LI, name: 'Li', order: 'A-1' }];
  const started = (state: string) => ({ id: 9, campaign: 'Spring', template_id: '301', state });

  test.each<[string, Row, string, Row?]>([
    ['no name', { campaign: ' ' }, 'The request has no "campaign": its name.'],
    ['a name that is no text', { campaign: 7 }, 'The request has no "campaign": its name.'],
    ['no list', { recipients: undefined }, 'The request has no list of "recipients".'],
    ['an object as list', { recipients: {} }, 'The request has no list of "recipients".'],
    [
      'numbers alone',
      { recipients: [...PEOPLE, LI] },
      'Recipient 2 of the list is no object with a "phone".',
    ],
    ['another column', { recipients: [{ mobile: LI }] }, 'No recipient has a "phone".'],
    ['start as a text', { start: 'true' }, '"start" is neither true nor false.'],
    ['an object as ID', { template_id: { id: 302 } }, '"template_id" is not an ID: {"id":302}'],
    ['the name of a signature', { signature_id: 'Shop' }, '"signature_id" is not an ID: Shop'],
    ['a wrong template', { template_id: '303' }, 'The account has no template with the ID 303.'],
    ['a disabled one', { template_id: '304' }, 'The template 304 is not approved and enabled.'],
    ['a wrong signature', { signature_id: 9 }, 'The account has no signature with the ID 9.'],
    [
      'no template',
      { template_id: '' },
      'There is no campaign "Spring" yet: its first list needs "template_id".',
    ],
    [
      'a stopped campaign',
      {},
      'The campaign "Spring" was stopped. Choose another name.',
      started('stopped'),
    ],
    [
      'a started one with another template',
      {},
      'The campaign "Spring" has been started with the template 301. Choose another name.',
      started('running'),
    ],
  ])('%s', (...[, others, problem, stored]) => {
    if (stored) tables['sms.campaigns']?.push(stored);
    const before = structuredClone(tables);
    expect(load(PEOPLE, others)).toMatchObject({ problem, status: stored ? 409 : 400 });
    expect(tables).toMatchObject(before);
    const { options } = parametersOf('campaign-load', 'Answer');
    expect(options).toEqual({ responseCode: '={{ $json.status }}' });
  });

  test('while the service does not answer, it is to come again', () => {
    silent = 16;
    expect(load(PEOPLE)).toMatchObject({
      status: 503,
      problem: expect.stringMatching(/not known: SMS · Service.*Post the list again\.$/) as unknown,
    });
    silent = 0;
    expect(tables['sms.campaigns']).toEqual([]);
  });
});

test('a program whose list lacks a column is told that it was not started', () => {
  const answer = load([{ phone: LI, name: 'Li' }], { start: true });
  expect(answer).toMatchObject({ state: 'incomplete', added: 1, status: 422 });
  expect(answer.problem).toBe(
    'The list is loaded, but not started: the template needs order. Post the recipients again, each with it.',
  );
  const whole = load([{ phone: LI, name: 'Li', order: 'A-1' }], { start: true });
  expect(whole).toMatchObject({ state: 'running', status: 200, problem: '' });
});

test('another template takes the values that a later list has for it', () => {
  TEMPLATE.content = '${name}';
  load([{ phone: LI, name: 'Li' }]);
  TEMPLATE.content = '${name}: ${order}';
  expect(load([{ phone: LI, name: 'Li', order: 'A-1' }])).toMatchObject({ state: 'draft' });
  expect(rows()).toEqual([`${LI} {"name":"Li","order":"A-1"}`]);
});

test('of three people, three texts are shown', () => {
  const people = [LI, HAN, '13810000012'].map((phone, index) => ({
    phone,
    name: 'N',
    order: `A-${index}`,
  }));
  load(people);
  const page = open();
  for (const { order } of people) expect(page).toContain(`N: ${order}`);
});

test('what the form hands over is loaded with the lines of its file', () => {
  const list = JSON.stringify({ recipients: [{ phone: LI, name: 'Li', order: '' }], lines: [3] });
  const input = { campaign: 'Spring', template_id: '302', signature_id: '', list };
  runAt('campaign-load', 'Called by the form', input);
  expect(tables['sms.recipients']).toMatchObject([{ phone_number: LI, line: 3 }]);
  expect(campaign().state).toBe('draft');
});

test.each([
  [{}, 'form/sms-campaign-form'],
  [{ lang: 'zh' }, 'form/sms-campaign-form?lang=zh'],
])('a form that loads nothing says why, and leads back (%j)', (formQueryParameters, address) => {
  const { completionMessage } = parametersOf('campaign-load', 'Say what is wrong');
  const nodes = {
    'Spreadsheet and name': [{ lang: 'zh', formQueryParameters }],
    'Read the table': [{ again: 'Open the form again' }],
  };
  const resumeFormUrl = 'https://n8n.example/sms/form-waiting/7?signature=1';
  const $execution = { id: '7', resumeFormUrl };
  const $json = { problem: 'Two columns are named “<b> & c”.' };
  expect(evaluate(String(completionMessage), { $json, nodes, $execution })).toBe(
    `Two columns are named “&lt;b> &amp; c”.\n<a href="https://n8n.example/sms/${address}">Open the form again</a>`,
  );
});

test.each([
  ['running', HAN, 1],
  ['done', HAN, 1],
  // It was added before, and the answer was lost.
  ['done', LI, 0],
])('what is added to one that was %s is sent', (state, phone, added) => {
  load([{ phone: LI, name: 'Li', order: '' }], { start: true });
  Object.assign(campaign(), { state });
  // A send may find nothing left meanwhile.
  const meanwhile = () => void Object.assign(campaign(), { state: 'done' });
  expect(load([{ phone, name: 'Han', order: '' }], {}, meanwhile)).toMatchObject({ added });
  expect(campaign().state).toBe('running');
});

describe('a list that the form loads into a campaign that was started', () => {
  /** The form, from a text as file to its end. A person may leave it, or something happen, before the last button. */
  function form({
    head = 'phone,name,order',
    leaves = false,
    meanwhile = (): void => undefined,
  } = {}): Row {
    const stored = structuredClone(tables['sms.campaigns'] ?? []).slice(0, 1);
    const nodes: Record<string, Item[]> = {
      'Spreadsheet and name': items({ name: 'Spring', lang: 'en' }),
      'Take the file': items({ file: Buffer.from(`${head}\n${HAN},Han,A-2`).toString('base64') }),
      'Campaign stored before': items(...stored),
      'Templates to choose': items({ records: JSON.stringify([TEMPLATE]) }),
      'Signatures to choose': items({}),
    };
    const run = <Json extends object>(name: string, code: (n8n: N8n) => Json) => {
      const made = runCode<Row>(code as never, [], { nodes }).map(({ json }) => json);
      nodes[name] = items(...made);
      return made[0] as Json | undefined;
    };
    const read = run('Read the table', readTheTable);
    if (read?.problem) return { ...read };
    const offered = run('Choices', choices);
    const [template] = Object.keys(offered?.templates ?? {});
    nodes['Template and signature'] = items(leaves ? {} : { template });
    const request = run('As a request', asARequest);
    meanwhile();
    if (!request) return { ...offered };
    const { Answer: answer } = runAt('campaign-load', 'Called by the form', request);
    return { ...offered, ...answer?.[0] };
  }
  const become = (state: string) => Object.assign(campaign(), { state });
  const people = () => (tables['sms.recipients'] ?? []).length;
  beforeEach(() => void load([{ phone: LI, name: 'Li', order: '' }]));

  test.each(['running', 'paused', 'done'])('is sent at once, and so it asks (%s)', (state) => {
    become(state);
    const asks = form({ leaves: true });
    const text = 'It has been started, with the template “Shipped”.';
    expect(asks).toMatchObject({
      title: 'Add people to “Spring”?',
      fields: [{ fieldLabel: 'Send to up to 1 more person?', requiredField: true }],
    });
    expect(String(asks.description)).toContain(text);
    expect(String(asks.description).includes('It is paused')).toBe(state === 'paused');
    expect(people()).toBe(1);
    const after = state === 'paused' ? 'paused' : 'running';
    expect(form()).toMatchObject({ added: 1, state: after, status: 200 });
    expect(campaign().state).toBe(after);
  });

  test('is loaded only if the form has said so', () => {
    const begun = 'The campaign "Spring" was started meanwhile. Load the list again.';
    const meanwhile = () => void become('running');
    expect(form({ meanwhile })).toMatchObject({ problem: begun, status: 409 });
    const stopped = 'The campaign "Spring" was stopped. Choose another name.';
    expect(form({ meanwhile: () => void become('stopped') })).toMatchObject({ problem: stopped });
    expect(form().problem).toBe('“Spring” was stopped. Choose another name.');
    expect(people()).toBe(1);
  });

  test('needs every column, from a program too: no later list can give one', () => {
    become('running');
    const problem =
      'The campaign "Spring" has been started, and its template needs order: each recipient must have it.';
    expect(form({ head: 'phone,name,note' })).toMatchObject({ problem, status: 400 });
    const list = [
      { phone: HAN, name: 'Han', order: 'A' },
      { phone: HAN, name: 'Han' },
    ];
    expect(load(list)).toMatchObject({ problem, status: 400 });
    expect(people()).toBe(1);
  });
});

test.each([
  ['nobody has what the template needs', 'draft', { phone: LI, name: 'Li', order: '' }],
  ['nobody has a number', 'draft', { phone: 'ask her', name: 'Li', order: 'A-1' }],
  ['a column is missing', 'incomplete', { phone: LI, name: 'Li' }],
])('it has no Start if %s', (_, state, recipient) => {
  expect(load([recipient])).toMatchObject({ state });
  expect(open()).not.toContain('value="start"');
});

test('what another text costs is not known of those who were loaded before', () => {
  const segments = () => />Segments<\/dt><dd class="value ">([^<]*)</.exec(open())?.[1];
  const long = 'x'.repeat(70);
  load([{ phone: LI, name: long, order: '' }]);
  expect(segments()).toBe('2');
  expect(open()).toContain('1 person has nothing in “order”');
  load([{ phone: HAN, name: 'Han', order: 'A-1', note: '' }]);
  expect(segments()).toBe('3');
  expect(open()).not.toContain('“note”');
  TEMPLATE.content = '${name}, ${order}!';
  load([{ phone: '13810000012', name: 'Lin', order: 'A-1' }]);
  TEMPLATE.content = '${name}: ${order}';
  expect(segments()).toBe('–');
  expect(open()).not.toContain('nothing in');
});

describe('Throw away', () => {
  test.each(['draft', 'incomplete'])('removes a campaign that is %s, with its rows', (state) => {
    load([{ phone: LI, name: 'Li', ...(state === 'draft' && { order: 'A-1' }) }]);
    tables['sms.recipients']?.push({ id: 99, campaign: 'Other', phone_number: HAN });
    const page = open();
    const { 'Back to the page': back } = press(page, 'discard');
    expect(back).toMatchObject([{ address: 'sms-campaign' }]);
    expect(tables).toMatchObject({
      'sms.campaigns': [],
      'sms.recipients': [{ campaign: 'Other' }],
    });
    // The name is free.
    expect(load([{ phone: LI, name: 'Li', order: 'A-1' }])).toMatchObject({ added: 1 });
  });

  test('pressed twice, does nothing the second time', () => {
    load([{ phone: LI, name: 'Li', order: 'A-1' }]);
    const pages = [open(), open()];
    press(pages[0] ?? '', 'discard');
    load([{ phone: HAN, name: 'Han', order: 'A-2' }]);
    for (const page of pages) press(page, 'discard');
    expect(rows()).toEqual([`${HAN} {"name":"Han","order":"A-2"}`]);
    expect(campaign()).toMatchObject({ state: 'draft' });
  });

  test('does nothing if the campaign was started, or loaded, since its page was opened', () => {
    load([{ phone: LI, name: 'Li', order: 'A-1' }]);
    const [first, second] = [open(), open()];
    load([{ phone: HAN, name: 'Han', order: 'A-2' }]);
    expect(press(first, 'discard')).toHaveProperty(['Say that nothing was done']);
    press(open({ ask: 'start' }), 'start');
    const { loaded_at } = campaign();
    const { 'Do it': said } = press(second, 'discard', { loaded: loaded_at });
    expect(said).toMatchObject([{ did: 'outdated' }]);
    expect(campaign().state).toBe('running');
    expect(rows()).toHaveLength(2);
    expect(open()).not.toContain('value="discard"');
  });
});

test.each([
  ['accepted', 'was accepted'],
  ['waiting', 'waits for'],
  ['refused', 'was not sent'],
  ['rejected', 'was not sent'],
  ['unknown', 'may have been sent'],
  // The call of the outbox has failed, perhaps behind the send.
  ['failed', 'may have been sent'],
  ['toString', 'may have been sent'],
])('“Send one to me” that was %s: your message %s', (status, says) => {
  load([{ phone: LI, name: 'Li', order: 'A-1' }]);
  expect(open({ test: status })).toContain(`Your message ${says}`);
});
