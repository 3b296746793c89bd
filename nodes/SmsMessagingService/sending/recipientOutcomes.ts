import { Breather } from '../n8n/breather';
import type { IdempotencyKeys } from './idempotencyKeys';
import type { Batch, Outcome, Recipient, Conclusion } from './outcome';
import { ownRecipients } from './plan';
import type { PlannedItem } from './plan';
import type { SendLedger } from './sendLedger';

/** The outcome of each recipient of a run. Only `conclude` gives a recipient an outcome of this try. */
export class RecipientOutcomes {
  private readonly outcomes = new Map<Recipient, Outcome>();

  /** Recipients that the service refused in an earlier try. Their keys may have to be released. */
  private readonly refused: Conclusion[] = [];

  constructor(
    readonly ledger: SendLedger,
    readonly keys: IdempotencyKeys,
  ) {}

  /** The recipients of an item to send to in this try. The others get the outcome of an earlier try. */
  openRecipients(item: PlannedItem, itemIndex: number): Recipient[] {
    const own = ownRecipients(item);
    let unsent = 0;
    const open = own.filter((recipient) => {
      const outcome = this.ledger.recall(recipient);
      if (outcome === undefined || outcome.status === 'rejected') unsent += 1;
      if (outcome?.status === 'rejected') this.refused.push({ recipients: [recipient], outcome });
      else if (outcome) this.outcomes.set(recipient, outcome);
      return outcome === undefined;
    });
    if (item.idempotencyKey !== undefined && item.sameKeyAs === undefined) {
      this.keys.add(itemIndex, item.idempotencyKey, unsent, unsent < own.length);
    }
    return open;
  }

  /** Gives recipients their outcome, and releases the keys of items that were not sent at all. */
  async conclude(conclusions: Conclusion[]): Promise<void> {
    for (const { recipients, outcome } of await this.keys.conclude(conclusions)) {
      for (const recipient of recipients) this.outcomes.set(recipient, outcome);
    }
  }

  /** Gives all recipients this outcome: none of them is sent to. */
  async reject(batches: AsyncIterable<Batch> | Batch[], outcome: Outcome): Promise<void> {
    const breather = new Breather();
    for await (const { recipients } of batches) {
      await this.conclude([{ recipients, outcome }]);
      if (breather.isDue) await breather.pause();
    }
  }

  /** Ends the run: nothing more is sent. */
  async end(): Promise<void> {
    await this.conclude(this.refused);
  }

  /** @throws TypeError for a recipient without an outcome, which would be a bug of this package */
  of(recipient: Recipient): Outcome {
    const outcome = this.outcomes.get(recipient.mergedInto ?? recipient);
    if (outcome === undefined) throw new TypeError('A recipient was left without outcome');
    return recipient.mergedInto ? { ...outcome, merged: true } : outcome;
  }
}
