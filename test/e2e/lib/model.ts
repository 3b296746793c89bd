import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { LOOPBACK } from '../../kit/n8n/n8n';

/** What n8n sends to a chat model: the conversation, and the tools that the model may call. */
export interface ModelRequest {
  messages: { role: string; content: string | null }[];
  tools?: { function: { name: string; description: string } }[];
  stream?: boolean;
}

/** What a model answers: a text, or the arguments of a call of its first tool. */
export type ModelAnswer = string | object;

/** A chat model with OpenAI's interface, which answers as a test wants. */
export interface ChatModel {
  url: string;
  /** In the order in which they came. */
  requests: ModelRequest[];
  close(): Promise<void>;
}

/** Starts a model. `answer` gets the request, and the number of requests before it. */
export async function startModel(
  answer: (request: ModelRequest, earlier: number) => ModelAnswer,
): Promise<ChatModel> {
  const requests: ModelRequest[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const request = JSON.parse(await bodyOf(incoming)) as ModelRequest;
      const message = messageOf(request, answer(request, requests.length));
      requests.push(request);
      const completion = { id: 'answer', created: 0, model: 'model' };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const finish_reason = message.tool_calls ? 'tool_calls' : 'stop';
      if (!request.stream) {
        response.setHeader('content-type', 'application/json');
        const choices = [{ index: 0, message, finish_reason }];
        response.end(JSON.stringify({ ...completion, object: 'chat.completion', choices, usage }));
        return;
      }
      response.setHeader('content-type', 'text/event-stream');
      const choices = [{ index: 0, delta: message, finish_reason }];
      const chunk = { ...completion, object: 'chat.completion.chunk', choices };
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${LOOPBACK}:${port}/v1`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function messageOf({ tools = [] }: ModelRequest, answer: ModelAnswer) {
  if (typeof answer === 'string') return { role: 'assistant', content: answer };
  const call = { name: tools[0]?.function.name, arguments: JSON.stringify(answer) };
  const tool_calls = [{ index: 0, id: 'call_1', type: 'function', function: call }];
  return { role: 'assistant', content: null, tool_calls };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
