import type { IContextObject, INodeExecutionData } from 'n8n-workflow';
import type { ExecuteResult } from '../../kit/engine';
import type { RecordedRequest } from '../../sandbox/gateway';
import type { Claim } from './claims';
import { claimsOf, itemOf, outcomeOf } from './claims';
import { sendsIn } from './log';
import type { Send } from './log';
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

/** All histories are within one day. */
const DAY_KEY = /^smsMessagingServiceDay:[-\d]+ (\d+) \d+$/;

/** Whether a message was not sent because its number had its messages of the day. */
const isOverDay = ({ msg }: Claim) => /^Not sent: the number had \d+ today/.test(msg);

const mayBeDone = ({ meaning }: Send) => meaning !== 'refused' && meaning !== 'slow down';

const timesIn = (all: string[], one: string) => all.filter((each) => each === one).length;

export class Oracle {
  /** Keys under which something was or may have been sent, with the family that sent it. */
  private readonly spent = new Map<string, Family>();

  /** Keys that the store holds although nothing was sent. The node has warned of them. */
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
    const claims = outputs.flat().flatMap(claimsOf);
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
    const names = own.map((claim) => this.messageOf(claim));
    // On a busy machine, an answer may come too late for a time limit that is made short.
    const mayMissAnswer = wasCancelled || needsTimeLimits(this.scenario);
    const mayBeOpen = mayMissAnswer || this.scenario.storeFailures.length > 0;
    for (const message of new Set([...names, ...sends.flatMap(({ messages }) => messages)])) {
      const statuses = own.filter((_, nth) => names[nth] === message).map(({ status }) => status);
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
      if (isUnclear || warning.includes('may hold')) this.keptWithWord.add(key);
    }
    const isKnown = (key: string) => this.spent.has(key) || this.keptWithWord.has(key);
    for (const { item, status } of claims) {
      const key = String(this.keyAt(item));
      if (status === 'skipped' && !isKnown(key)) {
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
      const { item, phone, status, msg } = claim;
      if (status !== 'rejected' || !isTaken(phone) || this.isUnusableAt(item)) continue;
      if (
        isOverDay(claim) ||
        this.sharesRejection(item, claims) ||
        refused.has(this.messageOf(claim))
      )
        continue;
      throw new Error(`Item ${item}, ${phone}: not sent though nothing went wrong (${msg})`);
    }
  }

  /** An item is not sent either if an earlier one with the same key was rejected. */
  private sharesRejection(item: number, claims: Claim[]): boolean {
    const key = this.keyAt(item);
    const others = claims.filter((claim) => claim.item < item && this.keyAt(claim.item) === key);
    const isRejected = (index: number) =>
      others.every((claim) => claim.item !== index || claim.status === 'rejected');
    return key !== undefined && others.some((claim) => isRejected(claim.item));
  }

  /** `open_numbers` are the numbers of an item that were certainly not sent. */
  private expectOpenNumbers(output: INodeExecutionData): void {
    const item = itemOf(output);
    const { open_numbers: open = [] } = outcomeOf(output);
    // Of an item that could not be read, the node may know no number.
    if (this.isUnusableAt(item)) return;
    const rejected = claimsOf(output).filter(({ status }) => status === 'rejected');
    const unsent = new Set(rejected.map(({ phone }) => phone).filter(isNumber));
    expect({ item, open: new Set(open as string[]) }).toEqual({ item, open: unsent });
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
