/** A list becomes a draft, which can be completed, or thrown away. */
import { evaluate, parametersOf } from '../../test/kit/workflows/expression';
import { Desk, fieldsOf, readPage } from './campaigns';
import { inTurn, type Row, type World } from './workflow';

const TEMPLATE = { id: 302, name: 'Shipped', content: '${name}: ${order}', sign_id: 202 };
const DISABLED = [false, 0, '0', 'false'].map((status) => ({ id: 304, status }));
const [LI, HAN, LIN] = ['13810000010', '13810000011', '13810000012'];
const PERSON = { phone: LI, name: 'Li', order: 'A-1' };

let desk: Desk;
beforeEach(() => {
  desk = new Desk({ 'sms.recipients': [], 'sms.campaigns': [], 'sms.tokens': [] });
  offer(TEMPLATE.content);
});

/** What *SMS · Service* has stored, with this text of the template. */
function offer(content: string): void {
  const kinds = {
    template: [{ ...TEMPLATE, content }, ...DISABLED],
    signature: [{ id: 202, name: 'Shop' }],
  };
  const said = Object.entries(kinds).map(([what, all]) => ({ what, records: JSON.stringify(all) }));
  desk.said = [...said, { what: 'balance', balance: 9_000 }].map((row) => ({ ...row, error: '' }));
}

const load = (recipients: Row[], others: Row = {}) =>
  desk.load(recipients, { template_id: '302', ...others });
const become = (state: string) => Object.assign(desk.campaign, { state });
const rows = () =>
  desk.recipients.map((row) => `${String(row.phone_number)} ${String(row.parameters)}`);

describe('a program is told what is wrong with its request, and nothing is stored', () => {
  const NO_NAME = 'The request has no "campaign": its name.';
  const NO_LIST = 'The request has no list of "recipients".';

  test.each<[Row, string, state?: string]>([
    [{ campaign: ' ' }, NO_NAME],
    [{ campaign: 7 }, NO_NAME],
    [{ recipients: undefined }, NO_LIST],
    [{ recipients: {} }, NO_LIST],
    [{ recipients: [PERSON, LI] }, 'Recipient 2 of the list is no object with a "phone".'],
    [{ recipients: [{ mobile: LI }] }, 'No recipient has a "phone".'],
    ...[2 ** 53, 0.1 * 3, 1e-7, true, { id: 1 }, ['A-1']].map((order): [Row, string] => [
      { recipients: [PERSON, { ...PERSON, order }] },
      'Recipient 2 of the list: "order" is neither a text nor a number of at most 15 digits.',
    ]),
    [{ start: 'true' }, '"start" is neither true nor false.'],
    [{ template_id: { id: 302 } }, '"template_id" is not an ID: {"id":302}'],
    [{ signature_id: 'Shop' }, '"signature_id" is not an ID: Shop'],
    [{ template_id: '303' }, 'The account has no template with the ID 303.'],
    [{ template_id: '304' }, 'The template 304 is not approved and enabled.'],
    [{ signature_id: 9 }, 'The account has no signature with the ID 9.'],
    [{ template_id: '' }, 'There is no campaign "Spring" yet: its first list needs "template_id".'],
    [{}, 'The campaign "Spring" was stopped. Choose another name.', 'stopped'],
    [
      {},
      'The campaign "Spring" has been started with the template 9. Choose another name.',
      'done',
    ],
  ])('%j: %s', async (...[others, problem, state]) => {
    const stored = { id: 9, campaign: 'Spring', template_id: '9', state };
    if (state) desk.tables['sms.campaigns']?.push(stored);
    const before = structuredClone(desk.tables);
    expect(await load([PERSON], others)).toMatchObject({ problem, status: state ? 409 : 400 });
    expect(desk.tables).toMatchObject(before);
    const { options } = parametersOf('campaign-load', 'Answer');
    expect(options).toEqual({ responseCode: '={{ $json.status }}' });
  });

  test('while the service does not answer, it is to come again', async () => {
    desk.silent = 16;
    const { status, problem } = await load([PERSON]);
    expect(status).toBe(503);
    expect(problem).toMatch(/not known: SMS · Service.*Post the list again\.$/);
    expect(desk.tables['sms.campaigns']).toEqual([]);
  });
});

test('a program whose list lacks a column is told that it was not started', async () => {
  const answer = await load([{ phone: LI, name: 'Li' }], { start: true });
  expect(answer).toMatchObject({ state: 'incomplete', added: 1, status: 422 });
  expect(answer.problem).toBe(
    'The list is loaded, but not started: the template needs order. Post the recipients again, each with it.',
  );
  // A number that has all its digits is taken.
  const numbers = { name: 2 ** 53 - 1, order: 19.9 };
  const whole = await load([{ ...PERSON, ...numbers }], { start: true });
  expect(whole).toMatchObject({ state: 'running', status: 200, problem: '' });
});

