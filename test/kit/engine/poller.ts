import { PollContext, PollTriggerExecutor, TriggerContext, TriggersAndPollers } from 'n8n-core';
import type {
  IDataObject,
  INode,
  INodeParameters,
  IRun,
  IWorkflowSettings,
  Workflow,
  WorkflowActivateMode,
} from 'n8n-workflow';
import { checkErrorText } from './errorText';
import { Container, jsonOf, TRIGGER } from './package';
import type { LoadedPackage } from './package';
import { setForward } from './pauses';

/** The trigger node, polled by n8n's own executor. */

export interface Poller {
  /** One scheduled tick, or so many, one after the other. */
  tick: (times?: number) => Promise<void>;
  /** The poll at publication. Its errors are thrown. */
  activate: () => Promise<void>;
  /** What n8n does, and waits for, when it deactivates the trigger or stops. */
  deactivate: () => Promise<void>;
  /** The items of every execution that was started. */
  executions: IDataObject[][];
  errors: Error[];
  /** The static data that n8n would find after a restart: that of the latest hand-over. */
  saved: IDataObject;
}

/** What n8n does with a poll and with what it hands over. */
export interface PollSide {
  emit: PollContext['__emit'];
  emitError: (error: Error) => void;
  runPoll?: PollContext['__runPoll'];
}

export interface PollerOptions {
  /** Two pollers with the same ID are one workflow that is published again. Default: an ID of its own. */
  workflowId?: string;
  workflowName?: string;
  /** All static data of the workflow as n8n has saved it. */
  restarted?: IDataObject;
  /** Name and ID of the node. */
  node?: Partial<Pick<INode, 'id' | 'name' | 'typeVersion'>>;
  settings?: IWorkflowSettings;
  /** Replaces `onExecution`. */
  side?: (workflow: Workflow) => PollSide;
  /** Answers requests instead of HTTP. */
  request?: PollContext['helpers']['httpRequestWithAuthentication'];
  /** Whether n8n is still interested in these polls. */
  isCurrent?: () => boolean;
  /** False: the context is for polls only. n8n's durable scheduler makes one for each poll. */
  isRegistered?: boolean;
  /**
   * Called for each execution. Rejects if n8n could not start it. Returns `NOTHING_RAN` if the execution
   * could not begin to run, `NO_RUN` if there was none, and another run if it ended so.
   */
  onExecution?: (items: IDataObject[]) => unknown;
  /** Why n8n registers the trigger. */
  activation?: WorkflowActivateMode;
  /** Whether a minute passes before each tick, as in n8n. */
  isEachMinute?: boolean;
  /** Reads the credential instead of n8n. */
  getCredentials?: PollContext['getCredentials'];
  /** The time limit that n8n states. Null: n8n is so old that it states none. */
  budgetMs?: number | null;
}

/** A run that ended before its first node: nothing of its items is stored. */
export const NOTHING_RAN = {
  mode: 'trigger',
  status: 'error',
  data: { resultData: { error: { message: 'Nothing ran' }, runData: {} } },
} as unknown as IRun;

/** n8n reports no run at all, as of a workflow that was unpublished meanwhile. */
export const NO_RUN = Symbol('no run');

/** A run that has ended. If it failed, it has an error of the node after the trigger. */
export const runOf = (hasFailed = false) =>
  ({
    mode: 'trigger',
    finished: !hasFailed,
    status: hasFailed ? 'error' : 'success',
    data: {
      resultData: {
        ...(hasFailed && { error: { message: 'Another node has failed' } }),
        runData: { SMS: [{}] },
        lastNodeExecuted: hasFailed ? 'Code' : 'SMS',
      },
    },
  }) as unknown as IRun;

let workflows = 0;

