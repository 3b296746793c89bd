/** The node as a tool of an AI agent. */
import { pictureFile } from '../lib/paths';
import { expect, test } from '../lib/test';
import { anyNode, chain, manualTrigger, ownNode, templateSms } from '../lib/workflow';

test('The tool asks for what a model would fill in', async ({ client, editor, openAccount }) => {
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
