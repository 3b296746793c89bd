/** What becomes of a reply. */

/** A reply, with what the node before says of it. */
export interface Reply {
  /** Empty: it has no number. */
  phone: string;
  digits: string;
  /** What `readReply` says of its text. */
  says: string;
  time_iso?: unknown;
  /** The text that it answers, and what stands in the question. */
  sms_content?: unknown;
  question?: unknown;
}

export interface Decision {
  /** `stop`, `doubt`, one of the keywords, `person`, or `nothing`. */
  does: string;
  /** What the person is told. */
  why: string;
}

const HOUR_MS = 3_600_000;

/**
 * The first row that fits decides:
 *
 * | reply | what becomes of it |
 * |---|---|
 * | no number | to a person |
 * | an opt-out | on the list |
 * | something like an opt-out, or a complaint | on the list, and to a person |
 * | no keyword | to a person |
 * | a keyword of a number that is on the list, or opts out in the same execution | to a person |
 * | a keyword without a time, or older than an hour | to a person |
 * | a keyword that answers another text than the question | to a person |
 * | a keyword, with a later one of the number to the same SMS in the same execution | nothing |
 * | any other keyword | its answer |
 *
 * @param index the reply, among those of the execution
 * @param listed the numbers on the list that may be those of these replies
 */
export function decide(replies: Reply[], index: number, listed: unknown[], now: number): Decision {
  const reply = replies[index] as Reply;
  const { phone, digits, says } = reply;
  const others = replies.filter((other) => other.phone === phone);
  const isListed = listed.some((each) => digitsOf(each).includes(digits));
  const isSpared = isListed || others.some((other) => /^(stop|doubt)$/.test(other.says));
  const person = (why: string) => ({ does: 'person', why });
  if (!phone) return person('It has no phone number.');
  if (says === 'stop') return { does: says, why: '' };
  if (says === 'doubt') return { does: says, why: DOUBT };
  if (!says) return person('It is no keyword, so nobody has answered it.');
  if (isSpared)
    return person('The number is on the opt-out list: nothing was done, and no SMS was sent.');
  if (!isFresh(reply, now))
    return person('It is older than an hour, or has no time: nothing was done.');
  if (!isAnswer(reply))
    return person('It answers another SMS than your question: nothing was done.');
  const last = others.filter(
    (other) => other.says && isFresh(other, now) && other.sms_content === reply.sms_content,
  );
  const isLast = last.every((other) => placeOf(other) <= placeOf(reply));
  return { does: isLast ? says : 'nothing', why: '' };

  /** By time, and at the same time by its place in the execution. */
  function placeOf(of: Reply): string {
    return (
      new Date(String(of.time_iso)).toISOString() + String(replies.indexOf(of)).padStart(9, '0')
    );
  }
}

const DOUBT =
  'It may be an opt-out or a complaint. Its number is on the list sms_opt_outs until you have decided: if it is neither, delete the row there.';

/** The digits of a row of the list, which may be wide. */
const digitsOf = (row: unknown): string => String(row).normalize('NFKC').replace(/\D/g, '');

const isFresh = ({ time_iso }: Reply, now: number): boolean =>
  Math.abs(now - Date.parse(String(time_iso))) < HOUR_MS;

const isAnswer = ({ sms_content, question }: Reply): boolean =>
  String(sms_content ?? '').includes(String(question));
