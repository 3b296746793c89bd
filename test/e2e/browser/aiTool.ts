import assert from 'node:assert/strict';

import type { Step } from '../lib/step';
import { anyNode, byId, chain, manualTrigger, ownNode } from '../lib/workflow';
import { Editor } from './editor';

/** The action node as the tool of an AI agent. */
export const aiTool: Step[] = [
  {
    name: 'Executed from the editor, the tool asks for what a model would fill in, and sends once',
    async run(stage) {
      const { gateway, credential } = await stage.account();
      const tool = ownNode(
        'smsMessagingServiceTool',
        'Send SMS',
        {
          resource: 'message',
          operation: 'sendTemplate',
          templateId: byId(301),
          signatureId: byId(201),
          phoneNumbers: "={{ $fromAI('phone', 'the number to send to', 'string') }}",
          parameterMode: 'json',
          parametersJson: '{"code": "4821", "minutes": "5"}',
        },
        credential,
      );
      const agent = anyNode('@n8n/n8n-nodes-langchain.agent', 3, 'AI Agent');
      const file = chain('Agent with a tool', manualTrigger(), agent);
      file.nodes.push({ ...tool, position: [240, 200] });
      file.connections[tool.name] = {
        ai_tool: [[{ node: agent.name, type: 'ai_tool', index: 0 }]],
      };
      const workflow = await stage.client.importWorkflow(file, [credential]);

      const editor = await Editor.open(stage, `${workflow.id}/${tool.id}`);
      await editor.field('phoneNumbers').waitFor();
      await editor.part('node-execute-button', editor.panel).first().click();
      const form = editor.page
        .getByRole('dialog')
        .filter({ has: editor.part('execute-workflow-button') });
      await form.locator('input').first().fill('13800138000');
      await stage.picture(editor.page, 'ai-tool-form');
      await editor.part('execute-workflow-button', form).click();
      await editor.part('node-run-status-success', editor.outputPanel).first().waitFor();
      await stage.picture(editor.page, 'ai-tool');

      await editor.outputPanel.getByText('accepted').first().waitFor();
      assert.deepEqual([...gateway.deliveries()], [['13800138000', 1]]);
      assert.equal(gateway.requests.length, 1);
      editor.assertNoComplaints();
    },
  },
];
