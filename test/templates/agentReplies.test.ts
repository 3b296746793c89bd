import type { IDataObject } from 'n8n-workflow';

import { refuseMails } from './deviations';
import * as run from './run';

const { ADDRESS, OWN, PHONE, useTemplate } = run;

const template = useTemplate(
  'agent-replies',
  { 'Send the answer': OWN, 'Tell the person': ADDRESS },
  '${answer}',
);

const { n8n, come } = template;

/** A reply of so many minutes ago. */
const reply = (phone: string, content: string, minutes = 1) => ({
  ...run.reply(phone, content),
  time: Math.floor(Date.now() / 1000) - minutes * 60,
});

const iso = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const away = () => {
  throw new Error('The model is overloaded');
};

// A model may say more than the one word.
beforeEach(() => (n8n.agent = (text) => (/open|有货/.test(text) ? 'From 9 to 18.' : 'PERSON.')));

const listed = () => n8n.tables.get('sms_opt_outs')?.map(({ phone_number }) => phone_number);

test('the agent answers, and knows what the reply is to', async () => {
  const asked: string[] = [];
  n8n.agent = (text) => (asked.push(text), 'From 9 to 18.');
  await come(reply(PHONE, 'When are you open?'));
  expect(asked).toEqual([
    'We wrote: Your order has shipped.\nThe customer answers: When are you open?',
  ]);
  expect(template.sentTo(PHONE)).toEqual([{ answer: 'From 9 to 18.' }]);
  expect(n8n.mails).toEqual([
    `SMS from ${PHONE}\nWhen are you open?\n\nThe agent has answered: From 9 to 18.`,
  ]);
});

/** The mails without those about answers. */
const toDo = () => n8n.mails.filter((mail) => !mail.includes('The agent has answered'));

test('no answer: a person, and the next question is the agent’s again', async () => {
  await come(reply(PHONE, 'Where is it?'), reply('13810000011', 'When are you open?'));
  await come(reply(PHONE, 'When are you open?'));
  expect(template.sentTo(PHONE)).toHaveLength(1);
  expect(template.sentTo('13810000011')).toHaveLength(1);
  expect(toDo()).toEqual([
    `SMS from ${PHONE}\nWhere is it?\n\nNo SMS was sent. The agent says "PERSON."`,
  ]);
});

test.each(['人工', '转人工客服', 'I want a person, are you open?', 'Are you human?'])(
  'the agent is not even asked: %s',
  async (content) => {
    n8n.agent = () => 'From 9 to 18.';
    await come(reply(PHONE, content));
    expect(template.sentTo(PHONE)).toEqual([]);
    expect(n8n.mails).toEqual([expect.stringContaining('asks for a person')]);
    expect(listed()).toEqual([]);
  },
);

// optOuts.test.ts has all words.
test('listed until a person has decided, and nothing for the agent', async () => {
  n8n.agent = () => 'From 9 to 18.';
  await come(reply(PHONE, 'STOP it'), reply(PHONE, 'When are you open?'));
  expect(template.sentTo(PHONE)).toEqual([]);
  expect(n8n.mails).toEqual([
    expect.stringContaining('delete the row in sms_opt_outs'),
    expect.stringContaining('opted out before'),
  ]);
  expect(listed()).toEqual([PHONE]);
});

test('an opt-out is listed and told', async () => {
  n8n.agent = away;
  await come(reply(PHONE, 'ｔｄ'));
  expect(listed()).toEqual([PHONE]);
  expect(n8n.mails).toEqual([
    `SMS from ${PHONE}\nｔｄ\n\nThe customer has opted out, and is on the list.`,
  ]);
});

test('who has opted out gets no answer, also in the same page: a person is told', async () => {
  await come(reply(PHONE, 'When are you open?'), reply(PHONE, 'TD'));
  expect(template.sentTo(PHONE)).toEqual([]);
  expect(n8n.mails).toEqual([
    expect.stringContaining('is on the list'),
    expect.stringContaining('opted out before'),
  ]);
});

test('the owner has typed the number into the list', async () => {
  n8n.tables.set('sms_opt_outs', [{ id: 1, phone_number: '+86 138-1000-0010', word: '' }]);
  await come(reply(PHONE, 'When are you open?'));
  expect(template.sentTo(PHONE)).toEqual([]);
  expect(n8n.mails).toEqual([expect.stringContaining('opted out before')]);
});

