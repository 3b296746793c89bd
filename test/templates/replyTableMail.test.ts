import type { IDataObject } from 'n8n-workflow';

import { ADDRESS, handed, has, OTHER, PHONE, reply, useTemplate } from './run';

const template = useTemplate('reply-table-mail', { 'Mail it': ADDRESS });

const { n8n } = template;

const rows = () => n8n.tables.get('sms_replies') ?? [];

test('each reply becomes a row, and a mail', async () => {
  await template.come(reply(PHONE, '好的'), reply(OTHER, 'Thanks'));
  expect(rows()).toEqual([
    {
      ...{ id: 1, phone_number: PHONE, content: '好的', time: '2026-01-01T00:00:00.000Z' },
      ...{ page: '', answers_to: 'Your order has shipped.' },
      ...{ mailed: has(/./), createdAt: has(/./) },
    },
    expect.objectContaining({ phone_number: OTHER, content: 'Thanks' }),
  ]);
  expect(n8n.mails).toEqual([
    `SMS from ${PHONE}\n好的\n\nFrom ${PHONE}, 2026-01-01T00:00:00.000Z\nIn answer to: Your order has shipped.`,
    has('Thanks'),
  ]);
});

const CALLED = 'From another workflow';

const record = (content: unknown, more: object = {}) =>
  handed(reply(PHONE, ''), { phone_number: PHONE, content, ...more } as IDataObject);

describe('deviations', () => {
  test('a reply comes twice, also from two triggers: one row and one mail', async () => {
    await template.run(CALLED, record('1'));
    await template.run(CALLED, record('1'));
    await template.run('New replies', record('1'));
    expect(rows()).toHaveLength(1);
    expect(n8n.mails).toHaveLength(1);
    // The same words at another time are another reply.
    await template.run(CALLED, record('1', { time: reply(PHONE, '').time + 60 }));
    expect(rows()).toHaveLength(2);
    // Without a time, the same words of another page.
    for (const page_id of ['a', 'a/1', 'b'])
      await template.run(CALLED, record('1', { time: '2026-01-01', page_id }));
    expect(rows()).toHaveLength(4);
  });

  test('the mail server is away: it fails, has the rows, and mails later, once', async () => {
    n8n.refuseMails(2);
    template.gateway.queueReplies([reply(PHONE, '1'), reply(PHONE, '2')]);
    const [ran] = await template.poll('New replies', 3);
    expect(ran?.error).toContain('2 replies are in the table and not mailed: Connection refused');
    expect(rows()).toHaveLength(2);
    expect(n8n.mails).toHaveLength(2);
  });

  // Another try of the node would repeat the good ones.
  test('one mail is refused for good: the others are mailed once', async () => {
    n8n.refuses = (mail) => mail.includes('spam');
    template.gateway.queueReplies(['spam', '1', '2', '3'].map((content) => reply(PHONE, content)));
    const [ran] = await template.poll('New replies', 3);
    expect(ran?.error).toContain('1 replies are in the table and not mailed');
    expect(n8n.mails.map((mail) => mail.split('\n')[1]).sort()).toEqual(['1', '2', '3']);
    expect(rows()).toHaveLength(4);
  });

  test.each(['Mail it', 'Mailed'])(
    'n8n is killed before "%s": the reply comes again, and is mailed',
    async (node) => {
      await n8n.killAt(node, () => template.run(CALLED, record('1')));
      await template.run(CALLED, record('1'));
      await template.run(CALLED, record('1'));
      expect(rows()).toHaveLength(1);
      expect(n8n.mails).toHaveLength(node === 'Mail it' ? 1 : 2);
    },
  );

  test.each<[string, object, string]>([
    ['an unreadable answer', { event: 'unreadable', answer: '{"cut' }, '{"cut'],
    ['another answer', { event: 'unreadable', answer: { a: [1] } }, '{"a":[1]}'],
    ['no fields', { event: 'reply' }, ''],
    ['empty fields', { event: 'reply', mobile: null, content: null, time: null }, ''],
    ['an array as text', record(['1', '2']), '["1","2"]'],
    ['an object as text', record({ text: '1' }), '{"text":"1"}'],
    ['a number as text', record(1), '1'],
    ['no number but mobile', record('1', { phone_number: '' }), '1'],
    ['other times', record('1', { time: '2026/1/1 8:00' }), '1'],
  ])('%s: row and mail say what came', async (_, item, content) => {
    await template.run(CALLED, item as never);
    expect(rows()).toMatchObject([{ content }]);
    expect(n8n.mails).toHaveLength(1);
    expect(n8n.mails[0]).toContain(content);
  });
});
