import { sleep } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { isObject, readStatement } from '../shared/answer';
import type { Exchange } from '../shared/answer';
import { adviceFor } from '../shared/errors';
import type { IdempotencyKeys } from './idempotency';
import type { Ledger } from './ledger';
import type { Batch, Outcome, Recipient } from './outcome';
import type { Pace } from './pace';

export interface SubmitOptions {
  /** Requests in flight at a time. */
  maxConcurrency: number;
  /** Sends one batch. */
  send: (batch: Batch) => Promise<Exchange>;
  ledger: Ledger;
  keys: IdempotencyKeys;
  pace: Pace;
}

/**
 * Sends the batches, a bounded number at a time, and writes each outcome to its recipients. Does not
 * throw: a batch that goes wrong has its outcome, and the others are sent all the same.
 */
export async function submitBatches(
  batches: Iterable<Batch>,
  options: SubmitOptions,
): Promise<void> {
  const { maxConcurrency } = options;
  const inFlight = new Set<Promise<void>>();
  // Each turn of the loop has a batch planned, while those before it are on their way.
  for (const batch of batches) {
    if (inFlight.size >= maxConcurrency) await Promise.race(inFlight);
    const submitted = submitBatch(batch, options).then(() => void inFlight.delete(submitted));
    inFlight.add(submitted);
    // Planning keeps the process busy, so this one is let out first.
    if (inFlight.size >= maxConcurrency) await sleep(1);
  }
  await Promise.all(inFlight);
}

async function submitBatch(batch: Batch, options: SubmitOptions): Promise<void> {
  const obstacle = await options.pace.turn();
  if (obstacle) {
    setOutcome(batch.recipients, obstacle);
    return;
  }
  const { head, recipients } = batch;
  const admitted = await options.keys.admit(recipients);
  if (admitted.length > 0) {
    setOutcome(admitted, await sendBatch({ head, recipients: admitted }, options));
  }
  await options.keys.settle(recipients);
}

/** Makes the request, again where that cannot send anything twice. */
async function sendBatch(batch: Batch, { send, ledger, pace }: SubmitOptions): Promise<Outcome> {
  for (let retries = 0; ; retries++) {
    const obstacle = await pace.turn();
    if (obstacle) return obstacle;
    const close = ledger.record(batch.recipients);
    const exchange = await pace.untilCancelled(send(batch));
    const outcome = readOutcome(exchange, batch.recipients.length);
    close(outcome);
    if (!pace.mayRepeat(exchange, retries)) return outcome;
  }
}

function setOutcome(recipients: Recipient[], outcome: Outcome): void {
  for (const recipient of recipients) recipient.outcome = outcome;
}

/** What an exchange means for the messages that were in the request. */
export function readOutcome(exchange: Exchange, sent: number): Outcome {
  if (exchange.kind === 'answered') return readReceipt(exchange.body, sent);
  const { kind, reason, code } = exchange;
  return {
    status: kind === 'unclear' ? 'unknown' : 'rejected',
    code,
    msg: reason,
    sent,
    advice: kind === 'unclear' ? ADVICE_UNKNOWN : adviceFor(exchange),
  };
}

const ADVICE_UNKNOWN =
  'The messages may have been accepted, so they are not sent again automatically. Look at the delivery reports, or ask the operator, before you send them again.';

/** Reads a message batch (§2.1). */
function readReceipt(body: unknown, sent: number): Outcome {
  const receipt: IDataObject = isObject(body) ? body : {};
  const { code, msg } = readStatement(receipt);
  const batchId = readText(receipt.batch_id);
  const count = readCount(receipt.count);
  if (batchId === undefined || count === 0) {
    const what = batchId === undefined ? 'without a batch_id' : 'that it accepted 0 messages';
    return {
      status: 'unknown',
      batch_id: batchId,
      code,
      msg: `The service answered ${what}, so it is not certain what became of them`,
      count,
      sent,
      advice: ADVICE_UNKNOWN,
    };
  }
  const warning = count === sent ? undefined : describeCount(count, sent);
  return { status: 'accepted', batch_id: batchId, code, msg, count, sent, warning };
}

function describeCount(count: number | undefined, sent: number): string {
  return count === undefined
    ? 'The service did not say how many messages it accepted'
    : `The service accepted ${count} of the ${sent} messages of this request and did not say which`;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
    ? String(value)
    : undefined;
}

function readCount(value: unknown): number | undefined {
  const count = readText(value);
  return count === undefined || Number.isNaN(Number(count)) ? undefined : Number(count);
}