test('two questions in one second are both answered, and not again', async () => {
  const record = (content: string) => ({
    ...{ event: 'reply', ...reply(PHONE, content) },
    ...{ time: 1, time_iso: iso(1) },
  });
  const page = ['When are you open?', '有货吗'].map(record);
  await template.run('From another workflow', ...page);
  await template.run('From another workflow', ...page);
  expect(template.sentTo(PHONE)).toHaveLength(2);
  expect(n8n.mails.slice(2)).toEqual(
    [/before/, /before/].map((text) => expect.stringMatching(text) as unknown),
  );
});

test('an answer that is not accepted: a person', async () => {
  template.refuse();
  await come(reply(PHONE, 'When are you open?'));
  expect(n8n.mails).toEqual([expect.stringMatching(/not sent \(rejected\): .*余额不足/)]);
});

const asks = {
  ...{ event: 'reply', ...reply(PHONE, 'When are you open?') },
  time_iso: iso(1),
};
const other = { ...asks, mobile: 13_810_000_011 };

/** The records, who is answered, and the mails, when something is not as usual. */
type Row = [
  what: string,
  records: IDataObject[],
  answered: string[],
  mails?: RegExp[],
  agent?: (text: string) => string,
];

const NONE = /\n\n(No SMS was sent|The model has not answered)/;

test.each<Row>([
  [
    'the model is away, and comes back',
    [asks, { ...other, content: '在吗' }],
    [],
    [
      /^SMS from 13810000010\nWhen are you open\?\n\nThe model has not answered\. The model is overloaded$/,
      /^SMS from 13810000011\n在吗\n\nThe model has not answered/,
    ],
    away,
  ],
  [
    'the model is away for one of a page',
    [{ ...asks, content: '在吗' }, other],
    ['13810000011'],
    [/^SMS from 13810000010\n在吗\n\nThe model has not answered/],
    (text) => (text.includes('在吗') ? away() : 'From 9 to 18.'),
  ],
  ...[
    '',
    'From 9 to 18. '.repeat(20),
    'Person',
    'person.',
    '"Person"',
    ' ',
    '人工',
    '转人工。',
    { a: 1 },
  ].map((said): Row => [
    `the model says ${JSON.stringify(said)}`,
    [asks],
    [],
    [NONE],
    () => said as string,
  ]),
  ['no text', [{ ...asks, content: '' }], [], [/^SMS from 13810000010\n/]],
  ['no number', [{ event: 'reply', content: 'TD' }], [], [/^SMS from \nTD\n/]],
  ['no time', [{ ...asks, time_iso: null }], [], [/older than an hour/]],
  ['older than an hour', [{ ...asks, time_iso: iso(61) }], [], [/older than an hour/]],
  ['59 minutes old', [{ ...asks, time_iso: iso(59) }], [PHONE]],
  ['a number with 86', [{ ...asks, mobile: '+86 138-1000-0010' }], [PHONE]],
  ['a longer number', [{ ...asks, mobile: '20138100000103' }], [], [/not sent \(rejected\)/]],
  ['an unreadable answer', [{ event: 'unreadable', answer: '<html>' }], [], [/<html>/]],
])('%s', async (_, records, answered, mails = [], agent = n8n.agent) => {
  n8n.agent = agent;
  await template.run('From another workflow', ...records);
  expect([...template.gateway.deliveries()]).toEqual(answered.map((phone) => [phone, 1]));
  expect(toDo()).toEqual(mails.map((text) => expect.stringMatching(text) as unknown));
  expect(listed()).toEqual([]);
});

test('the mail server is away: the replies come again, each alone, until the person has been told', async () => {
  refuseMails(n8n, 1);
  template.gateway.queueReplies([
    reply('13810000011', 'TD'),
    reply(PHONE, 'When are you open?'),
    reply('13810000012', '人工'),
  ]);
  const executions = await template.poll('New replies', 2);
  expect(executions.map(({ error }) => error !== undefined)).toEqual([true, false, false, false]);
  expect(toDo()).toEqual([
    expect.stringMatching(/^SMS from 13810000011\nTD/),
    expect.stringMatching(/^SMS from 13810000012\n人工/),
  ]);
  expect([...template.gateway.deliveries()]).toEqual([[PHONE, 1]]);
});

// F5
test('an answering machine is answered five times a day, then a person is told', async () => {
  n8n.agent = () => 'From 9 to 18.';
  for (let minutes = 9; minutes > 0; minutes--) {
    await come(reply(PHONE, `【自动回复】您好，我现在不在，${minutes}`, minutes));
  }
  await come(reply('13810000011', 'When are you open?'));
  expect(template.sentTo(PHONE)).toHaveLength(5);
  expect(template.sentTo('13810000011')).toHaveLength(1);
  expect(toDo()).toEqual(
    Array.from(
      { length: 4 },
      () => expect.stringMatching(/not sent \(rejected\): .*had 5 today/) as unknown,
    ),
  );
});
