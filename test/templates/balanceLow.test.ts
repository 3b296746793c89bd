import { ADDRESS, OWN, PHONE, useTemplate } from './run';

const template = useTemplate(
  'balance-low',
  { 'Send an SMS': { ...OWN, phoneNumbers: PHONE }, 'Send a mail': ADDRESS },
  '短信余额仅剩${balance}条，请及时充值。',
);

const hour = async () => await template.run('Every hour', {});

test('below the threshold: one SMS and one mail in a day', async () => {
  template.gateway.state.balance = 999;
  await hour();
  await hour();
  expect(template.sentTo(PHONE)).toEqual([{ balance: '999' }]);
  expect(template.n8n.mails).toEqual([
    expect.stringMatching(/^SMS: the balance is 999\n(.|\n)*that says so: accepted/),
  ]);
});

test('nothing left: the mail says that the SMS was not sent', async () => {
  template.gateway.state.balance = 0;
  await hour();
  expect(template.n8n.mails).toEqual([expect.stringMatching(/that says so: rejected .+/)]);
});
