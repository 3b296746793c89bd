import { sleep } from 'n8n-workflow';
import type { Exchange, Unanswered } from '../service/answer';
import { deliver } from './divide';
import type { Attempt, Refusals } from './divide';
import type { IdempotencyKeys } from './idempotencyKeys';
import type { MessageLimit } from './messageLimit';
import type { SendLedger } from './sendLedger';
import type { Batch, Outcome, Outcomes, Recipient } from './outcome';
import type { Pace } from './pace';
import { adviceOnSend, readOutcome, weighEvidence } from './receipt';
import { nextStep } from './retry';

export interface SubmitOptions {
  /** Number of requests in flight at a time. */
  maxConcurrency: number;
  /** How often one request may be made again. */
  maxRetries: number;
  /** Makes one request. */
  send: (batch: Batch) => Promise<Exchange>;
  /** What the user can check when the service refuses a request with this head. */
  whatToCheck: (head: Batch['head']) => string;
  outcomes: Outcomes;
  ledger: SendLedger;
  limit: MessageLimit;
  keys: IdempotencyKeys;
  pace: Pace;
  refusals: Refusals;
}

/**
 * Sends the batches, a bounded number at a time, and gives each recipient its outcome. Does not throw: a
 * batch that fails has its outcome, and the others are sent.
 */
export async function submitBatches(
  batches: AsyncIterable<Batch>,
  options: SubmitOptions,
): Promise<void> {
  const { maxConcurrency, outcomes } = options;
  const inFlight = new Set<Promise<void>>();
  try {
    // Each step plans one batch, while the batches before it are in flight.
    for await (const batch of batches) {
      if (inFlight.size >= maxConcurrency) await Promise.race(inFlight);
      const submitted = submitBatch(batch, options).then((verdicts) => {
        outcomes.add(verdicts);
        inFlight.delete(submitted);
      });
      inFlight.add(submitted);
      // Planning keeps the process busy, so this request goes out first.
      await sleep(1);
    }
  } finally {
    await Promise.all(inFlight);
  }
}

/** The outcomes of a batch. Every way out passes them to the idempotency keys. */
async function submitBatch(batch: Batch, options: SubmitOptions) {
  const { recipients } = batch;
  const { keys, pace, refusals } = options;
  const obstacle = await pace.admit();
  if (obstacle) return await keys.conclude([{ recipients, outcome: obstacle }]);
  const { admitted, refused } = await keys.admit(recipients);
  const attempt = async (some: Recipient[]) =>
    await makeRequest({ ...batch, recipients: some }, options);
  const delivered = admitted.length > 0 ? await deliver(admitted, attempt, refusals) : [];
  return await keys.conclude([...refused, ...delivered]);
}

/** Makes a request, and makes it again where that cannot send anything twice. */
async function makeRequest(
  batch: Batch,
  { send, whatToCheck, ledger, limit, pace, maxRetries }: SubmitOptions,
): Promise<Attempt> {
  const { head, recipients } = batch;
  for (let retries = 0; ; retries++) {
    const obstacle = await pace.admit();
    if (obstacle) return { outcome: obstacle };
    const close = ledger.open(recipients);
    limit.count(recipients.length);
    const exchange = weighEvidence(await pace.untilCancelled(send(batch)), recipients.length);
    const read = readOutcome(exchange, recipients.length, whatToCheck(head));
    const outcome = { ...read, request: recipients[0]?.key };
    close(outcome);
    if (outcome.status === 'rejected') limit.count(-recipients.length);
    const next = nextStep(exchange, retries, maxRetries, Math.random());
    if (next.kind === 'repeat') {
      pace.hold(next.pauseMs);
      continue;
    }
    if (next.kind === 'giveUp') pace.stop(notTried(exchange as Unanswered));
    return { outcome, isRefused: exchange.kind === 'refused' };
  }
}

function notTried(exchange: Unanswered): Outcome {
  return {
    status: 'rejected',
    code: exchange.code,
    msg: `An earlier request of this run did not get through: ${exchange.reason}`,
    advice: adviceOnSend(exchange),
  };
}
