import { IdempotencyKeys } from './idempotencyKeys';
import { Outcomes } from './outcome';
import type { Batch, Outcome, Recipient, Verdict } from './outcome';
import { ownRecipients } from './plan';
import type { PlannedItem } from './plan';
import type { SendRun } from './run';
import { SendLedger } from './sendLedger';

/**
 * What one run of a send remembers: what was sent before, the idempotency keys, and the outcome of each
 * recipient.
 */
export class RunMemory {
  readonly outcomes = new Outcomes();

  readonly keys: IdempotencyKeys;

  readonly ledger: SendLedger;

  /** Of recipients whom the service has refused in an earlier try. Their keys may have to be released. */
  private readonly refused: Verdict[] = [];

  /** @param name identifies the run across its tries */
  constructor({ context }: SendRun, name: string) {
    this.ledger = new SendLedger(context.getContext('node'), name, context.getExecutionId());
    this.keys = new IdempotencyKeys(context.helpers, context.getWorkflow().id ?? '', this.ledger);
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

  /** Gives messages their outcome. Every way out comes here, so their keys are released if they may be. */
  async conclude(verdicts: Verdict[]): Promise<void> {
    this.outcomes.add(await this.keys.conclude(verdicts));
  }

  /** Gives all messages this outcome: none of them is sent. */
  async reject(batches: AsyncIterable<Batch> | Batch[], outcome: Outcome): Promise<void> {
    for await (const { recipients } of batches) await this.conclude([{ recipients, outcome }]);
  }

  /** The run has sent what it can. */
  async end(): Promise<void> {
    await this.conclude(this.refused);
  }

  private remember(verdict: Verdict): void {
    if (verdict.outcome.status === 'rejected') this.refused.push(verdict);
    else this.outcomes.add([verdict]);
  }
}
