import { safe, type Markup } from '../html';
import { masked, panel, quote, table } from '../look';
import { number, share } from '../numbers';
import { address, messageAddress } from './address';
import { figuresOf, groupBy, type Figures, type Span } from './figures';
import { isDelivered, rowOf, type Message, type Rows } from './rows';
import type { Voice } from './strip';

/** What is in the tables: the messages of the stretch of time that is shown. */
export interface Content {
  messages: Message[];
  replies: Rows['replies'];
  span: Span;
  now: number;
}

type Line = Figures & { name: string; template: string };

function lines(
  { messages, span, now }: Content,
  nameOf: (message: Message) => string | undefined,
): Line[] {
  return [...groupBy(messages, nameOf)]
    .map(([name, group]) => ({
      ...figuresOf(group, [], span, now),
      ...{ name, template: group[0]?.template ?? '' },
    }))
    .filter(({ sent, reported }) => sent + reported > 0);
}

/** The status of a report in words, with a link to all messages that have it. */
export function statusOf(
  { status, text }: { status: string; text: string },
  { asked, say }: Voice,
): Markup {
  const name = status === '' ? say('no status') : status;
  const link = safe`<a href="${address(asked, { status })}"><b>${quote(name)}</b></a>`;
  return safe`${status === '' ? name : link} ${quote(text)}`;
}

/** The results of a line, the one that matters first. Each number leads to its messages. */
function results(line: Line, change: { template?: string; batch?: string }, voice: Voice) {
  const { asked, lengthOf } = voice;
  const { failed, reported, sent, missing, p50 } = line;
  const to = (status: string, amount: number) =>
    amount === 0
      ? '0'
      : safe`<a href="${address(asked, { ...change, status })}">${number(amount)}</a>`;
  const rate = failed > 0 ? safe`<b>${share(failed, reported)}</b>` : share(failed, reported);
  return [
    rate,
    to('failed', failed),
    to('', sent),
    to('none', missing),
    p50 === undefined ? '–' : lengthOf(p50),
  ];
}

function byTemplate(content: Content, voice: Voice): Markup | string {
  const { asked, say, templateOf } = voice;
  const found = lines(content, ({ send, template }) => (send ? template || '–' : undefined))
    .sort((a, b) => b.sent - a.sent)
    .slice(0, 20)
    .map((line) => {
      const template = line.name === '–' ? '' : line.name;
      const link = address(asked, { template });
      const name = template
        ? safe`<a href="${link}">${templateOf(template)}</a>`
        : say('no template');
      return [name, ...results(line, template ? { template } : {}, voice)];
    });
  return found.length === 0
    ? ''
    : panel(say('By template'), table(say('By template'), heads(say('Template'), voice), found));
}

function heads(first: string, { say }: Voice): string[] {
  return [
    first,
    ...[say('#Failure rate'), say('#Failed'), say('#Sent'), say('#No report')],
    say('#Median'),
  ];
}

function byBatch(content: Content, voice: Voice): Markup | string {
  const { asked, say, clock, nameOf } = voice;
  // A workflow that sends to one person at a time makes a batch of each message.
  const found = lines(content, ({ send, batch }) => (send ? batch : undefined))
    .filter(({ name, sent }) => sent > 1 || name === asked.batch)
    .sort((a, b) => b.at - a.at)
    .slice(0, 10)
    .map((line) => [
      safe`<a class="id" href="${address(asked, { batch: line.name })}">${quote(line.name)}</a><small>${quote(nameOf(line.template) || line.template)} · ${clock(line.at)}</small>`,
      ...results(line, { batch: line.name }, voice),
    ]);
  const title = say('Latest batches');
  return found.length === 0 ? '' : panel(title, table(title, heads(say('Batch'), voice), found));
}

function reasons(failed: Message[], voice: Voice): Markup | string {
  const { say, asked } = voice;
  const found = [...groupBy(failed, ({ report }) => report?.status)]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, 8)
    .map(([status, group]) => {
      const text = group[0]?.report?.text ?? '';
      const link = address(asked, { status });
      return [
        statusOf({ status, text }, voice),
        safe`<a href="${link}">${number(group.length)}</a>`,
        share(group.length, failed.length),
      ];
    });
  const title = say('Why messages failed');
  const names = [say('Status'), say('#Messages'), say('#Of failed')];
  return found.length === 0 ? '' : panel(title, table(title, names, found));
}

/** Messages, each with a link to its page. */
function list(title: string, messages: Message[], voice: Voice): Markup | string {
  const { asked, say, clock, templateOf } = voice;
  const found = messages.map((message) => {
    const { send, report, phone, template, batch } = message;
    const at = report?.at ?? send?.at ?? 0;
    const status = report ? statusOf(report, voice) : say('no report yet');
    const link = messageAddress(asked, rowOf(message));
    const name = template ? templateOf(template) : '';
    return [
      safe`<a class="id" href="${link}">${clock(at)}</a><small class="id">${masked(phone)}</small>`,
      status,
      safe`${name}<small class="id">${quote(batch)}</small>`,
    ];
  });
  const names = [say('Time'), say('Status'), say('Template')];
  return found.length === 0 ? '' : panel(title, table(title, names, found));
}

function newest(messages: Message[], amount: number): Message[] {
  const at = ({ send, report }: Message) => report?.at ?? send?.at ?? 0;
  return [...messages].sort((a, b) => at(b) - at(a)).slice(0, amount);
}

function latestReplies({ replies, span }: Content, voice: Voice): Markup | string {
  const { asked, say, clock } = voice;
  const found = replies
    .filter(({ at }) => at >= span.from && at <= span.to)
    .sort((a, b) => b.at - a.at)
    .slice(0, 8)
    .map(
      ({ id, content, phone, at }) =>
        safe`<li><p>${quote(content)}</p><small>${masked(phone)} · <a href="${messageAddress(asked, `i${id}`)}">${clock(at)}</a></small></li>`,
    );
  return found.length === 0 ? '' : panel(say('Latest replies'), safe`<ul>${found}</ul>`);
}

/** The tables of the page, in two columns. */
export function tables(content: Content, voice: Voice): Markup {
  const { asked, say } = voice;
  const { span } = content;
  const isIn = (at: number | undefined) => at !== undefined && at >= span.from && at <= span.to;
  const messages = content.messages.filter(
    ({ send, report }) => isIn(send?.at) || isIn(report?.at),
  );
  const shown = { ...content, messages };
  const failed = messages.filter(({ report }) => report && isIn(report.at) && !isDelivered(report));
  const isListed = asked.status !== '' && asked.status !== 'failed';
  const listed = isListed
    ? list(say('Latest messages'), newest(messages, 20), voice)
    : list(say('Latest failures'), newest(failed, 12), voice);
  const left = [byTemplate(shown, voice), reasons(failed, voice), latestReplies(shown, voice)];
  return safe`<div>${listed}${byBatch(shown, voice)}</div><div>${left}</div>`;
}
