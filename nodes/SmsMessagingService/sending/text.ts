/** Characters of a text that is one segment. */
export const SINGLE_SEGMENT = 70;

/** Characters of each segment of a longer text. */
export const LONG_SEGMENT = 67;

/** A text as the customer gets it: the signature comes before it in brackets, and counts as text. */
export function signedText(signature: string, text: string): string {
  return `【${signature.replace(/^【|】$/g, '')}】${text}`;
}

/**
 * An estimate of how many segments of a text are billed, by the usual rule. The specification does not show
 * the rule. The true number is the `split_count` of a delivery report.
 */
export function countSegments(text: string): number {
  return text.length <= SINGLE_SEGMENT ? 1 : Math.ceil(text.length / LONG_SEGMENT);
}
