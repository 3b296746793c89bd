import { CODES, Refusal } from './codes';
import { contractOperations, headerViolations, requestViolations } from './contract';
import type { Account } from './options';
import type { Route } from './routes';
import { routes } from './routes';
import type { SignedRequest } from './signature';
import { checkSignature } from './signature';

/** A request as it arrived. */
export interface ReceivedRequest extends SignedRequest {
  /** The part of the URL after `?`; undefined if there is none. */
  query: string | undefined;
}

/** The only allowed parameter is charset=utf-8. */
const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i;

const NOT_FOUND =
  '<html><head><title>404 Not Found</title></head><body>404 Not Found</body></html>';

const OPERATIONS = new Map(contractOperations().map((operation) => [operation.path, operation]));

/** Checks requests before they take effect. */
export class RequestCheck {
  /** Those of earlier requests. */
  readonly nonces = new Set<string>();

  /** @param violations receives a sentence for each violation of the contract */
  constructor(
    private readonly options: Account,
    private readonly violations: string[],
  ) {}

  /**
   * Checks, in this order: path, method, content type, request signature, `authorization`, query
   * and body.
   *
   * @returns the route and the parsed body
   * @throws Refusal if a check fails
   */
  admit(request: ReceivedRequest): { route: Route; body: unknown } {
    const route = this.routeOf(request.path);
    if (request.method !== 'POST') {
      throw new Refusal(405, 'method not allowed', { status: 405, headers: { allow: 'POST' } });
    }
    if (this.options.validate !== false) {
      // Only recorded: the next checks refuse the request, each with its own code.
      this.note(route, headerViolations(route.path, request.headers));
    }
    if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
      throw new Refusal(415, 'Content-Type must be application/json', { status: 415 });
    }
    checkSignature(this.options, this.nonces, request);
    const { headers = [] } = OPERATIONS.get(route.path) ?? {};
    const isTaken = headers.some(({ name }) => name === 'authorization');
    const token = isTaken && this.options.authorizationToken;
    if (token && request.headers.authorization !== token) {
      throw new Refusal(CODES.badAuthorization, 'authorization is missing or wrong');
    }
    return { route, body: this.bodyOf(route, request) };
  }

  private note({ path }: Route, problems: readonly string[]): void {
    this.violations.push(...problems.map((problem) => `request ${path} ${problem}`));
  }

  private routeOf(path: string): Route {
    const { prefix = '', pathAliases, inferredRoutes, notFound } = this.options;
    const inner = pathBehind(path, prefix);
    const route = inner === undefined ? undefined : routes.get(pathAliases?.[inner] ?? inner);
    const hidden = inferredRoutes === false && OPERATIONS.get(inner ?? '')?.inferred;
    if (route && !hidden) return route;
    const page = notFound === 'html' ? { html: NOT_FOUND } : {};
    throw new Refusal(404, 'no such path', { status: 404, ...page });
  }

  private bodyOf(route: Route, { rawBody, query }: ReceivedRequest): unknown {
    let body: unknown;
    const problems: string[] = query === undefined ? [] : ['the URL has a query'];
    try {
      // The specification shows no body for Query balance.
      body =
        rawBody.length === 0 && route.path === '/sendsms/balance' ? {} : this.read(route, rawBody);
      if (this.options.validate !== false) {
        problems.push(...requestViolations(route.path, body));
      }
    } catch (error) {
      if (error instanceof Refusal) throw error;
      problems.push('body: not JSON in UTF-8');
    }
    if (problems.length === 0) return body;
    this.note(route, problems);
    throw new Refusal(CODES.badBody, `参数错误 (${problems.join('; ')})`);
  }

  /** Returns the body in the form of the contract. */
  private read({ path }: Route, rawBody: Buffer): unknown {
    const { deviations = [] } = this.options;
    // The last one is nearest to the client, as in answers.
    const text = deviations.reduceRight(
      (json, { request }) => request?.(path, json) ?? json,
      new TextDecoder('utf-8', { fatal: true }).decode(rawBody),
    );
    return JSON.parse(text);
  }
}

/** Returns the path without the prefix; undefined if it does not begin with the prefix. */
export function pathBehind(path: string, prefix = ''): string | undefined {
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}
