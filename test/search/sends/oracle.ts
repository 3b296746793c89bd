import { inspect } from 'node:util';
import type { IContextObject, INodeExecutionData } from 'n8n-workflow';
import type { ExecuteResult } from '../../engine/harness';
import { descriptionOf } from '../../engine/harness/sends';
import type { RecordedRequest } from '../../sandbox/gateway';
import type { Claim } from './claims';
import { claimsOf, itemOf, outcomeOf } from './claims';
import { countEach, sendsIn } from './log';
import type { Send } from './log';
import type { Meaning } from './meaning';
import type { Scenario } from './scenario';
import {
  isBad,
  isNumber,
  isTaken,
  isUnusable,
  keyOf,
  messageName,
  needsTimeLimits,
} from './scenario';

/**
 * What is true of the sends of one history, by what the service answered: if it lies, nobody can know. The
 * gateway's own log and n8n's store of keys show it. Nothing here asks the code of the node.
 */

/** One execution: all tries of Retry On Fail, and the requests that arrived meanwhile. */
export interface Execution {
  requests: RecordedRequest[];
  result: ExecuteResult;
  onError: Scenario['node']['onError'];
  /** Nothing failed any more, so everything that can be sent is sent. */
  isSound: boolean;
}

/** An execution and its "Retry execution"s. They share the context that n8n saves with the execution. */
export class Family {
  context: Record<string, IContextObject> = {};

  /** Nothing failed, so n8n offers no retry. */
  isDone = false;

  wasCancelled = false;

  /** The sends of all its executions. */
  readonly sends: Send[] = [];
}

/** Unclear answers in a row: three, then a pause, and three more. */
const UNCLEAR_IN_A_ROW = 6;

/** Whether the answer says that nothing was done. */
const isNotDone = (meaning: Meaning) => meaning === 'refused' || meaning === 'too fast';

/** How many bad items the error of a stopped run names at least. */
const NAMED_ITEMS = 3;

export class Oracle {
  /** Keys under which something was or may have been sent, with the family that sent it. */
  private readonly spent = new Map<string, Family>();

  /** Keys that the store holds although nothing was sent. The node has warned of them. */
  private readonly keptWithWord = new Set<string>();

  constructor(
    private readonly scenario: Scenario,
    /** The keys that n8n's store holds now. */
    private readonly heldKeys: () => string[],
  ) {}

  /** Judges what one execution did. */
  judgeExecution(execution: Execution, family: Family): void {
    const sends = this.sendsOf(execution);
    family.sends.push(...sends);
    this.expectOnce(sends, family);
    this.expectEndOfOutage(sends);
    if (execution.onError === 'stopWorkflow') this.expectPlanBeforeSend(execution, sends);
  }

  /** Judges what the node said in an execution that gave an output. */
  judgeOutput(execution: Execution, family: Family): void {
    const { result, isSound, onError } = execution;
    const outputs = (result.output ?? []).map((items) => items ?? []);
    this.expectEachItem(outputs, onError);
    const claims = outputs.flat().flatMap(claimsOf);
    family.isDone = claims.every(({ status }) => status === 'accepted' || status === 'skipped');
    this.expectUnusableRejected(claims);
    this.expectTruth(claims, family);
    if (this.scenario.keys !== 'none') this.expectKeys(claims, family);
    if (isSound) this.expectAllSent(claims, this.sendsOf(execution));
    outputs.flat().forEach((output) => this.expectOpenNumbers(output));
  }

  private sendsOf({ requests }: Execution): Send[] {
    return sendsIn(requests, this.scenario.codes);
  }

  /**
   * In one execution no message is in two requests, unless the answer to the first one was to slow down.
   * Nor is it sent again by a retry of the execution, unless it was refused.
   */
  private expectOnce(sends: Send[], family: Family): void {
    this.expectAtMostWanted(sends.filter(({ meaning }) => meaning !== 'too fast'));
    this.expectAtMostWanted(family.sends.filter(({ meaning }) => !isNotDone(meaning)));
  }

  /** No message is there more often than the items want it. */
  private expectAtMostWanted(sends: Send[]): void {
    const wanted = countEach(
      this.scenario.items.flatMap(({ phones, code }) =>
        phones.filter(isNumber).map((number) => messageName(number, code)),
      ),
    );
    for (const [message, count] of countEach(sends.flatMap(({ messages }) => messages))) {
      const most = wanted.get(message) ?? 0;
      if (count > most) throw new Error(`${message}: sent ${count} times, wanted ${most}`);
    }
  }

