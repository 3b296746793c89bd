/** The templates with an AI agent. A stand-in answers as a model would: no model was run. */
import { startModel } from '../lib/model';
import { expect } from '../lib/test';
import { Chat, chatButton, NO_BOT } from './chat';
import { MAIL, OWN, PHONES, SHIPPED, test } from './templateTest';
import { reply } from './templateRecords';

const [PHONE, OTHER] = PHONES;

test.use({ userAgent: NO_BOT });

test('agent-approved', async ({ editor, openTemplate }) => {
  const order = { phone: PHONE, name: 'Li Lei', order: 'A-1001', date: 'June 3' };
  const model = await startModel(({ messages }) =>
    messages.at(-1)?.role === 'tool' ? 'Done' : { toolParameters: order, hitlParameters: {} },
  );
  const { gateway, pick, user } = await openTemplate('agent-approved', { model: model.url });
  await user.open(editor, 'Send shipping notice');
  await pick(SHIPPED);
  await user.close(editor);
  await user.click('Open chat', chatButton(editor));

  const chat = new Chat(editor);
  await chat.say('Order A-1001 of Li Lei, 13810000010, arrives on June 3');
  await expect(chat.button('Send')).toBeVisible();
  expect(gateway.deliveries().size).toBe(0);
  await chat.button('Send').click();
  await chat.answered('Done');
  expect([...gateway.deliveries()]).toEqual([[PHONE, 1]]);
  await model.close();
});

test('agent-replies', async ({ editor, openTemplate }) => {
  const model = await startModel(() => 'We open at 9.');
  const { gateway, pick, smtp, tables, user } = await openTemplate('agent-replies', {
    model: model.url,
    text: '${answer}',
  });
  await user.open(editor, 'Agent');
  await user.enter(editor, 'systemMessage', 'You answer for a shop that opens at 9.');
  await user.close(editor);
  await user.open(editor, 'Send the answer');
  await pick(OWN);
  await user.close(editor);
  await user.open(editor, 'Tell the person');
  await user.enter(editor, 'fromEmail', MAIL);
  await user.close(editor);
  gateway.queueReplies([reply(PHONE, 'When do you open?'), reply(OTHER, '人工')]);
  await user.publish(editor);

  await expect.poll(() => smtp.mails).toHaveLength(1);
  expect(smtp.mails).toMatchObject([{ to: [MAIL], subject: `SMS from ${OTHER}` }]);
  expect(await tables.rows('sms_with_person')).toMatchObject([{ phone: OTHER, content: '人工' }]);
  await expect.poll(() => [...gateway.deliveries()]).toEqual([[PHONE, 1]]);
  expect(JSON.stringify(gateway.state.messages.get(PHONE))).toContain('We open at 9.');
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('a shop that opens at 9');
  await model.close();
});
