/** What the page of a campaign says of rows with an unknown outcome, and how they are sent again. */
import type { Campaign } from '../common/messages/campaigns';
import type { Cell } from './cells';
import { safe, type Markup } from '../../../builder/code/html';
import type { Say } from '../../../builder/code/lang';
import { hidden, panel, quote, table } from '../../../builder/code/look';
import { number } from '../common/text/numbers';

export const UNKNOWN_ZH = {
  'Outcome unknown': '结果未知',
  'What is known': '已知情况',
  Since: '时间',
  'The service has named a batch: it has taken the message.': '服务商已返回批次号：短信已受理。',
  'Nobody knows what became of these messages. Wait for the delivery reports first: each takes its row out of this list.':
    '无法确定这些短信的结果。请先等待状态报告：收到状态报告的会从此列表中移除。',
  'Send the unknown again': '重发结果未知的',
  '{rows} {rows|message|messages} may have been sent already. Up to {rows} {rows|person gets it|people get them} a second time, and you pay up to {rows} {rows|message|messages} twice.':
    '{rows} 条短信可能已经发出。重发后最多有 {rows} 人会再次收到，最多 {rows} 条会重复计费。',
  'They go after a minute, through the outbox with its hours and limits. A report that comes by then takes its row out. Whom the limit per number refuses, “Send again what was not sent” sends later.':
    '一分钟后经发件箱发送，时段和限额照常生效；期间收到状态报告的不再发送。因单号限额被拦下的，稍后可用“重发没发出去的”发送。',
  'Send them again': '确认重发',
  'Do not send': '不发送',
} as const;

type Words = Say<keyof typeof UNKNOWN_ZH | 'Recipients'>;

/** What is known about rows: the same reason, and the same about a batch. */
export interface Known {
  reason: string;
  /** The service has named a batch for them, so it has taken them. They are not sent again. */
  isTaken: boolean;
  rows: number;
  /** When the latest of them became unknown, in milliseconds. */
  since: number;
}

/** The rows of a campaign with an unknown outcome. */
export interface Unknown {
  known: Known[];
  /** How many may be sent again, and the `changed` of the latest of them. */
  rows: number;
  changed: string;
}

/** What is known about the rows. A row whose report came is not among them. */
export function unknownOf({ state }: Campaign, cells: Cell[]): Unknown {
  const known = new Map<string, Known>();
  const mayGo = state !== 'stopped';
  let again = 0;
  let latest = '';
  for (const { status, reason, taken: isTaken, changed, rows } of cells) {
    if (status !== 'unknown') continue;
    const key = JSON.stringify([reason, isTaken]);
    const entry = known.get(key) ?? { reason, isTaken, rows: 0, since: 0 };
    known.set(key, entry);
    entry.rows += rows;
    const at = Date.parse(changed ?? '') || 0;
    entry.since = Math.max(entry.since, at);
    if (isTaken || !mayGo) continue;
    again += rows;
    if (changed && at > (Date.parse(latest) || 0)) latest = changed;
  }
  const sorted = [...known.values()].sort((a, b) => b.rows - a.rows);
  return { known: sorted, rows: again, changed: latest };
}

/** What is known, and the way to the warning. */
export function unknownPanel(
  { known, rows }: Pick<Unknown, 'known' | 'rows'>,
  say: Words,
  { address, clock }: { address: string; clock: (at: number) => string },
): Markup[] {
  if (known.length === 0) return [];
  const taken = say('The service has named a batch: it has taken the message.');
  const lines = known.map(({ reason, isTaken, rows: count, since }) => [
    safe`${quote(reason || '–')}${isTaken ? safe`<small>${taken}</small>` : ''}`,
    number(count),
    since > 0 ? clock(since) : '–',
  ]);
  const heads = [say('What is known'), `#${say('Recipients')}`, say('Since')];
  const hint = say(
    'Nobody knows what became of these messages. Wait for the delivery reports first: each takes its row out of this list.',
  );
  const more = safe`<p class="bar"><a class="button" href="${address}">${say('Send the unknown again')} (${number(rows)})</a></p>`;
  return [
    panel(
      say('Outcome unknown'),
      safe`<p class="more">${hint}</p>${table(say('Outcome unknown'), heads, lines)}${rows > 0 ? more : ''}`,
    ),
  ];
}

/** Makes a button that asks for an action, with what its form tells. */
export type Button = (
  action: string,
  text: string,
  kind: string,
  inside?: Markup | Markup[],
  values?: Record<string, string>,
) => Markup;

/**
 * The warning before unknown rows are sent again: how many people may get the message twice, and what happens then.
 * Its button tells how many it has named, and up to when.
 */
export function resendWarning(
  { rows, changed }: Unknown,
  say: Words,
  { button, back }: { button: Button; back: string },
): Markup[] {
  const text = say(
    '{rows} {rows|message|messages} may have been sent already. Up to {rows} {rows|person gets it|people get them} a second time, and you pay up to {rows} {rows|message|messages} twice.',
    { rows: number(rows) },
  );
  const then = say(
    'They go after a minute, through the outbox with its hours and limits. A report that comes by then takes its row out. Whom the limit per number refuses, “Send again what was not sent” sends later.',
  );
  const send = button('resend', 'Send them again', 'danger', hidden({ rows, changed }));
  return [
    safe`<p class="notice red">${text}</p>`,
    panel(
      say('Send the unknown again'),
      safe`<p>${then}</p><div class="bar">${send}<a class="button" href="${back}">${say('Do not send')}</a></div>`,
    ),
  ];
}
