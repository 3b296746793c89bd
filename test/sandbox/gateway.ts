import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Refusal } from './codes';
import { ANSWER_FAULTS, CONNECTION_FAULTS, NOT_PROCESSED } from './faultEffects';
import type { Fault } from './faults';
import { ACCEPTS, Faults } from './faults';
import type { Answer } from './http';
import { readBody, send } from './http';
import type { GatewayOptions } from './options';
import { PhonesPage } from './phones';
import { Platform } from './platform';
import type { RecordedRequest } from './recordedRequest';
import type { DeliveryReport, Reply } from './records';
import { HttpRefusal, pathBehind, RequestCheck } from './requestCheck';
import type { Route } from './routes';
import { DEFAULT_PAYLOAD } from './signature';
import { SandboxState } from './state';

export type { Fault } from './faults';
export type { ListShape } from './lists';
export type { GatewayOptions } from './options';
export type { RecordedRequest } from './recordedRequest';
export type { DeliveryReport, Reply } from './records';
export type { Template } from './seeds';

/** A running sandbox gateway, as tests see it. */
export interface Gateway {
  /** http://127.0.0.1:<port><prefix> */
  readonly baseUrl: string;
  /** http://127.0.0.1:<port>. The page of virtual phones is at this address. */
  readonly origin: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** The data of an n8n credential that connects to this gateway. */
  credential(): Record<string, unknown>;
  /** Every API request in order of arrival. Requests of the page of virtual phones do not count. */
  readonly requests: RecordedRequest[];
  /** Contract violations of requests and of the gateway's own answers, one sentence each. */
  readonly violations: string[];
  /** Phone number → number of accepted messages. Correct even if a fault hides the answer. */
  deliveries(): Map<string, number>;
  readonly state: SandboxState;
  /** Queues a fault for one of the next requests. */
  fault(fault: Fault): void;
  /** Removes all queued faults. */
  clearFaults(): void;
  /** Queues a reply from a phone to the last message that it received, or received from a batch. */
  reply(input: { phoneNumber: string; content: string; batchId?: string }): void;
  /** Queues these delivery reports, or this many made-up ones. */
  queueReports(records: number | DeliveryReport[]): void;
  /** Queues these replies, or this many made-up ones. */
  queueReplies(records: number | Reply[]): void;
  /** Number of API requests that wait for their answer or its end. */
  readonly openRequests: number;
  /** The highest number of API requests that were open at the same time. */
  maxInFlight: number;
  /** Number of TCP connections that were opened. */
  connections: number;
  /** Number of API requests, including those that are not recorded. */
  requestCount: number;
  /** Restores the state, requests, faults, violations and counters of a new gateway. */
  reset(): void;
  /** Closes the server and all connections. Open requests fail. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox gateway on 127.0.0.1.
 *
 * @throws Error with code EADDRINUSE if the port is in use
 */
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
  openRequests = 0;
  maxInFlight = 0;
  connections = 0;
  requestCount = 0;

  private readonly server: Server;
  private readonly check: RequestCheck;
  private readonly platform: Platform;
  private readonly faults = new Faults();
  private readonly phones: PhonesPage;
  private readonly closing = new AbortController();
  private port = 0;

  constructor(private readonly options: GatewayOptions) {
    this.apiKey = options.apiKey ?? 'sandbox-key';
    this.apiSecret = options.apiSecret ?? 'sandbox-secret-5f2c91';
    this.state = new SandboxState({
      balance: options.balance ?? 1_000_000,
      reportDelayMs: options.reportDelayMs ?? 0,
      records: options.records ?? {},
    });
    const { apiKey, apiSecret } = this;
    this.check = new RequestCheck({ ...options, apiKey, apiSecret }, this.violations);
    this.platform = new Platform(this.state, options, this.violations);
    this.phones = new PhonesPage(this.state, options.n8n);
    // Every delayed answer listens to this signal. Node would warn from the eleventh on.
    setMaxListeners(0, this.closing.signal);
    this.server = createServer((request, response) => {
      void this.serve(request, response);
    });
    // Longer than a client pauses. Otherwise a request could meet a connection that is closing.
    this.server.keepAliveTimeout = 120_000;
    this.server.on('connection', () => (this.connections += 1));
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get baseUrl(): string {
    return this.origin + (this.options.prefix ?? '');
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
      customSigning: Boolean(this.options.signaturePayload ?? this.options.signatureAlgorithm),
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
    this.check.reset();
    this.faults.clear();
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
      await this.phones.serve(query, request, response);
      return;
    }
    this.requestCount += 1;
    this.openRequests += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.openRequests);
    response.once('close', () => (this.openRequests -= 1));
    const record: RecordedRequest = {
      method: request.method ?? '',
      path: pathBehind(path, this.options.prefix) ?? path,
      headers: request.headers,
      rawBody: '',
      body: undefined,
      status: 0,
      accepted: [],
      outcome: 'pending',
    };
    if (this.options.recordRequests !== false) this.requests.push(record);
    try {
      const rawBody = await readBody(request);
      record.rawBody = rawBody.toString('utf8');
      const { method, headers } = record;
      const { route, body } = this.check.admit({ method, path, query, headers, rawBody });
      record.body = body;
      const fault = this.faults.take(record);
      await (fault
        ? this.misbehave(fault, route, record, response)
        : this.finish(response, record, this.platform.process(route, record)));
    } catch (error) {
      await this.refuse(response, record, error);
    }
  }

  /** Answers a request that was refused or that failed. */
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
    if (response.destroyed) return;
    record.answer = this.deviating(record, answer);
    send(response, record.answer);
  }

  /** Returns the answer in the form of this SMS provider. */
  private deviating({ path }: RecordedRequest, answer: Answer): Answer {
    const { deviations = [], pathAliases } = this.options;
    const specified = pathAliases?.[path] ?? path;
    return deviations.reduce(
      (given, deviation) => deviation.answer?.(specified, given) ?? given,
      answer,
    );
  }

  /** Waits. Closing the gateway ends the wait. */
  private async pause(milliseconds = 0): Promise<void> {
    if (milliseconds <= 0) return;
    await setTimeout(milliseconds, undefined, { signal: this.closing.signal }).catch(
      () => undefined,
    );
  }

  /** Answers as the fault demands, or does not answer. */
  private async misbehave(
    fault: Fault,
    route: Route,
    record: RecordedRequest,
    response: ServerResponse,
  ): Promise<void> {
    const outcome = `fault ${fault.kind}`;
    // The platform may refuse the request. Its refusal replaces the fault, which changes successes.
    const answer =
      (fault.accept ?? ACCEPTS[fault.kind])
        ? this.platform.process(route, record, fault)
        : NOT_PROCESSED;
    record.outcome = outcome;
    const cut = CONNECTION_FAULTS[fault.kind];
    if (cut) {
      await this.pause(this.options.latencyMs);
      cut(response, fault, this.deviating(record, answer));
      record.status = response.headersSent ? response.statusCode : 0;
      return;
    }
    if (fault.kind === 'slow') await this.pause(fault.delayMs ?? 1000);
    const change = ANSWER_FAULTS[fault.kind];
    await this.finish(
      response,
      record,
      change ? change(fault, answer, { origin: this.origin }) : answer,
      outcome,
    );
  }
}
