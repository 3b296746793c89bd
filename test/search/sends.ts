import fc from 'fast-check';
import type { IDataObject, IExecuteContextData, INodeExecutionData } from 'n8n-workflow';
import type { DeduplicationStore, StoreFailure } from '../engine/harness/deduplicationStore';
import type { ExecuteResult, Harness } from '../engine/harness';
import { phone, TEMPLATE } from '../engine/harness/sends';
import type { Fault } from '../sandbox/faults';
import type { Gateway, RecordedRequest } from '../sandbox/gateway';

/**
 * Random sends in the real engine, to a service that does anything that a service may do. The truth is
 * in the gateway's own log and in n8n's store of keys. Nothing here asks the code of the node.
 */

/** Numbers that the service takes, numbers that it refuses, and texts that the node refuses. */
const GOOD = [0, 1, 2, 3, 4].map(phone);
const REFUSED = [5, 6].map(phone);
const UNREADABLE = ['nonsense', '1390013 1390'];

const KEYS = ['k1', 'k2', 'k3'];
const UNUSABLE_KEYS = ['', 'order-undefined', null];

const CODES = ['a', 'b', 'c'];
const UNUSABLE_CODES = ['', 7];

/** Answers that contradict themselves. `accept` says what the service really did. */
const CONTRADICTIONS: Fault[] = [
  { kind: 'status', status: 429, accept: true, body: { code: 0, msg: 'ok', batch_id: 'b-429' } },
  { kind: 'status', status: 503, accept: true, body: { code: 0, msg: 'ok', batch_id: 'b-503' } },
  ...[true, false].flatMap((accept): Fault[] => [
    { kind: 'status', status: 429, accept, retryAfter: '0', body: { batch_id: 'b-1', count: 1 } },
    { kind: 'status', status: 429, accept, retryAfter: '0', body: '{"code":0,"batch_id":"1' },
    { kind: 'status', status: 400, accept, body: { code: 7, batch_id: 'b-2', count: 2 } },
    { kind: 'status', status: 400, accept, body: '{"code":0,"msg":"ok","coun' },
    { kind: 'wrongShape', accept, body: { code: 9000, msg: 'no', batch_id: 'b-3', count: 1 } },
    { kind: 'wrongShape', accept, body: { code: 9000, data: { count: 1 } } },
    { kind: 'wrongShape', accept, body: { code: 0, msg: 'ok', count: 0, batch_id: '' } },
    { kind: 'wrongShape', accept, body: [{ code: 0 }] },
    { kind: 'wrongShape', accept, body: { code: 2003, success_count: 1, fail_count: 1 } },
    { kind: 'wrongShape', accept, body: { code: 2003, data: { success: ['1'], fail: [] } } },
    { kind: 'wrongShape', accept, body: { code: 2003, data: [{ code: 0 }, { code: 7 }] } },
    { kind: 'wrongShape', accept, body: { code: 2003, msg: 'no', task_id: '99' } },
    { kind: 'wrongShape', accept, body: { code: 200, msg: 'success', data: '10001' } },
    { kind: 'wrongShape', accept, body: { code: 'OK', data: { sid: '7' } } },
    { kind: 'wrongShape', accept, body: { success: false, message: 'no', batch_id: 'b-4' } },
    { kind: 'wrongShape', accept, body: { code: 0, success: false, batch_id: 'b-5', count: 1 } },
    { kind: 'wrongShape', accept, body: { code: 0, data: { code: 7, msg: 'no', batch_id: 'b' } } },
    { kind: 'wrongShape', accept, body: { code: null, msg: '余额不足', batch_id: 'b-6' } },
    { kind: 'wrongShape', accept, body: { code: 0, batch_id: 'a', data: { batch_id: 'b' } } },
    { kind: 'redirect', accept, location: '/login' },
    { kind: 'redirect', accept, status: 303, location: '/done' },
  ]),
];

