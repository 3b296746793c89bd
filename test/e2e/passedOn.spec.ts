/**
 * A send whose connection broke after the service had accepted it, seen from where n8n passes its error on. What
 * arrives says that the message may have been sent, and nothing invites to send it again.
 */
import { randomUUID } from 'node:crypto';

import type { IConnections, INode, INodeParameters } from 'n8n-workflow';
import { fetch } from 'undici';

import type { Account, N8nClient, Workflow, WorkflowFile } from '../kit/n8n/client';
import { type ModelRequest, startModel } from './lib/model';
import { expect, test } from './lib/test';
import { anyNode, callTo, chain, ownNode, templateSms, webhookAt } from '../kit/n8n/workflow';

const PHONE = '13800138000';

/** The service accepts a message, and its answer is lost. */
const FAULT = { kind: 'resetAfterAccept' } as const;

const SAYS = /message may have been sent: The connection broke/;

/** What n8n has in the place of a text with the name of a system error. */
const NOT = /retry the request immediately|perhaps it is offline/;

interface Fixtures {
  client: N8nClient;
  account: Account;
}

/** A workflow that sends, and that another one calls. */
async function publishCalled({ client, account }: Fixtures): Promise<Workflow> {
  const start = anyNode('n8n-nodes-base.executeWorkflowTrigger', 1.1, 'Start', {
    inputSource: 'passthrough',
  });
  const send = ownNode('smsMessagingService', 'Send', templateSms(PHONE), account.credential);
  const file = chain(`Send ${randomUUID()}`, start, send);
  const called = await client.importWorkflow(file, [account.credential]);
  await client.publish(called);
  return called;
}

/** The node as a tool, and the tool that calls a workflow with it. */
async function toolsOf(fixtures: Fixtures): Promise<INode[]> {
  const { id } = await publishCalled(fixtures);
  const send = ownNode(
    'smsMessagingService',
    'Send',
    templateSms(PHONE),
    fixtures.account.credential,
  );
  const workflowId = { __rl: true, mode: 'id', value: id } as unknown as INodeParameters;
  const call = { description: 'Sends an SMS', workflowId };
  return [
    { ...send, type: `${send.type}Tool` },
    anyNode('@n8n/n8n-nodes-langchain.toolWorkflow', 2.2, 'Call', call),
  ];
}

/** Connects nodes to the last one of a workflow. */
function withSubNodes(
  file: WorkflowFile,
  ...subNodes: [type: string, node: INode][]
): WorkflowFile {
  const to = file.nodes.at(-1)?.name ?? '';
  const connections: IConnections = { ...file.connections };
  for (const [type, { name }] of subNodes) {
    connections[name] = { [type]: [[{ node: to, type: type as 'main', index: 0 }]] };
  }
  return { ...file, connections, nodes: [...file.nodes, ...subNodes.map(([, node]) => node)] };
}

for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const) {
  for (const mode of ['once', 'each']) {
    test(`Execute Sub-workflow, ${mode}, ${onError}`, async ({ client, openAccount }) => {
      const account = await openAccount();
      const called = await publishCalled({ client, account });
      account.gateway.fault(FAULT);
      const path = randomUUID();
      const call = { ...callTo(called), onError };
      call.typeVersion = 1.3;
      call.parameters.mode = mode;
      const workflow = await client.importWorkflow(chain(path, webhookAt(path), call), []);
      await client.publish(workflow);
      await client.callWebhook(path, {});
      const [id = ''] = await client.endedExecutions(workflow, 1);
      const { error, runData } = (await client.execution(id)).data.resultData;
      // What a failed execution shows, or what the next node gets.
      const outputs = runData.Call?.[0]?.data?.main ?? [];
      const [item] = outputs.flatMap((output) => output ?? []);
      const said =
        onError === 'stopWorkflow' ? `${error?.message}\n${error?.description}` : item?.json.error;
      expect(said).toMatch(SAYS);
      expect(said).not.toMatch(NOT);
      expect([...account.gateway.deliveries()]).toEqual([[PHONE, 1]]);
    });
  }
}

for (const [index, what] of ['this node', 'Call n8n Workflow'].entries()) {
  test(`AI Agent, tool: ${what}`, async ({ client, openAccount }) => {
    const account = await openAccount();
    account.gateway.fault(FAULT);
    // It obeys what the tool says: it sends again if it is told to.
    const model = await startModel((request, earlier) =>
      earlier === 0 || NOT.test(lastOf(request)) ? { query: 'Send' } : 'I do not send again.',
    );
    const openAi = { apiKey: 'key-of-no-model', url: model.url };
    const credential = await client.createCredential('Model', 'openAiApi', openAi);
    const tools = await toolsOf({ client, account });
    const agent = anyNode('@n8n/n8n-nodes-langchain.agent', 3.1, 'Agent', {
      promptType: 'define',
      text: 'Send an SMS',
    });
    const chat = anyNode('@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.3, 'Model', {
      model: { __rl: true, mode: 'id', value: 'model' } as unknown as INodeParameters,
      responsesApiEnabled: false,
    });
    const path = randomUUID();
    const file = withSubNodes(
      chain(path, webhookAt(path), agent),
      ['ai_languageModel', { ...chat, credentials: { openAiApi: credential } }],
      ['ai_tool', tools[index] as INode],
    );
    const workflow = await client.importWorkflow(file, [account.credential, credential]);
    await client.publish(workflow);
    await client.callWebhook(path, {});
    await client.endedExecutions(workflow, 1);
    await model.close();
    expect(model.requests).toHaveLength(2);
    expect(lastOf(model.requests[1] as ModelRequest)).toMatch(SAYS);
    expect([...account.gateway.deliveries()]).toEqual([[PHONE, 1]]);
  });
}

const lastOf = ({ messages }: ModelRequest) => String(messages.at(-1)?.content);

test('MCP Server Trigger, both tools', async ({ client, openAccount }) => {
  const account = await openAccount();
  const tools = await toolsOf({ client, account });
  const path = randomUUID();
  const server = { ...anyNode('@n8n/n8n-nodes-langchain.mcpTrigger', 2, 'MCP', { path }) };
  const file = withSubNodes(
    chain(path, { ...server, webhookId: path }),
    ...tools.map((tool): [string, INode] => ['ai_tool', tool]),
  );
  await client.publish(await client.importWorkflow(file, [account.credential]));
  const mcp = await connectTo(`${client.url}/mcp/${path}`);
  const offered = await mcp.tools();
  expect(offered).toHaveLength(tools.length);
  for (const [index, { name }] of offered.entries()) {
    account.gateway.fault(FAULT);
    const said = await mcp.callTool(name);
    expect(said, name).toMatch(SAYS);
    expect(said, name).not.toMatch(NOT);
    expect([...account.gateway.deliveries()], name).toEqual([[PHONE, index + 1]]);
  }
});

/** Opens a session with an MCP server. */
async function connectTo(url: string) {
  let session = '';
  const call = async <T>(method: string, params: object, id?: number): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
    session ||= response.headers.get('mcp-session-id') ?? '';
    const text = await response.text();
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? '{}';
    return (JSON.parse(data) as { result: T }).result;
  };
  const client = { protocolVersion: '2025-03-26', capabilities: {} };
  await call('initialize', { ...client, clientInfo: { name: 'test', version: '1' } }, 1);
  await call('notifications/initialized', {});
  return {
    tools: async () => (await call<{ tools: { name: string }[] }>('tools/list', {}, 2)).tools,
    callTool: async (name: string) =>
      JSON.stringify(await call('tools/call', { name, arguments: { query: 'Send' } }, 3)),
  };
}
