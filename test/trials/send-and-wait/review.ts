/** Whether n8n takes the node as a channel for human review: in its lists, and in an AI agent. */
import type { INode, INodeParameters } from 'n8n-workflow';

import type { Credential, WorkflowFile } from '../../e2e/lib/client';
import { startModel } from '../../e2e/lib/model';
import { anyNode, chain, templateSms } from '../../e2e/lib/workflow';
import type { House } from './house';
import type { Finding } from './trials';
import { insert, intake, OUTCOMES } from './workflows';

const NODE = 'n8n-nodes-sms-messaging-service.smsMessagingService';
const PATH = 'trial-review';

/** What n8n makes of the node: a step for an agent, and an entry in its list of nodes. */
export async function inLists({ client }: House): Promise<Finding> {
  const types = await client.nodeTypes();
  const step = types.find(({ name }) => name === `${NODE}HitlTool`);
  const codex = types.find(({ name }) => name === NODE)?.codex;
  const isListed = codex?.categories?.includes('HITL') ?? false;
  const measured = [
    `n8n has made ${step ? `"${step.name.replace(/.*\./, '')}"` : 'nothing'} for agents`,
    `the node is ${isListed ? '' : 'not '}in its category for human review`,
  ].join(', ');
  return { holds: isListed && step !== undefined, measured };
}

/** An agent that may use a tool only when the customer has replied 1. */
export async function inAgent(house: House, content: string): Promise<Finding> {
  const { client, credential, ways } = house;
  const [way] = ways;
  const model = await startModel(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === 'tool'
      ? String(last.content)
      : { toolParameters: { input: '6 * 7' }, hitlParameters: {} };
  });
  try {
    const openAi = await client.createCredential('OpenAI account', 'openAiApi', {
      apiKey: 'key-of-no-model',
      url: model.url,
    });
    const file = agent(credential, openAi);
    const workflow = await client.importWorkflow(file, [credential, openAi]);
    await client.publish(workflow);
    const asked = house.customer(`review ${content}`);
    await client.callWebhook(PATH, { customers: [asked] });
    if (!way) throw new Error('There is no way to ask.');
    await house.waits(way, asked.question);
    await way.handOver([house.reply(asked.phone, content)]);
    const outcome = await house.outcome(asked.question);
    await client.deactivate(workflow);
    const isRun = outcome.includes('42');
    const measured = `${house.messages(asked.phone)} SMS, reply ${content}: the tool was ${isRun ? '' : 'not '}run, "${outcome.slice(0, 80)}"`;
    return { holds: isRun === (content === '1'), measured };
  } finally {
    await model.close();
  }
}

function agent(credential: Credential, openAi: Credential): WorkflowFile {
  const { resource, templateId, signatureId, ...sms } = templateSms(
    "={{ $('Customers').first().json.phone }}",
  );
  const ask: INode = {
    ...anyNode(`${NODE}HitlTool`, 1, 'Ask by SMS', {
      ...sms,
      ...{ resource, templateId, signatureId, operation: 'sendAndWait', answers: '1,2' },
      question: "={{ $('Customers').first().json.question }}",
      options: {},
    }),
    credentials: { smsMessagingServiceApi: { id: credential.id, name: credential.name } },
  };
  const model: INode = {
    ...anyNode('@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.3, 'Model', {
      model: { __rl: true, mode: 'list', value: 'gpt-5-mini' } as unknown as INodeParameters,
      responsesApiEnabled: false,
      options: {},
    }),
    credentials: { openAiApi: { id: openAi.id, name: openAi.name } },
  };
  const calculator = anyNode('@n8n/n8n-nodes-langchain.toolCalculator', 1, 'Calculator');
  const file = chain(
    PATH,
    ...intake(PATH),
    anyNode('@n8n/n8n-nodes-langchain.agent', 3.1, 'Agent', {
      promptType: 'define',
      text: 'What is 6 * 7?',
      options: {},
    }),
    insert('Outcome', OUTCOMES, {
      question: "={{ $('Customers').first().json.question }}",
      outcome: '={{ $json.output }}',
    }),
  );
  const to = (node: string, type: 'ai_tool' | 'ai_languageModel') => ({
    [type]: [[{ node, type, index: 0 }]],
  });
  return {
    ...file,
    nodes: [...file.nodes, ask, model, calculator],
    connections: {
      ...file.connections,
      Calculator: to(ask.name, 'ai_tool'),
      [ask.name]: to('Agent', 'ai_tool'),
      Model: to('Agent', 'ai_languageModel'),
    },
  };
}
