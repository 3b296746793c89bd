import type { IContextObject, INodeExecutionData } from 'n8n-workflow';
import type { ExecuteResult } from '../../kit/engine';
import { itemOf, outcomeOf } from '../../kit/search/outcomes';
import type { RecordedRequest } from '../../sandbox/gateway';
import type { Claim } from './claims';
import { claimsOf } from './claims';
import { sendsIn } from './log';
import type { Send } from './log';
import type { Scenario } from './scenario';
import { isBad, isNumber, isTaken, messageName, needsTimeLimits } from './scenario';

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

/** All histories are within one day. */
const DAY_KEY = /^smsMessagingServiceDay:[-\d]+ (\d+) \d+$/;

/** Whether a message was not sent because its number had its messages of the day. */
const isOverDay = ({ msg }: Claim) => /^Not sent: the number had \d+ today/.test(msg);

const mayBeDone = ({ meaning }: Send) => meaning !== 'refused' && meaning !== 'slow down';

const timesIn = (all: string[], one: string) => all.filter((each) => each === one).length;

export class Oracle {
  /** Keys under which something was or may have been sent, with the family that sent it. */
  private readonly spent = new Map<string, Family>();

  /** Keys that the store holds although nothing was sent, because it failed. The node has warned of them. */
  private readonly keptWithWord = new Set<string>();

  /** The number of each message that was or may have been sent in all executions, and before the latest one. */
  private reached: string[] = [];
  private reachedBefore: string[] = [];

  /** Nobody knows exactly what the node saw, or the store failed. */
  private isVague: boolean;

  constructor(
    private readonly scenario: Scenario,
    /** The keys that n8n's store holds now. */
    private readonly heldKeys: () => string[],
  ) {
    this.isVague = needsTimeLimits(scenario) || scenario.storeFailures.length > 0;
  }

  /** Judges what one execution did. */
  judgeExecution({ requests, result, onError }: Execution, family: Family): void {
    const sends = sendsIn(requests);
    family.sends.push(...sends);
    this.isVague ||= family.wasCancelled;
    this.expectDays(sends);
    // No message is in two requests, unless the answer to the first one was to slow down.
    this.expectAtMostWanted(sends.filter(({ meaning }) => meaning !== 'slow down'));
    // Nor is it sent again by a retry of the execution, unless it was refused.
    this.expectAtMostWanted(family.sends.filter(mayBeDone));
    // With Stop Workflow nothing is sent if one item cannot be sent.
    const hasBad = this.scenario.items.some((each) => isBad(this.scenario, each));
    if (onError !== 'stopWorkflow' || !hasBad) return;
    expect(sends).toEqual([]);
    expect(result.error).toBeDefined();
  }

  /** Judges what the node said in an execution that gave an output. */
  judgeOutput({ requests, result, isSound, onError }: Execution, family: Family): void {
    const outputs = (result.output ?? []).map((items) => items ?? []);
    this.expectEachItem(outputs, onError);
    const claims = outputs.flat().flatMap((output) => claimsOf(this.scenario, output));
    family.isDone = claims.every(({ status }) => status === 'accepted' || status === 'skipped');
    this.expectUnusableRejected(claims);
    this.expectTruth(claims, family);
    if (this.scenario.hasKeys) this.expectKeys(claims, family);
    this.expectDenied(claims);
    if (isSound) this.expectAllSent(claims, sendsIn(requests));
    outputs.flat().forEach((output) => this.expectOpenNumbers(output));
  }

  /** No number gets more than its limit of a day, and the store holds a key for exactly what was sent. */
  private expectDays(sends: Send[]): void {
    const latest = sends.filter(mayBeDone).flatMap(({ messages }) => messages);
    this.reachedBefore = this.reached;
    this.reached = [...this.reached, ...latest.map((name) => name.split(' ')[0] as string)].sort();
    const { maxPerNumberAndDay: max } = this.scenario.options;
    if (max === undefined) return;
    const held = this.heldKeys().flatMap((value) => DAY_KEY.exec(value)?.[1] ?? []);
    for (const number of this.reached) {
      const count = timesIn(this.reached, number);
      expect([number, count <= max]).toEqual([number, true]);
      expect([number, timesIn(held, number) >= count]).toEqual([number, true]);
    }
    if (!this.isVague) expect(held.sort()).toEqual(this.reached);
  }

  /** A message is over the limit of a day only if its number would get more than that. */
  private expectDenied(claims: Claim[]): void {
    const { maxPerNumberAndDay: max = Infinity } = this.scenario.options;
    for (const { phone } of this.isVague ? [] : claims.filter(isOverDay)) {
      const asked = claims.filter((claim) => claim.phone === phone).length;
      expect(timesIn(this.reachedBefore, phone) + asked).toBeGreaterThan(max);
    }
  }

  /** No message is there more often than the items want it. */
  private expectAtMostWanted(sends: Send[]): void {
    const wanted = this.scenario.items.flatMap(({ phones, code }) =>
      phones.filter(isNumber).map((number) => messageName(number, code)),
    );
    for (const message of sends.flatMap(({ messages }) => messages)) {
      const nth = wanted.indexOf(message);
      if (nth < 0) throw new Error(`${message} is sent more often than it is wanted`);
      wanted.splice(nth, 1);
    }
  }

