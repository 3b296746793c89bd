import { ADDRESS, OWN, PHONE, reply, useTemplate } from './run';

const template = useTemplate(
  'reply-keyword',
  { 'To a person': ADDRESS, Answer: OWN },
  '您的预约已${result}。',
);

const { n8n, come } = template;

test.each([
  ['1', '确认'],
  [' １。', '确认'],
  ['2', '取消'],
])('%j is answered with %s', async (content, result) => {
  await come(reply(PHONE, content));
  expect(template.sentTo(PHONE)).toEqual([{ result }]);
  expect(n8n.mails).toEqual([]);
});

test('the same keyword in a later reply is answered again', async () => {
  await come(reply(PHONE, '1'));
  await come({ ...reply(PHONE, '1'), time: reply(PHONE, '1').time + 60 });
  expect(template.sentTo(PHONE)).toHaveLength(2);
});

test.each(['TD', 'td ', 'Ｔ', '退订'])('%j opts out once, without an answer', async (content) => {
  await come(reply(PHONE, content));
  await come({ ...reply(PHONE, content), time: reply(PHONE, content).time + 60 });
  expect(n8n.tables.get('sms_opt_outs')).toMatchObject([{ phone_number: PHONE }]);
  expect(template.sentTo(PHONE)).toEqual([]);
});

test('who has opted out gets no answer, also in the same page', async () => {
  await come(reply(PHONE, 'TD'), reply(PHONE, '1'), reply('13810000011', '1'));
  await template.run('From another workflow', {
    event: 'reply',
    mobile: PHONE,
    content: '2',
    time: 1,
  });
  expect(template.sentTo(PHONE)).toEqual([]);
  expect(template.sentTo('13810000011')).toHaveLength(1);
});

test('a number with +86 is the same one', async () => {
  await template.run('From another workflow', { phone_number: `+86 ${PHONE}`, content: 'TD' });
  await come(reply(PHONE, '1'));
  expect(template.sentTo(PHONE)).toEqual([]);
});

test('a person gets everything else', async () => {
  await come(reply(PHONE, 'Thanks. Where is it?'));
  expect(n8n.mails).toEqual([
    expect.stringMatching(/^SMS from 13810000010\nThanks\. Where is it\?(.|\n)*no keyword/),
  ]);
  expect(template.sentTo(PHONE)).toEqual([]);
});

test('a person hears of an answer that was not sent', async () => {
  template.refuse();
  await come(reply(PHONE, '1'));
  expect(n8n.mails).toEqual([expect.stringMatching(/not sent \(rejected\): .*余额不足/)]);
});

test('a reply that comes twice is answered once', async () => {
  const record = { event: 'reply', ...reply(PHONE, '1') };
  await template.run('From another workflow', record);
  await template.run('From another workflow', record);
  expect(template.sentTo(PHONE)).toHaveLength(1);
});
