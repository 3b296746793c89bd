import { MAX_ADDED, MAX_REMOVED, slicesOf, unstored } from './keyStore';
import type { KeyStore } from './keyStore';
import { RUN_OPTIONS } from './options';
import type { News } from './outcome';
import type { Recipient } from './plan';
import { recipientKey } from './sendLedger';
import type { SendLedger } from './sendLedger';

/** Not that of idempotency keys: no key that a user writes is the key of a message. */
const KEY_PREFIX = 'smsMessagingServiceDay:';

/** By workflow, the keys that this process has stored, the oldest first. n8n's store cannot list them. */
const storedKeys = new Map<string, Set<string>>();

/**
 * Counts the messages to each phone number and day, over all executions of a workflow. n8n's store cannot
 * count, so each message of a number has a key of its own: day, number, and a place from 1 to the limit. It
 * is stored before the request, and freed if the message certainly was not sent.
 */
export class DayLimit {
  private readonly stored: Set<string>;

  constructor(
    private readonly keyStore: KeyStore,
    private readonly ledger: SendLedger,
    private readonly date: () => string,
    private readonly max: number,
  ) {
    this.stored = storedKeys.get(keyStore.workflowId) ?? new Set();
    if (this.isSet) storedKeys.set(keyStore.workflowId, this.stored);
  }

  get isSet(): boolean {
    return this.max < Infinity;
  }

  /**
   * Stores a key for each recipient.
   *
   * @returns why the others have none: their numbers have had the messages of today
   */
  async claim(recipients: Recipient[]): Promise<Map<Recipient, News>> {
    if (!this.isSet) return new Map();
    return await this.keyStore.inTurn(async () => {
      const today = `${KEY_PREFIX}${this.date()} `;
      // All keys of earlier days at once would hold up a send.
      const oldest = [...this.stored].slice(0, MAX_REMOVED);
      await this.remove(oldest.filter((key) => !key.startsWith(today)));
      // A try before this one may have stored a key and sent nothing.
      const isOpen = (each: Recipient) =>
        !this.ledger.noteOf(recipientKey(each))?.startsWith(today);
      const open = new Set(recipients.filter(isOpen));
      const { label } = RUN_OPTIONS.maxPerNumberAndDay;
      const msg = `Not sent: the number had ${this.max} today, and '${label}' is ${this.max}`;
      const advice = `If it shall get more in a day, raise '${label}' under Options.`;
      const over: News = { happening: 'heldBack', msg, advice };
      const denial = (await this.store(open, today)) ?? over;
      return new Map([...open].map((each) => [each, denial]));
    });
  }

  /** Keeps the keys of what was sent in the store, and frees those of what was not. */
  async end(sent: Recipient[], unsent: Recipient[]): Promise<void> {
    if (!this.isSet) return;
    const keys = unsent.flatMap((each) => this.ledger.noteOf(recipientKey(each)) ?? []);
    for (const each of [...sent, ...unsent]) this.ledger.note(recipientKey(each), undefined);
    if (keys.length > 0) await this.keyStore.inTurn(() => this.remove(keys));
  }

  /**
   * Takes out of the set who has got a key.
   *
   * @returns why the others have none, if the store fails
   */
  private async store(open: Set<Recipient>, today: string): Promise<News | undefined> {
    for (let place = 1; place <= this.max && open.size > 0; place++) {
      // A key for one recipient of each number.
      const keyOf = ({ phoneNumber }: Recipient) => `${today}${phoneNumber} ${place}`;
      const asking = new Map([...open].reverse().map((each) => [keyOf(each), each]));
      for (const keys of slicesOf([...asking.keys()], MAX_ADDED)) {
        const addition = await this.keyStore.add(keys);
        if (addition.kind === 'failed') return unstored('count of today', addition.reason);
        for (const [key, recipient] of asking) {
          if (!addition.fresh.has(key)) continue;
          this.stored.add(key);
          this.ledger.note(recipientKey(recipient), key);
          open.delete(recipient);
        }
      }
    }
    return undefined;
  }

  private async remove(keys: string[]): Promise<void> {
    for (const part of slicesOf(keys, MAX_REMOVED)) {
      const note = await this.keyStore.remove(part);
      if (!note) part.forEach((key) => this.stored.delete(key));
    }
  }
}
