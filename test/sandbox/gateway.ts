import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { Refusal } from './codes';
import { answerViolations } from './contract';
import type { Effect, Fault } from './faults';
import { EFFECTS, Faults, NOT_EXECUTED } from './faults';
import type { Answer } from './http';
import { send } from './http';
import type { GatewayOptions } from './options';
import { PhonesPage } from './phones';
import type { DeliveryReport, Reply } from './records';
import { pathBehind, RequestCheck } from './requestCheck';
import type { Route } from './routes';
import { DEFAULT_PAYLOAD } from './signature';
import { SandboxState } from './state';

export type { Fault } from './faults';
export type { GatewayOptions } from './options';
export type { DeliveryReport, Reply } from './records';
export type { Template } from './seeds';

/** An API request that the gateway received, and how it ended. */
export interface RecordedRequest {
  method: string;
  /** Without the prefix. */
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: string;
  /** The parsed body; undefined until the request has passed all checks. */
  body: unknown;
  /** The answer that was sent; undefined before it, or if the connection was cut instead. */
  answer?: Answer;
  /** `ok`, `refused <code>`, `http 500`, `fault <kind>`, `aborted`, or `pending`. */
  outcome: string;
}

/**
 * Starts a sandbox gateway on 127.0.0.1.
 *
 * @throws Error with code EADDRINUSE if the port is in use
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = new Gateway(options);
  await gateway.listen();
  return gateway;
}

/** A sandbox gateway. `startGateway` starts one. */
export class Gateway {
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Every API request in order of arrival. Requests of the page of virtual phones do not count. */
  readonly requests: RecordedRequest[] = [];
  /** Contract violations of requests and of the gateway's own answers, one sentence each. */
  readonly violations: string[] = [];
  readonly state: SandboxState;
  /** Number of API requests that wait for their answer or its end. */
  openRequests = 0;
  /** The highest number of API requests that were open at the same time. */
  maxInFlight = 0;

  private readonly server: Server;
  private readonly check: RequestCheck;
  private readonly faults = new Faults();
  private readonly phones: PhonesPage;
  private readonly closing = new AbortController();
  private port = 0;

  constructor(private readonly options: GatewayOptions) {
    this.apiKey = options.apiKey ?? 'sandbox-key';
    this.apiSecret = options.apiSecret ?? 'sandbox-secret-5f2c91';
    this.state = new SandboxState(options);
    const { apiKey, apiSecret } = this;
    this.check = new RequestCheck({ ...options, apiKey, apiSecret }, this.violations);
    this.phones = new PhonesPage(this.state, options.n8n);
    // Every delayed answer listens to this signal. Node would warn from the eleventh on.
    setMaxListeners(0, this.closing.signal);
    this.server = createServer((request, response) => {
      void this.serve(request, response);
    });
    // Longer than a client pauses. Otherwise a request could meet a connection that is closing.
    this.server.keepAliveTimeout = 120_000;
  }

  /** http://127.0.0.1:<port>. The page of virtual phones is at this address. */
  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** http://127.0.0.1:<port><prefix> */
  get baseUrl(): string {
    return this.origin + (this.options.prefix ?? '');
  }

  async listen(): Promise<void> {
    this.server.listen(this.options.port ?? 0, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** The data of an n8n credential that connects to this gateway. */
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

  /** Phone number → number of accepted messages. Correct even if a fault hides the answer. */
  deliveries(): Map<string, number> {
    return new Map(this.state.accepted);
  }

  /** Queues a fault for one of the next requests. */
  fault = (fault: Fault) => this.faults.add(fault);

  /** Removes all queued faults. */
  clearFaults = () => this.faults.clear();

  /** Queue these records, or this many made-up ones. */
  queueReports = (records: number | DeliveryReport[]) => this.state.queueReports(records);
  queueReplies = (records: number | Reply[]) => this.state.queueReplies(records);

  /** Restores the state, requests, faults, violations and counters of a new gateway. */
  reset(): void {
    this.state.reset();
    this.check.nonces.clear();
    this.faults.clear();
    this.requests.length = 0;
    this.violations.length = 0;
    this.maxInFlight = 0;
  }

  /** Closes the server and all connections. Open requests fail. */
  async close(): Promise<void> {
    this.closing.abort();
    await new Promise<unknown>((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query] = (request.url ?? '').split('?', 2);
    if (path === '/') {
      await this.phones.serve(query, request, response);
      return;
    }
    this.openRequests += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.openRequests);
    response.once('close', () => (this.openRequests -= 1));
    const record: RecordedRequest = {
      method: request.method ?? '',
      path: pathBehind(path, this.options.prefix) ?? path,
      headers: request.headers,
      rawBody: '',
      body: undefined,
      outcome: 'pending',
    };
    if (this.options.recordRequests !== false) this.requests.push(record);
    try {
      const rawBody = await buffer(request);
      record.rawBody = rawBody.toString('utf8');
      const { method, headers } = record;
      const { route, body } = this.check.admit({ method, path, query, headers, rawBody });
      record.body = body;
      const fault = this.faults.take(record);
      await (fault
        ? this.misbehave(fault, route, record, response)
        : this.finish(response, record, this.process(route, record)));
    } catch (error) {
      await this.refuse(response, record, error);
    }
  }

  /**
   * Executes a request. The faults `notConsuming` and `acceptedFewer` take effect here.
   *
   * @throws Refusal if the request is refused with a business code
   */
  private process(route: Route, { body }: RecordedRequest, fault?: Fault): Answer {
    const { consume = true, validate = true } = this.options;
    const answer = route.answer(body as never, {
      state: this.state,
      consume: consume && fault?.kind !== 'notConsuming',
      accept: (messages, userData) => {
        // The end of a slice: -1 leaves out the last message.
        const end = fault?.kind === 'acceptedFewer' ? (fault.acceptedCount ?? -1) : undefined;
        return this.state.send(messages.slice(0, end), userData);
      },
    });
    const problems = validate ? answerViolations(route.path, answer) : [];
    this.violations.push(...problems.map((problem) => `answer ${route.path} ${problem}`));
    return { status: 200, body: answer };
  }

  /** Answers a request that was refused or that failed. */
  private async refuse(
    response: ServerResponse,
    record: RecordedRequest,
    error: unknown,
  ): Promise<void> {
    if (error instanceof Refusal) {
      const { code, message: msg } = error;
      const answer = {
        status: 200,
        body: { code, msg, request_id: randomUUID() },
        ...error.answer,
      };
      await this.finish(response, record, answer, `refused ${code}`);
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
    const { isExecuted, cut, answer: change }: Effect = EFFECTS[fault.kind];
    // The platform may refuse the request. Its refusal replaces the fault, which changes successes.
    const answer = (fault.accept ?? isExecuted) ? this.process(route, record, fault) : NOT_EXECUTED;
    record.outcome = `fault ${fault.kind}`;
    if (cut) {
      await this.pause(this.options.latencyMs);
      cut(response, this.deviating(record, answer));
      return;
    }
    if (fault.kind === 'slow') await this.pause(fault.delayMs ?? 1000);
    await this.finish(response, record, change?.(fault, answer) ?? answer, record.outcome);
  }
}
