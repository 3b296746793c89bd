/** The node as a tool of an AI agent. */
import type { Credential, N8nClient } from '../lib/client';
import { readExample, SHIPPED, withChoices } from '../lib/workflowFiles';
import { startModel, type ModelRequest } from '../lib/model';
import { pictureFile } from '../lib/paths';
import { expect, test } from '../lib/test';
import { anyNode, chain, manualTrigger, ownNode, templateSms } from '../lib/workflow';
import { Chat, chatButton, NO_BOT } from './chat';
import type { Editor } from './editor';

test('Executed from the editor, the tool asks for what a model would fill in, and sends once', async ({
  client,
  editor,
  openAccount,
}) => {
  const { gateway, credential } = await openAccount();
  const phone = "={{ $fromAI('phone', 'the number to send to', 'string') }}";
  const tool = ownNode('smsMessagingServiceTool', 'Send SMS', templateSms(phone), credential);
  const agent = anyNode('@n8n/n8n-nodes-langchain.agent', 3, 'AI Agent');
  const file = chain('Agent with a tool', manualTrigger(), agent);
  file.nodes.push({ ...tool, position: [240, 200] });
  file.connections[tool.name] = { ai_tool: [[{ node: agent.name, type: 'ai_tool', index: 0 }]] };
  const workflow = await client.importWorkflow(file, [credential]);

  await editor.open(`${workflow.id}/${tool.id}`);
  await expect(editor.field('phoneNumbers')).toBeVisible();
  await editor.executeButton.click();
  const send = editor.page.getByTestId('execute-workflow-button');
  const form = editor.page.getByRole('dialog').filter({ has: send });
  await form.locator('input').first().fill('13800138000');
  await editor.page.screenshot({ path: pictureFile('ai-tool-form') });
  await form.getByTestId('execute-workflow-button').click();
  await expect(editor.outputPanel.getByTestId('node-run-status-success').first()).toBeVisible();
  await editor.page.screenshot({ path: pictureFile('ai-tool') });

  await expect(editor.outputPanel.getByText('accepted').first()).toBeVisible();
  expect([...gateway.deliveries()]).toEqual([['13800138000', 1]]);
  const sends = gateway.requests.filter(({ path }) => path === '/sendsms/template/send');
  expect(sends).toHaveLength(1);
  editor.expectNoErrors();
});

test.describe('The template agent-approved', () => {
  test.use({ userAgent: NO_BOT });

  const ORDER = { phone: '13810000010', name: 'Li Lei', order: 'A-1001', date: 'June 3' };

  /** Calls the tool for each message of the user, and then says what came of it. */
  const answer = ({ messages }: ModelRequest) => {
    const last = messages.at(-1);
    if (last?.role !== 'tool') return { toolParameters: ORDER, hitlParameters: {} };
    return /accepted|skipped|rejected/.exec(String(last.content))?.[0].toUpperCase() ?? 'NOTHING';
  };

  /** Opens the template in the editor, with its chat. */
  const openChat = async (client: N8nClient, editor: Editor, credential: Credential) => {
    const model = await startModel(answer);
    const data = { apiKey: 'key-of-no-model', url: model.url };
    const openAi = await client.createCredential('OpenAI account', 'openAiApi', data);
    const file = withChoices(readExample('agent-approved'), { 'Send shipping notice': SHIPPED });
    const workflow = await client.importWorkflow(file, [credential, openAi]);
    await editor.open(workflow.id);
    await chatButton(editor).click();
    return { model, workflow, chat: new Chat(editor) };
  };

  test('A call waits for a person, and an approval sends exactly one message', async ({
    client,
    editor,
    openAccount,
  }) => {
    const { gateway, credential } = await openAccount();
    const { chat, model, workflow } = await openChat(client, editor, credential);
    await chat.say('Order A-1001 of Li Lei, 13810000010, arrives on June 3');
    await expect(chat.button('Send')).toBeVisible();
    await editor.page.screenshot({ path: pictureFile('agent-review') });
    expect(gateway.requests).toHaveLength(0);
    const [tool] = model.requests[0]?.tools ?? [];
    expect(tool?.function).toMatchObject({
      name: 'Send_shipping_notice',
      description: expect.stringContaining('Each message costs money and cannot be taken back.'),
    });

    const [waiting] = await client.executions(workflow);
    const { data } = await client.execution(waiting?.id ?? '');
    const [asked] = data.resultData.runData['Ask before sending'] ?? [];
    const { sendMessage } = asked?.data?.ai_tool?.[0]?.[0] ?? {};
    const { buttons } = sendMessage as unknown as { buttons: { link: string }[] };
    await chat.button('Send').click();
    await chat.answered('ACCEPTED');
    expect([...gateway.deliveries()]).toEqual([[ORDER.phone, 1]]);
    for (const { link } of buttons) await editor.page.request.get(link);
    expect(gateway.requests, 'the links are of no use a second time').toHaveLength(1);

    await chat.say('Send it again');
    await expect(editor.page.getByText('Send this SMS?')).toHaveCount(2);
    await chat.button('Send').click();
    await chat.answered('SKIPPED');
    expect(gateway.requests, 'the notice about this order was sent before').toHaveLength(1);
    await model.close();
    editor.expectNoErrors();
  });

  test('A refusal sends nothing, by the button or in words, and the model is told', async ({
    client,
    editor,
    openAccount,
  }) => {
    const { gateway, credential } = await openAccount();
    const { chat, model } = await openChat(client, editor, credential);
    await chat.say('Order A-1001 of Li Lei, 13810000010, arrives on June 3');
    await chat.button('Do not send').click();
    await chat.answered('REJECTED');

    await chat.say('Order A-1001 of Li Lei, 13810000011, arrives on June 3');
    await expect(editor.page.getByText('Send this SMS?')).toHaveCount(2);
    await chat.say('No, that is not her number');
    await chat.answered('NOTHING');
    const told = model.requests.map(({ messages }) => messages.at(-1));
    expect(told.map((message) => message?.role)).toEqual(['user', 'tool', 'user', 'tool']);
    expect(told.at(-1)?.content).toContain('No, that is not her number');
    expect(gateway.requests).toHaveLength(0);
    await model.close();
    editor.expectNoErrors();
  });
});