  /** A run ends when the service answers nothing clear any more. */
  private expectEndOfOutage(sends: Send[]): void {
    const { options, node } = this.scenario;
    const tries = node.retryOnFail ? node.maxTries : 1;
    // Other requests are under way when an outage is noticed, and their answers may come in between.
    const most = tries * (UNCLEAR_IN_A_ROW + 3 * (options.maxConcurrency - 1));
    let inARow = 0;
    for (const { meaning } of sends) {
      if (meaning === 'too fast') continue;
      inARow = meaning === 'unclear' ? inARow + 1 : 0;
      if (inARow > most) throw new Error(`More than ${most} unclear answers in a row`);
    }
  }

  /** With Stop Workflow nothing is sent if one item cannot be sent, and the error names what is bad. */
  private expectPlanBeforeSend({ result }: Execution, sends: Send[]): void {
    const { items, timeout, credential } = this.scenario;
    const bad = items.flatMap((each, index) => (isBad(this.scenario, each) ? [index] : []));
    if (bad.length === 0) return;
    if (sends.length > 0) throw new Error(`Sent, though item ${bad[0]} cannot be sent`);
    expect(result.error).toBeDefined();
    // Without option or credential the run is not planned at all, and an only item needs no number.
    if (timeout === 'missing' || credential || items.length === 1) return;
    // n8n shows this index beside the error.
    const { itemIndex } = (result.error?.context ?? {}) as { itemIndex?: number };
    const text = `${result.error?.message} ${descriptionOf(result.error)} ${itemIndex}`;
    for (const index of bad.slice(0, NAMED_ITEMS))
      expect(text).toMatch(new RegExp(`\\b${index}\\b`));
  }

  /** Every item has one outcome, and no item that was not sent is on the success output. */
  private expectEachItem(outputs: INodeExecutionData[][], onError: Execution['onError']): void {
    const paired = outputs.flat().map(itemOf);
    expect(paired.sort((a, b) => a - b)).toEqual(this.scenario.items.map((_, index) => index));
    const hasErrorBranch = onError === 'continueErrorOutput' && outputs.length > 1;
    for (const { json } of outputs[0] ?? []) {
      if (hasErrorBranch || json.error === undefined) {
        expect(['accepted', 'skipped']).toContain(json.status);
      }
    }
  }

  /** An item without a usable key or message is rejected, and never skipped because of another one. */
  private expectUnusableRejected(claims: Claim[]): void {
    for (const { item, status, msg } of claims) {
      if (status !== 'rejected' && this.isUnusableAt(item)) {
        throw new Error(`Item ${item} has no usable key or message, and is ${status} (${msg})`);
      }
    }
  }

  /**
   * Outcomes are what the answers mean: `accepted` if one said so, and neither `rejected` nor `skipped` if
   * the message was or may have been accepted. `unknown` only if an answer left it open.
   */
  private expectTruth(claims: Claim[], { sends, wasCancelled }: Family): void {
    const own = claims.filter(({ isMerged }) => !isMerged);
    const said = tally(own.map((claim) => [this.messageOf(claim), claim.kind]));
    const meant = tally(
      sends.flatMap(({ messages, meaning }) => messages.map((message) => [message, meaning])),
    );
    // On a busy machine, an answer may come too late for a time limit that is made short.
    const mayMissAnswer = wasCancelled || needsTimeLimits(this.scenario);
    const mayBeOpen = mayMissAnswer || this.scenario.storeFailures.length > 0;
    for (const message of new Set([...said.keys(), ...meant.keys()])) {
      const { accepted = 0, fewer = 0, unknown = 0 } = said.get(message) ?? {};
      const is = { accepted: 0, fewer: 0, unclear: 0, ...meant.get(message) };
      const isTrue =
        accepted <= is.accepted &&
        accepted + fewer <= is.accepted + is.fewer &&
        accepted + fewer + unknown >= is.accepted + is.fewer + is.unclear &&
        (mayBeOpen || unknown <= is.unclear);
      if (isTrue) continue;
      throw new Error(`${message}: ${inspect(said.get(message))} is said of ${inspect(is)}`);
    }
  }

