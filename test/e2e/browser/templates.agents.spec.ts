/** The templates with an AI agent. A stand-in answers as a model would: no model was run. */
import { startModel } from '../lib/model';
import { pictureFile } from '../lib/paths';
import { expect } from '../lib/test';
import { Chat, chatButton, NO_BOT } from './chat';
import { FROM, MAIL, OWN, PHONES, SHIPPED, reply, test } from './templateTest';

const [PHONE, OTHER] = PHONES;

test.use({ userAgent: NO_BOT });

test('agent-approved, by a person for each message', async ({ client, editor, openTemplate }) => {
  const order = { phone: PHONE, name: 'Li Lei', order: 'A-1001', date: 'June 3' };
  // It calls the tool for each message of the user, and then says what came of it.
  const model = await startModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role !== 'tool') return { toolParameters: order, hitlParameters: {} };
    return /accepted|skipped|rejected/.exec(String(last.content))?.[0].toUpperCase() ?? 'NOTHING';
  });
  const trial = await openTemplate('agent-approved', { model: model.url });
  const { gateway, saved, setUp, user } = trial;
  const sends = () => gateway.requests.filter(({ path }) => path.endsWith('/send'));
  await setUp({ 'Send shipping notice': SHIPPED });
  await user.click('Open chat', chatButton(editor));

  const chat = new Chat(editor);
  await chat.say('Order A-1001 of Li Lei, 13810000010, arrives on June 3');
  await expect(chat.button('Send')).toBeVisible();
  await editor.page.screenshot({ path: pictureFile('agent-review') });
  expect(sends()).toEqual([]);
  const [tool] = model.requests[0]?.tools ?? [];
  expect(tool?.function).toMatchObject({
    name: 'Send_shipping_notice',
    description: expect.stringContaining('Each message costs money and cannot be taken back.'),
  });
  const [waiting] = await client.executions(await saved());
  const { data } = await client.execution(waiting?.id ?? '');
  const [asked] = data.resultData.runData['Ask before sending'] ?? [];
  const { sendMessage } = asked?.data?.ai_tool?.[0]?.[0] ?? {};
  const { buttons } = sendMessage as unknown as { buttons: { link: string }[] };
  await chat.button('Send').click();
  await chat.answered('ACCEPTED');
  expect([...gateway.deliveries()]).toEqual([[PHONE, 1]]);
  for (const { link } of buttons) await editor.page.request.get(link);
  expect(sends(), 'the links are of no use a second time').toHaveLength(1);

  const questions = editor.page.getByText('Send this SMS?');
  await chat.say('Send it again');
  await expect(questions).toHaveCount(2);
  await chat.button('Send').click();
  await chat.answered('SKIPPED');
  await chat.say('And to her brother');
  await expect(questions).toHaveCount(3);
  await chat.button('Do not send').click();
  await chat.answered('REJECTED');
  await chat.say('And to her sister');
  await expect(questions).toHaveCount(4);
  await chat.say('No, that is not her number');
  await chat.answered('NOTHING');
  expect(model.requests.at(-1)?.messages.at(-1)?.content).toContain('No, that is not her number');
  expect(sends(), 'the notice about this order was sent before').toHaveLength(1);
  await model.close();
});

test('agent-replies', async ({ openTemplate }) => {
  const model = await startModel(() => 'We open at 9.');
  const { gateway, publish, setUp, smtp, tables } = await openTemplate('agent-replies', {
    model: model.url,
    text: '${answer}',
  });
  await setUp(
    { Agent: { systemMessage: 'You answer for a shop that opens at 9.' } },
    { 'Send the answer': OWN },
    { 'Tell the person': FROM },
  );
  gateway.queueReplies([reply(PHONE, 'When do you open?'), reply(OTHER, '人工')]);
  await publish();

  await expect.poll(() => smtp.mails).toMatchObject([{ to: [MAIL], subject: `SMS from ${OTHER}` }]);
  expect(await tables.rows('sms_with_person')).toMatchObject([{ phone: OTHER, content: '人工' }]);
  await expect.poll(() => [...gateway.deliveries()]).toEqual([[PHONE, 1]]);
  expect(JSON.stringify(gateway.state.messages.get(PHONE))).toContain('We open at 9.');
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('a shop that opens at 9');
  await model.close();
});
