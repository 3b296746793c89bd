/** Characters of a text that is one segment. */
export const SINGLE_SEGMENT = 70;

/** Characters of each segment of a longer text. */
export const LONG_SEGMENT = 67;

/** A text as the customer gets it: the signature comes before it in brackets, and counts as text. */
export function signedText(signature: string, text: string): string {
  return `【${bareName(signature)}】${text}`;
}

const bareName = (signature: string) => signature.replace(/^【|】$/g, '');

/** What carriers read as a signature. A longer text in these brackets is none. */
const SIGNATURE = /^【[^【】]{1,40}】|【[^【】]{1,40}】$/;

/**
 * A warning if a text has a signature of its own, beside the one that is added before it: any name in 【】 at
 * its start or end, or the same name there in other brackets, which authors also use for headings.
 *
 * @param signature undefined if its name is not known
 */
export function ownSignatureWarning(text: string, signature = ''): string[] {
  const whole = text.replace(/\p{Cf}/gu, '').trim();
  const name = bareName(signature.trim());
  const ends = [whole.slice(0, name.length + 2), whole.slice(-name.length - 2)];
  const own =
    SIGNATURE.exec(whole)?.[0] ??
    ends.find((end) => end.slice(1, -1) === name && /^\p{Ps}.+\p{Pe}$/su.test(end));
  return own ? [`The text itself has ${own}, so the message may arrive with two signatures`] : [];
}

/**
 * An estimate of how many segments of a text are billed, by the usual rule. The specification does not show
 * the rule. The true number is the `split_count` of a delivery report.
 */
export function countSegments(text: string): number {
  return text.length <= SINGLE_SEGMENT ? 1 : Math.ceil(text.length / LONG_SEGMENT);
}
