import type { Head } from './outcome';

/** Characters of a text that is one segment. */
export const SINGLE_SEGMENT = 70;

/** Characters of each segment of a longer text. */
export const LONG_SEGMENT = 67;

/**
 * Estimates how many segments a text is billed as, by the usual rule. The specification does not show the
 * rule. The `split_count` of a delivery report is the truth.
 */
export function countSegments(text: string): number {
  return text.length <= SINGLE_SEGMENT ? 1 : Math.ceil(text.length / LONG_SEGMENT);
}

/** What can be said about a message without sending it. */
export interface Inspection {
  /** The text as the recipient gets it, with the sender's name before it. Left out if it is not known. */
  text?: string;
  /** Why the service would refuse the message. */
  problem?: string;
  /** What the user must look at, or what could not be found out. */
  warnings: string[];
}

/** Looks at a message, given the fields that its request shares. Sends nothing. */
export type Inspect = (fields: Head['fields'], message: unknown) => Promise<Inspection>;
