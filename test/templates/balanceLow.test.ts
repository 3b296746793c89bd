import { ADDRESS, OWN, PHONE, useTemplate } from './run';

const template = useTemplate(
  'balance-low',
  { 'Send an SMS': { ...OWN, phoneNumbers: PHONE }, 'Send a mail': ADDRESS },
  '短信余额仅剩${balance}条，请及时充值。',
);

const hour = async () => await template.run('Every hour', {});

test('below the threshold: one SMS and one mail in a day, and in the next day again', async () => {
  template.gateway.state.balance = 1000;
  await hour();
  expect(template.n8n.mails).toEqual([]);
  template.gateway.state.balance = 999;
  await hour();
  await hour();
  expect(template.sentTo(PHONE)).toEqual([{ balance: '999' }]);
  expect(template.n8n.mails).toEqual([
    expect.stringMatching(/^SMS: the balance is 999\n(.|\n)*that says so: accepted/),
  ]);
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 24 * 3_600_000);
  await hour();
  clock.mockRestore();
  expect(template.sentTo(PHONE)).toHaveLength(2);
  expect(template.n8n.mails).toHaveLength(2);
});

test('nothing left: the mail says that the SMS was not sent', async () => {
  template.gateway.state.balance = 0;
  await hour();
  expect(template.n8n.mails).toEqual([expect.stringMatching(/that says so: rejected .+/)]);
});
