import { STATES, STATES_ZH, type State } from '../common/messages/states';
import { safe, type Markup } from '../../../builder/code/html';
import { addressOf, masked, pageOf, panel, quote, table } from '../../../builder/code/look';
import type { Fields, N8n } from '../../../builder/code/n8n';
import { number } from '../common/text/format';
import { reasonIn } from '../common/messages/reasons';
import { received } from '../common/messages/received';
import { address, messageAddress, voiceOf, type Voice as VoiceOf } from './voice';
import type { Asked } from './what-was-asked';

const ZH = {
  Template: '模板',
  Batch: '批次',
  Sent: '已发送',
  Segments: '计费条数',
  'no status': '无状态',
  Time: '时间',
  Number: '号码',
  'A message': '短信详情',
  'Messages of …{digits}': '尾号 {digits} 的短信',
  'Back to the dashboard': '返回看板',
  'The conversation with this number': '与此号码的会话',
  'No such message. Its row may have been deleted.': '没有这条短信，可能已被清理。',
  'No message to this number, and none from it.': '没有发给此号码的短信，也没有来自它的短信。',
  'These are the latest {n}.': '以下为最近 {n} 条。',
  'Text that the customer got': '客户收到的内容',
  'Text of the reply': '上行内容',
  'Not stored: the outbox keeps no codes.': '未保存：验证码不会存储。',
  'Not stored.': '未保存。',
  'Rebuilt from the template and its parameters.': '根据模板和变量还原。',
  Details: '详情',
  'Other messages of this number': '此号码的其他短信',
  What: '类型',
  Content: '内容',
  Report: '状态报告',
  Reply: '上行',
  'Sent at': '发送时间',
  'Report at': '状态报告时间',
  'Time taken': '用时',
  Class: '类别',
  Source: '来源',
  Reference: '业务编号',
  Result: '结果',
  ...STATES_ZH,
} as const;

type Voice = VoiceOf<keyof typeof ZH>;

const STYLE =
  '.details{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:10px 16px;margin:0 0 12px}.details dd{overflow-wrap:anywhere}';

const text = (value: unknown) => String(value ?? '');

/** As many rows as the reading nodes give. */
const MAX_SHOWN = 200;

/** What `sms.messages_of` gives. */
interface Found {
  found: Fields | null;
  sends: Fields[];
  records: Fields[];
  /** Those of the sends. */
  templates: (Fields & { record_id: string })[];
}

function atOf({ sent_at, time, createdAt }: Fields): number {
  const at = Date.parse(text(sent_at || time));
  return Number.isNaN(at) ? Date.parse(text(createdAt)) : at;
}

/** The latest report of a message, which its row has. */
function reportOf({ report, report_text, reported_at, segments }: Fields): Fields | undefined {
  if (report === null || report === undefined) return undefined;
  return { status: report, status_desc: report_text, time: reported_at, split_count: segments };
}

function resultOf(send: Fields, report: Fields | undefined, { say, asked }: Voice): Markup {
  if (!report)
    return safe`${say(STATES[send.state as State].text)} ${quote(reasonIn(asked.lang, send))}`;
  const link = address(asked, { status: text(report.status), window: '24h' });
  return safe`<a href="${link}"><b>${quote(report.status || say('no status'))}</b></a> ${quote(report.status_desc)}`;
}

/** The text as the customer got it, or why it is not here. */
function textOf(send: Fields, contents: Map<string, string>, voice: Voice): Markup {
  const { say } = voice;
  if (send.class === 'code') return safe`<p>${say('Not stored: the outbox keeps no codes.')}</p>`;
  if (send.text) return safe`<blockquote><bdi>${send.text}</bdi></blockquote>`;
  const content = contents.get(text(send.template));
  if (!content) return safe`<p>${say('Not stored.')}</p>`;
  const rebuilt = received(content, text(send.parameters));
  return safe`<blockquote><bdi>${rebuilt}</bdi></blockquote><small>${say('Rebuilt from the template and its parameters.')}</small>`;
}

