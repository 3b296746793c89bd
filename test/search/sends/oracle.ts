import { inspect } from 'node:util';
import type { IContextObject, INodeExecutionData } from 'n8n-workflow';
import type { ExecuteResult } from '../../engine/harness';
import { descriptionOf } from '../../engine/harness/sends';
import type { RecordedRequest } from '../../sandbox/gateway';
import type { Claim } from './claims';
import { claimsOf, itemOf, outcomeOf } from './claims';
import { acceptedIn, countEach, isSend, messagesIn } from './log';
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
import { proofOf } from './services';

/**
 * What is true of the sends of one history. The truth is in the gateway's own log and in n8n's store of
 * keys. Nothing here asks the code of the node.
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
  readonly sends: RecordedRequest[] = [];
}

/** Unclear answers in a row: three, then a pause, and three more. */
const UNCLEAR_IN_A_ROW = 6;

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

  /** Judges what one execution did. Its family's log has its requests. */
  judgeExecution(execution: Execution): void {
    const sends = execution.requests.filter(isSend);
    this.expectOnce(sends);
    this.expectEndOfOutage(sends);
    if (execution.onError === 'stopWorkflow') this.expectPlanBeforeSend(execution);
  }

  /** Judges what the node said in an execution that gave an output. */
  judgeOutput({ result, requests, isSound, onError }: Execution, family: Family): void {
    const outputs = (result.output ?? []).map((items) => items ?? []);
    this.expectEachItem(outputs, onError);
    const claims = outputs.flat().flatMap(claimsOf);
    family.isDone = claims.every(({ status }) => status === 'accepted' || status === 'skipped');
    this.expectUnusableRejected(claims);
    this.expectTruth(claims, family);
    this.expectReason(claims, family);
    if (this.scenario.keys !== 'none') this.expectKeys(claims, family);
    if (isSound) this.expectAllSent(claims, requests.filter(isSend));
    outputs.flat().forEach((output) => this.expectOpenNumbers(output));
  }

  /**
   * Within one execution no message is accepted twice, and none is in two requests, unless the first one
   * provably did nothing.
   */
  private expectOnce(sends: RecordedRequest[]): void {
    const { items, options } = this.scenario;
    const wanted = countEach(
      items.flatMap(({ phones, code }) =>
        phones.filter(isNumber).map((number) => messageName(number, code)),
      ),
    );
    const expectAtMost = (counts: Map<string, number>, what: string) => {
      for (const [message, count] of counts) {
        const most = wanted.get(message) ?? 0;
        if (count > most) {
          throw new Error(`${message}: ${what} ${count} times in one execution, wanted ${most}`);
        }
      }
    };
    expectAtMost(countEach(sends.flatMap(acceptedIn)), 'accepted');
    const isRefused = (request: RecordedRequest) =>
      proofOf(request) === 'refused' ||
      // A service that accepts a part had nothing to accept.
      (/part$/.test(proofOf(request)) && acceptedIn(request).length === 0);
    const didNothing = (request: RecordedRequest) =>
      proofOf(request) === 'too fast' ||
      (options.refusedRequests === 'divide' && isRefused(request));
    const acted = sends.filter((request) => !didNothing(request));
    expectAtMost(countEach(acted.flatMap(messagesIn)), 'in requests');
  }

  /** A run ends when the service answers nothing clear any more. */
  private expectEndOfOutage(sends: RecordedRequest[]): void {
    const { options, node } = this.scenario;
    const tries = node.retryOnFail ? node.maxTries : 1;
    // Other requests are under way when an outage is noticed, and their answers may come in between.
    const most = tries * (UNCLEAR_IN_A_ROW + 3 * (options.maxConcurrency - 1));
    let inARow = 0;
    for (const request of sends) {
      inARow = proofOf(request) === 'unclear' ? inARow + 1 : 0;
      if (inARow > most) throw new Error(`More than ${most} unclear answers in a row`);
    }
  }

  /** With Stop Workflow nothing is sent if one item cannot be sent, and the error names what is bad. */
  private expectPlanBeforeSend({ requests, result }: Execution): void {
    const { items, timeout, credential } = this.scenario;
    const bad = items.flatMap((each, index) => (isBad(this.scenario, each) ? [index] : []));
    if (bad.length === 0) return;
    if (requests.some(isSend)) throw new Error(`Sent, though item ${bad[0]} cannot be sent`);
    expect(result.error).toBeDefined();
    // Without option or credential the run is not planned at all.
    if (timeout === 'missing' || credential) return;
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

  /** An outcome is `accepted` or `rejected` only if that is true, or if nothing showed that it is not. */
  private expectTruth(claims: Claim[], family: Family): void {
    const claimed = new Map<string, { sure: number; unsure: number }>();
    for (const claim of claims.filter(({ isMerged }) => !isMerged)) {
      const message = this.messageOf(claim);
      const { sure, unsure } = claimed.get(message) ?? { sure: 0, unsure: 0 };
      // The service accepted fewer than were sent, and the node warns that it does not know which.
      const isSure = claim.status === 'accepted' && !/did not say/.test(claim.warning);
      const isUnsure = !isSure && (claim.status === 'accepted' || claim.status === 'unknown');
      claimed.set(message, { sure: sure + Number(isSure), unsure: unsure + Number(isUnsure) });
    }
    const accepted = countEach(family.sends.flatMap(acceptedIn));
    const shown = countEach(
      family.sends.filter((each) => proofOf(each) !== 'silent part').flatMap(acceptedIn),
    );
    for (const message of new Set([...accepted.keys(), ...claimed.keys()])) {
      const { sure, unsure } = claimed.get(message) ?? { sure: 0, unsure: 0 };
      if (sure > (accepted.get(message) ?? 0) || sure + unsure < (shown.get(message) ?? 0)) {
        throw new Error(
          `${message}: accepted ${accepted.get(message) ?? 0} times, claimed ${sure} and perhaps ${unsure} more`,
        );
      }
    }
  }

  /** An outcome is `unknown` only if a request left it open. */
  private expectReason(claims: Claim[], family: Family): void {
    if (family.wasCancelled || this.scenario.storeFailures.length > 0) return;
    if (this.mayMissBalance()) return;
    const isOpen = (request: RecordedRequest) => {
      const proof = proofOf(request);
      // On a busy machine, a good answer may come too late for a time limit that is made short.
      if (proof === 'ok') return needsTimeLimits(this.scenario);
      return proof !== 'refused' && proof !== 'too fast';
    };
    const open = new Set(family.sends.filter(isOpen).flatMap(messagesIn));
    for (const claim of claims) {
      if (claim.status !== 'unknown' || open.has(this.messageOf(claim))) continue;
      throw new Error(
        `${this.messageOf(claim)}: unknown, though nothing is unclear (${claim.msg})`,
      );
    }
  }

  /** Without the balance, a refusal that was to be divided proves less. */
  private mayMissBalance(): boolean {
    const { options, balanceFaults, credential } = this.scenario;
    const isLooked = options.refusedRequests === 'divide';
    const isInTime = balanceFaults.length === 0 && !credential && !needsTimeLimits(this.scenario);
    return isLooked && !isInTime;
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
  private expectAllSent(claims: Claim[], sends: RecordedRequest[]): void {
    for (const claim of claims) {
      const { item, phone, status, msg } = claim;
      if (status !== 'rejected' || !isTaken(phone) || this.isUnusableAt(item)) continue;
      if (this.sharesRejection(item, claims)) continue;
      if (this.isRefused(this.messageOf(claim), sends)) continue;
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

  /** Whether the service refused a request with this message, and no smaller one was to be tried. */
  private isRefused(message: string, sends: RecordedRequest[]): boolean {
    const refused = sends
      .map((request, at) => ({ at, messages: messagesIn(request), proof: proofOf(request) }))
      .filter(({ proof }) => proof === 'refused');
    const own = refused.filter(({ messages }) => messages.includes(message));
    if (this.scenario.options.refusedRequests === 'reject') return own.length > 0;
    // Two messages that are refused alone show that it is about the account, until one is accepted.
    const alone = refused.filter(({ messages }) => messages.length === 1);
    const isProof = (at: number, place: number) => {
      const [first, second] = alone.slice(place, place + 2);
      if (!first || !second) return false;
      const between = sends.slice(Math.min(at, first.at), Math.max(at, second.at));
      return !between.some((request) => proofOf(request) === 'ok');
    };
    return own.some(({ at }) => alone.some((_, place) => isProof(at, place)));
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
