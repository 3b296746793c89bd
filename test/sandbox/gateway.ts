import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { CODES, Refusal } from './codes';
import { answerViolations, contractOperations, requestViolations } from './contract';
import type { Fault, FaultKind } from './faults';
import { ACCEPTS, Faults } from './faults';
import type { Answer } from './http';
import { bytesOf, isJson, parseJson, readBody, send } from './http';
import type { ListShape } from './lists';
import { shaped } from './lists';
import { PhonesPage } from './phones';
import type { DeliveryReport, Paged, Reply } from './records';
import type { Route, RouteContext } from './routes';
import { routes } from './routes';
import type { SignatureAlgorithm } from './signature';
import { DEFAULT_PAYLOAD, SignatureCheck } from './signature';
import type { RecordKind } from './state';
import { SandboxState } from './state';

export type { Fault, FaultKind } from './faults';
export type { ListShape } from './lists';
export type { DeliveryReport, Lead, Qualification, Reply, Signature, Template } from './records';
export type { SandboxState } from './state';

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

export interface RecordedRequest {
  method: string;
  /** Without the prefix. */
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: string;
  /** Undefined when the body is not JSON. */
  body: unknown;
  /** Of the answer; 0 as long as there is none, and when the connection was cut instead. */
  status: number;
  /** `ok`, `refused <code>`, `http <status>`, `fault <kind>`, `aborted`, or `pending`. */
  outcome: string;
}

export interface Gateway {
  /** http://127.0.0.1:<port><prefix> */
  readonly baseUrl: string;
  /** http://127.0.0.1:<port>; the page of virtual phones is at its root. */
  readonly origin: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** The data of the n8n credential for this gateway. */
  credential(): Record<string, unknown>;
  /** Every request to the platform, in order of arrival. */
  readonly requests: RecordedRequest[];
  /** What broke the contract: requests of clients, or answers of the gateway itself. */
  readonly violations: string[];
  /** Accepted messages per phone number, also under faults: the gateway's own count. */
  deliveries(): Map<string, number>;
  readonly state: SandboxState;
  /** Queues a fault. */
  fault(fault: Fault): void;
  clearFaults(): void;
  /** A reply from a phone, joined to the last message it received. */
  reply(input: { phoneNumber: string; content: string; batchId?: string }): void;
  queueReports(records: number | DeliveryReport[]): void;
  queueReplies(records: number | Reply[]): void;
  /** The highest number of simultaneous requests seen. */
  maxInFlight: number;
  /** Sockets accepted. */
  connections: number;
  /** Requests to the platform, also when they are not recorded. */
  requestCount: number;
  /** State, requests, faults, violations and counters back to the start. */
  reset(): void;
  /** Ends hanging requests too. */
  close(): Promise<void>;
}

const INFERRED_PATHS = new Set(
  contractOperations().flatMap(({ path, inferred }) => (inferred ? [path] : [])),
);

const AUTHORIZED_PATH = '/openapi/sign/create';

/** An answer given without doing anything: wrong path, method or content type. */
class HttpRefusal extends Error {
  constructor(readonly answer: Answer) {
    super(`HTTP ${answer.status}`);
  }
}

function httpRefusal(status: number, msg: string, headers?: Record<string, string>): HttpRefusal {
  return new HttpRefusal({ status, body: { code: status, msg }, headers });
}

/** Starts the sandbox gateway on 127.0.0.1. Rejects when the port is in use. */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = new SandboxGateway(options);
  await gateway.listen();
  return gateway;
}

class SandboxGateway implements Gateway {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly requests: RecordedRequest[] = [];
  readonly violations: string[] = [];
  readonly state: SandboxState;
  maxInFlight = 0;
  connections = 0;
  requestCount = 0;

  private readonly server: Server;
  private readonly signatures: SignatureCheck;
  private readonly faults = new Faults();
  private readonly phones: PhonesPage;
  private readonly prefix: string;
  private readonly lastAnswers = new Map<string, unknown>();
  private readonly closing = new AbortController();
  private inFlight = 0;
  private port = 0;

