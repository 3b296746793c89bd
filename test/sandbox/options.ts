import type { Answer } from './http';
import type { ManagedList } from './state';

/**
 * One way in which an SMS provider reads what the specification does not show. The sandbox itself works
 * by the contract: a deviation translates between the two.
 */
export interface Deviation {
  /**
   * Turns the body of a request, as JSON text, into one of the contract.
   *
   * @throws Refusal if this provider refuses the request
   */
  request?: (path: string, json: string) => string;
  /** Turns an answer of the contract into this provider's. */
  answer?: (path: string, answer: Answer) => Answer;
}

/**
 * How a gateway differs from the interface specification, and what it starts with. SMS providers
 * differ in the same ways.
 */
export interface GatewayOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Path before the specified paths, for example '/sms'. Default ''. */
  prefix?: string;
  apiKey?: string;
  apiSecret?: string;
  /** Create signature requires this value in the header `authorization`. Default: not required. */
  authorizationToken?: string;
  /** Text to hash, with {apiKey} {apiSecret} {timestamp} {nonce} {method} {path} {body}. */
  signaturePayload?: string;
  /** Default 'sha256'. */
  signatureAlgorithm?: 'sha256' | 'hmacSha256';
  /** Milliseconds that every answer is delayed. The request takes effect before the delay. */
  latencyMs?: number;
  /** Whether a pull removes records from the queue. Default true. */
  consume?: boolean;
  /** False: the eight operations that the specification only names answer 404. */
  inferredRoutes?: boolean;
  /** Path that an SMS provider uses → path in the contract. */
  pathAliases?: Record<string, string>;
  /** Body of a 404 answer: JSON with a code (default), or a web page. */
  notFound?: 'json' | 'html';
  /** Default 1,000,000. */
  balance?: number;
  /** Milliseconds between a send and its delivery reports. Default 0. */
  reportDelayMs?: number;
  /** Kind → number of records that exist at the start and after a reset. Made-up ones are added. */
  records?: Partial<Record<ManagedList, number>>;
  /** Address of the n8n whose pages the virtual phones link to. Default: no links. */
  n8n?: string;
  /** False: `requests` stays empty. For benchmarks. */
  recordRequests?: boolean;
  /** False: headers, bodies and answers are not checked against the contract. For benchmarks, and a client that asks what is not there. */
  validate?: boolean;
  /** How requests and answers differ from the contract. `personalities.ts` has named sets of them. */
  deviations?: readonly Deviation[];
}

/** The options of a gateway whose account is known. */
export type Account = GatewayOptions & Record<'apiKey' | 'apiSecret', string>;
