import { listed, shortened } from '../service/sentences';

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

/** What programs leave in a text: no value in brackets, JSON, HTML, placeholders and escapes. */
const LEFTOVERS = new RegExp(
  [
    /[[(<](?:(?:null|undefined|nan)[,\s]*)+[\])>]/,
    /\[\s*"/,
    /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8}\d{0,2});/,
    /<(?:\/?[a-z][\w-]*(?:\s[^<>]*)?\/?>|!--|%)/,
    /[$%]?\{{1,3}[^{}]*\}{1,3}/,
    /#[a-z_]\w*#/,
    /%(?:\d\$|\(\w+\))?[sd@](?!\w)/,
    /\\(?:[n"]|u[\da-f]{4})/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** A warning if a text has parts that no author means for people: a step before has left it broken. */
export function leftoverWarning(text: string): string[] {
  const parts = new Set(text.match(LEFTOVERS)?.map((part) => `"${shortened(part)}"`));
  if (parts.size === 0) return [];
  return [`The text has ${listed([...parts], 3)}: this looks like code or an unfilled placeholder`];
}

/**
 * An estimate of how many segments of a text are billed, by the usual rule. The specification does not show
 * the rule. The true number is the `split_count` of a delivery report.
 */
export function countSegments(text: string): number {
  return text.length <= SINGLE_SEGMENT ? 1 : Math.ceil(text.length / LONG_SEGMENT);
}
