import type { ListShape } from './lists';
import type { SignatureAlgorithm } from './signature';
import type { RecordKind } from './state';

export interface GatewayOptions {
  /** 0, the default, takes any free port. */
  port?: number;
  /** What stands between the origin and the paths of the specification: '' or, say, '/sms'. */
  prefix?: string;
  apiKey?: string;
  apiSecret?: string;
  /** When set, create-signature demands it as header `authorization` (§4.6). */
  authorizationToken?: string;
  signaturePayload?: string;
  signatureAlgorithm?: SignatureAlgorithm;
  /** How long every answer takes; what was asked is done before. */
  latencyMs?: number;
  /** False: pulls do not consume. */
  consume?: boolean;
  listShape?: ListShape;
  /** The code goes out as a text, "0". */
  codeAsText?: boolean;
  /** The most records a pull returns, whatever `count` asks for. */
  maxCount?: number;
  maxPageSize?: number;
  /** False: the eight operations of §4.14 answer 404. */
  inferredRoutes?: boolean;
  /** Other paths of an operator → path in the contract. */
  pathAliases?: Record<string, string>;
  /** How an unknown path is answered: JSON with a code, or a page of a web server. */
  notFound?: 'json' | 'html';
  balance?: number;
  /** How long after a send its delivery reports can be pulled. */
  reportDelayMs?: number;
  /** Fill up to so many records of a kind, at start and after a reset. */
  records?: Partial<Record<RecordKind, number>>;
  /** False: `requests` stays empty (for benches). */
  recordRequests?: boolean;
  /** False: bodies and answers are not checked against the contract (for benches). */
  validate?: boolean;
  /** The operator knows more fields than the specification. */
  unknownFieldsAllowed?: boolean;
}
