/** A draft that lacks something can be completed, or thrown away. */
import { DateTime } from 'luxon';

import { evaluate, parametersOf } from '../../test/kit/workflows/expression';
import { items, runCode, type Item } from '../../test/kit/workflows/codeNode';
import type { N8n } from '../../builder/code/n8n';
import asARequest from '../src/campaign-load/as-a-request';
import choices from '../src/campaign-load/choices';
import readTheTable from '../src/campaign-load/read-the-table';
import { runDesk, type Row } from './workflow';

const now = DateTime.fromISO('2026-12-01T02:00:00', { zone: 'utc' });
const TEMPLATE = { id: 302, name: 'Shipped', content: '${name}: ${order}', sign_id: 202 };

interface Campaign extends Row {
  state?: string;
  missing?: string;
}

let tables: Record<string, Row[]>;
let runs = 0;
/** What the nodes of the latest load have put out. */

beforeEach(() => {
  jest.useFakeTimers({ now: now.toMillis() });
  tables = { 'sms.recipients': [], 'sms.campaigns': [], 'sms.tokens': [] };
});
afterEach(() => jest.useRealTimers());

/** Loads a list, as a program posts it and as the form hands it over. */
function load(
  recipients: Row[],
  others: Row = {},
  stored?: Row,
  look?: () => Row[],
  more: Record<string, Row[]> = {},
): Row {
  const body = { campaign: 'Spring', template_id: '302', recipients, ...others };
  const given = {
    ...{
      Templates: [TEMPLATE, { id: 304, status: false }],
      Signatures: [{ id: 202, name: 'Shop' }],
    },
    // What another load or button has changed meanwhile is newer than this.
    ...(stored && { 'Store the campaign': [stored] }),
    ...(look && { 'All rows': look }),
    ...more,
  };
  const at = now.plus({ seconds: (runs += 1) });
  jest.setSystemTime(at.toMillis());
  const world = { tables, given, now: at, execution: String(runs) };
  const seen = runDesk('campaign-load', 'Recipients arrive', { body }, world);
  return seen.Answer?.[0] ?? {};
}

const campaign = () => (tables['sms.campaigns']?.[0] ?? {}) as Campaign;

const rows = () =>
  (tables['sms.recipients'] ?? []).map(
    ({ phone_number, parameters }) => `${String(phone_number)} ${String(parameters)}`,
  );

/** The page of the campaign, with a token of its own. */
function open(query: Row = {}): string {
  const token = `token ${(runs += 1)}`;
  const given = {
    Balance: [{ balance: 9_000, answered: now.toISO() }],
    'Make a token': [{ token }],
  };
  const asked = { query: { campaign: String(campaign().id), ...query } };
  const { Page: page } = runDesk('campaign-page', 'Page is opened', asked, { tables, given, now });
  return String(page?.[0]?.page);
}

