import { sleep } from 'n8n-workflow';
import type { Exchange } from '../service/answer';
import { readBalance } from '../service/balance';
import type { ServiceClient } from '../service/client';
import type { Setback } from './backOff';
import { afterRefusal, costOf } from './divide';
import { IdempotencyKeys } from './idempotencyKeys';
import { Outcomes } from './outcome';
import type { Batch, Head, Outcome, Recipient, Verdict } from './outcome';
import { Pace } from './pace';
import { ownRecipients } from './plan';
import type { PlannedItem } from './plan';
import { notTried, readOutcome, weighEvidence, withChangedBalance } from './receipt';
import { bodyOf } from './run';
import type { SendRun } from './run';
import { SendLedger } from './sendLedger';
import type { Note } from './sendLedger';

/** What came of one request, and what the ledger has noted of it. */
type Attempt =
  | { kind: 'done' | 'refused'; outcome: Outcome; note: Note }
  /** It certainly sent nothing, and the service did not refuse it. */
  | { kind: 'undone'; outcome: Outcome };

/** Recipients of a request. `refusal` is the outcome of the larger request that the service refused. */
interface Portion {
  recipients: Recipient[];
  refusal?: Outcome;
}

/**
 * Sends the messages of one run, and has what that needs: what was sent before, the idempotency keys, the
 * pace of the requests, and the outcome of each recipient.
 */
export class Submission {
  readonly outcomes = new Outcomes();

  readonly keys: IdempotencyKeys;

  readonly ledger: SendLedger;

  private readonly pace: Pace;

  /** Of recipients whom the service has refused in an earlier try. Their keys may have to be released. */
  private readonly refused: Verdict[] = [];

  /** Number of refusals in a row. */
  private refusals = 0;

  /** Whether a refused request may be divided. */
  private mayDivide: boolean;

  /** @param name identifies the run across its tries */
  constructor(
    private readonly run: SendRun,
    name: string,
  ) {
    const { context, options } = run;
    this.mayDivide = options.dividesRefused;
    this.ledger = new SendLedger(context.getContext('node'), name, context.getExecutionId());
    this.keys = new IdempotencyKeys(context.helpers, context.getWorkflow().id ?? '', this.ledger);
    this.pace = new Pace(
      options.maxConcurrency,
      options.maxRetries,
      context.getExecutionCancelSignal(),
    );
  }

  /** The recipients of an item that are to be sent to in this try. The others get their outcome. */
  openRecipients(item: PlannedItem, itemIndex: number): Recipient[] {
    const own = ownRecipients(item);
    let unsent = 0;
    const open = own.filter((recipient) => {
      const outcome = this.ledger.recall(recipient);
      if (outcome === undefined || outcome.status === 'rejected') unsent += 1;
      if (outcome) this.remember({ recipients: [recipient], outcome });
      return outcome === undefined;
    });
    if (item.idempotencyKey !== undefined && item.sameKeyAs === undefined) {
      this.keys.add(itemIndex, item.idempotencyKey, unsent, unsent < own.length);
    }
    return open;
  }

  private remember(verdict: Verdict): void {
    if (verdict.outcome.status === 'rejected') this.refused.push(verdict);
    else this.outcomes.add([verdict]);
  }

  /** Gives all messages this outcome, and sends none. */
  async reject(batches: AsyncIterable<Batch> | Batch[], outcome: Outcome): Promise<void> {
    for await (const { recipients } of batches) await this.conclude([{ recipients, outcome }]);
    await this.conclude(this.refused);
  }

  /**
   * Sends the batches, and gives each recipient its outcome. Does not throw: a batch that fails has its
   * outcome, and the others are sent.
   */
  async send(batches: AsyncIterable<Batch> | Batch[], client: ServiceClient): Promise<void> {
    const inFlight = new Set<Promise<void>>();
    try {
      // Each step plans one batch, while the batches before it are in flight.
      for await (const batch of batches) {
        if (inFlight.size >= this.run.options.maxConcurrency) await Promise.race(inFlight);
        const sent = this.sendBatch(batch, client).then(() => {
          inFlight.delete(sent);
        });
        inFlight.add(sent);
        // Planning keeps the process busy, so this request goes out first.
        await sleep(1);
      }
    } finally {
      await Promise.all(inFlight);
    }
    await this.conclude(this.refused);
  }

