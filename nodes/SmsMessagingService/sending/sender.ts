import { sleep } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { readBalance } from '../service/balance';
import { withExtraFields } from '../service/client';
import type { ServiceClient } from '../service/client';
import type { Exchange } from '../service/reading/answer';
import type { Setback } from './backOff';
import { Division } from './divide';
import type { Batch, Head, Outcome, Recipient } from './outcome';
import { Pace } from './pace';
import {
  changedBalanceOutcome,
  readOutcome,
  UNREADABLE_OUTCOME,
  untriedOutcome,
  weighEvidence,
} from './receipt';
import type { RecipientOutcomes } from './recipientOutcomes';
import type { SendRun } from './run';
import type { Note } from './sendLedger';

/** The result of one request, and the ledger's note of it. */
type Attempt =
  | { kind: 'done' | 'refused'; outcome: Outcome; note: Note }
  /** It certainly sent nothing, but the service did not refuse it. */
  | { kind: 'undone'; outcome: Outcome };

/** What an exchange means for its messages, and for the requests after it. */
interface Reading {
  kind: Attempt['kind'];
  outcome: Outcome;
  setback?: Setback;
}

/** Recipients of a request. `refusal`: the outcome of the larger request that was divided. */
interface Portion {
  recipients: Recipient[];
  refusal?: Outcome;
}

/** Makes the requests of one run. */
export class Sender {
  private readonly pace: Pace;

  private readonly division: Division;

  constructor(
    private readonly run: SendRun,
    private readonly outcomes: RecipientOutcomes,
    private readonly client: ServiceClient,
  ) {
    const { context, options } = run;
    this.pace = new Pace(
      options.maxConcurrency,
      options.maxRetries,
      context.getExecutionCancelSignal(),
    );
    this.division = new Division(
      options.refusedRequests === 'divide',
      async () => await readBalance(client, options.timeout),
    );
  }

  /**
   * Sends the batches, and gives each recipient its outcome. A batch that fails does not throw: it has its
   * outcome, and the others are sent.
   */
  async send(batches: AsyncIterable<Batch> | Batch[]): Promise<void> {
    const inFlight = new Set<Promise<void>>();
    try {
      // Each step plans one batch, while the batches before it are in flight.
      for await (const batch of batches) {
        if (inFlight.size >= this.run.options.maxConcurrency) await Promise.race(inFlight);
        const sent = this.sendBatch(batch).then(() => {
          inFlight.delete(sent);
        });
        inFlight.add(sent);
        // Planning keeps the process busy, so this request goes out first.
        await sleep(1);
      }
    } finally {
      await Promise.all(inFlight);
    }
  }

  private async sendBatch({ head, recipients }: Batch): Promise<void> {
    const { outcomes, pace } = this;
    if (pace.obstacle) return await outcomes.conclude([{ recipients, outcome: pace.obstacle }]);
    const { allowed, denied: verdicts } = await outcomes.keys.record(recipients);
    const waiting: Portion[] = allowed.length > 0 ? [{ recipients: allowed }] : [];
    for (let portion = waiting.shift(); portion; portion = waiting.shift()) {
      const { outcome, parts } = await this.sendPortion(head, portion);
      if (parts) waiting.unshift(...parts.map((part) => ({ recipients: part, refusal: outcome })));
      else verdicts.push({ recipients: portion.recipients, outcome });
    }
    await outcomes.conclude(verdicts);
  }

  /**
   * Sends messages in one request. If the service refuses it, and the user has chosen to divide, the caller
   * must send the parts.
   */
  private async sendPortion(
    head: Head,
    { recipients, refusal }: Portion,
  ): Promise<{ outcome: Outcome; parts?: Recipient[][] }> {
    const { division } = this;
    if (refusal && !division.isAllowed) {
      this.outcomes.ledger.open(recipients).refuse(refusal);
      return { outcome: refusal };
    }
    const before = await division.balance();
    const attempt = await this.attempt({ head, recipients });
    const { kind, outcome } = attempt;
    if (kind === 'undone') return { outcome };
    const { note } = attempt;
    if (kind === 'done') {
      note.close(outcome);
      if (outcome.status === 'accepted') await division.accept(before);
      else division.doubt();
      return { outcome };
    }
    const step = await division.refuse(recipients, before);
    if (step.kind === 'divide') {
      note.remove();
      return { outcome, parts: step.parts };
    }
    if (step.kind === 'refuse') {
      note.refuse(outcome);
      return { outcome };
    }
    const doubt = changedBalanceOutcome(outcome);
    note.close(doubt);
    return { outcome: doubt };
  }

  /** Makes a request, and repeats it if it certainly sent nothing and may get through later. */
  private async attempt(batch: Batch): Promise<Attempt> {
    const { head, recipients } = batch;
    const { limit, options } = this.run;
    const body = this.bodyOf(batch);
    for (;;) {
      const turn = await this.pace.begin();
      if (turn.kind === 'stopped') return { kind: 'undone', outcome: turn.outcome };
      const note = this.outcomes.ledger.open(recipients);
      limit.count(recipients.length);
      const exchange = await this.pace.untilCancelled(
        this.client.exchange(head.path, body, options.timeout),
      );
      const { kind, outcome, setback } = this.read(batch, exchange);
      if (outcome.status === 'rejected') limit.count(-recipients.length);
      if (!setback) this.pace.succeed();
      const shouldContinue =
        !setback || this.pace.fail(turn.pauses, setback, untriedOutcome(setback, outcome));
      if (kind !== 'undone') return { kind, outcome, note };
      note.remove();
      if (!shouldContinue) return { kind, outcome };
    }
  }

  private bodyOf({ head, recipients }: Batch): IDataObject {
    const messages = recipients.map(({ message }) => message);
    return withExtraFields(this.run.description.body(head.fields, messages), head.extra);
  }

  private read({ head, recipients }: Batch, given: Exchange): Reading {
    const sent = recipients.length;
    const request = recipients[0]?.key;
    try {
      const exchange = weighEvidence(given, sent);
      const check = this.run.description.whatToCheck(head.fields);
      const outcome = { ...readOutcome(exchange, sent, check), request };
      if (outcome.status === 'unknown') return unclearReading(outcome);
      if (exchange.kind === 'answered') return { kind: 'done', outcome };
      if (exchange.kind === 'refused') return { kind: 'refused', outcome };
      const { kind, retryAfterMs } = exchange;
      return { kind: 'undone', outcome, setback: { kind, retryAfterMs } };
    } catch {
      // An unexpected answer must not end the run while requests are in flight.
      return unclearReading({ ...UNREADABLE_OUTCOME, sent, request });
    }
  }
}

function unclearReading(outcome: Outcome): Reading {
  return { kind: 'done', outcome, setback: { kind: 'unclear' } };
}