  /** Every item has one outcome, and no item that was not sent is on the success output. */
  private expectEachItem(outputs: INodeExecutionData[][], onError: Execution['onError']): void {
    const paired = outputs.flat().map(itemOf);
    expect(paired.sort((a, b) => a - b)).toEqual(this.scenario.items.map((_, index) => index));
    for (const { json } of outputs[0] ?? []) {
      if (onError === 'continueErrorOutput' || json.error === undefined) {
        expect(['accepted', 'skipped']).toContain(json.status);
      }
    }
  }

  /** An item without a usable key or message is rejected, and never skipped because of another one. */
  private expectUnusableRejected(claims: Claim[]): void {
    for (const { item, isUnusable, status, msg } of claims) {
      if (status !== 'rejected' && isUnusable) {
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
    // On a busy machine, an answer may come too late for a time limit that is made short.
    const mayMissAnswer = wasCancelled || needsTimeLimits(this.scenario);
    const mayBeOpen = mayMissAnswer || this.scenario.storeFailures.length > 0;
    const all = [
      ...own.map(({ message }) => message),
      ...sends.flatMap(({ messages }) => messages),
    ];
    for (const message of new Set(all)) {
      const said = own.filter((claim) => claim.message === message);
      const statuses = said.map(({ status }) => status);
      const meanings = sends.flatMap(({ meaning, messages }) =>
        messages.filter((each) => each === message).map(() => meaning),
      );
      const [accepted, unknown] = [timesIn(statuses, 'accepted'), timesIn(statuses, 'unknown')];
      const [sent, unclear] = [timesIn(meanings, 'accepted'), timesIn(meanings, 'unclear')];
      const isTrue =
        accepted <= sent &&
        accepted + unknown >= sent + unclear &&
        (mayBeOpen || unknown <= unclear);
      if (!isTrue) throw new Error(`${message}: ${statuses.join()} is said of ${meanings.join()}`);
    }
  }

  /** The store holds a key only if something was or may have been sent under it. */
  private expectKeys(claims: Claim[], family: Family): void {
    for (const { key, status, msg, warning } of claims) {
      if (key === undefined) continue;
      const isUnclear = /not known who recorded/.test(msg);
      if ((status === 'accepted' || status === 'unknown') && !isUnclear) {
        if ((this.spent.get(key) ?? family) !== family) {
          throw new Error(`Two executions have sent under the key ${key}`);
        }
        this.spent.set(key, family);
      }
      const isWarned = isUnclear || warning.includes('may hold');
      if (this.isVague && isWarned) this.keptWithWord.add(key);
    }
    const isKnown = (key: string) => this.spent.has(key) || this.keptWithWord.has(key);
    for (const { item, key, status } of claims) {
      if (status === 'skipped' && !isKnown(String(key))) {
        throw new Error(`Item ${item} is skipped, and nothing was sent under its key ${key}`);
      }
    }
    const held = this.heldKeys()
      .filter((value) => !DAY_KEY.test(value))
      .map((value) => value.slice(value.indexOf(':') + 1));
    expect(held).toEqual(expect.arrayContaining([...this.spent.keys()]));
    expect(held.filter((key) => !isKnown(key))).toEqual([]);
  }

  /** Everything was sent, except what the service refused, together with what was in the same request. */
  private expectAllSent(claims: Claim[], sends: Send[]): void {
    const refused = new Set(
      sends.flatMap(({ meaning, messages }) => (meaning === 'refused' ? messages : [])),
    );
    for (const claim of claims) {
      const { item, phone, message, status, msg } = claim;
      const isMissing = status === 'rejected' && isTaken(phone) && !claim.isUnusable;
      const hasReason = isOverDay(claim) || sharesRejection(claim, claims) || refused.has(message);
      if (!isMissing || hasReason) continue;
      throw new Error(`Item ${item}, ${phone}: not sent though nothing went wrong (${msg})`);
    }
  }

  /** `open_numbers` are the numbers of an item that were certainly not sent. */
  private expectOpenNumbers(output: INodeExecutionData): void {
    const item = itemOf(output);
    const { open_numbers: open = [] } = outcomeOf(output);
    const claims = claimsOf(this.scenario, output);
    // Of an item that could not be read, the node may know no number.
    if (claims.some(({ isUnusable }) => isUnusable)) return;
    const rejected = claims.filter(({ status }) => status === 'rejected');
    const unsent = new Set(rejected.map(({ phone }) => phone).filter(isNumber));
    expect({ item, open: new Set(open as string[]) }).toEqual({ item, open: unsent });
  }
}

/** An item is not sent either if an earlier one with the same key was rejected. */
function sharesRejection({ item, key }: Claim, claims: Claim[]): boolean {
  const others = claims.filter((other) => other.item < item && other.key === key);
  const isRejected = (index: number) =>
    others.every((other) => other.item !== index || other.status === 'rejected');
  return key !== undefined && others.some((other) => isRejected(other.item));
}