function details(send: Fields, report: Fields | undefined, voice: Voice): Markup {
  const { asked, say, clock, lengthOf, templateOf } = voice;
  const template = text(send.template);
  const batch = text(send.batch_id);
  const link = (change: { template?: string; batch?: string }, content: Markup) =>
    safe`<a href="${address(asked, { window: '24h', ...change })}">${content}</a>`;
  const took = report && lengthOf(Math.max(0, atOf(report) - atOf(send)));
  const lines: [string, Markup | string | undefined][] = [
    [say('Number'), quote(send.phone_number)],
    [say('Result'), resultOf(send, report, voice)],
    [say('Sent at'), send.id === undefined ? '' : clock(atOf(send))],
    [say('Report at'), report && clock(atOf(report))],
    [say('Time taken'), send.id === undefined ? '' : took],
    [say('Template'), template && link({ template }, templateOf(template))],
    [say('Batch'), batch && link({ batch }, quote(batch))],
    [say('Segments'), report?.split_count ? text(report.split_count) : ''],
    [say('Class'), text(send.class)],
    [say('Source'), send.source ? quote(send.source) : ''],
    [say('Reference'), send.reference ? quote(send.reference) : ''],
  ];
  const shown = lines
    .filter(([, value]) => value)
    .map(([name, value]) => safe`<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return safe`<dl class="details">${shown}</dl>`;
}

/** Messages and records, the newest first, each with a link to its page. */
function history({ sends, records }: Found, title: string, voice: Voice): Markup | string {
  const { asked, say, clock, templateOf } = voice;
  const showsNumber = asked.view === 'number';
  const kinds: Record<string, string> = { deliveryReport: say('Report'), reply: say('Reply') };
  const rows = [
    ...sends.map((row) => ({ row, key: `o${text(row.id)}`, kind: say('Sent') })),
    ...records.map((row) => ({ row, key: `i${text(row.id)}`, kind: kinds[text(row.event)] ?? '' })),
  ]
    .filter(({ key }) => key !== asked.row)
    .sort((a, b) => atOf(b.row) - atOf(a.row))
    .slice(0, MAX_SHOWN);
  if (rows.length === 0) return '';
  const contentOf = ({ row, kind }: (typeof rows)[number]) => {
    if (kind === say('Reply')) return quote(row.content);
    if (kind === say('Report')) return safe`<b>${quote(row.status)}</b> ${quote(row.status_desc)}`;
    const template = text(row.template);
    const name = template ? templateOf(template) : '';
    return row.text && row.class !== 'code' ? safe`${quote(row.text)}<small>${name}</small>` : name;
  };
  const lines = rows.map((entry) => {
    const number = showsNumber
      ? safe`<small class="id">${masked(entry.row.phone_number)}</small>`
      : '';
    return [
      safe`<a class="id" href="${messageAddress(asked, entry.key)}">${clock(atOf(entry.row))}</a>${number}`,
      entry.kind,
      safe`${contentOf(entry)}`,
    ];
  });
  const limit =
    lines.length < MAX_SHOWN
      ? ''
      : safe`<p>${say('These are the latest {n}.', { n: number(MAX_SHOWN) })}</p>`;
  return panel(
    title,
    safe`${table(title, [say('Time'), say('What'), say('Content')], lines)}${limit}`,
  );
}

/** The page of one message, by the row of its send, its report, or a reply. */
function message(row: Fields, found: Found, contents: Map<string, string>, voice: Voice): Markup[] {
  const { asked, say } = voice;
  const isSend = asked.row.startsWith('o');
  const isReply = !isSend && row.event === 'reply';
  const send = isSend
    ? row
    : found.sends.find(
        ({ id, batch_id }) =>
          id === row.message || (isReply && batch_id && batch_id === row.batch_id),
      );
  const report = send ? reportOf(send) : isReply ? undefined : row;
  const about = send ?? {
    phone_number: row.phone_number,
    batch_id: row.batch_id,
    state: 'unknown',
  };
  const thread = addressOf('sms-conversations', { row: asked.row, lang: asked.kept });
  return [
    isReply
      ? panel(say('Text of the reply'), safe`<blockquote><bdi>${row.content}</bdi></blockquote>`)
      : '',
    panel(say('Text that the customer got'), textOf(about, contents, voice)),
    panel(
      say('Details'),
      safe`${details(about, report, voice)}<p class="bar"><a class="button" href="${thread}">${say('The conversation with this number')}</a></p>`,
    ),
    history(found, say('Other messages of this number'), voice),
  ].map((part) => safe`${part}`);
}

/** Writes the page of one message, or of the numbers that were searched for. */
export default function messagePage({ $, $now, DateTime }: N8n): { html: string } {
  const asked = $('What was asked').first<Asked>().json;
  const read = $('Messages of the number').first<{ shown?: Found }>().json.shown;
  const found = read ?? { found: null, sends: [], records: [], templates: [] };
  const valuesOf = (column: 'name' | 'content') =>
    Object.fromEntries(found.templates.map((row) => [row.record_id, text(row[column])]));
  const contents = new Map(Object.entries(valuesOf('content')));
  const voice = voiceOf(asked, ZH, valuesOf('name'), DateTime);
  const { say } = voice;
  const row = found.found;
  const back = safe`<p class="bar"><a class="button" href="${address(asked, {})}">${say('Back to the dashboard')}</a></p>`;
  const isNumber = asked.view === 'number';
  const title = isNumber
    ? say('Messages of …{digits}', { digits: asked.pattern.slice(-4) })
    : say('A message');
  const none = isNumber
    ? say('No message to this number, and none from it.')
    : say('No such message. Its row may have been deleted.');
  const list = isNumber ? history(found, title, voice) : '';
  const content =
    asked.view === 'message' && row
      ? message(row, found, contents, voice)
      : [safe`${list || safe`<p class="notice">${none}</p>`}`];
  const { lang, kept } = asked;
  const frame = { here: 'sms-dashboard', title, lang, kept, now: $now, style: STYLE } as const;
  return { html: pageOf(frame, [back, ...content]) };
}
