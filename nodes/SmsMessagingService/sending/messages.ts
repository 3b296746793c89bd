import type { DayLimit } from './dayLimit';
import type { IdempotencyKeys } from './idempotencyKeys';
import { isSent, isUnsent, next, statusOf } from './messageLife';
import type { State } from './messageLife';
import type { News, Outcome } from './outcome';
import { ownRecipients } from './plan';
import type { PlannedItem, Recipient } from './plan';
import type { Entry, SendLedger } from './sendLedger';

const PLANNED: Outcome = { state: 'planned' };

/**
 * The messages of a run, and the only place where one gets another state. What else must know is told from
 * here: the ledger, and n8n's store of keys.
 */
export class Messages {
  /** Of this try. */
  private readonly outcomes = new Map<Recipient, Outcome>();

  constructor(
    private readonly ledger: SendLedger,
    private readonly keys: IdempotencyKeys,
    private readonly dayLimit: DayLimit,
  ) {}

  /** The messages of an item that are to be sent: not those of an earlier try. */
  toSend(item: PlannedItem): Recipient[] {
    return ownRecipients(item).filter((recipient) => this.of(recipient).state === 'planned');
  }

  /**
   * Records what must be in n8n's store before a request. What may not be sent is held back.
   *
   * @returns the recipients that may be sent to
   */
  async admit(recipients: Recipient[]): Promise<Recipient[]> {
    const { keys } = this;
    // An item that has sent something has its key.
    const isUnused = (item: PlannedItem) =>
      keys.isOpen(item.idempotencyKey) && !item.recipients.some(this.is(isSent));
    await keys.record(() => keysOf(recipients, isUnused));
    const keyed = this.deny(recipients, ({ item }) => keys.denials.get(item.idempotencyKey ?? ''));
    const over = await this.dayLimit.claim(keyed);
    const allowed = this.deny(keyed, (each) => over.get(each));
    if (allowed.length < recipients.length) await this.free(recipients);
    return allowed;
  }

  async holdBack(recipients: Recipient[], news: News): Promise<void> {
    this.tell(recipients, news);
    await this.free(recipients);
  }

  /** To be called before a request is made, and `end` after it. */
  begin(recipients: Recipient[]): Entry {
    return this.ledger.add(recipients, this.tell(recipients, { happening: 'requested' }));
  }

  async end(recipients: Recipient[], entry: Entry, news: News): Promise<void> {
    this.ledger.end(entry, this.tell(recipients, news));
    await this.free(recipients);
  }

  /**
   * Frees the keys of what the service refused in an earlier try, if that try could not.
   *
   * @param items all items of the run
   */
  async freeRefused(items: PlannedItem[]): Promise<void> {
    if (!this.ledger.isFirstTry) await this.free(items.flatMap(ownRecipients));
  }

  outcomeOf(recipient: Recipient): Outcome {
    const outcome = this.of(recipient.mergedInto ?? recipient);
    const status = statusOf(outcome.state);
    if (recipient.mergedInto) return { ...outcome, merged: true };
    const key = recipient.item.idempotencyKey;
    const warning = status === 'rejected' && key && this.keys.findWarning(key);
    return warning ? { ...outcome, warning } : outcome;
  }

  private of(recipient: Recipient): Outcome {
    return this.outcomes.get(recipient) ?? this.ledger.recall(recipient) ?? PLANNED;
  }

  /** @returns the outcome, one for all recipients */
  private tell(recipients: Recipient[], { happening, ...facts }: News): Outcome {
    let outcome = PLANNED;
    for (const recipient of recipients) {
      const state = next(this.of(recipient).state, happening);
      if (outcome.state !== state) outcome = { ...facts, state };
      this.outcomes.set(recipient, outcome);
    }
    return outcome;
  }

  /** @returns the recipients that have no denial. The others are told */
  private deny(
    recipients: Recipient[],
    denialOf: (recipient: Recipient) => News | undefined,
  ): Recipient[] {
    return recipients.filter((recipient) => {
      const denial = denialOf(recipient);
      if (denial) this.tell([recipient], denial);
      return !denial;
    });
  }

  /** Frees what is held for messages that were certainly not sent. What was sent keeps its keys for good. */
  private async free(recipients: Recipient[]): Promise<void> {
    const sent = recipients.filter(this.is(isSent));
    const unsent = recipients.filter(this.is(isUnsent));
    await this.dayLimit.end(sent, unsent);
    this.keys.keep(keysOf(sent));
    // From the end: the last recipients of an item are the last to be sent to.
    const isOver = (item: PlannedItem) =>
      !item.recipients.findLast((each) => !this.is(isUnsent)(each));
    await this.keys.free(keysOf(unsent, isOver));
  }

  private is(fits: (state: State) => boolean) {
    return (recipient: Recipient) => fits(this.of(recipient).state);
  }
}

/** The idempotency keys of the items of these recipients, each once. */
function keysOf(
  recipients: Recipient[],
  fits: (item: PlannedItem) => boolean = () => true,
): string[] {
  const items = new Set(recipients.map(({ item }) => item));
  return [...items].flatMap((item) => {
    const { idempotencyKey } = item;
    return idempotencyKey !== undefined && fits(item) ? idempotencyKey : [];
  });
}
