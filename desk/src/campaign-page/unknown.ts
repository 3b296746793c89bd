/** How rows with an unknown outcome are sent again. */
import { safe, type Markup } from '../../../builder/code/html';
import type { Say } from '../../../builder/code/lang';
import { hidden, panel } from '../../../builder/code/look';
import { number } from '../common/text/numbers';
import type { Button } from './one';
import type { Known } from './shown';

export const UNKNOWN_ZH = {
  'Send the unknown again': '重发结果未知的',
  '{rows} {rows|message|messages} may have been sent already. Up to {rows} {rows|person gets it|people get them} a second time, and you pay up to {rows} {rows|message|messages} twice.':
    '{rows} 条短信可能已经发出。重发后最多有 {rows} 人会再次收到，最多 {rows} 条会重复计费。',
  'They go after a minute, through the outbox with its hours and limits. A report that comes by then takes its row out. Whom the limit per number refuses, “Send again what was not sent” sends later.':
    '一分钟后经发件箱发送，时段和限额照常生效；期间收到状态报告的不再发送。因单号限额被拦下的，稍后可用“重发没发出去的”发送。',
  'Send them again': '确认重发',
  'Do not send': '不发送',
} as const;

/** How many rows may be sent again, and when the latest of them became unknown. */
export interface Unknown {
  rows: number;
  changed: string;
}

/** Those of which the service has named no batch: of the others, it has taken the messages. */
export function unknownOf({ state, cells }: Known): Unknown {
  const again = cells.filter(
    ({ status, taken }) => state !== 'stopped' && status === 'unknown' && !taken,
  );
  const times = again.map(({ changed }) => changed ?? '');
  return {
    rows: again.reduce((sum, { rows }) => sum + rows, 0),
    changed: times.sort((a, b) => Date.parse(a) - Date.parse(b)).at(-1) ?? '',
  };
}

/**
 * The warning before unknown rows are sent again: how many people may get the message twice, and what happens then.
 * Its button tells how many it has named, and up to when.
 */
export function resendWarning(
  { rows, changed }: Unknown,
  say: Say<keyof typeof UNKNOWN_ZH>,
  { button, back }: { button: Button; back: string },
): Markup[] {
  const text = say(
    '{rows} {rows|message|messages} may have been sent already. Up to {rows} {rows|person gets it|people get them} a second time, and you pay up to {rows} {rows|message|messages} twice.',
    { rows: number(rows) },
  );
  const then = say(
    'They go after a minute, through the outbox with its hours and limits. A report that comes by then takes its row out. Whom the limit per number refuses, “Send again what was not sent” sends later.',
  );
  const send = button('resend', say('Send them again'), 'danger', hidden({ rows, changed }));
  return [
    safe`<p class="notice red">${text}</p>`,
    panel(
      say('Send the unknown again'),
      safe`<p>${then}</p><div class="bar">${send}<a class="button" href="${back}">${say('Do not send')}</a></div>`,
    ),
  ];
}
