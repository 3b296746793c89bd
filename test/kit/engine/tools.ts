import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { AgentType } from './agents';
import { ACTION, jsonOf } from './package';
import type { LoadedPackage } from './package';
import { START } from './start';
import { runWorkflow } from './workflow';
import type { ExecuteOptions } from './workflow';

/** The action node as a tool of an AI agent. */

/** Calls the action node as a tool. */
export function createToolCaller(loaded: LoadedPackage) {
  /**
   * Start → Agent, with the SMS node as its tool.
   *
   * @returns what the model would get for each call: `{ answer }` or `{ error }`
   */
  async function callTool(
    agent: AgentType,
    parameters: INodeParameters,
    calls: IDataObject[],
    options: ExecuteOptions & { item?: IDataObject; inParallel?: boolean } = {},
  ): Promise<IDataObject[]> {
    const run = await runWorkflow(
      loaded,
      [
        {
          ...START.node,
          id: 'agent',
          name: 'Agent',
          type: agent,
          parameters: { calls: JSON.stringify(calls), inParallel: options.inParallel ?? false },
        },
        loaded.createNode(`${ACTION}Tool`, parameters, options.node),
      ],
      {
        Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
        SMS: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
      },
      [options.item ?? {}],
      options,
    );
    return jsonOf(run.data.resultData.runData.Agent?.at(-1)?.data?.main?.[0]);
  }

  /** What an agent's model sees of the tool. */
  async function shownTool(parameters: INodeParameters): Promise<IDataObject> {
    const [shown = {}] = await callTool('test.chainAgent', parameters, []);
    return shown;
  }

  return { callTool, shownTool };
}