/** Polls the trigger node. */
export function createPolling(loaded: LoadedPackage) {
  const { additionalData } = loaded;

  /** Publishes a trigger. Its first poll is the one that the test requests. */
  function createPoller(parameters: INodeParameters, options: PollerOptions = {}): Poller {
    const {
      workflowId = `workflow-${++workflows}`,
      workflowName = 'Workflow',
      restarted,
      activation = 'activate',
      onExecution,
      getCredentials,
      budgetMs,
      isCurrent = () => true,
      isRegistered = true,
    } = options;
    const { workflow, node } = loaded.createWorkflowOf(
      loaded.createNode(
        TRIGGER,
        {
          pollTimes: { item: [{ mode: 'everyMinute' }] },
          ...parameters,
        },
        options.node,
      ),
      {
        id: workflowId,
        name: workflowName,
        active: true,
        settings: options.settings,
        staticData: restarted ?? {},
      },
    );
    const executions: IDataObject[][] = [];
    const errors: Error[] = [];
    let saved = '{}';
    let checked = 0;
    const execute = async (items: IDataObject[]) => {
      const outcome = await onExecution?.(items);
      if (outcome === NO_RUN) return undefined;
      if (outcome !== NOTHING_RAN) executions.push(items);
      return outcome instanceof Object && 'status' in outcome ? (outcome as IRun) : runOf();
    };
    const emit: PollSide['emit'] = (data, _response, done) => {
      // n8n saves even if no execution follows.
      saved = JSON.stringify(workflow.staticData);
      const run = execute(jsonOf(data[0]));
      void run.then(done?.resolve, done?.reject);
    };
    const side = options.side?.(workflow) ?? { emit, emitError: () => undefined };
    const context = new PollContext(
      workflow,
      node,
      additionalData(),
      'trigger',
      activation,
      side.emit,
      (error) => {
        errors.push(error);
        side.emitError(error);
      },
      undefined,
      side.runPoll,
      undefined,
      (budgetMs && (() => budgetMs)) as (() => number) | undefined,
    );
    if (getCredentials) Object.assign(context, { getCredentials });
    if (options.request) {
      Object.assign(context.helpers, { httpRequestWithAuthentication: options.request });
    }
    const run = Container.get(PollTriggerExecutor).create(workflow, node, context, isCurrent);
    const registration = isRegistered
      ? Container.get(TriggersAndPollers).runTriggerFunction(
          workflow,
          node,
          () => new TriggerContext(workflow, node, additionalData(), 'trigger', activation),
          additionalData(),
          'trigger',
          activation,
        )
      : undefined;
    const poll = async (isPublication?: boolean) => {
      // A test that plays n8n checks the errors itself.
      if (options.side) return await run(isPublication);
      try {
        await run(isPublication);
      } catch (error) {
        checkErrorText(error);
        throw error;
      } finally {
        errors.slice(checked).forEach(checkErrorText);
        checked = errors.length;
      }
    };
    return {
      tick: async (times = 1) => {
        for (let left = times; left > 0; left--) {
          if (options.isEachMinute) setForward(60_000);
          await poll();
        }
      },
      activate: async () => await poll(true),
      deactivate: async () => await (await registration)?.closeFunction?.(),
      executions,
      errors,
      get saved() {
        return JSON.parse(saved) as IDataObject;
      },
    };
  }

  /** A trigger after its first tick, or after so many. */
  async function poll(
    parameters: INodeParameters,
    options: PollerOptions = {},
    times = 1,
  ): Promise<Poller> {
    const poller = createPoller(parameters, options);
    await poller.tick(times);
    return poller;
  }

  /** A trigger after its poll at publication. */
  async function publish(...trigger: Parameters<typeof createPoller>): Promise<Poller> {
    const poller = createPoller(...trigger);
    await poller.activate();
    return poller;
  }

  /** "Fetch Test Event" in the editor. */
  async function testTrigger(parameters: INodeParameters): Promise<IDataObject[]> {
    const { workflow, node } = loaded.createWorkflowOf(loaded.createNode(TRIGGER, parameters));
    const context = new PollContext(workflow, node, additionalData(), 'manual', 'manual');
    const output = await loaded.getNodeType(TRIGGER).poll?.call(context);
    return jsonOf(output?.[0]);
  }

  return { createPoller, poll, publish, testTrigger };
}