  constructor(private readonly options: GatewayOptions) {
    this.apiKey = options.apiKey ?? 'sandbox-key';
    this.apiSecret = options.apiSecret ?? 'sandbox-secret-5f2c91';
    this.prefix = options.prefix ?? '';
    this.state = new SandboxState({
      balance: options.balance ?? 1_000_000,
      reportDelayMs: options.reportDelayMs ?? 0,
      records: options.records ?? {},
    });
    this.signatures = new SignatureCheck({
      apiKey: this.apiKey,
      apiSecret: this.apiSecret,
      payload: options.signaturePayload,
      algorithm: options.signatureAlgorithm,
    });
    this.phones = new PhonesPage(this.state);
    this.server = createServer((request, response) => {
      void this.serve(request, response);
    });
    // Longer than any pause of a client, so that no request runs into a closing connection.
    this.server.keepAliveTimeout = 120_000;
    this.server.on('connection', () => (this.connections += 1));
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get baseUrl(): string {
    return this.origin + this.prefix;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.options.port ?? 0, '127.0.0.1', () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    this.port = (this.server.address() as AddressInfo).port;
  }

  credential(): Record<string, unknown> {
    return {
      baseUrl: this.baseUrl,
      apiKey: this.apiKey,
      apiSecret: this.apiSecret,
      signaturePayload: this.options.signaturePayload ?? DEFAULT_PAYLOAD,
      signatureAlgorithm: this.options.signatureAlgorithm ?? 'sha256',
      authorizationToken: this.options.authorizationToken ?? '',
      allowHttp: false,
    };
  }

  deliveries(): Map<string, number> {
    return new Map(this.state.accepted);
  }

  fault(fault: Fault): void {
    this.faults.add(fault);
  }

  clearFaults(): void {
    this.faults.clear();
  }

  reply(input: { phoneNumber: string; content: string; batchId?: string }): void {
    this.state.reply(input);
  }

  queueReports(records: number | DeliveryReport[]): void {
    this.state.queueReports(records);
  }

  queueReplies(records: number | Reply[]): void {
    this.state.queueReplies(records);
  }

  reset(): void {
    this.state.reset();
    this.signatures.reset();
    this.faults.clear();
    this.lastAnswers.clear();
    this.requests.length = 0;
    this.violations.length = 0;
    this.maxInFlight = 0;
    this.connections = 0;
    this.requestCount = 0;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
      this.server.closeAllConnections();
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query] = (request.url ?? '').split('?', 2);
    if (this.phones.serves(path)) {
      await this.phones.serve(path, query, request, response);
      return;
    }
    this.requestCount += 1;
    this.inFlight += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
    response.once('close', () => (this.inFlight -= 1));
    const record: RecordedRequest = {
      method: request.method ?? '',
      path: path.startsWith(`${this.prefix}/`) ? path.slice(this.prefix.length) : path,
      headers: request.headers,
      rawBody: '',
      body: undefined,
      status: 0,
      outcome: 'pending',
    };
    if (this.options.recordRequests !== false) this.requests.push(record);
    try {
      const rawBody = await readBody(request);
      const route = this.admit(path, query, record, rawBody);
      const fault = this.faults.take(record);
      await (fault
        ? this.misbehave(fault, route, record, response)
        : this.finish(response, record, this.process(route, record)));
    } catch (error) {
      await this.refuse(response, record, error);
    }
  }

  /** Everything that has to hold before a request is looked at: §4, §5, and the contract. */
  private admit(
    path: string,
    query: string | undefined,
    record: RecordedRequest,
    rawBody: Buffer,
  ): Route {
    record.rawBody = rawBody.toString('utf8');
    const route = this.routeOf(path, record);
    if (record.method !== 'POST') {
      throw httpRefusal(405, 'method not allowed', { allow: 'POST' });
    }
    if (!isJson(record.headers['content-type'])) {
      throw httpRefusal(415, 'Content-Type must be application/json');
    }
    this.signatures.verify({ method: record.method, path, headers: record.headers, rawBody });
    const { authorizationToken } = this.options;
    if (
      authorizationToken &&
      route.path === AUTHORIZED_PATH &&
      record.headers.authorization !== authorizationToken
    ) {
      throw new Refusal(CODES.badAuthorization, 'authorization is missing or wrong');
    }
    record.body = this.bodyOf(route, rawBody, query);
    return route;
  }

