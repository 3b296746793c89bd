import type { Outcome, Recipient, Verdict } from './outcome';

/** What came of one request for some recipients. */
export interface Attempt {
  outcome: Outcome;
  /** The service refused the request, and nothing in its answer says that it sent anything. */
  isRefused?: boolean;
}

/** This many consecutive refusals with the same code are about the account, not about the messages. */
const REFUSALS_IN_A_ROW = 50;

/** What one code of refusal means, as far as the run has shown. */
interface Finding {
  /** Whether it is about the account, and so meets every message. Undefined before the probe. */
  isAboutAccount?: Promise<boolean>;
  inARow: number;
}

/** A request that was refused, though each of its messages was accepted in a smaller one. */
interface RefusedSize {
  refused: number;
  /** Messages in the largest of the smaller ones. */
  accepted: number;
}

/** What the refusals mean, learnt during one run. */
export class Refusals {
  /** Left out where no request was refused for its size. */
  size?: RefusedSize;

  private readonly findings = new Map<string, Finding>();

  note({ isRefused, outcome }: Attempt): void {
    if (isRefused) this.findingOf(outcome).inARow += 1;
    else if (outcome.status === 'accepted') {
      for (const finding of this.findings.values()) finding.inARow = 0;
    }
  }

  /**
   * Whether a refusal would meet every message.
   *
   * @param probe finds out. It is called once for each code.
   */
  async isAboutAccount(outcome: Outcome, probe: () => Promise<boolean>): Promise<boolean> {
    const finding = this.findingOf(outcome);
    finding.isAboutAccount ??= probe();
    return (await finding.isAboutAccount) || finding.inARow >= REFUSALS_IN_A_ROW;
  }

  private findingOf(outcome: Outcome): Finding {
    const name = nameOf(outcome);
    let finding = this.findings.get(name);
    if (finding === undefined) this.findings.set(name, (finding = { inARow: 0 }));
    return finding;
  }
}

function nameOf({ code, http_status: status }: Outcome): string {
  return `${status}/${code}`;
}

/**
 * Sends to recipients so that a refused one costs no other. The service refuses a request as a whole, so
 * a refused request is divided into halves until the refused recipients stand alone. A request is not
 * divided when a probe shows that the refusal is about the account, nor when anything may have been sent.
 *
 * @param attempt makes one request
 */
export async function deliver(
  recipients: Recipient[],
  attempt: (recipients: Recipient[]) => Promise<Attempt>,
  refusals: Refusals,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const tryFor = async (some: Recipient[]): Promise<Attempt> => {
    const result = await attempt(some);
    refusals.note(result);
    return result;
  };

  /**
   * Sends two messages alone, to different numbers, and tells whether both get the same refusal. One
   * message would not do: the refusal may be about that number.
   */
  const probe = async (refused: Recipient[], { outcome }: Attempt): Promise<boolean> => {
    const [first] = refused;
    const second = refused.findLast(({ phoneNumber }) => phoneNumber !== first?.phoneNumber);
    for (const recipient of [first, second]) {
      if (recipient === undefined) return false;
      const alone = await tryFor([recipient]);
      verdicts.push({ recipients: [recipient], outcome: alone.outcome });
      refused.splice(refused.indexOf(recipient), 1);
      if (!alone.isRefused || nameOf(alone.outcome) !== nameOf(outcome)) return false;
    }
    return true;
  };

  const waiting = [recipients];
  for (let some = waiting.shift(); some; some = waiting.shift()) {
    const result = await tryFor(some);
    const rest = [...some];
    const isDivided =
      result.isRefused &&
      some.length > 1 &&
      !(await refusals.isAboutAccount(result.outcome, () => probe(rest, result)));
    if (isDivided) waiting.unshift(...halves(rest));
    else verdicts.push({ recipients: rest, outcome: result.outcome });
  }
  const isDivided = verdicts.length > 1;
  if (isDivided && verdicts.every(({ outcome }) => outcome.status === 'accepted')) {
    const accepted = Math.max(...verdicts.map(({ recipients: some }) => some.length));
    refusals.size ??= { refused: recipients.length, accepted };
  }
  return verdicts;
}

function halves(recipients: Recipient[]): Recipient[][] {
  const middle = Math.ceil(recipients.length / 2);
  return [recipients.slice(0, middle), recipients.slice(middle)].filter(({ length }) => length > 0);
}
