import { ADDRESS, OWN, PHONE, reply, useTemplate } from './run';

const template = useTemplate(
  'agent-replies',
  { 'Send the answer': OWN, 'Tell the person': ADDRESS },
  '${answer}',
);

const { n8n, come } = template;

// A model may say more than the one word.
beforeEach(() => (n8n.agent = (text) => (text.includes('open') ? 'From 9 to 18.' : 'PERSON.')));

test('the agent answers, and knows what the reply is to', async () => {
  const asked: string[] = [];
  n8n.agent = (text) => (asked.push(text), 'From 9 to 18.');
  await come(reply(PHONE, 'When are you open?'));
  expect(asked).toEqual([
    'We wrote: Your order has shipped.\nThe customer answers: When are you open?',
  ]);
  expect(template.sentTo(PHONE)).toEqual([{ answer: 'From 9 to 18.' }]);
  expect(n8n.mails).toEqual([]);
});

test('no answer: a person, who then gets every reply of this number', async () => {
  await come(reply(PHONE, 'Where is it?'), reply('13810000011', 'When are you open?'));
  await come(reply(PHONE, 'When are you open?'));
  expect(template.sentTo(PHONE)).toEqual([]);
  expect(template.sentTo('13810000011')).toHaveLength(1);
  expect(n8n.mails).toEqual([
    `SMS from ${PHONE}\nWhere is it?\n\nThe agent has no answer.`,
    `SMS from ${PHONE}\nWhen are you open?\n\nYou have this customer.`,
  ]);
});

test.each(['人工', 'I want a person, are you open?', 'TD', 'ｔｄ', '退订'])(
  'the agent is not even asked: %s',
  async (content) => {
    n8n.agent = () => 'From 9 to 18.';
    await come(reply(PHONE, content));
    expect(template.sentTo(PHONE)).toEqual([]);
    expect(n8n.mails).toEqual([expect.stringContaining('asks for a person')]);
  },
);

test('an answer that is not accepted: a person', async () => {
  template.refuse();
  await come(reply(PHONE, 'When are you open?'));
  expect(n8n.mails).toEqual([expect.stringMatching(/not sent: .*余额不足/)]);
});

test('a reply that comes twice is answered once', async () => {
  const record = { event: 'reply', ...reply(PHONE, 'When are you open?') };
  await template.run('From another workflow', record);
  await template.run('From another workflow', record);
  expect(template.sentTo(PHONE)).toHaveLength(1);
});
