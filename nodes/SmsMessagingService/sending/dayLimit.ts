import { MAX_ADDED, MAX_REMOVED, slicesOf, unstoredOutcome } from './keyStore';
import type { KeyStore } from './keyStore';
import { RUN_OPTIONS } from './options';
import type { Admission, Conclusion, Outcome, Recipient } from './outcome';
import type { SendLedger } from './sendLedger';

/** Not that of idempotency keys: no key that a user writes is the key of a message. */
const KEY_PREFIX = 'smsMessagingServiceDay:';

/** By workflow, the keys that this process has stored, the oldest first. n8n's store cannot list them. */
const storedKeys = new Map<string, Set<string>>();

/**
 * Counts the messages to each phone number and day, over all executions of a workflow. n8n's store cannot
 * count, so each message of a number has a key of its own: day, number, and a place from 1 to the limit. It
 * is stored before the request, and released if the message certainly was not sent.
 */
export class DayLimit {
  private readonly stored: Set<string>;

  constructor(
    private readonly keyStore: KeyStore,
    private readonly ledger: SendLedger,
    private readonly timeZone: string,
    private readonly max: number,
  ) {
    this.stored = storedKeys.get(keyStore.workflowId) ?? new Set();
    if (this.isSet) storedKeys.set(keyStore.workflowId, this.stored);
  }

  /** Whether there is a limit. */
  get isSet(): boolean {
    return this.max < Infinity;
  }

  /** Stores a key for each recipient, and denies those whose number has had its messages of today. */
  async claim(recipients: Recipient[]): Promise<Admission> {
    if (!this.isSet) return { allowed: recipients, denied: [] };
    return await this.keyStore.inTurn(async () => {
      // The Swedish form is that of ISO 8601.
      const date = new Date(Date.now()).toLocaleDateString('sv', { timeZone: this.timeZone });
      const today = `${KEY_PREFIX}${date} `;
      // All keys of earlier days at once would hold up a send.
      const oldest = [...this.stored].slice(0, MAX_REMOVED);
      await this.remove(oldest.filter((key) => !key.startsWith(today)));
      // A try before this one may have stored a key and sent nothing.
      const isOpen = (each: Recipient) => !this.ledger.dayKeyOf(each)?.startsWith(today);
      const open = new Set(recipients.filter(isOpen));
      const outcome = (await this.store(open, today)) ?? this.over;
      return {
        allowed: recipients.filter((each) => !open.has(each)),
        denied: open.size > 0 ? [{ recipients: [...open], outcome }] : [],
      };
    });
  }

  /** Takes in the outcomes, and releases the keys of what was rejected. */
  async conclude(conclusions: Conclusion[]): Promise<void> {
    if (!this.isSet) return;
    const unsent: string[] = [];
    for (const { recipients, outcome } of conclusions) {
      for (const recipient of recipients) {
        const key = this.ledger.dayKeyOf(recipient);
        if (key !== undefined && outcome.status === 'rejected') unsent.push(key);
        this.ledger.noteDayKey(recipient, undefined);
      }
    }
    if (unsent.length > 0) await this.keyStore.inTurn(() => this.remove(unsent));
  }

  /**
   * Takes out of the set who has got a key.
   *
   * @returns why the others have none, if the store fails
   */
  private async store(open: Set<Recipient>, today: string): Promise<Outcome | undefined> {
    for (let place = 1; place <= this.max && open.size > 0; place++) {
      // A key for one recipient of each number.
      const keyOf = ({ phoneNumber }: Recipient) => `${today}${phoneNumber} ${place}`;
      const asking = new Map([...open].reverse().map((each) => [keyOf(each), each]));
      for (const keys of slicesOf([...asking.keys()], MAX_ADDED)) {
        const addition = await this.keyStore.add(keys);
        if (addition.kind === 'failed') return unstoredOutcome('count of today', addition.reason);
        for (const [key, recipient] of asking) {
          if (!addition.fresh.has(key)) continue;
          this.stored.add(key);
          this.ledger.noteDayKey(recipient, key);
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

  private get over(): Outcome {
    const { label } = RUN_OPTIONS.maxPerNumberAndDay;
    const msg = `Not sent: the number had ${this.max} today, and '${label}' is ${this.max}`;
    const advice = `If it shall get more in a day, raise '${label}' under Options.`;
    return { status: 'rejected', msg, advice };
  }
}