/** Presses a button of a page. */
function press(page: string, action: string, others: object = {}): Record<string, Row[]> {
  const form = page.match(/<form.*?<\/form>/gs)?.find((each) => each.includes(`value="${action}"`));
  if (!form) throw new Error(`There is no button "${action}".`);
  const inputs = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(inputs.map(([, name, value]) => [name, value]));
  const body = { ...fields, ...others };
  return runDesk('campaign-buttons', 'Button is pressed', { body }, { tables, now });
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
    expect(load(PEOPLE, others)).toEqual({ problem, status: stored ? 409 : 400 });
    expect(tables).toMatchObject(before);
    const { options } = parametersOf('campaign-load', 'Answer');
    expect(options).toEqual({ responseCode: '={{ $json.status }}' });
  });

  test('while the service does not answer, it is to come again', () => {
    const reason = 'The service did not answer within 30000 ms.';
    const problem = `The templates and signatures could not be read: ${reason} Post the list again.`;
    const away = { Templates: [{ error: reason }] };
    expect(load(PEOPLE, {}, undefined, undefined, away)).toEqual({ problem, status: 503 });
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

test('a list with the missing column completes it: nobody is in it twice', () => {
  const first = [
    { phone: LI, name: 'Li' },
    { phone: HAN, name: 'Han' },
  ];
  expect(load(first)).toMatchObject({ state: 'incomplete', missing: 'order', added: 2 });
  expect(open()).not.toContain('value="start"');
  // One row first, in another notation and with a person more.
  const better = [
    { phone: `+86 ${LI}`, name: 'Li', order: 'A-1' },
    { phone: '13810000012', name: 'Lin', order: 'A-3' },
  ];
  expect(load(better)).toMatchObject({ state: 'incomplete', missing: 'order', added: 2 });
  expect(load([{ phone: HAN, name: 'Han', order: '' }])).toMatchObject({ state: 'draft' });
  expect(load([{ phone: HAN, name: 'Han', order: 'A-2' }])).toMatchObject({ state: 'draft' });
  expect(rows().sort()).toEqual([
    `${LI} {"name":"Li","order":"A-1"}`,
    `${HAN} {"name":"Han","order":"A-2"}`,
    '13810000012 {"name":"Lin","order":"A-3"}',
  ]);
  expect(campaign()).toMatchObject({ missing: '', duplicates: 0 });
  // The same once more, and a worse one.
  load([{ phone: HAN, name: 'Han', order: 'B-2' }, { phone: LI }]);
  expect(rows().join()).not.toMatch(/B-2|\{\}/);
  expect(campaign()).toMatchObject({ state: 'draft', duplicates: 2 });
  expect(open()).toContain('value="start"');
});

test('another template takes the values that a later list has for it', () => {
  TEMPLATE.content = '${name}';
  load([{ phone: LI, name: 'Li' }]);
  TEMPLATE.content = '${name}: ${order}';
  expect(load([{ phone: LI, name: 'Li', order: 'A-1' }])).toMatchObject({ state: 'draft' });
  expect(rows()).toEqual([`${LI} {"name":"Li","order":"A-1"}`]);
});

test('of two loads at the same moment, the last to look finds what is missing', () => {
  const stored = { id: 1, campaign: 'Spring', state: null };
  load([{ phone: LI, name: 'Li', order: 'A-1' }]);
  expect(campaign()).toMatchObject({ id: 1, state: 'draft' });
  load([{ phone: HAN, name: 'Han' }], {}, stored);
  expect(campaign()).toMatchObject({ state: 'incomplete', missing: 'order' });
  // One that has looked before does not take that back.
  load([{ phone: HAN, name: 'Han', order: 'A-2' }], {}, stored);
  expect(open()).not.toContain('value="start"');
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

test('a load that broke off is completed by the same list', () => {
  const people = [LI, HAN, '13810000012'].map((phone) => ({ phone, name: 'Li', order: 'A-1' }));
  load(people.slice(0, 2));
  Object.assign(campaign(), { state: null, duplicates: null });
  expect(load(people)).toMatchObject({ state: 'draft', added: 1 });
  expect(rows()).toHaveLength(3);
});

test('after a load that broke off, its page says until when it has no Start', () => {
  const people = [{ phone: LI, name: 'Li', order: 'A-1' }];
  load(people);
  const breaksOff = () => {
    throw new Error('Database is not ready!');
  };
  expect(() => load(people, {}, undefined, breaksOff)).toThrow('Database is not ready!');
  load(people);
  expect(open()).not.toContain('value="start"');
  expect(open()).toMatch(
    /At 02:(09|10) at the latest, it can be started or thrown away. If a load/,
  );
  expect(open({ lang: 'zh' })).toMatch(/最迟 02:(09|10) 可以开始发送或删除草稿。/);
});

test('what the form hands over is loaded with the lines of its file', () => {
  const list = JSON.stringify({ recipients: [{ phone: LI, name: 'Li', order: '' }], lines: [3] });
  const given = {
    Templates: [TEMPLATE, { id: 304, status: false }],
    Signatures: [{ id: 202, name: 'Shop' }],
  };
  const input = { campaign: 'Spring', template_id: '302', signature_id: '', list };
  runDesk('campaign-load', 'Called by the form', input, { tables, given, now });
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

test('a load knows what it has added, of numbers and of others', () => {
  const people = [LI, HAN, LI, 'ask', 'ask'].map((phone) => ({ phone, name: 'Li' }));
  const found = load([...people, { phone: 'ask', name: 'Han' }]);
  expect(found).toMatchObject({ added: 2, not_a_number: 2, missing: 'order' });
  expect(rows()).toHaveLength(4);
  expect(campaign().duplicates).toBe(1);
});

test('nothing of a campaign that was started changes', () => {
  load([{ phone: LI, name: 'Li', order: '' }], { start: true });
  expect(campaign().state).toBe('running');
  const before = rows();
  load([{ phone: LI, name: 'Li', order: 'A-1' }]);
  expect(rows()).toEqual(before);
});

test.each(['draft', 'running', 'done'])('what is added to one that was %s is sent', (state) => {
  load([{ phone: LI, name: 'Li', order: '' }], { start: true });
  const stored = { ...campaign(), state };
  // Meanwhile, another load has started it, and a send has found nothing left.
  Object.assign(campaign(), { state: 'done' });
  const start = { start: state === 'draft' };
  expect(load([{ phone: HAN, name: 'Han', order: '' }], start, stored)).toMatchObject({ added: 1 });
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
    const given = { Templates: [TEMPLATE], Signatures: [{ id: 202, name: 'Shop' }] };
    const world = { tables, given, now, execution: String((runs += 1)) };
    const { Answer: answer } = runDesk(
      'campaign-load',
      'Called by the form',
      { ...request },
      world,
    );
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

test('what was added before the answer was lost is sent, although the same adds nothing', () => {
  const list = [{ phone: LI, name: 'Li', order: '' }];
  load(list, { start: true });
  Object.assign(campaign(), { state: 'done' });
  expect(load(list)).toMatchObject({ added: 0, state: 'running' });
  expect(campaign().state).toBe('running');
});

test.each([
  ['nobody has what the template needs', [{ phone: LI, name: 'Li', order: '' }]],
  ['nobody has a number', [{ phone: 'ask her', name: 'Li', order: 'A-1' }]],
])('it has no Start if %s', (_, recipients) => {
  expect(load(recipients)).toMatchObject({ state: 'draft' });
  expect(open()).not.toContain('value="start"');
});

test('what another text costs is not known of those who were loaded before', () => {
  const segments = () => />Segments<\/dt><dd class="value ">([^<]*)</.exec(open())?.[1];
  const long = 'x'.repeat(70);
  load([{ phone: LI, name: long, order: '' }]);
  expect(segments()).toBe('2');
  expect(open()).toContain('1 person has nothing in “order”');
  load([{ phone: HAN, name: 'Han', order: 'A-1' }]);
  expect(segments()).toBe('3');
  TEMPLATE.content = '${name}, ${order}!';
  load([{ phone: '13810000012', name: 'Lin', order: 'A-1' }]);
  TEMPLATE.content = '${name}: ${order}';
  expect(segments()).toBe('–');
  expect(open()).not.toContain('nothing in');
});

test('what no parameter of the template needs may be empty', () => {
  load([{ phone: LI, name: 'Li', order: 'A-1', note: '' }]);
  expect(open()).not.toContain('nothing in');
});

describe('Throw away', () => {
  test.each(['draft', 'incomplete'])('removes a campaign that is %s, with its rows', (state) => {
    load([{ phone: LI, name: 'Li', ...(state === 'draft' && { order: 'A-1' }) }]);
    tables['sms.recipients']?.push({ id: 99, campaign: 'Other', phone_number: HAN });
    const page = open();
    const { 'Back to the list': back } = press(page, 'discard');
    expect(back).toHaveLength(1);
    expect(tables).toMatchObject({
      'sms.campaigns': [],
      'sms.recipients': [{ campaign: 'Other' }],
    });
    // The name is free.
    expect(load([{ phone: LI, name: 'Li', order: 'A-1' }])).toMatchObject({ added: 1 });
  });

  test('leaves no row of a list that is loaded in the same moment', () => {
    load([{ phone: LI, name: 'Li', order: 'A-1' }]);
    const stored = { ...campaign(), state: 'stopped' };
    expect(load([{ phone: HAN, name: 'Han', order: 'A-2' }], {}, stored)).toEqual({
      problem: 'The campaign "Spring" was thrown away or stopped meanwhile. Load the list again.',
      status: 409,
    });
    expect(rows()).toHaveLength(1);
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
    expect(press(first, 'discard')).not.toHaveProperty(['Remove its rows']);
    press(open({ ask: 'start' }), 'start');
    const { loaded_at } = campaign();
    expect(press(second, 'discard', { loaded: loaded_at })).not.toHaveProperty(['Remove its rows']);
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
