import 'reflect-metadata';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

// Read by n8n-core when it loads: its own folder, and no log.
if (process.env.N8N_USER_FOLDER === undefined) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sms-engine-'));
  process.env.N8N_USER_FOLDER = folder;
  // Only the tests leave it to us; the bench has a folder of its own.
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
}
process.env.N8N_ENCRYPTION_KEY ??= 'engine-tests';
process.env.N8N_LOG_LEVEL ??= 'silent';

import { AGENTS, asTool } from './agents';
import type { AgentType } from './agents';
import {
  CredentialTestContext,
  Credentials,
  ExecuteContext,
  ExecutionLifecycleHooks,
  InstanceSettings,
  LoadOptionsContext,
  PackageDirectoryLoader,
  PollContext,
  PollTriggerExecutor,
  TriggerContext,
  TriggersAndPollers,
  WorkflowExecute,
} from 'n8n-core';
import { createRunExecutionData, ICredentialsHelper, NodeHelpers, Workflow } from 'n8n-workflow';
import type {
  IConnections,
  ICredentialDataDecryptedObject,
  ICredentialTestFunctions,
  IDataObject,
  IExecuteContextData,
  IHttpRequestOptions,
  INode,
  INodeCredentialTestResult,
  INodeExecutionData,
  INodeListSearchResult,
  INodeParameters,
  INodeType,
  INodeTypes,
  IRun,
  IVersionedNodeType,
  IWorkflowExecuteAdditionalData,
  ResourceMapperFields,
  WorkflowActivateMode,
  WorkflowExecuteMode,
} from 'n8n-workflow';

const ROOT = path.resolve(__dirname, '../../..');
const PACKAGE = 'n8n-nodes-sms-messaging-service';
export const CREDENTIAL = 'smsMessagingServiceApi';
export const ACTION = 'smsMessagingService';
export const TRIGGER = 'smsMessagingServiceTrigger';

// The container must be the very copy that n8n-core uses, or its services are not found in it.
const { Container } = createRequire(require.resolve('n8n-core'))('@n8n/di') as {
  Container: { get<T>(type: abstract new (...args: never[]) => T): T };
};

/** A start node, so that the node under test gets its items from a node before it, as it would. */
const START: INodeType = {
  description: {
    displayName: 'Start',
    name: 'start',
    group: ['trigger'],
    version: 1,
    description: 'Passes its items on',
    defaults: {},
    inputs: [],
    outputs: ['main'],
    properties: [],
  },
  async execute() {
    return [this.getInputData()];
  },
};

/** n8n's credential handling with the credential's data in memory. */
class CredentialsHelper extends ICredentialsHelper {
  constructor(
    private readonly loader: PackageDirectoryLoader,
    private readonly data: ICredentialDataDecryptedObject,
  ) {
    super();
  }

  getParentTypes() {
    return [];
  }

  getCredentialsProperties(type: string) {
    return this.loader.getCredential(type).type.properties;
  }

  isCredentialUsableByNode() {
    return true;
  }

  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    type: string,
    options: IHttpRequestOptions,
  ) {
    const credentialType = this.loader.getCredential(type).type;
    if (typeof credentialType.authenticate !== 'function') throw new TypeError('No authenticate()');
    return await credentialType.authenticate(credentials, options);
  }

  async preAuthentication() {
    return undefined;
  }

  async runPreAuthentication() {
    return undefined;
  }

  async getCredentials() {
    return new Credentials({ id: '1', name: 'account' }, CREDENTIAL, '');
  }

  async getDecrypted() {
    return this.data;
  }

  async updateCredentials() {
    throw new TypeError('A node must not write credentials');
  }

  async updateCredentialsOauthTokenData() {
    throw new TypeError('A node must not write credentials');
  }
}

