import { ExecuteContext, ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import { createRunExecutionData } from 'n8n-workflow';
import type {
  IConnections,
  IDataObject,
  IExecuteContextData,
  INode,
  INodeExecutionData,
  INodeParameters,
  IRun,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import type { WorkflowFile } from '../n8n/client';
import type { AgentType } from './agents';
import { checkErrorText } from './errorText';
import { ACTION, jsonOf, nodeOf } from './package';
import type { LoadedPackage, ReadCredential } from './package';
import { START } from './start';

/** Workflows, run by n8n's own engine. */

export interface ExecuteOptions {
  /** The node's own settings: onError, retryOnFail, maxTries … */
  node?: Partial<INode>;
  mode?: WorkflowExecuteMode;
  /** What n8n keeps with the execution. The same object in two runs is "Retry execution". */
  contextData?: IExecuteContextData;
  readCredential?: ReadCredential;
  /** Items of further rounds: the node runs again in the same execution, as in a loop. */
  rounds?: IDataObject[][];
  /** ID of the workflow, under which n8n keeps what nodes store. */
  workflowId?: string;
  workflowName?: string;
  /** What n8n keeps of the workflow. */
  staticData?: IDataObject;
  timezone?: string;
  /** Default: one of its own. */
  executionId?: string;
  /** Called with the function that cancels the execution. */
  onStart?: (cancel: () => void) => void;
}

export interface ExecuteResult {
  run: IRun;
  /** The items of each output; undefined if the node ended with an error. */
  output: (INodeExecutionData[] | null)[] | undefined;
  /** The json of the first output's items. */
  json: IDataObject[];
  /** The same for every run of the node, if it ran more than once. */
  rounds: IDataObject[][];
  /** The texts of the hints beside the output. */
  hints: string[];
  error: IRun['data']['resultData']['error'];
}

/** The ID of the latest execution. */
let executions = 0;

/** Runs a workflow from its start node, and returns what n8n would save. */
export async function runWorkflow(
  { additionalData, createWorkflow }: LoadedPackage,
  nodes: INode[],
  connections: IConnections,
  items: IDataObject[],
  {
    mode = 'manual',
    contextData = {},
    rounds = [],
    readCredential,
    workflowId = 'workflow-1',
    workflowName,
    staticData,
    timezone,
    // "Retry execution" has a new one. The tries of Retry On Fail share one.
    executionId = String(++executions),
    onStart,
  }: ExecuteOptions,
): Promise<IRun> {
  const workflow = createWorkflow([START.node, ...nodes], {
    id: workflowId,
    name: workflowName,
    staticData,
    connections,
    settings: { executionOrder: 'v1', timezone },
  });
  const runData = createRunExecutionData({
    executionData: {
      contextData,
      nodeExecutionStack: [items, ...rounds].map((round) => ({
        node: nodeOf(workflow, START.node.name),
        data: { main: [round.map((json) => ({ json }))] },
        source: null,
      })),
    },
  });
  const hooks = new ExecutionLifecycleHooks(mode, executionId, {} as never);
  const execution = new WorkflowExecute(
    additionalData({ hooks, executionId }, readCredential),
    mode,
    runData,
  ).processRunExecutionData(workflow);
  onStart?.(() => execution.cancel());
  return await execution;
}

/** Runs a file's workflow from one of its nodes, which gets these items. Its tries do not wait. */
export async function runFile(
  loaded: LoadedPackage,
  { nodes, connections }: Pick<WorkflowFile, 'nodes' | 'connections'>,
  start: string,
  items: IDataObject[],
  options: ExecuteOptions,
): Promise<IRun> {
  const begin = {
    [START.node.name]: { main: [[{ node: start, type: 'main' as const, index: 0 }]] },
  };
  const eager = nodes.map((node) => ({
    ...node,
    ...(node.retryOnFail && { waitBetweenTries: 1 }),
  }));
  const lines = { ...connections, ...begin };
  return await runWorkflow(loaded, eager, lines, items, { mode: 'trigger', ...options });
}

/** Runs the action node. */
export function createExecutor(loaded: LoadedPackage) {
  /** Start → SMS: returns what n8n would save and show. */
  async function execute(
    parameters: INodeParameters,
    items: IDataObject[] = [{}],
    options: ExecuteOptions = {},
  ): Promise<ExecuteResult> {
    const run = await runWorkflow(
      loaded,
      [loaded.createNode(ACTION, parameters, options.node)],
      { Start: { main: [[{ node: 'SMS', type: 'main', index: 0 }]] } },
      items,
      options,
    );
    const runs = run.data.resultData.runData.SMS ?? [];
    const outputs = runs.map(({ data }) => data?.main);
    const output = outputs.at(-1);
    checkErrorText(run.data.resultData.error);
    for (const { json } of output?.flatMap((items) => items ?? []) ?? []) {
      const { error, details } = json;
      if (error)
        checkErrorText({
          ...(details as object),
          message: error,
          context: { service: details ?? json },
        });
    }
    return {
      run,
      output,
      json: jsonOf(output?.[0]),
      rounds: outputs.map((main) => jsonOf(main?.[0])),
      hints: (runs[0]?.hints ?? []).map(({ message }) => message),
      error: run.data.resultData.error,
    };
  }

  /**
   * Returns what the action node gets as `this`, with these items as its input. It has the parameters as
   * they are, even those that n8n would remove because they are not shown.
   */
  function createContext(parameters: INodeParameters, items: IDataObject[]): ExecuteContext {
    const { workflow, node } = loaded.createWorkflowOf(loaded.createNode(ACTION, parameters));
    const input = items.map((json, item) => ({ json, pairedItem: { item } }));
    const data = { main: [input] };
    node.parameters = parameters;
    return new ExecuteContext(
      workflow,
      node,
      loaded.additionalData(),
      'manual',
      createRunExecutionData(),
      0,
      input,
      data,
      { node, data, source: null },
      [],
    );
  }

  return { execute, createContext };
}

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
