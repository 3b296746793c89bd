import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  IExecuteContextData,
} from 'n8n-workflow';
import type { DeduplicationStore } from '../../engine/harness/deduplicationStore';
import type { ExecuteOptions, ExecuteResult, Harness } from '../../engine/harness';
import { savedContext, TEMPLATE } from '../../engine/harness/sends';
import type { Gateway } from '../../sandbox/gateway';
import type { Execution } from './oracle';
import { Family, Oracle } from './oracle';
import type { Scenario } from './scenario';
import { KEY_OPTIONS, needsTimeLimits } from './scenario';
import { fieldsOf, limiting, REFUSES, SECRETS } from './services';
import { withShortTimeLimits } from '../../engine/harness/pauses';

/** Random sends in the real engine, to a service that does anything that a service may do. */

export interface World {
  gateway: Gateway;
  execute: Harness['execute'];
  store: DeduplicationStore;
}

/** For scenarios in which something has no end. The time limit that ends it is a hundredth of this. */
const SHORT_TIMEOUT = 8_000;

/** With fewer retries, the node may give up on a service that has a limit. */
const ENOUGH_RETRIES = 2;

let histories = 0;

/**
 * Plays a scenario. Returns the number of executions.
 *
 * @throws when an outcome of the node is not true
 */
export async function play(scenario: Scenario, world: World): Promise<number> {
  const { gateway, store } = world;
  gateway.reset();
  store.clear();
  spoil(scenario, world);

  // An execution with its retry, and another one with the same items. Then both again without faults.
  const history = new History(scenario, world);
  const first = new Family();
  await history.run(first, { cancelAfter: scenario.cancelAfter });
  await history.run(new Family());
  gateway.clearFaults();
  gateway.fault(REFUSES);
  if (scenario.rateLimit && scenario.options.maxRetries >= ENOUGH_RETRIES) {
    gateway.fault(limiting(scenario.rateLimit));
  }
  store.stopFailing();
  await history.run(first, { isSound: true });
  await history.run(new Family(), { isSound: true });
  return history.executions;
}

/** Lets everything go wrong that the scenario wants. A request gets the first fault that is due. */
function spoil(scenario: Scenario, { gateway, store }: World): void {
  gateway.fault(REFUSES);
  for (const { fault, nth } of scenario.faults) {
    const quoted = `${gateway.apiKey}${gateway.apiSecret}`;
    const body = JSON.stringify(fault.body ?? null).replaceAll(SECRETS, quoted);
    gateway.fault({ ...fault, nth, body: (JSON.parse(body) as unknown) ?? undefined });
  }
  const { outage, rateLimit } = scenario;
  for (const fault of outage?.faults ?? []) gateway.fault({ ...fault, nth: outage?.nth });
  if (rateLimit) gateway.fault(limiting(rateLimit));
  for (const failure of scenario.storeFailures) store.fail(failure);
}

interface RunOptions {
  cancelAfter?: number | null;
  isSound?: boolean;
}

class History {
  executions = 0;

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

