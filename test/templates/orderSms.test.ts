import { PHONE, SHIPPED, useTemplate } from './run';

const template = useTemplate('order-sms', { 'Send the SMS': SHIPPED });

const order = (order: string, phone = PHONE) => ({
  body: { order, phone, name: '李雷', date: '6月3日' },
});

test('an order is sent, and the shop is told', async () => {
  await template.run('Order', order('A-1'));
  expect(template.sentTo(PHONE)).toEqual([{ name: '李雷', order: 'A-1', date: '6月3日' }]);
  const batch = expect.any(String) as unknown;
  expect(template.n8n.answers).toEqual([
    { body: { status: 'accepted', batch_id: batch }, code: 200 },
  ]);
});

test('an order that comes twice is sent once', async () => {
  await template.run('Order', order('A-1'));
  await template.run('Order', order('A-1'));
  expect(template.sentTo(PHONE)).toHaveLength(1);
  expect(template.n8n.answers.at(-1)).toEqual({
    body: { status: 'skipped', batch_id: null },
    code: 200,
  });
});

test('a wrong number: nothing is sent, the answer says why, and the order can be posted again', async () => {
  await template.run('Order', order('A-1', '1381000'));
  const reason = expect.stringContaining('1381000') as unknown;
  expect(template.n8n.answers).toEqual([{ body: { status: 'rejected', reason }, code: 422 }]);
  await template.run('Order', order('A-1'));
  expect(template.sentTo(PHONE)).toHaveLength(1);
});

test('no clear answer of the service: it may have been sent, and is not sent again', async () => {
  template.gateway.fault({ kind: 'resetAfterAccept' });
  await template.run('Order', order('A-1'));
  expect(template.n8n.answers.at(-1)).toMatchObject({ body: { status: 'unknown' }, code: 502 });
  await template.run('Order', order('A-1'));
  expect(template.n8n.answers.at(-1)).toMatchObject({ body: { status: 'skipped' }, code: 200 });
});
