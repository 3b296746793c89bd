import { setTimeout as pause } from 'node:timers/promises';
import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  IExecuteContextData,
  INodeParameters,
} from 'n8n-workflow';
import type { Harness } from '../../kit/engine';
import type { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import { until, withShortTimeLimits } from '../../kit/engine/pauses';
import { savedContext, TEMPLATE } from '../../kit/engine/sends';
import { outcomeOf } from '../../kit/search/outcomes';
import type { Execution } from './oracle';
import { Family, Oracle } from './oracle';
import type { Scenario } from './scenario';
import { isBad, needsTimeLimits } from './scenario';
import type { Gateway } from '../../sandbox/gateway';

import { REFUSES, SEND } from './services';

/** Random sends in the real engine, to a service that does anything that a service may do. */

/** The service, n8n, and its store of keys. */
export interface World {
  gateway: Gateway;
  execute: Harness['execute'];
  store: DeduplicationStore;
}

/** For scenarios in which something has no end. The time limit that ends it is a hundredth of this. */
const SHORT_TIMEOUT = 8_000;

/** For a request to arrive, or n8n to close the connection of one that it does not wait for any more. */
const SOON_MS = 2_000;

let histories = 0;

/**
 * Plays a scenario.
 *
 * @throws when an outcome of the node is not true
 */
export async function play(scenario: Scenario, world: World): Promise<void> {
  const { gateway, store } = world;
  gateway.fault(REFUSES);
  // A service may quote what it was sent.
  const msg = `signed ${gateway.apiKey}${gateway.apiSecret}`;
  for (const fault of scenario.faults) {
    const { body } = fault;
    gateway.fault({ ...fault, body: body instanceof Object ? { msg, ...body } : body });
  }
  for (const failure of scenario.storeFailures) store.fail(failure);

  // An execution with its retry, and another one with the same items. Then both again without faults.
  const history = new History(scenario, world);
  await history.check();
  const first = new Family();
  await history.run(first, { cancelAfter: scenario.cancelAfter });
  await history.run(new Family());
  gateway.clearFaults();
  gateway.fault(REFUSES);
  store.stopFailing();
  await history.run(first, { isSound: true });
  await history.run(new Family(), { isSound: true });
}

class History {
  private executions = 0;

  /** Each history is a workflow of its own, so that a query without an end holds up no other one. */
  private readonly workflowId = `history-${++histories}`;

  /** Left open by earlier histories, whose failure is theirs. */
  private readonly openBefore: number;

  private readonly oracle: Oracle;

  constructor(
    private readonly scenario: Scenario,
    private readonly world: World,
  ) {
    this.openBefore = world.gateway.openRequests;
    this.oracle = new Oracle(scenario, () => world.store.values(this.workflowId));
  }

  async run(family: Family, { cancelAfter = null as number | null, isSound = false } = {}) {
    if (family.isDone) return;
    const { onError } = this.scenario.node;
    const usual = isSound ? 'continueRegularOutput' : onError;
    let execution = await this.execute(family, usual, isSound, cancelAfter);
    // The error of a run that stopped has only counts. Its retry has the outcome of each item.
    if (!execution.result.output) {
      execution = await this.execute(family, 'continueRegularOutput', isSound, null);
    }
    this.oracle.judgeOutput(execution, family);
  }

  /** In each request of an execution. */
  private get mark(): string {
    return `${this.workflowId}-${this.executions}.`;
  }

  /** A check sends nothing, keeps nothing, and says which items a send refuses before any request. */
  async check(): Promise<void> {
    const { gateway, execute, store } = this.world;
    const { output } = await execute(this.nodeOf({ checkOnly: true }), this.items, {
      node: { onError: 'continueRegularOutput' },
      workflowId: this.workflowId,
    });
    expect(output?.[0]?.map((item) => outcomeOf(item).status)).toEqual(
      this.scenario.items.map((each) => (isBad(this.scenario, each) ? 'rejected' : 'checked')),
    );
    expect(gateway.requests.filter(({ path }) => path === SEND)).toEqual([]);
    expect(store.values(this.workflowId)).toEqual([]);
  }

  private get items(): IDataObject[] {
    return this.scenario.items as unknown as IDataObject[];
  }

  private nodeOf(more: IDataObject): INodeParameters {
    const { options, hasKeys } = this.scenario;
    return {
      ...TEMPLATE,
      phoneNumbers: '={{ $json.phones }}',
      options: {
        ...options,
        userData: this.mark,
        ...(hasKeys && { idempotencyKey: '={{ $json.key }}' }),
        ...more,
      },
    } as INodeParameters;
  }

  private async execute(
    family: Family,
    onError: Execution['onError'],
    isSound: boolean,
    cancelAfter: number | null,
  ): Promise<Execution> {
    const { gateway, execute } = this.world;
    const { node } = this.scenario;
    const before = gateway.requests.length;
    this.executions += 1;
    family.wasCancelled ||= cancelAfter !== null;
    const isShort = !isSound && needsTimeLimits(this.scenario);
    const parameters = this.nodeOf(isShort ? { timeout: SHORT_TIMEOUT } : {});
    const run = async () =>
      await execute(parameters, this.items, {
        node: { ...node, onError, waitBetweenTries: 1 },
        contextData: family.context as IExecuteContextData,
        workflowId: this.workflowId,
        readCredential: (data, nth) => (isSound ? data : this.readCredential(data, nth)),
        onStart: (cancel) => {
          const isDue = () => gateway.requests.length >= before + (cancelAfter ?? 0);
          if (cancelAfter !== null) void untilSoon(isDue).then(cancel);
        },
      });
    const result = await (isShort ? withShortTimeLimits(run) : run());
    await this.untilQuiet(cancelAfter !== null);
    // n8n saves the context with the execution.
    family.context = savedContext(family.context as IExecuteContextData) as Family['context'];
    // On a busy machine, a request that an earlier execution has given up may arrive only now.
    const requests = gateway.requests.filter(({ rawBody }) => rawBody.includes(this.mark));
    const execution = { requests, result, onError, isSound };
    this.expectOrder(execution);
    this.oracle.judgeExecution(execution, family);
    return execution;
  }

  private readCredential(
    data: ICredentialDataDecryptedObject,
    nth: number,
  ): ICredentialDataDecryptedObject | Promise<ICredentialDataDecryptedObject> {
    const { credential } = this.scenario;
    if (!credential || nth < credential.nth) return data;
    if (credential.how === 'hangs') return new Promise(() => undefined);
    throw new Error('database is locked');
  }

  /** What holds for every execution, whatever it sent. */
  private expectOrder({ result: { run } }: Execution): void {
    const { gateway } = this.world;
    const { apiKey, apiSecret, requests } = gateway;
    const signatures = requests.map(({ headers }) => String(headers['x-sign']));
    const stored = JSON.stringify(run);
    const secrets = [apiKey, apiSecret, ...signatures];
    expect(secrets.filter((secret) => stored.includes(secret))).toEqual([]);
    // A request that a time limit ended may still be open when the next one comes.
    if (!needsTimeLimits(this.scenario)) {
      const inFlight = gateway.maxInFlight - this.openBefore;
      expect(inFlight).toBeLessThanOrEqual(this.scenario.options.maxConcurrency);
    }
    expect(gateway.violations).toEqual([]);
  }

  /** A cancelled request may still be on its way to the gateway. */
  private async untilQuiet(wasCancelled: boolean): Promise<void> {
    const { gateway } = this.world;
    if (wasCancelled) await pause(20);
    await until(() => gateway.requests.every(({ outcome }) => outcome !== 'pending'));
    const isOver = () => gateway.openRequests <= this.openBefore;
    await untilSoon(isOver);
    if (!isOver()) throw new Error('The run is over, and a request is still open');
  }
}

/** Waits until something holds, but not for long. */
async function untilSoon(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + SOON_MS;
  while (!holds() && Date.now() < deadline) await pause(1);
}