  /** Every way out passes the outcomes to the idempotency keys. */
  private async sendBatch({ head, recipients }: Batch, client: ServiceClient): Promise<void> {
    const { obstacle } = this.pace;
    if (obstacle) return await this.conclude([{ recipients, outcome: obstacle }]);
    const { allowed, denied: verdicts } = await this.keys.store(recipients);
    const waiting: Portion[] = allowed.length > 0 ? [{ recipients: allowed }] : [];
    for (let portion = waiting.shift(); portion; portion = waiting.shift()) {
      const { outcome, parts } = await this.sendPortion(head, portion, client);
      if (parts) waiting.unshift(...parts.map((part) => ({ recipients: part, refusal: outcome })));
      else verdicts.push({ recipients: portion.recipients, outcome });
    }
    await this.conclude(verdicts);
  }

  private async conclude(verdicts: Verdict[]): Promise<void> {
    this.outcomes.add(await this.keys.conclude(verdicts));
  }

  /**
   * Sends messages in one request. If the service refuses it, and the user has chosen that, its parts are
   * to be sent instead.
   */
  private async sendPortion(
    head: Head,
    { recipients, refusal }: Portion,
    client: ServiceClient,
  ): Promise<{ outcome: Outcome; parts?: Recipient[][] }> {
    if (refusal && !this.mayDivide) {
      this.ledger.open(recipients).refuse(refusal);
      return { outcome: refusal };
    }
    const before = this.mayDivide ? await readBalance(client) : undefined;
    const attempt = await this.attempt({ head, recipients }, client);
    const { outcome } = attempt;
    if (attempt.kind === 'undone') return { outcome };
    const { kind, note } = attempt;
    if (kind === 'done') {
      if (outcome.status === 'accepted') this.refusals = 0;
      // Whatever this service has refused may have been sent.
      else this.mayDivide = false;
      note.close(outcome);
      return { outcome };
    }
    this.refusals += 1;
    const cost = this.mayDivide ? costOf(before, await readBalance(client)) : 'unknown';
    const step = afterRefusal(recipients, cost, this.refusals);
    if (step.kind === 'divide') {
      note.remove();
      return { outcome, parts: step.parts };
    }
    if (step.kind === 'refuse') {
      note.refuse(outcome);
      return { outcome };
    }
    this.mayDivide = false;
    const doubtful = withChangedBalance(outcome);
    note.close(doubtful);
    return { outcome: doubtful };
  }

  /** Makes a request, and makes it again if it certainly sent nothing and may get through later. */
  private async attempt(batch: Batch, client: ServiceClient): Promise<Attempt> {
    const { head, recipients } = batch;
    const { limit, options } = this.run;
    const body = bodyOf(this.run.description, batch);
    for (;;) {
      const turn = await this.pace.begin();
      if (turn.kind === 'stopped') return { kind: 'undone', outcome: turn.outcome };
      const note = this.ledger.open(recipients);
      limit.count(recipients.length);
      const exchange = await this.pace.untilCancelled(
        client.exchange(head.path, body, options.timeout),
      );
      const { kind, outcome, setback } = this.read(batch, exchange);
      if (outcome.status === 'rejected') limit.count(-recipients.length);
      if (!setback) this.pace.succeed();
      const goesOn = !setback || this.pace.fail(turn, setback, notTried(setback, outcome));
      if (kind !== 'undone') return { kind, outcome, note };
      note.remove();
      if (!goesOn) return { kind, outcome };
    }
  }

  /** What an exchange means for its messages, and for the requests after it. */
  private read(
    { head, recipients }: Batch,
    given: Exchange,
  ): { kind: Attempt['kind']; outcome: Outcome; setback?: Setback } {
    const exchange = weighEvidence(given, recipients.length);
    const check = this.run.description.whatToCheck(head.fields);
    const read = readOutcome(exchange, recipients.length, check);
    const outcome = { ...read, request: recipients[0]?.key };
    if (outcome.status === 'unknown')
      return { kind: 'done', outcome, setback: { kind: 'unclear' } };
    if (exchange.kind === 'answered') return { kind: 'done', outcome };
    if (exchange.kind === 'refused') return { kind: 'refused', outcome };
    const { retryAfterMs } = exchange;
    return { kind: 'undone', outcome, setback: { kind: 'notLetThrough', retryAfterMs } };
  }
}