const FAULTS: Fault[] = [
  { kind: 'businessCode', code: 9000 },
  { kind: 'businessCode', code: 9001, times: Infinity },
  { kind: 'status', status: 400 },
  { kind: 'status', status: 401, body: '<h1>No</h1>' },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503, accept: true },
  { kind: 'tooManyRequests', retryAfter: '0' },
  { kind: 'tooManyRequests', retryAfter: '0', times: 4 },
  { kind: 'tooManyRequests', retryAfter: '3600' },
  { kind: 'resetBeforeAccept' },
  { kind: 'resetAfterAccept' },
  { kind: 'truncatedJson' },
  { kind: 'truncatedJson', mismatchedLength: true },
  { kind: 'html' },
  { kind: 'emptyBody' },
  { kind: 'redirect' },
  { kind: 'redirect', status: 308, location: 'https://other.example/' },
  { kind: 'wrongShape', accept: false, body: { success: false, message: 'no' } },
  { kind: 'acceptedFewer' },
  ...CONTRADICTIONS,
];

export interface Scenario {
  items: { phones: string[]; code: unknown; key: unknown }[];
  options: {
    batchSize: number;
    maxConcurrency: number;
    maxRetries: number;
    duplicateNumbers: 'allow' | 'merge';
  };
  hasKeys: boolean;
  /** A limit that is never reached: the run is planned whole, and its keys are looked up first. */
  hasLimit: boolean;
  /** `missing`: the option is filled from a field that no item has. */
  timeout: 'long' | 'missing';
  node: {
    onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
    retryOnFail: boolean;
    maxTries: number;
  };
  faults: { fault: Fault; nth: number; quotesSecrets: boolean }[];
  storeFailures: StoreFailure[];
  /** The execution is cancelled after this many requests. */
  cancelAfter: number | null;
}