  private routeOf(path: string, record: RecordedRequest): Route {
    const known = this.options.pathAliases?.[record.path] ?? record.path;
    const route = path.startsWith(`${this.prefix}/`) ? routes.get(known) : undefined;
    const hidden = this.options.inferredRoutes === false && INFERRED_PATHS.has(record.path);
    if (route && !hidden) return route;
    if (this.options.notFound === 'html') {
      throw new HttpRefusal({
        status: 404,
        html: '<html><head><title>404 Not Found</title></head><body>404 Not Found</body></html>',
      });
    }
    throw httpRefusal(404, 'no such path');
  }

  private bodyOf(route: Route, rawBody: Buffer, query: string | undefined): unknown {
    let body: unknown;
    const problems: string[] = query === undefined ? [] : ['the URL has a query'];
    try {
      // The balance is the one operation that shows no body (§4.3).
      body = rawBody.length === 0 && route.path === '/sendsms/balance' ? {} : parseJson(rawBody);
      if (this.options.validate !== false) {
        problems.push(...requestViolations(route.path, body, this.options));
      }
    } catch {
      problems.push('body: not JSON in UTF-8');
    }
    if (problems.length === 0) return body;
    this.violations.push(...problems.map((problem) => `request ${route.path} ${problem}`));
    throw new Refusal(CODES.badBody, `参数错误 (${problems.join('; ')})`);
  }

  /** Does what was asked, and gives the answer as this gateway's options shape it. */
  private process(route: Route, record: RecordedRequest, fault?: Fault): Answer {
    const repeated = this.lastAnswers.get(route.path);
    if (fault?.kind === 'repeatPage' && repeated !== undefined)
      return this.success(route, repeated);
    const context: RouteContext = {
      state: this.state,
      consume: this.options.consume !== false && fault?.kind !== 'notConsuming',
      maxCount: this.options.maxCount ?? 1000,
      maxPageSize: this.options.maxPageSize ?? 100,
    };
    if (fault?.kind === 'acceptedFewer') {
      // As the end of a slice: -1 leaves out the last message.
      context.acceptAtMost = fault.acceptedCount ?? -1;
    }
    const result =
      'page' in route
        ? route.page(record.body as never, context)
        : route.answer(record.body as never, context);
    if ('page' in route || route.path.endsWith('/pull')) this.lastAnswers.set(route.path, result);
    return this.success(route, result);
  }

  private success(route: Route, result: unknown): Answer {
    const shown = 'page' in route ? shaped(route.shape, result as Paged) : result;
    this.check(route, shown);
    const { listShape = 'specification' } = this.options;
    const reshaped =
      'page' in route && listShape !== 'specification' ? shaped(listShape, result as Paged) : shown;
    return { status: 200, body: reshaped };
  }

  /** The gateway keeps to the contract itself; what options change in an answer comes after. */
  private check(route: Route, answer: unknown): void {
    if (this.options.validate === false) return;
    const problems = answerViolations(route.path, answer, this.options);
    this.violations.push(...problems.map((problem) => `answer ${route.path} ${problem}`));
  }

  private async refuse(
    response: ServerResponse,
    record: RecordedRequest,
    error: unknown,
  ): Promise<void> {
    if (error instanceof HttpRefusal) {
      await this.finish(response, record, error.answer, `http ${error.answer.status}`);
    } else if (error instanceof Refusal) {
      const body = { code: error.code, msg: error.message, request_id: randomUUID() };
      await this.finish(response, record, { status: 200, body }, `refused ${error.code}`);
    } else if (response.destroyed) {
      record.outcome = 'aborted';
    } else {
      this.violations.push(`gateway ${record.path} ${String(error)}`);
      const body = { code: 500, msg: String(error) };
      await this.finish(response, record, { status: 500, body }, 'http 500');
    }
  }

  private async finish(
    response: ServerResponse,
    record: RecordedRequest,
    answer: Answer,
    outcome = 'ok',
  ): Promise<void> {
    record.outcome = outcome;
    await this.pause(this.options.latencyMs);
    record.status = answer.status;
    if (!response.destroyed) send(response, this.dressed(answer));
  }

