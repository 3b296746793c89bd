import { ADDRESS, PHONE, report, useTemplate } from './run';

const template = useTemplate('not-delivered', {
  'Mail them': ADDRESS,
  // Nobody listens there.
  'Post to a chat': { url: 'http://127.0.0.1:1' },
});

const { n8n } = template;

test('one mail and one post for a page, with each failure, its cause and what to do', async () => {
  template.gateway.queueReports([
    report(PHONE),
    report('13810000011', 'UNDELIV'),
    report('13810000012', 'MK:0001'),
    report('13810000013', 'NEW:LIMIT'),
  ]);
  await template.poll('New delivery reports');
  expect(n8n.mails).toHaveLength(1);
  const [subject, ...lines] = n8n.mails[0]?.split('\n') ?? [];
  expect(subject).toBe('3 SMS not delivered');
  expect(lines).toEqual([
    expect.stringMatching(
      /^13810000011: the phone is off.*\(UNDELIV .*, batch b-1\)\. Check the number/,
    ),
    expect.stringMatching(/^13810000012: the number does not exist.*\(MK:0001 .* Ask the customer/),
    expect.stringMatching(
      /^13810000013: the cause is not known \(NEW:LIMIT .* Ask your SMS provider/,
    ),
  ]);
  expect(n8n.posts).toEqual([{ msgtype: 'text', text: { content: lines.join('\n') } }]);
});

test('delivered messages, and replies, do nothing', async () => {
  const records = [
    { event: 'deliveryReport', ...report(PHONE) },
    { event: 'reply', content: '1' },
  ];
  await template.run('From another workflow', ...records);
  expect(n8n.mails).toEqual([]);
});
