import type { IDataObject } from 'n8n-workflow';
import { isObject, readStatement } from '../shared/answer';
import type { Exchange } from '../shared/answer';
import { adviceFor } from '../shared/errors';
import type { Ledger } from './ledger';
import type { Batch, Outcome } from './outcome';

export interface SubmitOptions {
  /** Requests in flight at a time. */
  maxConcurrency: number;
  /** Sends one batch. */
  send: (batch: Batch) => Promise<Exchange>;
  ledger: Ledger;
}

/**
 * Sends the batches, a bounded number at a time, and writes each outcome to its recipients. Does not
 * throw: a batch that goes wrong has its outcome, and the others are sent all the same.
 */
export async function submitBatches(batches: Batch[], options: SubmitOptions): Promise<void> {
  const queue = batches.values();
  const worker = async () => {
    // The workers share one iterator, so each batch is taken once.
    for (const batch of queue) await submitBatch(batch, options);
  };
  await Promise.all(Array.from({ length: options.maxConcurrency }, worker));
}

async function submitBatch(batch: Batch, { send, ledger }: SubmitOptions): Promise<void> {
  const settle = ledger.record(batch);
  const outcome = readOutcome(await send(batch), batch.recipients.length);
  settle(outcome);
  for (const recipient of batch.recipients) recipient.outcome = outcome;
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
  const batchId = receipt.batch_id;
  if (typeof batchId !== 'string' && typeof batchId !== 'number') {
    return {
      status: 'unknown',
      msg: 'The service answered without a batch_id, so it is not certain that it accepted the messages',
      sent,
      advice: ADVICE_UNKNOWN,
    };
  }
  const count = receipt.count === undefined ? undefined : Number(receipt.count);
  return {
    status: 'accepted',
    batch_id: String(batchId),
    code,
    msg,
    count,
    sent,
    ...(count === sent
      ? {}
      : {
          warning:
            count === undefined
              ? 'The service did not say how many messages it accepted'
              : `The service accepted ${count} of the ${sent} messages of this request and did not say which`,
        }),
  };
}