export interface ExecuteOptions {
  /** Settings of the node itself: onError, retryOnFail, maxTries … */
  node?: Partial<INode>;
  mode?: WorkflowExecuteMode;
  /** Give the same object to two runs to play "Retry execution". */
  contextData?: IExecuteContextData;
  /** Items of further rounds: the node runs again in the same execution, as it does in a loop. */
  rounds?: IDataObject[][];
  /** Id of the workflow, under which n8n keeps what nodes store for it. */
  workflowId?: string;
  /** Gets the function that cancels the execution. */
  onStart?: (cancel: () => void) => void;
  additionalData?: Partial<IWorkflowExecuteAdditionalData>;
}

export interface ExecuteResult {
  run: IRun;
  /** Per output, the items; undefined when the node ended with an error. */
  output: (INodeExecutionData[] | null)[] | undefined;
  /** The json of the first output's items. */
  json: IDataObject[];
  /** The same of every run of the node, where it ran more than once. */
  rounds: IDataObject[][];
  error: IRun['data']['resultData']['error'];
}

export interface ToolResult {
  run: IRun;
  /** Per call, what the model would be told: `{ answer }` or `{ error }`. */
  answers: IDataObject[];
  /** How often the tool ran. */
  tries: number;
}

export interface Poller {
  /** One scheduled tick through n8n's own executor. */
  tick: () => Promise<void>;
  /** The poll at publication: errors come out. */
  activate: () => Promise<void>;
  /** What n8n does, and waits for, when it deactivates the trigger or stops. */
  deactivate: () => Promise<void>;
  /** Every execution that was started: its items. */
  executions: IDataObject[][];
  errors: Error[];
  staticData: IDataObject;
  /** The static data that a restarted n8n would find: as of the latest hand-over. */
  saved: IDataObject;
}

export interface PollerOptions {
  /** Give the same id to two pollers to publish a workflow again; otherwise each has its own. */
  workflowId?: string;
  workflowName?: string;
  staticData?: IDataObject;
  /** All static data of the workflow, as n8n has saved it. */
  restarted?: IDataObject;
  /**
   * Called per execution. A rejection is what n8n does when it cannot start one; 'no run' as the result
   * is what it says when it has given up on the poll.
   */
  onExecution?: (items: IDataObject[]) => unknown;
  /**
   * Called before anything else with what is handed over; throws what n8n would. The result says what
   * n8n does: the usual, or it cannot save static data, or it is gone before it has done anything.
   */
  onEmit?: (items: IDataObject[]) => 'usual' | 'notSaved' | 'gone';
  isCurrent?: () => boolean;
  /** Why n8n registers the trigger. */
  activation?: WorkflowActivateMode;
  /** Reads the credential in place of n8n. */
  getCredentials?: PollContext['getCredentials'];
  budgetMs?: number;
  /** An n8n that tells no budget and never says what became of an execution. */
  isOld?: boolean;
}

let workflows = 0;

export type Harness = Awaited<ReturnType<typeof createHarness>>;

export interface HarnessOptions {
  /** The folder of the built package. */
  folder?: string;
  /** Nodes of other packages, by type; `execute` runs one when its `node.type` says so. */
  otherNodes?: Record<string, INodeType | IVersionedNodeType>;
}

/**
 * Loads the built package into the real n8n-core: package loader, WorkflowExecute, ExecuteContext,
 * PollContext and poll executor, over real HTTP.
 */
