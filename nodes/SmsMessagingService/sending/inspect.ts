import type { Head } from './outcome';

/** What can be said of a message without sending it. */
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