/** Mostly one of the usual values, and sometimes another. */
const mostly = <T, U>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<U>) =>
  fc.oneof({ arbitrary: usual, weight: 8 }, { arbitrary: other, weight: 1 });

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  items: fc.array(
    fc.record({
      phones: fc.array(
        fc.oneof(
          { arbitrary: fc.constantFrom(...GOOD), weight: 8 },
          { arbitrary: fc.constantFrom(...REFUSED), weight: 1 },
          { arbitrary: fc.constantFrom(...UNREADABLE), weight: 1 },
        ),
        { minLength: 1, maxLength: 4 },
      ),
      code: mostly(fc.constantFrom<unknown>(...CODES), fc.constantFrom<unknown>(...UNUSABLE_CODES)),
      key: mostly(fc.constantFrom<unknown>(...KEYS), fc.constantFrom<unknown>(...UNUSABLE_KEYS)),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  options: fc.record({
    batchSize: fc.integer({ min: 1, max: 6 }),
    maxConcurrency: fc.integer({ min: 1, max: 3 }),
    maxRetries: fc.integer({ min: 0, max: 2 }),
    duplicateNumbers: fc.constantFrom('allow', 'merge'),
  }),
  hasKeys: fc.boolean(),
  hasLimit: fc.boolean(),
  timeout: mostly(fc.constant('long' as const), fc.constant('missing' as const)),
  node: fc.record({
    onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
    retryOnFail: fc.boolean(),
    maxTries: fc.integer({ min: 2, max: 3 }),
  }),
  faults: fc.array(
    fc.record({
      fault: fc.constantFrom(...FAULTS),
      nth: fc.integer({ min: 1, max: 5 }),
      quotesSecrets: fc.boolean(),
    }),
    { maxLength: 4 },
  ),
  storeFailures: fc.oneof(
    { arbitrary: fc.constant<StoreFailure[]>([]), weight: 2 },
    {
      arbitrary: fc.array(
        fc.record({
          operation: fc.constantFrom('check', 'remove'),
          when: fc.constantFrom('before', 'after'),
          nth: fc.integer({ min: 1, max: 3 }),
        }),
        { maxLength: 2 },
      ),
      weight: 1,
    },
  ),
  cancelAfter: mostly(fc.constant(null), fc.integer({ min: 1, max: 4 })),
});

interface World {
  gateway: Gateway;
  execute: Harness['execute'];
  store: DeduplicationStore;
}

/**
 * Plays a scenario. Returns the number of executions.
 *
 * @throws when an outcome of the node is not true
 */
export async function play(scenario: Scenario, world: World): Promise<number> {
  const { gateway, store } = world;
  gateway.reset();
  store.clear();
  gateway.fault(REFUSES);
  for (const { fault, nth, quotesSecrets } of scenario.faults) {
    const msg = `signed ${gateway.apiKey}${gateway.apiSecret} with ${encodeURIComponent(gateway.apiSecret)}`;
    gateway.fault({ ...fault, nth, ...(quotesSecrets ? { msg } : {}) });
  }
  for (const failure of scenario.storeFailures) store.fail(failure);

  // An execution with its retry, and another one with the same items. Then both again without faults.
  const history = new History(scenario, world);
  const first = new Family();
  await history.run(first, { cancelAfter: scenario.cancelAfter });
  await history.run(new Family());
  gateway.clearFaults();
  gateway.fault(REFUSES);
  store.stopFailing();
  await history.run(first, { isSound: true });
  await history.run(new Family(), { isSound: true });
  return history.executions;
}

/** The service never accepts these numbers. This fault comes before all others. */
const REFUSES: Fault = {
  kind: 'businessCode',
  code: 2006,
  times: Infinity,
  match: ({ rawBody }) => REFUSED.some((number) => rawBody.includes(number)),
};

/** The node's outcome for one recipient. */
interface Claim {
  item: number;
  phone: string;
  status: string;
  msg: string;
  warning: string;
  isMerged: boolean;
}

/** An execution and its retries. They share the context that n8n saves with the execution. */
class Family {
  context: IExecuteContextData = {};
  /** Nothing failed, so n8n offers no retry. */
  isDone = false;
  /** How many messages the gateway accepted in it, by number and code. */
  readonly accepted = new Map<string, number>();
}

interface RunOptions {
  cancelAfter?: number | null;
  /** Nothing fails any more, so everything that can be sent is sent. */
  isSound?: boolean;
}

class History {
  executions = 0;

  /** Keys under which something was or may have been sent, with the family that sent it. */
  private readonly spent = new Map<string, Family>();

  /** Keys that the store holds although nothing was sent. The node has warned of them. */
  private readonly keptWithWord = new Set<string>();

  constructor(
    private readonly scenario: Scenario,
    private readonly world: World,
  ) {}

  async run(family: Family, { cancelAfter = null, isSound = false }: RunOptions = {}) {
    if (family.isDone) return;
    const requestsBefore = this.world.gateway.requests.length;
    const { onError } = this.scenario.node;
    let result = await this.execute(
      family,
      isSound,
      isSound ? 'continueRegularOutput' : onError,
      cancelAfter,
    );
    // The error of a run that stopped has only counts. Its retry has the outcome of each item.
    while (!result.output)
      result = await this.execute(family, isSound, 'continueRegularOutput', null);
    this.judge(result, family, isSound, requestsBefore);
  }

  private async execute(
    family: Family,
    isSound: boolean,
    onError: Scenario['node']['onError'],
    cancelAfter: number | null,
  ): Promise<ExecuteResult> {
    const { gateway, execute } = this.world;
    const { items, options, hasKeys, hasLimit, node, timeout } = this.scenario;
    const before = this.delivered();
    const requests = gateway.requests.length;
    this.executions += 1;
    const result = await execute(
      {
        ...TEMPLATE,
        phoneNumbers: '={{ $json.phones }}',
        options: {
          ...options,
          ...(hasKeys ? { idempotencyKey: '={{ $json.key }}' } : {}),
          ...(hasLimit ? { maxMessages: 1000 } : {}),
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
        contextData: family.context,
        onStart: (cancel) => {
          if (cancelAfter !== null) void this.untilRequests(requests + cancelAfter).then(cancel);
        },
      },
    );
    await this.untilQuiet(cancelAfter !== null);
    // n8n saves the context with the execution.
    family.context = JSON.parse(JSON.stringify(family.context)) as IExecuteContextData;
    for (const [message, count] of this.delivered()) {
      const more = count - (before.get(message) ?? 0);
      if (more > 0) family.accepted.set(message, (family.accepted.get(message) ?? 0) + more);
    }
    this.expectNoSecrets(result);
    if (timeout === 'missing' && !isSound) {
      expect(gateway.requests).toHaveLength(requests);
      if (onError !== 'stopWorkflow') expect(result.output).toBeDefined();
    }
    expect(gateway.maxInFlight).toBeLessThanOrEqual(options.maxConcurrency);
    expect(gateway.violations).toEqual([]);
    return result;
  }

  private judge(
    result: ExecuteResult,
    family: Family,
    isSound: boolean,
    requestsBefore: number,
  ): void {
    const { items, hasKeys, node } = this.scenario;
    const outputs = (result.output ?? []).map((items) => items ?? []);

    // Every item has one outcome, and no item that was not sent is on the success output.
    const paired = outputs.flat().map(({ pairedItem }) => (pairedItem as { item: number }).item);
    expect(paired.sort()).toEqual(items.map((_, index) => index));
    for (const { json } of outputs[0] ?? []) {
      if (json.error === undefined) expect(['accepted', 'skipped']).toContain(json.status);
    }
    if (node.onError === 'continueErrorOutput' && !result.error && outputs.length > 1) {
      for (const { json } of outputs[0] ?? [])
        expect(['accepted', 'skipped']).toContain(json.status);
    }

    const claims = outputs.flat().flatMap(claimsOf);
    family.isDone = claims.every(({ status }) => status === 'accepted' || status === 'skipped');
    this.expectTruth(claims, family);
    if (hasKeys) this.expectKeys(claims, family);
    if (isSound) this.expectAllSent(claims, this.world.gateway.requests.slice(requestsBefore));
  }

  /** No message is accepted twice, and an outcome is `accepted` or `rejected` only when that is true. */
  private expectTruth(claims: Claim[], family: Family): void {
    const wanted = new Map<string, { sure: number; unsure: number }>();
    for (const { item, phone: number, status, warning, isMerged } of claims) {
      if (isMerged) continue;
      const message = `${number} ${String(this.scenario.items[item]?.code)}`;
      const claimed = wanted.get(message) ?? { sure: 0, unsure: 0 };
      wanted.set(message, claimed);
      // The service accepted fewer than were sent, and the node warns that it does not know which.
      if (status === 'accepted' && !/did not say/.test(warning)) claimed.sure += 1;
      else if (status === 'accepted' || status === 'unknown') claimed.unsure += 1;
    }
    for (const [message, count] of family.accepted) {
      const { sure, unsure } = wanted.get(message) ?? { sure: 0, unsure: 0 };
      if (count < sure || count > sure + unsure) {
        throw new Error(
          `${message}: accepted ${count} times, claimed ${sure} and perhaps ${unsure} more`,
        );
      }
    }
    for (const [message, { sure }] of wanted) {
      if (sure > 0 && !family.accepted.has(message)) {
        throw new Error(`${message}: claimed to be accepted ${sure} times, and never was`);
      }
    }
  }

  /** The store holds a key only when something was or may have been sent under it. */
  private expectKeys(claims: Claim[], family: Family): void {
    const spentBefore = new Map(this.spent);
    for (const { item, status, msg, warning } of claims) {
      const key = String(this.scenario.items[item]?.key);
      const isUnclear = /not known who recorded/.test(msg);
      if ((status === 'accepted' || status === 'unknown') && !isUnclear) {
        if ((this.spent.get(key) ?? family) !== family) {
          throw new Error(`Two executions have sent under the key ${key}`);
        }
        this.spent.set(key, family);
      }
      if (/could not be released|may hold/.test(`${warning} ${msg}`) || isUnclear) {
        this.keptWithWord.add(key);
      }
      if (status !== 'skipped') continue;
      const isTold = this.keptWithWord.has(key);
      if (/was used before/.test(msg) && !spentBefore.has(key) && !isTold) {
        throw new Error(`The key ${key} is said to be used, and nothing was sent under it`);
      }
    }
    const held = new Set(
      this.world.store.values().map((value) => value.slice(value.indexOf(':') + 1)),
    );
    for (const key of this.spent.keys()) {
      if (!held.has(key)) throw new Error(`The key ${key} is free, though it was spent`);
    }
    for (const key of held) {
      if (!this.spent.has(key) && !this.keptWithWord.has(key)) {
        throw new Error(`The key ${key} is kept, and nothing was sent under it`);
      }
    }
  }

  private expectAllSent(claims: Claim[], requests: RecordedRequest[]): void {
    const refusedAlone = requests.filter(({ body, outcome }) => {
      const { length } = (body as { messages: unknown[] }).messages;
      return length === 1 && outcome === 'fault businessCode';
    }).length;
    for (const { item, phone: number, status, msg } of claims) {
      // An item shares the refusal of an earlier item with the same key.
      const isSameKey = msg.startsWith('Not sent, like item');
      if (status !== 'rejected' || !GOOD.includes(number) || isSameKey) continue;
      // After two numbers were refused alone, the node takes the account for refused.
      if (msg.includes('(code 2006)') && refusedAlone >= 2) continue;
      throw new Error(`Item ${item}, ${number}: not sent though nothing went wrong (${msg})`);
    }
  }

  private expectNoSecrets({ run }: ExecuteResult): void {
    const { apiKey, apiSecret, requests } = this.world.gateway;
    const stored = JSON.stringify(run);
    const signatures = requests.map(({ headers }) => String(headers['x-sign']));
    for (const secret of [apiKey, apiSecret, ...signatures]) {
      if (stored.includes(secret)) throw new Error(`The run shows a secret: ${secret}`);
    }
  }

  private delivered(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const [number, entries] of this.world.gateway.state.messages) {
      for (const { content } of entries) {
        const code = /验证码是(.*?),/.exec(content)?.[1];
        const message = `${number} ${code}`;
        counts.set(message, (counts.get(message) ?? 0) + 1);
      }
    }
    return counts;
  }

  private async untilRequests(count: number): Promise<void> {
    const deadline = Date.now() + 2_000;
    while (this.world.gateway.requests.length < count && Date.now() < deadline) await pause(1);
  }

  /** A cancelled request may still be on its way to the gateway. */
  private async untilQuiet(wasCancelled: boolean): Promise<void> {
    if (wasCancelled) await pause(20);
    while (this.world.gateway.requests.some(({ outcome }) => outcome === 'pending')) await pause(1);
  }
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function claimsOf({ json, pairedItem }: INodeExecutionData): Claim[] {
  const { item } = pairedItem as { item: number };
  const outcome = (json.details ?? json) as IDataObject;
  const parts = (outcome.parts ?? [outcome]) as IDataObject[];
  return parts.flatMap(({ phone_numbers: phones, status, msg, warning, merged }) =>
    // An item that could not be read has no phone numbers.
    ((phones as string[]).length > 0 ? (phones as string[]) : ['']).map((number) => ({
      item,
      phone: number,
      status: String(status),
      msg: String(msg),
      warning: String(warning),
      isMerged: merged === true,
    })),
  );
}
