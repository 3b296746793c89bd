import { ADDRESS, PHONE, reply, useTemplate } from './run';

const template = useTemplate('reply-table-mail', { 'Mail it': ADDRESS });

const { n8n } = template;

const rows = () => n8n.tables.get('sms_replies') ?? [];

test('each reply becomes a row, and a mail', async () => {
  await template.come(reply(PHONE, '好的'), reply('13810000011', 'Thanks'));
  expect(rows()).toEqual([
    {
      id: 1,
      phone_number: PHONE,
      content: '好的',
      time: '2026-01-01T00:00:00.000Z',
      answers_to: 'Your order has shipped.',
    },
    expect.objectContaining({ phone_number: '13810000011', content: 'Thanks' }),
  ]);
  expect(n8n.mails).toEqual([
    `SMS from ${PHONE}\n好的\n\nFrom ${PHONE}, 2026-01-01T00:00:00.000Z\nIn answer to: Your order has shipped.`,
    expect.stringContaining('Thanks'),
  ]);
});

test('a reply that comes twice, in another execution, is one row', async () => {
  const record = { event: 'reply', ...reply(PHONE, '1'), phone_number: PHONE };
  await template.run('From another workflow', record);
  await template.run('From another workflow', record);
  expect(rows()).toHaveLength(1);
  // The same words at another time are another reply.
  await template.run('From another workflow', { ...record, time: record.time + 60 });
  expect(rows()).toHaveLength(2);
});