test('another template takes the values that a later list has for it', async () => {
  offer('${name}');
  await load([{ phone: LI, name: 'Li' }]);
  offer(TEMPLATE.content);
  expect(await load([PERSON])).toMatchObject({ state: 'draft' });
  expect(rows()).toEqual([`${LI} {"name":"Li","order":"A-1"}`]);
});

test.each([
  [true, { People: '4', 'Opted out': '1', Segments: '5', 'Balance after': '8,995' }],
  [false, { People: '5', 'Opted out': '0', Segments: '6', 'Balance after': '8,994' }],
])('a draft shows three texts, and whom it goes to: rules ask (%j)', async (asks, figures) => {
  desk.tables['sms.rules'] = [{ class: 'marketing', check_opt_outs: asks }];
  desk.tables['sms.opt_outs'] = [LI, '13900000099', 'ask her'].map((phone_number) => ({
    phone_number,
  }));
  const others = [HAN, LIN, '13810000013'].map((phone, order) => ({ phone, name: 'N', order }));
  const long = { phone: '13810000014', name: 'x'.repeat(70), order: '' };
  await load([PERSON, ...others, long, { phone: 'ask her', name: '', order: '' }]);
  const page = await desk.page();
  expect(readPage(page)).toMatchObject({
    figures: { 'Bad numbers': '1', 'Balance now': '9,000', ...figures },
    notices: ['1 person has nothing in “order”.'],
  });
  for (const text of ['Li: A-1', `${long.name}: `, 'N: 1']) expect(page).toContain(text);
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
])('what is added to one that was %s is sent', async (state, phone, added) => {
  await load([PERSON], { start: true });
  become(state);
  const chosen = { template_id: '302', content: TEMPLATE.content, signature_id: '' };
  // A send may find nothing left meanwhile.
  const given = {
    'What it is sent with': () => {
      become('done');
      return [{ ...chosen, template: 'Shipped', signature: 'Shop' }];
    },
  };
  expect(await desk.load([{ phone, name: 'Han', order: '' }], {}, given)).toMatchObject({ added });
  expect(desk.campaign.state).toBe('running');
});

/** The form, from a text as file to its end. A person may leave it, or something happen, before the last button. */
async function form({
  head = 'phone,name,order',
  lang = 'en' as unknown,
  leaves = false,
  /** As a browser sends a choice. */
  chosen = (option = '') => Buffer.from(option.replace(/\r?\n/g, '\r\n')).toString(),
  meanwhile = (): void => undefined,
} = {}): Promise<Row> {
  const file = Buffer.from(`\n${head}\n${HAN},Han,A-2`).toString('base64');
  const load = 'Load in an execution of its own';
  const given: World['given'] = {
    'Take the file': [{ file }],
    // After its hour, n8n goes on with what the form got.
    'Template and signature': ([offered = {}]) => {
      const [template] = Object.keys(offered.templates as object);
      return [leaves ? offered : { template: chosen(template) }];
    },
    [load]: async ([request = {}]) => {
      meanwhile();
      return (await desk.run('campaign-load', 'Called by the form', request)).Answer ?? [];
    },
  };
  const opened = { name: 'Spring', lang, file: { filename: 'May.xlsx' } };
  const nodes = await desk.run('campaign-load', 'Spreadsheet and name', opened, { given });
  const said = ['Read the table', 'Choices', load].map((name) => nodes[name]?.[0]);
  return Object.assign({}, ...said) as Row;
}

test('the form offers what is enabled, and loads a draft with the lines of its file', async () => {
  const { templates, signatures } = await form();
  expect(Object.values(templates as object)).toEqual(['302']);
  expect(Object.values(signatures as object)).toEqual(['', '202']);
  expect(desk.recipients).toMatchObject([{ phone_number: HAN, line: 3 }]);
  expect(desk.campaign).toMatchObject({ state: 'draft', file: 'May.xlsx' });
});

test.each(['${name},\nyour ${order}', `${'x'.repeat(119)}😀`])(
  'a template can be chosen whatever is in it: %j',
  async (content) => {
    await load([PERSON]);
    desk.campaign.template_id = '301';
    offer(content);
    expect(await form({ chosen: () => 'Another (301)' })).toMatchObject({
      ...{ status: 400, problem: '"template_id" is not an ID: Another (301)' },
    });
    expect(await form()).toMatchObject({ status: 200, added: 1 });
    expect(desk.campaign).toMatchObject({ template_id: '302' });
  },
);