  async run(family: Family, { cancelAfter = null, isSound = false }: RunOptions = {}) {
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

  private async execute(
    family: Family,
    onError: Execution['onError'],
    isSound: boolean,
    cancelAfter: number | null,
  ): Promise<Execution> {
    const { gateway } = this.world;
    const before = gateway.requests.length;
    this.executions += 1;
    family.wasCancelled ||= cancelAfter !== null;
    const run = async () =>
      await this.start(family, onError, isSound, (cancel) => {
        if (cancelAfter !== null) void this.untilRequests(before + cancelAfter).then(cancel);
      });
    const isShort = !isSound && needsTimeLimits(this.scenario);
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

  private async start(
    family: Family,
    onError: Execution['onError'],
    isSound: boolean,
    onStart: ExecuteOptions['onStart'],
  ): Promise<ExecuteResult> {
    const { items, options, keys, hasLimit, node, timeout } = this.scenario;
    const idempotencyKey = KEY_OPTIONS[keys];
    return await this.world.execute(
      {
        ...TEMPLATE,
        phoneNumbers: '={{ $json.phones }}',
        options: {
          ...options,
          userData: this.mark,
          ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
          ...(hasLimit ? { maxMessages: 1000 } : {}),
          ...(!isSound && needsTimeLimits(this.scenario) ? { timeout: SHORT_TIMEOUT } : {}),
          ...(timeout === 'missing' && !isSound ? { timeout: '={{ $json.none }}' } : {}),
        },
      } as never,
      items as unknown as IDataObject[],
      {
        node: {
          onError,
          retryOnFail: node.retryOnFail,
          maxTries: node.maxTries,
          waitBetweenTries: 1,
        },
        contextData: family.context as IExecuteContextData,
        workflowId: this.workflowId,
        readCredential: (data, nth) => {
          const own = { ...data, ...fieldsOf(this.scenario.codes) };
          return isSound ? own : this.readCredential(own, nth);
        },
        onStart,
      },
    );
  }

  private readCredential(
    data: ICredentialDataDecryptedObject,
    nth: number,
  ): ICredentialDataDecryptedObject | Promise<ICredentialDataDecryptedObject> {
    const { credential } = this.scenario;
    if (!credential || nth < credential.nth || nth >= credential.nth + credential.times)
      return data;
    if (credential.how === 'edited') return { ...data, apiKey: EDITED_KEY };
    if (credential.how === 'hangs') return new Promise(() => undefined);
    if (credential.how === 'late') return pause(LATE_MS).then(() => data);
    throw new Error('database is locked');
  }

  /** What holds for every execution, whatever it sent. */
  private expectOrder({ requests, result, onError, isSound }: Execution): void {
    const { gateway } = this.world;
    const { options, timeout } = this.scenario;
    this.expectNoSecrets(result);
    if (timeout === 'missing' && !isSound) {
      expect(requests).toEqual([]);
      if (onError !== 'stopWorkflow') expect(result.output).toBeDefined();
    }
    // A request that a time limit ended may still be open when the next one comes.
    if (!needsTimeLimits(this.scenario)) {
      expect(gateway.maxInFlight - this.openBefore).toBeLessThanOrEqual(options.maxConcurrency);
    }
    expect(gateway.violations).toEqual([]);
  }

  private expectNoSecrets({ run }: ExecuteResult): void {
    const { apiKey, apiSecret, requests } = this.world.gateway;
    const stored = JSON.stringify(run);
    const signatures = requests.map(({ headers }) => String(headers['x-sign']));
    for (const secret of [apiKey, apiSecret, EDITED_KEY, ...signatures]) {
      if (stored.includes(secret)) throw new Error(`The run shows a secret: ${secret}`);
    }
  }

  private async untilRequests(count: number): Promise<void> {
    const deadline = Date.now() + 2_000;
    while (this.world.gateway.requests.length < count && Date.now() < deadline) await pause(1);
  }

  /** A cancelled request may still be on its way to the gateway. */
  private async untilQuiet(wasCancelled: boolean): Promise<void> {
    const { gateway } = this.world;
    if (wasCancelled) await pause(20);
    // n8n must not sign and send what the node has given up.
    if (this.scenario.credential?.how === 'late') await pause(LATE_MS);
    while (gateway.requests.some(({ outcome }) => outcome === 'pending')) await pause(1);
    const deadline = Date.now() + CLOSING_MS;
    const isOpen = () => gateway.openRequests > this.openBefore;
    while (isOpen() && Date.now() < deadline) await pause(1);
    if (isOpen()) throw new Error('The run is over, and a request is still open');
  }
}

/** For n8n to close the connection of a request that it does not wait for any more. */
const CLOSING_MS = 2_000;

/** Later than each time limit of the node, as short as they are made. */
const LATE_MS = 200;

/** The key of a credential that was edited in the middle of a run. */
const EDITED_KEY = 'edited-key-77b1';

async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
