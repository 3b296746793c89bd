import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Markup, safe } from '../../builder/code/html';
import { CSS, linksToPages } from '../../builder/code/look';
import { send } from './http';
import type { SandboxState } from './state';

const SHOWN_PHONES = 60;
const SHOWN_ENTRIES = 30;
const MAX_REPLY_LENGTH = 1000;

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** The time zone of the example workflows, so that the phones have the same clock as their pages. */
const ZONE = 'Asia/Shanghai';

const clock = new Intl.DateTimeFormat('en-GB', { timeZone: ZONE, timeStyle: 'medium' });

/** Beside the style sheet of the workflows' pages. */
const STYLE = `
#phones{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,310px),1fr));gap:12px}
#phones section{margin:0}#phones ul{max-height:330px;overflow-y:auto;margin-bottom:10px}
#phones li{border:0}.sent{text-align:right}.sent blockquote{background:var(--grid)}
blockquote{display:inline-block;text-align:left;margin:0}small{display:block}
.undelivered blockquote{background:none;border:1px dashed var(--red)}.undelivered small{color:var(--red)}
#phones form{display:flex;gap:8px}#phones input{flex:1;min-width:0}`;

/** Shows what is new, unless a reply is being typed. */
const SCRIPT = `
setInterval(async () => {
  const fields = [...document.querySelectorAll('input')];
  if (document.hidden || fields.some((each) => each.value !== each.defaultValue || each.matches(':focus'))) return;
  const answer = await fetch(location).catch(() => null);
  if (!answer?.ok) return;
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main');
  const shown = document.querySelector('main');
  if (next.textContent !== shown.textContent) shown.replaceWith(next);
}, 1500);`;

/**
 * The page of virtual phones. It shows what each phone number received, and sends replies. Its
 * requests are not signed, because a person uses it on this machine. It refuses other web sites.
 */
export class PhonesPage {
  /** @param n8n address of the n8n whose pages it links to, if there is one */
  constructor(
    private readonly state: SandboxState,
    private readonly n8n?: string,
  ) {}

  /** Answers a request for the page. */
  async serve(
    query: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { host = '', origin } = request.headers;
    // Prevents DNS rebinding: no web site whose name resolves to this machine may read messages. With the
    // requests of other web sites, the browser sends their origin.
    if (!LOOPBACK_HOST.test(host) || (origin !== undefined && origin !== `http://${host}`)) {
      return refuse(response, 403, 'only for this machine, from the page itself');
    }
    if (request.method === 'POST') return await this.reply(request, response);
    if (request.method !== 'GET') return refuse(response, 405, 'only GET and POST');
    const number = new URLSearchParams(query).get('number')?.trim() ?? '';
    const headers = {
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    };
    send(response, { status: 200, html: this.htmlFor(number), headers });
  }

  private htmlFor(number: string): string {
    const numbers = [...this.state.messages.keys()].filter((each) => each.includes(number));
    const shown = numbers.slice(-SHOWN_PHONES).reverse();
    const links = this.n8n ? linksToPages('en', { folder: `${this.n8n}/webhook/` }) : [];
    const empty = number
      ? 'No phone that has received a message has a number with this in it.'
      : 'No messages yet. A phone appears with its first message, and can reply then.';
    const latest = safe`<p>The ${shown.length} latest of ${numbers.length} phones.</p>`;
    return safe`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Virtual phones</title><style>${new Markup(CSS + STYLE)}</style></head>
<body><a class="skip" href="#phones">Skip to the content</a>
<header><nav class="pages" aria-label="Pages">${links}<a href="/" aria-current="page">Virtual phones</a></nav>
<h1>Virtual phones</h1><p>times in ${ZONE} · shows what is new by itself</p></header>
<main><div class="bar"><p>What the sandbox has sent to each number. A workflow can pull the replies.</p>
<form><label>Find a number <input type="search" name="number" inputmode="numeric" value="${number}"></label></form></div>
${shown.length < numbers.length ? latest : ''}
<div id="phones">${shown.length > 0 ? shown.map((each) => this.phone(each, number)) : safe`<p>${empty}</p>`}</div></main>
<script>${new Markup(SCRIPT)}</script></body></html>`.text;
  }

  private phone(number: string, search: string): Markup {
    const entries = (this.state.messages.get(number) ?? []).slice(-SHOWN_ENTRIES).reverse();
    const lines = entries.map(({ direction, content, time, status, status_desc }) => {
      const isLost = direction === 'received' && status !== 'DELIVRD';
      const outcome = direction === 'received' ? ` · ${status} ${status_desc}` : '';
      return safe`<li class="${isLost ? 'undelivered' : direction}"><blockquote>${content}</blockquote>
<small>${clock.format(time * 1000)}${outcome}</small></li>`;
    });
    return safe`<section><h2>${number}</h2>
<ul tabindex="0" aria-label="Messages of ${number}, newest first">${lines}</ul>
<form method="post" action="/?number=${search}"><input type="hidden" name="phone_number" value="${number}">
<input name="content" placeholder="Reply" aria-label="Reply from ${number}" maxlength="${MAX_REPLY_LENGTH}" required><button class="main">Send</button></form></section>`;
  }

  private async reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request).catch(() => ''));
    const phoneNumber = form.get('phone_number') ?? '';
    const content = form.get('content') ?? '';
    if (!this.state.messages.has(phoneNumber)) return refuse(response, 400, 'no such phone');
    if (content.trim() === '' || content.length > MAX_REPLY_LENGTH) {
      return refuse(response, 400, `content is empty or longer than ${MAX_REPLY_LENGTH}`);
    }
    this.state.reply({ phoneNumber, content });
    // Back to the page, with its search.
    send(response, { status: 303, body: {}, headers: { location: request.url ?? '/' } });
  }
}

function refuse(response: ServerResponse, status: number, msg: string): void {
  send(response, { status, body: { code: status, msg } });
}