test.each([
  [{}, 'zh-CN,en', true],
  [{ lang: 'en' }, 'zh', false],
])('the form of %j and a browser of %s has one language', async (query, accepted, isChinese) => {
  const $json = { query, headers: { 'accept-language': accepted } };
  const parameters = parametersOf('campaign-load', 'Spreadsheet and name');
  const { formTitle, formFields, options } = parameters as {
    formTitle: string;
    formFields: { values: { fieldLabel?: string; fieldValue?: string }[] };
    options: { buttonLabel: string };
  };
  const { values } = formFields;
  const labels = values.flatMap(({ fieldLabel }) => fieldLabel ?? []);
  const first = [formTitle, ...labels, options.buttonLabel].map((text) =>
    evaluate(text, { $json }),
  );
  const lang = evaluate(String(values.at(-1)?.fieldValue), { $json });
  await load([PERSON]);
  const formOf = (state: string) => {
    become(state);
    return form({ lang, leaves: true });
  };
  const [draft, adds, stopped] = await inTurn(['draft', 'paused', 'stopped'], formOf);
  const texts = [draft, adds].flatMap((each) => [each?.title, each?.description, each?.button]);
  texts.push(...Object.keys(adds?.templates ?? {}), stopped?.problem);
  for (const text of [...first, ...texts])
    expect(/[\u4e00-\u9fff]/.test(String(text))).toBe(isChinese);
});

describe('a list that the form loads into a campaign that was started', () => {
  beforeEach(() => load([PERSON]));

  test.each(['running', 'paused', 'done'])('is sent at once, so it asks (%s)', async (state) => {
    become(state);
    const asks = await form({ leaves: true });
    const text = 'It has been started, with the template “Shipped”.';
    expect(asks).toMatchObject({
      title: 'Add people to “Spring”?',
      fields: [{ fieldLabel: 'Send to up to 1 more person?', requiredField: true }],
    });
    expect(String(asks.description)).toContain(text);
    expect(String(asks.description).includes('It is paused')).toBe(state === 'paused');
    expect(rows()).toHaveLength(1);
    const after = state === 'paused' ? 'paused' : 'running';
    expect(await form()).toMatchObject({ added: 1, state: after, status: 200 });
    expect(desk.campaign).toMatchObject({ state: after, file: 'May.xlsx' });
  });

  test('is loaded only if the form has said so', async () => {
    const begun = 'The campaign "Spring" was started meanwhile. Load the list again.';
    const meanwhile = () => void become('running');
    expect(await form({ meanwhile })).toMatchObject({ problem: begun, status: 409 });
    const stopped = 'The campaign "Spring" was stopped. Choose another name.';
    expect(await form({ meanwhile: () => void become('stopped') })).toMatchObject({
      problem: stopped,
    });
    expect((await form()).problem).toBe('“Spring” was stopped. Choose another name.');
    expect(rows()).toHaveLength(1);
  });

  test('needs every column, from a program too: no later list can give one', async () => {
    become('running');
    const problem =
      'The campaign "Spring" has been started, and its template needs order: each recipient must have it.';
    expect(await form({ head: 'phone,name,note' })).toMatchObject({ problem, status: 400 });
    const list = [
      { ...PERSON, phone: HAN },
      { phone: HAN, name: 'Han' },
    ];
    expect(await load(list)).toMatchObject({ problem, status: 400 });
    expect(rows()).toHaveLength(1);
  });
});

test.each([
  ['nobody has what the template needs', 'draft', { ...PERSON, order: '' }],
  ['nobody has a number', 'draft', { ...PERSON, phone: 'ask her' }],
  ['a column is missing', 'incomplete', { phone: LI, name: 'Li' }],
])('it has no Start if %s', async (_, state, recipient) => {
  expect(await load([recipient])).toMatchObject({ state });
  expect(await desk.page()).not.toContain('value="start"');
});

test('what another text costs is not known of those who were loaded before', async () => {
  await load([{ ...PERSON, order: '' }]);
  expect(readPage(await desk.page())).toMatchObject({ figures: { Segments: '1' } });
  await load([{ phone: HAN, name: 'Han', order: 'A-1', note: '' }]);
  expect(readPage(await desk.page())).toMatchObject({
    ...{ figures: { Segments: '2' }, notices: ['1 person has nothing in “order”.'] },
  });
  offer('${name}, ${order}!');
  await load([{ phone: LIN, name: 'Lin', order: 'A-1' }]);
  expect(readPage(await desk.page())).toMatchObject({ figures: { Segments: '–' }, notices: [] });
});

test.each(['draft', 'incomplete'])('Throw away removes a %s one, with its rows', async (state) => {
  await load([{ phone: LI, name: 'Li', ...(state === 'draft' && { order: 'A-1' }) }]);
  desk.recipients.push({ id: 99, campaign: 'Other', phone_number: HAN });
  const form = { ...fieldsOf(await desk.page(), 'discard'), lang: '' };
  const { 'Back to the page': back } = await desk.press(form);
  expect(back).toMatchObject([{ address: 'sms-campaign' }]);
  expect(desk.tables['sms.campaigns']).toEqual([]);
  expect(desk.recipients).toMatchObject([{ campaign: 'Other' }]);
  // The name is free.
  expect(await load([PERSON])).toMatchObject({ added: 1 });
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
])('“Send one to me” that was %s: your message %s', async (status, says) => {
  await load([PERSON]);
  expect(await desk.page({ test: status })).toContain(`Your message ${says}`);
});
