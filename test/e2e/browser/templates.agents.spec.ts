/** The templates with an AI agent. A stand-in answers as a model would: no model was run. */
import { startModel } from '../lib/model';
import { pictureFile } from '../../kit/n8n/paths';
import { expect } from '../lib/test';
import { FROM, MAIL, OWN, PHONES, SHIPPED, reply, test } from './templateTest';

const [PHONE, OTHER, THIRD] = PHONES;

test.use({
  // n8n does not let bots approve, and takes a headless browser for one.
  userAgent:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
});

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
  const { page } = editor;
  await user.click('Open chat', page.getByTestId('workflow-chat-button').first());

  const say = async (text: string) => {
    const field = page.getByPlaceholder(/^Type (?:a )?message/);
    await field.fill(text);
    await expect(async () => {
      // The chat takes no message before it knows that the last execution has ended.
      await field.press('Enter');
      await expect(field).toHaveValue('', { timeout: 500 });
    }).toPass();
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true }).last();
  const answered = (text: string) =>
    expect(page.getByText(text, { exact: true }).last()).toBeVisible();
  await say('Order A-1001 of Li Lei, 13810000010, arrives on June 3');
  await expect(button('Send')).toBeVisible();
  await page.screenshot({ path: pictureFile('agent-review') });
  expect(sends()).toEqual([]);
  expect(model.requests[0]).toMatchObject({ parallel_tool_calls: false });
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
  await button('Send').click();
  await answered('ACCEPTED');
  expect([...gateway.deliveries()]).toEqual([[PHONE, 1]]);
  for (const { link } of buttons) await page.request.get(link);
  expect(sends(), 'the links are of no use a second time').toHaveLength(1);

  const questions = page.getByText('Send this SMS?');
  await say('Send it again');
  await expect(questions).toHaveCount(2);
  await button('Send').click();
  await answered('SKIPPED');
  await say('And to her brother');
  await expect(questions).toHaveCount(3);
  await button('Do not send').click();
  await answered('REJECTED');
  await say('And to her sister');
  await expect(questions).toHaveCount(4);
  await say('No, that is not her number');
  await answered('NOTHING');
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
  gateway.queueReplies([
    reply(PHONE, 'When do you open?'),
    reply(OTHER, '人工'),
    reply(THIRD, '退订，谢谢'),
  ]);
  await publish();

  const mailOf = (phone: string) => ({ to: [MAIL], subject: `SMS from ${phone}` });
  await expect.poll(() => smtp.mails).toMatchObject([mailOf(OTHER), mailOf(PHONE)]);
  expect(smtp.mails[1]?.text).toContain('The agent has answered: We open at 9.');
  expect(await tables.rows('sms_opt_outs')).toMatchObject([{ phone_number: THIRD }]);
  await expect.poll(() => [...gateway.deliveries()]).toEqual([[PHONE, 1]]);
  expect(JSON.stringify(gateway.state.messages.get(PHONE))).toContain('We open at 9.');
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('a shop that opens at 9');
  await model.close();
});
