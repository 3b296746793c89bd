import { safe, type Markup } from '../../../builder/code/html';
import { masked, panel, quote, table } from '../../../builder/code/look';
import { reasonIn } from '../common/messages/reasons';
import { STATES, STATES_ZH } from '../common/messages/states';
import { number, share, withoutNumbers } from '../common/text/format';
import type { Counted, Line } from './counted';
import { address, messageAddress, type Voice } from './voice';
import type { CHARTS_ZH } from './charts';

export const TABLES_ZH = {
  ...STATES_ZH,
  Template: '模板',
  Batch: '批次',
  Status: '状态',
  'By template': '按模板',
  'Latest batches': '最近批次',
  'Why messages failed': '失败原因',
  'Latest failures': '最近失败',
  'Latest messages': '最近短信',
  'Latest replies': '最近上行',
  'no template': '无模板',
  'no status': '无状态',
  '#Not sent': '#未发送',
  '#Failed': '#失败',
  '#Sent': '#已发送',
  '#No report': '#无状态报告',
  '#Messages': '#短信数',
  '#Of failed': '#占失败',
  Time: '时间',
} as const;

type PageVoice = Voice<keyof typeof TABLES_ZH | keyof typeof CHARTS_ZH>;

/** The worst and the latest of what is shown. */
type Lists = Pick<Counted, 'templates' | 'batches' | 'reasons' | 'listed' | 'replies' | 'figures'>;

/** The status of a report in words, with a link to all messages that have it. */
function statusOf(
  { status, text }: { status: string; text: string | null },
  { asked, say }: PageVoice,
): Markup {
  const name = status === '' ? say('no status') : status;
  const link = safe`<a href="${address(asked, { status })}"><b>${quote(name)}</b></a>`;
  return safe`${status === '' ? name : link} ${quote(text)}`;
}

const RESULTS = ['#Not sent', '#Failure rate', '#Failed', '#Sent', '#No report'] as const;

/** The results of a line, the one that matters first. Each number leads to its messages. */
function results(line: Line, change: { template?: string; batch?: string }, voice: PageVoice) {
  const { asked } = voice;
  const { unsent, failed, reported, sent, missing } = line;
  const to = (status: string, amount: number) =>
    amount === 0
      ? '0'
      : safe`<a href="${address(asked, { ...change, status })}">${number(amount)}</a>`;
  const rate = failed > 0 ? safe`<b>${share(failed, reported)}</b>` : share(failed, reported);
  return [to('unsent', unsent), rate, to('failed', failed), to('', sent), to('none', missing)];
}

function titled(title: string, heads: string[], lines: (Markup | string)[][]): Markup | string {
  return lines.length === 0 ? '' : panel(title, table(title, heads, lines));
}

function byTemplate({ templates }: Lists, voice: PageVoice): Markup | string {
  const { asked, say, templateOf } = voice;
  const lines = (templates ?? []).map((line) => {
    const { template } = line;
    const link = address(asked, { template });
    const name = template
      ? safe`<a href="${link}">${templateOf(template)}</a>`
      : say('no template');
    return [name, ...results(line, { template }, voice)];
  });
  return titled(say('By template'), [say('Template'), ...RESULTS.map((name) => say(name))], lines);
}

function byBatch({ batches }: Lists, voice: PageVoice): Markup | string {
  const { asked, say, clock, nameOf } = voice;
  const lines = (batches ?? []).map((line) => [
    safe`<a class="id" href="${address(asked, { batch: line.batch })}">${quote(line.batch)}</a><small>${quote(nameOf(line.of_one) || line.of_one)} · ${clock(line.at)}</small>`,
    ...results(line, { batch: line.batch }, voice),
  ]);
  return titled(say('Latest batches'), [say('Batch'), ...RESULTS.map((name) => say(name))], lines);
}

function reasons({ reasons: found, figures }: Lists, voice: PageVoice): Markup | string {
  const { say, asked } = voice;
  const lines = (found ?? []).map(({ status, text, count }) => [
    statusOf({ status, text }, voice),
    safe`<a href="${address(asked, { status })}">${number(count)}</a>`,
    share(count, figures.here.failed),
  ]);
  const heads = [say('Status'), say('#Messages'), say('#Of failed')];
  return titled(say('Why messages failed'), heads, lines);
}

/** Messages, each with a link to its page. */
function messages({ listed }: Lists, voice: PageVoice): Markup | string {
  const { asked, say, clock, templateOf } = voice;
  const lines = (listed ?? []).map(
    ({ row, at, phone, template, batch, state, status, text, ...why }) => [
      safe`<a class="id" href="${messageAddress(asked, row)}">${clock(at)}</a><small class="id">${masked(phone)}</small>`,
      status === null
        ? safe`${say(STATES[state].text)} ${quote(withoutNumbers(reasonIn(asked.lang, why)))}`
        : statusOf({ status, text }, voice),
      safe`${template ? templateOf(template) : ''}<small class="id">${quote(batch)}</small>`,
    ],
  );
  const isOfFailures = ['', 'failed'].includes(asked.status);
  const title = isOfFailures ? say('Latest failures') : say('Latest messages');
  return titled(title, [say('Time'), say('Status'), say('Template')], lines);
}

function latestReplies({ replies }: Lists, { asked, say, clock }: PageVoice): Markup | string {
  const found = (replies ?? []).map(
    ({ row, at, phone, content }) =>
      safe`<li><p>${quote(content)}</p><small>${masked(phone)} · <a href="${messageAddress(asked, row)}">${clock(at)}</a></small></li>`,
  );
  return found.length === 0 ? '' : panel(say('Latest replies'), safe`<ul>${found}</ul>`);
}

/** The tables of the page, in two columns. */
export function tables(lists: Lists, voice: PageVoice): Markup {
  const left = [byTemplate(lists, voice), reasons(lists, voice), latestReplies(lists, voice)];
  return safe`<div>${messages(lists, voice)}${byBatch(lists, voice)}</div><div>${left}</div>`;
}
