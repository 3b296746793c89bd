import { sleep } from 'n8n-workflow';
import type { Exchange } from '../service/answer';
import { withExtraFields } from '../service/client';
import type { ServiceClient } from '../service/client';
import type { Batch, Outcome } from './outcome';
import { Pace } from './pace';
import type { Setback } from './pace';
import { readOutcome } from './receipt';
import type { RecipientOutcomes } from './recipientOutcomes';
import type { SendRun } from './run';

/** Makes the requests of one run. */
export class Sender {
  private readonly pace: Pace;

  constructor(
    private readonly run: SendRun,
    private readonly outcomes: RecipientOutcomes,
    private readonly client: ServiceClient,
  ) {
    const { context, options } = run;
    this.pace = new Pace(options.maxRetries, context.getExecutionCancelSignal());
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

  private async sendBatch({ shared, recipients }: Batch): Promise<void> {
    const { outcomes, pace } = this;
    if (pace.obstacle) return await outcomes.conclude([{ recipients, outcome: pace.obstacle }]);
    const keyed = await outcomes.keys.record(recipients);
    const { allowed, denied } = await outcomes.dayLimit.claim(keyed.allowed);
    const conclusions = [...keyed.denied, ...denied];
    if (allowed.length > 0) {
      const outcome = await this.request({ shared, recipients: allowed });
      conclusions.push({ recipients: allowed, outcome });
    }
    await outcomes.conclude(conclusions);
  }

  /** Makes a request, and repeats it if it certainly sent nothing and may get through later. */
  private async request(batch: Batch): Promise<Outcome> {
    const { shared, recipients } = batch;
    const { description, limit, options } = this.run;
    const messages = recipients.map(({ message }) => message);
    const body = withExtraFields(description.body(shared.fields, messages), shared.extra);
    for (;;) {
      const turn = await this.pace.begin();
      if (turn.kind === 'stopped') return turn.outcome;
      // Noted before the request, so that an interruption never leads to a second send.
      const note = this.outcomes.ledger.noteRequest(recipients);
      limit.add(recipients.length);
      const exchange = await this.pace.untilCancelled(
        this.client.exchange(shared.path, body, { timeoutMs: options.timeout, purpose: 'send' }),
      );
      const outcome = this.read(batch, exchange);
      const setback = setbackOf(exchange, outcome);
      if (outcome.status === 'rejected') limit.add(-recipients.length);
      this.pace.end(turn.pauses, outcome, setback);
      if (!setback || setback.kind === 'unclear') {
        note.conclude(outcome);
        return outcome;
      }
      note.remove();
      if (this.pace.obstacle) return outcome;
    }
  }

  private read({ shared, recipients }: Batch, exchange: Exchange): Outcome {
    const asked = this.run.description.asked(shared.fields);
    return { ...readOutcome(exchange, recipients.length, asked), request: recipients[0]?.key };
  }
}

/** Undefined if the answer is clear: the messages were accepted, or the service refused them. */
function setbackOf(exchange: Exchange, { status }: Outcome): Setback | undefined {
  if (status === 'unknown') return { kind: 'unclear' };
  if (exchange.kind !== 'throttled' && exchange.kind !== 'unreachable') return undefined;
  return { kind: exchange.kind, retryAfterMs: exchange.retryAfterMs };
}
