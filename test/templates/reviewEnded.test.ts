import { ADDRESS, useTemplate } from './run';

const template = useTemplate('review-ended', { 'Mail the results': ADDRESS });

const look = async () => await template.run('Every 15 minutes', {});

const review = (id: number, status: number) => {
  const record = template.gateway.state.templates.get(id);
  if (record) record.audit_status = status;
};

test('first all whose review has ended, then only news, in one mail', async () => {
  await look();
  expect(template.n8n.mails).toEqual([
    expect.stringMatching(/^SMS: 3 reviews have ended\n登录验证码 \(301\): passed\. 您的验证码/),
  ]);
  await look();
  expect(template.n8n.mails).toHaveLength(1);
  review(304, 3);
  await look();
  await look();
  expect(template.n8n.mails.slice(1)).toEqual([
    expect.stringMatching(/^SMS: a review has ended\n.*\(304\): refused\. /),
  ]);
});

test('a template that is changed and reviewed again is told again', async () => {
  await look();
  review(301, 1);
  await look();
  review(301, 3);
  await look();
  expect(template.n8n.mails).toHaveLength(2);
});
