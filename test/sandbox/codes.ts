import type { Answer } from './http';

/**
 * The business codes of the sandbox. They are made up, because the specification shows only code 0.
 * Nothing outside the sandbox may depend on their meaning.
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
  tooMany: 2012,
  missingSignature: 2014,
  tooManyRequests: 4290,
  refused: 9000,
} as const;

/** Refuses a request: HTTP 200 with a code other than 0, unless the answer is another one. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly answer: Partial<Answer> = {},
  ) {
    super(message);
  }
}
