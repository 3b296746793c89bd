/** A list becomes a draft, which can be completed, or thrown away. */
import { evaluate, parametersOf } from '../../test/kit/workflows/expression';
import { items, runCode, type Item } from '../../test/kit/workflows/codeNode';
import type { N8n } from '../../builder/code/n8n';
import asARequest from '../src/campaign-load/as-a-request';
import choices from '../src/campaign-load/choices';
import readTheTable from '../src/campaign-load/read-the-table';
import { Desk, fieldsOf } from './campaigns';
import type { Row } from './workflow';

const TEMPLATE = { id: 302, name: 'Shipped', content: '${name}: ${order}', sign_id: 202 };
const [LI, HAN] = ['13810000010', '13810000011'];

let desk: Desk;
beforeEach(() => {
  desk = new Desk({ 'sms.recipients': [], 'sms.campaigns': [], 'sms.tokens': [] });
  offer(TEMPLATE.content);
});

/** What *SMS · Service* has stored, with this text of the template. */
function offer(content: string): void {
  const kinds = {
    template: [
      { ...TEMPLATE, content },
      { id: 304, status: false },
    ],
    signature: [{ id: 202, name: 'Shop' }],
  };
  const said = Object.entries(kinds).map(([what, all]) => ({ what, records: JSON.stringify(all) }));
  desk.said = [...said, { what: 'balance', balance: 9_000 }].map((row) => ({ ...row, error: '' }));
}

const load = (recipients: Row[], others: Row = {}) =>
  desk.load(recipients, { template_id: '302', ...others });

const rows = () =>
  desk.recipients.map((row) => `${String(row.phone_number)} ${String(row.parameters)}`);

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
    if (stored) desk.tables['sms.campaigns']?.push(stored);
    const before = structuredClone(desk.tables);
    expect(load(PEOPLE, others)).toMatchObject({ problem, status: stored ? 409 : 400 });
    expect(desk.tables).toMatchObject(before);
    const { options } = parametersOf('campaign-load', 'Answer');
    expect(options).toEqual({ responseCode: '={{ $json.status }}' });
  });

  test('while the service does not answer, it is to come again', () => {
    desk.silent = 16;
    const { status, problem } = load(PEOPLE);
    expect(status).toBe(503);
    expect(problem).toMatch(/not known: SMS · Service.*Post the list again\.$/);
    expect(desk.tables['sms.campaigns']).toEqual([]);
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
  offer('${name}');
  load([{ phone: LI, name: 'Li' }]);
  offer('${name}: ${order}');
  expect(load([{ phone: LI, name: 'Li', order: 'A-1' }])).toMatchObject({ state: 'draft' });
  expect(rows()).toEqual([`${LI} {"name":"Li","order":"A-1"}`]);
});

test('of three people, three texts are shown', () => {
  load([LI, HAN, '13810000012'].map((phone, order) => ({ phone, name: 'N', order })));
  for (const order of [0, 1, 2]) expect(desk.page()).toContain(`N: ${order}`);
});

test('what the form hands over is loaded with the lines of its file', () => {
  const list = JSON.stringify({ recipients: [{ phone: LI, name: 'Li', order: '' }], lines: [3] });
  const input = { campaign: 'Spring', template_id: '302', signature_id: '', list };
  desk.run('campaign-load', 'Called by the form', input);
  expect(desk.recipients).toMatchObject([{ phone_number: LI, line: 3 }]);
  expect(desk.campaign.state).toBe('draft');
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
  Object.assign(desk.campaign, { state });
  const chosen = { template_id: '302', content: TEMPLATE.content, signature_id: '' };
  // A send may find nothing left meanwhile.
  const given = {
    'What it is sent with': () => {
      Object.assign(desk.campaign, { state: 'done' });
      return [{ ...chosen, template: 'Shipped', signature: 'Shop' }];
    },
  };
  expect(desk.load([{ phone, name: 'Han', order: '' }], {}, given)).toMatchObject({ added });
  expect(desk.campaign.state).toBe('running');
});

