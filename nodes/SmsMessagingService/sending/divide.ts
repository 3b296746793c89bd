import type { Recipient } from './outcome';

/**
 * After this many refusals in a row, the account is the cause and not the messages. One bad message among
 * 100 leads to nine refusals at most.
 */
export const MAX_REFUSALS_IN_A_ROW = 16;

/** A balance as text. Undefined if it is not known. */
type Balance = string | undefined;

/** What follows the refusal of a request. */
export type Step =
  | { kind: 'divide'; parts: Recipient[][] }
  /** All its messages are refused. */
  | { kind: 'refuse' }
  /** The balance has changed, so some of its messages may have been sent. */
  | { kind: 'doubt' };

/**
 * The option Refused Requests: Divide. Decides whether a refused request may be divided. It may, as long as
 * the run shows that the balance can be trusted: an acceptance changes it, and a refusal does not.
 */
export class Division {
  /** Whether a refused request may be divided. */
  isAllowed: boolean;

  private refusalsInARow = 0;

  /** Whether an acceptance of this run has changed the balance. */
  private isProven = false;

  /**
   * @param isWanted whether the user has chosen to divide
   * @param readBalance reads the balance of the account
   */
  constructor(
    private isWanted: boolean,
    private readonly readBalance: () => Promise<Balance>,
  ) {
    this.isAllowed = isWanted;
  }

  /** Reads the balance. If it cannot be read, it is not asked for again in this run. */
  async balance(): Promise<Balance> {
    if (!this.isWanted) return undefined;
    const balance = await this.readBalance();
    this.isWanted = balance !== undefined;
    return balance;
  }

  /**
   * Records an acceptance.
   *
   * @param before the balance before the request
   */
  async accept(before: Balance): Promise<void> {
    this.refusalsInARow = 0;
    if (!this.isAllowed || this.isProven) return;
    this.isProven = hasChanged(before, await this.balance()) === true;
    this.isAllowed = this.isProven;
  }

  /** Records that messages may have been sent without an acceptance. Refused ones may then have been sent too. */
  doubt(): void {
    this.isAllowed = false;
  }

  /**
   * What follows a refusal.
   *
   * @param before the balance before the request
   */
  async refuse(recipients: Recipient[], before: Balance): Promise<Step> {
    this.refusalsInARow += 1;
    const change = hasChanged(before, await this.balance());
    if (change) {
      this.doubt();
      return { kind: 'doubt' };
    }
    const isAboutAccount = this.refusalsInARow >= MAX_REFUSALS_IN_A_ROW;
    return this.isAllowed && change === false && !isAboutAccount
      ? divide(recipients, this.isProven)
      : { kind: 'refuse' };
  }
}

/** @returns undefined if it is not known */
function hasChanged(before: Balance, after: Balance): boolean | undefined {
  return before === undefined || after === undefined ? undefined : before !== after;
}

/** @param isProven whether the balance can be trusted. If it is not known yet, only one message is risked */
function divide(recipients: Recipient[], isProven: boolean): Step {
  if (recipients.length === 1) return { kind: 'refuse' };
  const first = isProven ? Math.ceil(recipients.length / 2) : 1;
  return { kind: 'divide', parts: [recipients.slice(0, first), recipients.slice(first)] };
}
