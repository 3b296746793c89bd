import { deepCopy } from 'n8n-workflow';
import type {
  EngineRequest,
  EngineResponse,
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
} from 'n8n-workflow';
import { describeNode } from './start';

/**
 * Two agents without a model, for n8n's two ways to call a tool. Each makes the calls in its parameter
 * `calls`. Its output has the text that the model would get for each call.
 */
export type AgentType = keyof typeof AGENTS;

const description = describeNode({
  inputs: ['main', { type: 'ai_tool', displayName: 'Tool' }],
  properties: [
    { displayName: 'Calls', name: 'calls', type: 'string', default: '[]' },
    { displayName: 'In Parallel', name: 'inParallel', type: 'boolean', default: false },
  ],
});

const callsOf = (context: IExecuteFunctions) =>
  JSON.parse(context.getNodeParameter('calls', 0) as string) as IDataObject[];

/**
 * Like older agents, MCP and "Execute step": n8n-core turns the node into a LangChain tool. Without calls,
 * its output is what the model sees of the tool.
 */
const chainAgent: INodeType = {
  description,
  async execute() {
    const [tool] = (await this.getInputConnectionData('ai_tool', 0)) as {
      name: string;
      description: string;
      invoke(call: IDataObject): Promise<string>;
    }[];
    const calls = callsOf(this);
    if (tool && calls.length === 0) {
      return [[{ json: { name: tool.name, description: tool.description } }]];
    }
    const ask = async (call: IDataObject): Promise<INodeExecutionData> => {
      const json = await tool?.invoke(call).then(
        (answer) =>
          // Before n8n 2.0 an error is an answer that starts with this word.
          answer.startsWith('Error')
            ? { error: answer }
            : { answer: JSON.parse(answer) as IDataObject[] },
        (error: Error) => ({ error: error.message }),
      );
      return { json: json ?? {}, pairedItem: 0 };
    };
    if (this.getNodeParameter('inParallel', 0)) return [await Promise.all(calls.map(ask))];
    const answers: INodeExecutionData[] = [];
    for (const call of calls) answers.push(await ask(call));
    return [answers];
  },
};

/** Like newer agents: they pass the calls to the engine, which runs the node like any other. */
const engineAgent: INodeType = {
  description,
  async execute(response?: EngineResponse) {
    const answers = (response?.actionResponses ?? []).map(({ data }): INodeExecutionData => {
      const answer = data.data?.ai_tool?.[0]?.map(({ json }) => json);
      return { json: data.error ? { error: data.error.message } : { answer }, pairedItem: 0 };
    });
    // One call after the other, like a model that waits for each answer.
    const earlier = (response?.metadata as { answers?: INodeExecutionData[] })?.answers ?? [];
    const all = [...earlier, ...answers];
    const call = callsOf(this)[all.length];
    if (call === undefined) return [all];
    const request: EngineRequest = {
      actions: [
        {
          actionType: 'ExecutionNodeAction',
          nodeName: 'SMS',
          type: 'ai_tool',
          id: `call-${all.length}`,
          input: call,
          metadata: {},
        },
      ],
      metadata: { answers: all },
    };
    return request;
  },
};

export const AGENTS = { 'test.chainAgent': chainAgent, 'test.engineAgent': engineAgent };

/** The tool that n8n makes of a node with `usableAsTool`. */
export function asTool(type: INodeType): INodeType {
  const tool = Object.create(type) as INodeType;
  tool.description = {
    ...deepCopy(type.description),
    name: `${type.description.name}Tool`,
    inputs: [],
    outputs: ['ai_tool'],
  };
  return tool;
}
