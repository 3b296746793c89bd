import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Markup, safe, textOf as htmlOf } from '../../desk/src/code/html';
import { langOf, sayIn, type Request } from '../../desk/src/code/lang';
import { CSS, linksToPages } from '../../desk/src/code/look';
import { isJson, textOf, readBody, send } from './http';
import type { SandboxState } from './state';

const SHOWN_PHONES = 60;
const SHOWN_ENTRIES = 30;
const MAX_REPLY_LENGTH = 1000;

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " +
  "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The time zone of the example workflows, so that the phones have the same clock as their pages. */
const ZONE = 'Asia/Shanghai';

/** The texts of the page and its script, each with its Chinese. */
const ZH = {
  'Virtual phones': '虚拟手机',
  'Skip to the content': '跳到内容',
  Pages: '页面',
  'times in {zone}': '时区 {zone}',
  'shows what is new by itself': '自动更新',
  'All phone numbers that the sandbox has sent a message to. When you type a reply on a phone, a workflow can pull it.':
    '模拟平台发送过短信的所有号码。在手机上输入回复，工作流即可拉取。',
  'Find a number': '查找号码',
  'Batch {id}': '批次 {id}',
  'Messages of {number}': '{number} 的短信',
  Reply: '回复',
  'Reply from {number}': '以 {number} 回复',
  Send: '发送',
  'The reply was not sent: {why}': '回复未发送：{why}',
  '1 message': '1 条短信',
  '{count} messages': '{count} 条短信',
  'Showing the {shown} latest of {total} phones.': '显示最近的 {shown} 部手机，共 {total} 部。',
  'No phone number contains this': '没有包含这些数字的号码',
  'The page shows only phone numbers that received a message.': '只显示收到过短信的号码。',
  'No messages yet': '还没有短信',
  'A phone appears with its first message, and can reply then.':
    '手机收到第一条短信后出现在这里，然后可以回复。',
  'The sandbox does not answer. Is it still running?': '模拟平台没有响应，是否仍在运行？',
} as const;

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
    ['/sandbox/reply', { method: 'POST', handle: this.reply.bind(this) }],
  ]);

  /** @param n8n address of the n8n whose pages it links to, if there is one */
  constructor(
    private readonly state: SandboxState,
    private readonly n8n?: string,
  ) {}

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

  private page(
    { headers }: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
  ): void {
    send(response, {
      status: 200,
      html: this.htmlFor({ query: Object.fromEntries(query), headers }),
      headers: {
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    });
  }

  /** The page in the language of a request. It takes its style from the sheet of the workflows' pages. */
  private htmlFor(request: Request): string {
    const lang = langOf(request);
    const say = sayIn(lang, ZH);
    const query = request.query?.lang === undefined ? '' : `?lang=${lang}`;
    const others = this.n8n ? linksToPages(lang, { query, folder: `${this.n8n}/webhook/` }) : [];
    const own = safe`<a href="/${query}" aria-current="page">${say('Virtual phones')}</a>`;
    const values: Record<string, unknown> = {
      lang,
      zone: ZONE,
      times: say('times in {zone}', { zone: ZONE }),
      words: JSON.stringify(lang === 'zh' ? ZH : {}),
      look: new Markup(CSS),
      links: new Markup([...others, own].map(htmlOf).join('')),
    };
    return this.html.replace(/\{\{([^{}]+)\}\}/g, (_, text: string) => {
      const name = text.replace(/\s+/g, ' ');
      return htmlOf(values[name] ?? say(name as keyof typeof ZH));
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