  /** The store holds a key only if something was or may have been sent under it. */
  private expectKeys(claims: Claim[], family: Family): void {
    for (const { item, status, msg, warning } of claims) {
      const key = this.keyAt(item);
      if (key === undefined) continue;
      const isUnclear = /not known who recorded/.test(msg);
      if ((status === 'accepted' || status === 'unknown') && !isUnclear) {
        if ((this.spent.get(key) ?? family) !== family) {
          throw new Error(`Two executions have sent under the key ${key}`);
        }
        this.spent.set(key, family);
      }
      if (/still holds|may hold/.test(`${warning} ${msg}`) || isUnclear) {
        this.keptWithWord.add(key);
      }
    }
    const isKnown = (key: string) => this.spent.has(key) || this.keptWithWord.has(key);
    for (const { item, status } of claims) {
      const key = String(this.keyAt(item));
      if (status === 'skipped' && !isKnown(key)) {
        throw new Error(`Item ${item} is skipped, and nothing was sent under its key ${key}`);
      }
    }
    const held = new Set(this.heldKeys().map((value) => value.slice(value.indexOf(':') + 1)));
    for (const key of this.spent.keys()) {
      if (!held.has(key)) throw new Error(`The key ${key} is free, though it was spent`);
    }
    for (const key of held) {
      if (!isKnown(key)) throw new Error(`The key ${key} is kept, and nothing was sent under it`);
    }
  }

  /** Everything was sent, except what the service refused, together with what was in the same request. */
  private expectAllSent(claims: Claim[], sends: Send[]): void {
    // What the service says of the numbers that it does not take may be unclear, and end the run.
    if (sends.filter(({ meaning }) => meaning === 'unclear').length >= UNCLEAR_IN_A_ROW) return;
    const refused = new Set(
      sends.flatMap(({ meaning, messages }) => (meaning === 'refused' ? messages : [])),
    );
    for (const claim of claims) {
      const { item, phone, status, msg } = claim;
      if (status !== 'rejected' || !isTaken(phone) || this.isUnusableAt(item)) continue;
      if (this.sharesRejection(item, claims) || refused.has(this.messageOf(claim))) continue;
      throw new Error(`Item ${item}, ${phone}: not sent though nothing went wrong (${msg})`);
    }
  }

  /** An item is not sent either if an earlier one with the same key was rejected. */
  private sharesRejection(item: number, claims: Claim[]): boolean {
    const key = this.keyAt(item);
    const others = this.scenario.items
      .slice(0, item)
      .flatMap((_, index) => (key !== undefined && this.keyAt(index) === key ? [index] : []));
    return others.some((index) =>
      claims.every((claim) => claim.item !== index || claim.status === 'rejected'),
    );
  }

  /** `open_numbers` are the numbers of an item that were certainly not sent. */
  private expectOpenNumbers(output: INodeExecutionData): void {
    const { open_numbers: numbers = [] } = outcomeOf(output);
    const open = new Set(numbers as string[]);
    const item = itemOf(output);
    if (this.isUnusableAt(item)) {
      const own = this.scenario.items[item]?.phones ?? [];
      expect([...open].filter((number) => !own.includes(number) || !isNumber(number))).toEqual([]);
      return;
    }
    const rejected = claimsOf(output).filter(({ status }) => status === 'rejected');
    const unsent = new Set(rejected.map(({ phone }) => phone).filter(isNumber));
    if (inspect([...open].sort()) !== inspect([...unsent].sort())) {
      throw new Error(`Item ${item} has open_numbers ${inspect(numbers)}, not ${inspect(unsent)}`);
    }
  }

  private messageOf({ item, phone }: Claim): string {
    return messageName(phone, this.scenario.items[item]?.code);
  }

  private keyAt(item: number): string | undefined {
    const each = this.scenario.items[item];
    return each && keyOf(this.scenario, each);
  }

  private isUnusableAt(item: number): boolean {
    const each = this.scenario.items[item];
    return each !== undefined && isUnusable(this.scenario, each);
  }
}

/** Message → how often each kind of it is there. */
function tally(pairs: string[][]): Map<string, Record<string, number>> {
  const tallies = new Map<string, Record<string, number>>();
  for (const [message = '', kind = ''] of pairs) {
    const { [kind]: count = 0, ...others } = tallies.get(message) ?? {};
    tallies.set(message, { ...others, [kind]: count + 1 });
  }
  return tallies;
}
