/**
 * The business codes of the sandbox. All are inventions of the sandbox: the specification shows
 * none but 0 (§7). Nothing outside the sandbox may depend on what a code means.
 */
export const CODES = {
  missingHeader: 1000,
  unknownKey: 1001,
  badSignature: 1002,
  badTimestamp: 1003,
  nonceReused: 1004,
  badAuthorization: 1005,
  badBody: 2001,
  unknownTemplate: 2002,
  templateNotEnabled: 2003,
  unknownSignature: 2004,
  missingParameter: 2005,
  badPhoneNumber: 2006,
  noRecipients: 2007,
  insufficientBalance: 2008,
  unknownRecord: 2009,
  leadAlreadyReported: 2010,
  emptyContent: 2011,
  tooManyRequests: 4290,
  refused: 9000,
} as const;

/** A business refusal: HTTP 200 with a code other than 0 (§1, §7). */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}