export async function createHarness(
  credential: ICredentialDataDecryptedObject,
  { folder = ROOT, otherNodes = {} }: HarnessOptions = {},
) {
  Container.get(InstanceSettings).markAsLeader();
  const loader = new PackageDirectoryLoader(folder);
  await loader.loadAll();

  const others: Record<string, INodeType | IVersionedNodeType> = {
    'test.start': START,
    ...AGENTS,
    [`${PACKAGE}.${ACTION}Tool`]: asTool(loader.getNode(ACTION).type as INodeType),
    ...otherNodes,
  };
  const nodeTypes: INodeTypes = {
    getByName: (name) => others[name] ?? loader.getNode(name.slice(PACKAGE.length + 1)).type,
    getByNameAndVersion: (name, version) =>
      NodeHelpers.getVersionedNodeType(nodeTypes.getByName(name), version),
    getKnownTypes: () => ({}),
  };

  const additionalData = (extra: Partial<IWorkflowExecuteAdditionalData> = {}) =>
    ({
      credentialsHelper: new CredentialsHelper(loader, credential),
      executionId: '1',
      currentNodeExecutionIndex: 0,
      userId: 'user',
      variables: {},
      restApiUrl: 'http://localhost/rest',
      instanceBaseUrl: 'http://localhost/',
      webhookBaseUrl: 'http://localhost/webhook',
      webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
      webhookTestBaseUrl: 'http://localhost/webhook-test',
      formWaitingBaseUrl: 'http://localhost/form-waiting',
      setExecutionStatus: () => undefined,
      sendDataToUI: () => undefined,
      ...extra,
    }) as unknown as IWorkflowExecuteAdditionalData;

  const createStart = (): INode => ({
    id: 'start',
    name: 'Start',
    type: 'test.start',
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
  });

  const createNode = (
    type: string,
    parameters: INodeParameters,
    extra: Partial<INode> = {},
  ): INode => ({
    id: 'node-1',
    name: 'SMS',
    type: `${PACKAGE}.${type}`,
    typeVersion: 1,
    position: [0, 0],
    parameters,
    credentials: { [CREDENTIAL]: { id: '1', name: 'account' } },
    ...extra,
  });

  /** Start → SMS: returns what n8n would save and show. */
  async function execute(
    parameters: INodeParameters,
    items: IDataObject[] = [{}],
    options: ExecuteOptions = {},
  ): Promise<ExecuteResult> {
    const run = await runWorkflow(
      [createStart(), createNode(ACTION, parameters, options.node)],
      { Start: { main: [[{ node: 'SMS', type: 'main', index: 0 }]] } },
      items,
      options,
    );
    const outputs = (run.data.resultData.runData.SMS ?? []).map(({ data }) => data?.main);
    const output = outputs.at(-1);
    const jsonOf = (main: typeof output) => (main?.[0] ?? []).map((item) => item.json);
    return {
      run,
      output,
      json: jsonOf(output),
      rounds: outputs.map(jsonOf),
      error: run.data.resultData.error,
    };
  }

  /** Start → Agent, with the SMS node as its tool: the agent makes the calls and keeps the answers. */
  async function callTool(
    agent: AgentType,
    parameters: INodeParameters,
    calls: IDataObject[],
    options: ExecuteOptions & { item?: IDataObject } = {},
  ): Promise<ToolResult> {
    const run = await runWorkflow(
      [
        createStart(),
        {
          ...createStart(),
          id: 'agent',
          name: 'Agent',
          type: agent,
          parameters: { calls: JSON.stringify(calls) },
        },
        createNode(`${ACTION}Tool`, parameters, options.node),
      ],
      {
        Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
        SMS: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
      },
      [options.item ?? {}],
      options,
    );
    const { runData } = run.data.resultData;
    return {
      run,
      answers: (runData.Agent?.at(-1)?.data?.main?.[0] ?? []).map(({ json }) => json),
      tries: runData.SMS?.length ?? 0,
    };
  }

  async function runWorkflow(
    nodes: INode[],
    connections: IConnections,
    items: IDataObject[],
    {
      mode = 'manual',
      contextData = {},
      rounds = [],
      workflowId = 'workflow-1',
      onStart,
      additionalData: extra,
    }: ExecuteOptions,
  ): Promise<IRun> {
    const workflow = new Workflow({
      id: workflowId,
      name: 'Workflow',
      nodes,
      connections,
      nodeTypes,
      active: false,
      settings: { executionOrder: 'v1' },
    });
    const start = workflow.getNode('Start');
    if (!start) throw new TypeError('No start node');
    const runData = createRunExecutionData({
      executionData: {
        contextData,
        nodeExecutionStack: [items, ...rounds].map((round) => ({
          node: start,
          data: { main: [round.map((json) => ({ json }))] },
          source: null,
        })),
      },
    });
    const hooks = new ExecutionLifecycleHooks(mode, '1', {
      id: 'workflow-1',
      name: 'Workflow',
      nodes: [],
      connections: {},
      active: false,
      isArchived: false,
      createdAt: new Date(),
      updatedAt: new Date(),
    } as never);
    const execution = new WorkflowExecute(
      additionalData({ hooks, ...extra }),
      mode,
      runData,
    ).processRunExecutionData(workflow);
    onStart?.(() => execution.cancel());
    return await execution;
  }

  /**
   * What the action node gets as `this`, with these items as its input. It has the parameters as they
   * are, also those that n8n would take out because they are not shown.
   */
  function createContext(
    parameters: INodeParameters,
    items: IDataObject[],
    node: Partial<INode> = {},
  ): ExecuteContext {
    const workflow = new Workflow({
      id: 'workflow-1',
      name: 'Workflow',
      nodes: [createNode(ACTION, parameters, node)],
      connections: {},
      nodeTypes,
      active: false,
      settings: {},
    });
    const input = items.map((json, item) => ({ json, pairedItem: { item } }));
    const data = { main: [input] };
    const workflowNode = workflow.getNode('SMS');
    if (!workflowNode) throw new TypeError('No node');
    workflowNode.parameters = parameters;
    return new ExecuteContext(
      workflow,
      workflowNode,
      additionalData(),
      'manual',
      createRunExecutionData(),
      0,
      input,
      data,
      { node: workflowNode, data, source: null },
      [],
    );
  }

  function createPoller(
    parameters: INodeParameters,
    {
      workflowId = `workflow-${++workflows}`,
      workflowName = 'Workflow',
      staticData = {},
      restarted,
      onExecution,
      onEmit = () => 'usual',
      isCurrent = () => true,
      activation = 'activate',
      getCredentials,
      budgetMs,
      isOld = false,
    }: PollerOptions = {},
  ): Poller {
    const node = createNode(TRIGGER, {
      pollTimes: { item: [{ mode: 'everyMinute' }] },
      ...parameters,
    });
    const workflow = new Workflow({
      id: workflowId,
      name: workflowName,
      nodes: [node],
      connections: {},
      nodeTypes,
      active: true,
      staticData: restarted ?? { 'node:SMS': staticData },
      settings: {},
    });
    const executions: IDataObject[][] = [];
    const errors: Error[] = [];
    let saved: IDataObject = {};
    const emit: PollContext['__emit'] = (data, _response, done) => {
      const items = (data[0] ?? []).map((item) => item.json);
      const whatNow = onEmit(items);
      if (whatNow === 'gone') return;
      // As n8n does, also when no execution comes of it.
      if (whatNow === 'usual')
        saved = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
      void Promise.resolve()
        .then(async () => await onExecution?.(items))
        .then(
          (outcome) => {
            if (outcome !== 'no run') executions.push(items);
            if (isOld) return;
            done?.resolve(outcome === 'no run' ? undefined : ({ finished: true } as IRun));
          },
          (error: Error) => {
            if (!isOld) done?.reject(error);
          },
        );
    };
    const workflowNode = workflow.getNode('SMS') ?? node;
    const context = new PollContext(
      workflow,
      workflowNode,
      additionalData(),
      'trigger',
      activation,
      emit,
      (error) => errors.push(error),
      undefined,
      undefined,
      undefined,
      budgetMs === undefined ? undefined : () => budgetMs,
    );
    if (isOld) Object.assign(context, { getPollBudgetMs: undefined });
    if (getCredentials) Object.assign(context, { getCredentials });
    const run = Container.get(PollTriggerExecutor).create(
      workflow,
      workflowNode,
      context,
      isCurrent,
    );
    const registration = Container.get(TriggersAndPollers).runTriggerFunction(
      workflow,
      workflowNode,
      () => new TriggerContext(workflow, workflowNode, additionalData(), 'trigger', 'activate'),
      additionalData(),
      'trigger',
      'activate',
    );
    return {
      tick: async () => await run(),
      activate: async () => await run(true),
      deactivate: async () => await (await registration)?.closeFunction?.(),
      executions,
      errors,
      get staticData() {
        return workflow.getStaticData('node', workflowNode);
      },
      get saved() {
        return saved;
      },
    };
  }

  /** "Fetch Test Event" in the editor. */
  async function testTrigger(parameters: INodeParameters): Promise<IDataObject[]> {
    const node = createNode(TRIGGER, parameters);
    const workflow = new Workflow({
      id: 'workflow-1',
      name: 'Workflow',
      nodes: [node],
      connections: {},
      nodeTypes,
      active: false,
      settings: {},
    });
    const workflowNode = workflow.getNode('SMS') ?? node;
    const context = new PollContext(workflow, workflowNode, additionalData(), 'manual', 'manual');
    const output = await nodeTypes.getByNameAndVersion(node.type).poll?.call(context);
    return (output?.[0] ?? []).map((item) => item.json);
  }

  /** The credential test, as n8n calls it. */
  async function testCredential(
    data: IDataObject = credential,
  ): Promise<INodeCredentialTestResult> {
    const test = nodeTypes.getByNameAndVersion(`${PACKAGE}.${ACTION}`).methods?.credentialTest
      ?.testConnection;
    if (!test) throw new TypeError('No credential test');
    const context = new CredentialTestContext() as unknown as ICredentialTestFunctions;
    return await test.call(context, {
      id: '1',
      name: 'account',
      type: CREDENTIAL,
      data: data as ICredentialDataDecryptedObject,
    });
  }

  /** What the editor asks n8n for while a node is being set up. */
  function loadOptionsContext(path: string, parameters: INodeParameters): LoadOptionsContext {
    const workflow = new Workflow({
      nodes: [createNode(ACTION, parameters)],
      connections: {},
      active: false,
      nodeTypes,
    });
    const node = workflow.getNode('SMS');
    if (!node) throw new TypeError('No node');
    return new LoadOptionsContext(
      workflow,
      node,
      additionalData({ currentNodeParameters: parameters }),
      path,
    );
  }

  /** One page of a picker's list. */
  async function search(
    method: string,
    filter?: string,
    paginationToken?: string,
  ): Promise<INodeListSearchResult> {
    const found = nodeTypes.getByNameAndVersion(`${PACKAGE}.${ACTION}`).methods?.listSearch?.[
      method
    ];
    if (!found) throw new TypeError(`No list search ${method}`);
    return await found.call(loadOptionsContext('', {}), filter, paginationToken);
  }

  /** The fields of the parameter mapper. */
  async function mapperFields(parameters: INodeParameters): Promise<ResourceMapperFields> {
    const found = nodeTypes.getByNameAndVersion(`${PACKAGE}.${ACTION}`).methods?.resourceMapping
      ?.getTemplateParameters;
    if (!found) throw new TypeError('No resource mapping');
    return await found.call(loadOptionsContext('parameters', parameters));
  }

  return {
    execute,
    createContext,
    createPoller,
    testTrigger,
    testCredential,
    callTool,
    search,
    mapperFields,
    loader,
    nodeTypes,
    additionalData,
  };
}

/** Like another process: the package is loaded anew, and knows nothing of what it remembers in this one. */
export async function createOtherHarness(
  credential: ICredentialDataDecryptedObject,
): Promise<Harness> {
  let other: Harness | undefined;
  await jest.isolateModulesAsync(async () => {
    other = await createHarness(credential);
  });
  return other as Harness;
}
