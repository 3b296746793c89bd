import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { isJson, textOf, readBody, send } from './http';
import type { SandboxState } from './state';

const SHOWN_PHONES = 60;
const SHOWN_ENTRIES = 30;
const MAX_REPLY_LENGTH = 1000;

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " +
  "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
) => void | Promise<void>;

/**
 * The page of virtual phones. It shows what each phone number received, and sends replies. Its
 * requests are not signed, because a person uses it on this machine. It refuses other web sites.
 */
export class PhonesPage {
  private readonly html = readFileSync(join(__dirname, 'phones.html'), 'utf8');
  private readonly handlers = new Map<string, { method: string; handle: Handler }>([
    ['/', { method: 'GET', handle: this.page.bind(this) }],
    ['/sandbox/phones', { method: 'GET', handle: this.list.bind(this) }],
    ['/sandbox/summary', { method: 'GET', handle: this.summary.bind(this) }],
    ['/sandbox/reply', { method: 'POST', handle: this.reply.bind(this) }],
  ]);

  constructor(private readonly state: SandboxState) {}

  /** Whether a path, without the query, belongs to the page. */
  serves(path: string): boolean {
    return this.handlers.has(path);
  }

  /** Answers a request to a path for which `serves` is true. */
  async serve(
    path: string,
    query: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const entry = this.handlers.get(path);
    const host = request.headers.host ?? '';
    // Prevents DNS rebinding: no web site whose name resolves to this machine may read messages.
    if (!entry || !LOOPBACK_HOST.test(host)) {
      refuse(response, 403, 'only for this machine');
    } else if (request.method !== entry.method) {
      refuse(response, 405, `only ${entry.method}`);
    } else {
      await entry.handle(request, response, new URLSearchParams(query));
    }
  }

  private page(_request: IncomingMessage, response: ServerResponse): void {
    send(response, {
      status: 200,
      html: this.html,
      headers: {
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    });
  }

  private list(_request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    const part = query.get('number') ?? '';
    const numbers = [...this.state.messages.keys()].filter((number) => number.includes(part));
    const phones = numbers
      .slice(-SHOWN_PHONES)
      .reverse()
      .map((number) => {
        const entries = this.state.messages.get(number) ?? [];
        return {
          phone_number: number,
          total: entries.length,
          messages: entries.slice(-SHOWN_ENTRIES),
        };
      });
    send(response, { status: 200, body: { total: numbers.length, phones } });
  }

  private summary(_request: IncomingMessage, response: ServerResponse): void {
    const { sent, reportsLeft, replies, balance } = this.state;
    send(response, {
      status: 200,
      body: { sent, reports_left: reportsLeft, replies_left: replies.length, balance },
    });
  }

  private async reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, host, 'content-type': contentType } = request.headers;
    // Prevents requests from other web sites: their forms cannot send JSON, and for their scripts
    // the browser sets the header Origin.
    if (!isJson(contentType)) return refuse(response, 415, 'only application/json');
    if (origin !== undefined && origin !== `http://${host}`) {
      return refuse(response, 403, 'only from the page itself');
    }
    let body: unknown;
    try {
      body = JSON.parse(textOf(await readBody(request)));
    } catch {
      return refuse(response, 400, 'not JSON');
    }
    const { phone_number: phoneNumber, content } = (body ?? {}) as Record<string, unknown>;
    if (typeof phoneNumber !== 'string' || !/^1\d{10}$/.test(phoneNumber)) {
      return refuse(response, 400, 'phone_number is not a phone number');
    }
    if (typeof content !== 'string' || content.trim() === '' || content.length > MAX_REPLY_LENGTH) {
      return refuse(response, 400, `content is empty or longer than ${MAX_REPLY_LENGTH}`);
    }
    this.state.reply({ phoneNumber, content });
    send(response, { status: 200, body: { ok: true } });
  }
}

function refuse(response: ServerResponse, status: number, msg: string): void {
  send(response, { status, body: { code: status, msg } });
}