  private dressed(answer: Answer): Answer {
    const { body } = answer;
    if (!this.options.codeAsText || typeof body !== 'object' || body === null) return answer;
    return 'code' in body ? { ...answer, body: { ...body, code: String(body.code) } } : answer;
  }

  /** Waits, but not beyond the end of the gateway. */
  private async pause(milliseconds = 0): Promise<void> {
    if (milliseconds <= 0) return;
    await setTimeout(milliseconds, undefined, { signal: this.closing.signal }).catch(
      () => undefined,
    );
  }

  /** Answers, or does not, as the fault says. */
  private async misbehave(
    fault: Fault,
    route: Route,
    record: RecordedRequest,
    response: ServerResponse,
  ): Promise<void> {
    const outcome = `fault ${fault.kind}`;
    // A refusal of the platform's own goes before what the fault would do to a success.
    const answer =
      (fault.accept ?? ACCEPTS[fault.kind]) ? this.process(route, record, fault) : NOT_PROCESSED;
    record.outcome = outcome;
    const cut = CONNECTION_FAULTS[fault.kind];
    if (cut) {
      await this.pause(this.options.latencyMs);
      cut(response, fault, this.dressed(answer));
      record.status = response.headersSent ? response.statusCode : 0;
      return;
    }
    if (fault.kind === 'slow') await this.pause(fault.delayMs ?? 1000);
    const change = ANSWER_FAULTS[fault.kind];
    await this.finish(
      response,
      record,
      change ? change(fault, answer, this.origin) : answer,
      outcome,
    );
  }
}

const NOT_PROCESSED: Answer = {
  status: 200,
  body: { code: CODES.refused, msg: '系统拒绝 (refused on demand)' },
};

/** Faults that show in how the connection ends. */
const CONNECTION_FAULTS: Partial<
  Record<FaultKind, (response: ServerResponse, fault: Fault, answer: Answer) => void>
> = {
  hang: () => undefined,
  resetBeforeAccept: reset,
  resetAfterAccept: reset,
  truncatedJson: (response, fault, answer) => {
    const bytes = bytesOf(answer);
    const half = bytes.subarray(0, Math.floor(bytes.length / 2));
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': fault.mismatchedLength ? bytes.length : half.length,
    });
    if (fault.mismatchedLength) response.write(half, () => response.socket?.destroy());
    else response.end(half);
  },
};

/** Faults that show in the answer. */
const ANSWER_FAULTS: Partial<
  Record<FaultKind, (fault: Fault, answer: Answer, origin: string) => Answer>
> = {
  businessCode: (fault) => ({
    status: 200,
    body: {
      code: fault.code ?? CODES.refused,
      msg: fault.msg ?? '系统拒绝 (refused on demand)',
      request_id: randomUUID(),
    },
  }),
  status: (fault) => statusAnswer(fault, fault.status ?? 500, fault.code ?? fault.status ?? 500),
  tooManyRequests: (fault) => statusAnswer(fault, 429, fault.code ?? CODES.tooManyRequests),
  html: (fault) => ({
    status: 200,
    html: typeof fault.body === 'string' ? fault.body : '<html><body>Please log in</body></html>',
  }),
  wrongShape: ({ body }, answer) => ({
    status: 200,
    body:
      typeof body === 'function'
        ? (body as (answer: unknown) => unknown)(answer.body)
        : (body ?? { code: 0, msg: 'success', result: 'unexpected' }),
  }),
  redirect: (fault, _answer, origin) => ({
    status: fault.status ?? 302,
    html: '',
    headers: { location: fault.location ?? `${origin}/elsewhere` },
  }),
  emptyBody: () => ({ status: 200 }),
};

function statusAnswer(fault: Fault, status: number, code: number): Answer {
  const headers: Record<string, string> =
    fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter };
  if (typeof fault.body === 'string') return { status, html: fault.body, headers };
  return {
    status,
    body: fault.body ?? { code, msg: fault.msg ?? `HTTP ${status} on demand` },
    headers,
  };
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
