import { Breather } from '../n8n/breather';
import type { DayLimit } from './dayLimit';
import type { IdempotencyKeys } from './idempotencyKeys';
import type { Batch, Conclusion, Outcome, Recipient } from './outcome';
import { ownRecipients } from './plan';
import type { PlannedItem } from './plan';
import type { SendLedger } from './sendLedger';

/**
 * The outcome of each recipient of a run: of this try, which only `conclude` gives, or that of an earlier one,
 * which the ledger has.
 */
export class RecipientOutcomes {
  private readonly outcomes = new Map<Recipient, Outcome>();

  constructor(
    readonly ledger: SendLedger,
    readonly keys: IdempotencyKeys,
    readonly dayLimit: DayLimit,
  ) {}

  /** Gives recipients their outcome, and releases the keys of what was certainly not sent. */
  async conclude(conclusions: Conclusion[]): Promise<void> {
    await this.dayLimit.conclude(conclusions);
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

  /** Concludes for the recipients that the service refused in an earlier try: their keys may have to be released. */
  async concludeRefused(items: PlannedItem[]): Promise<void> {
    if (this.ledger.isFirstTry) return;
    const refused = items.flatMap(ownRecipients).flatMap((recipient) => {
      const outcome = this.ledger.recall(recipient);
      return outcome?.status === 'rejected' ? [{ recipients: [recipient], outcome }] : [];
    });
    await this.conclude(refused);
  }

  /** @throws TypeError for a recipient without an outcome, which would be a bug of this package */
  of(recipient: Recipient): Outcome {
    const own = recipient.mergedInto ?? recipient;
    const outcome = this.outcomes.get(own) ?? this.ledger.recall(own);
    if (outcome === undefined) throw new TypeError('A recipient was left without outcome');
    return recipient.mergedInto ? { ...outcome, merged: true } : outcome;
  }
}