describe('a list that the form loads into a campaign that was started', () => {
  /** The form, from a text as file to its end. A person may leave it, or something happen, before the last button. */
  function form({
    head = 'phone,name,order',
    leaves = false,
    meanwhile = (): void => undefined,
  } = {}): Row {
    const file = Buffer.from(`${head}\n${HAN},Han,A-2`).toString('base64');
    const nodes: Record<string, Item[]> = {
      'Spreadsheet and name': items({
        ...{ name: 'Spring', lang: 'en', file: { filename: 'May.xlsx' } },
      }),
      'Take the file': items({ file }),
      'Campaign stored before': items(structuredClone(desk.campaign)),
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
    const offered = { ...run('Choices', choices) };
    const [template] = Object.keys(offered.templates ?? {});
    // After its hour, n8n goes on with what the form got.
    nodes['Template and signature'] = items(leaves ? offered : { template });
    const request = run('As a request', asARequest);
    meanwhile();
    if (!request) return offered;
    const { Answer: answer } = desk.run('campaign-load', 'Called by the form', request);
    return { ...offered, ...answer?.[0] };
  }
  const become = (state: string) => Object.assign(desk.campaign, { state });
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
    expect(rows()).toHaveLength(1);
    const after = state === 'paused' ? 'paused' : 'running';
    expect(form()).toMatchObject({ added: 1, state: after, status: 200 });
    expect(desk.campaign).toMatchObject({ state: after, file: 'May.xlsx' });
  });

  test('is loaded only if the form has said so', () => {
    const begun = 'The campaign "Spring" was started meanwhile. Load the list again.';
    const meanwhile = () => void become('running');
    expect(form({ meanwhile })).toMatchObject({ problem: begun, status: 409 });
    const stopped = 'The campaign "Spring" was stopped. Choose another name.';
    expect(form({ meanwhile: () => void become('stopped') })).toMatchObject({ problem: stopped });
    expect(form().problem).toBe('“Spring” was stopped. Choose another name.');
    expect(rows()).toHaveLength(1);
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
    expect(rows()).toHaveLength(1);
  });
});

test.each([
  ['nobody has what the template needs', 'draft', { phone: LI, name: 'Li', order: '' }],
  ['nobody has a number', 'draft', { phone: 'ask her', name: 'Li', order: 'A-1' }],
  ['a column is missing', 'incomplete', { phone: LI, name: 'Li' }],
])('it has no Start if %s', (_, state, recipient) => {
  expect(load([recipient])).toMatchObject({ state });
  expect(desk.page()).not.toContain('value="start"');
});

test('what another text costs is not known of those who were loaded before', () => {
  const segments = () => />Segments<\/dt><dd class="value ">([^<]*)</.exec(desk.page())?.[1];
  const long = 'x'.repeat(70);
  load([{ phone: LI, name: long, order: '' }]);
  expect(segments()).toBe('2');
  expect(desk.page()).toContain('1 person has nothing in “order”');
  load([{ phone: HAN, name: 'Han', order: 'A-1', note: '' }]);
  expect(segments()).toBe('3');
  expect(desk.page()).not.toContain('“note”');
  offer('${name}, ${order}!');
  load([{ phone: '13810000012', name: 'Lin', order: 'A-1' }]);
  expect(segments()).toBe('–');
  expect(desk.page()).not.toContain('nothing in');
});

describe('Throw away', () => {
  const discard = () => fieldsOf(desk.page(), 'discard');

  test.each(['draft', 'incomplete'])('removes a campaign that is %s, with its rows', (state) => {
    load([{ phone: LI, name: 'Li', ...(state === 'draft' && { order: 'A-1' }) }]);
    desk.recipients.push({ id: 99, campaign: 'Other', phone_number: HAN });
    const { 'Back to the page': back } = desk.press({ ...discard(), lang: '' });
    expect(back).toMatchObject([{ address: 'sms-campaign' }]);
    expect(desk.tables['sms.campaigns']).toEqual([]);
    expect(desk.recipients).toMatchObject([{ campaign: 'Other' }]);
    // The name is free.
    expect(load([{ phone: LI, name: 'Li', order: 'A-1' }])).toMatchObject({ added: 1 });
  });

  test('pressed twice, does nothing the second time', () => {
    load([{ phone: LI, name: 'Li', order: 'A-1' }]);
    const forms = [discard(), discard()];
    desk.press(forms[0] ?? {});
    load([{ phone: HAN, name: 'Han', order: 'A-2' }]);
    for (const form of forms) desk.press(form);
    expect(rows()).toEqual([`${HAN} {"name":"Han","order":"A-2"}`]);
    expect(desk.campaign).toMatchObject({ state: 'draft' });
  });

  test('does nothing if the campaign was started, or loaded, since its page was opened', () => {
    load([{ phone: LI, name: 'Li', order: 'A-1' }]);
    const [first, second] = [discard(), discard()];
    load([{ phone: HAN, name: 'Han', order: 'A-2' }]);
    expect(desk.press(first)).toHaveProperty(['Say that nothing was done']);
    desk.press(fieldsOf(desk.page({ ask: 'start' }), 'start'));
    const { 'Do it': said } = desk.press({ ...second, loaded: desk.campaign.loaded_at });
    expect(said).toMatchObject([{ did: 'outdated' }]);
    expect(desk.campaign.state).toBe('running');
    expect(rows()).toHaveLength(2);
    expect(desk.page()).not.toContain('value="discard"');
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
  expect(desk.page({ test: status })).toContain(`Your message ${says}`);
});
