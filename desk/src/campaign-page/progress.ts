/** What the page of a campaign shows about rows by their status. */
import { safe, type Markup } from '../../../builder/code/html';
import type { Say } from '../../../builder/code/lang';
import { quote, table } from '../../../builder/code/look';
import { STATES, STATES_ZH } from '../common/messages/states';
import { number, share } from '../common/text/numbers';

export const PROGRESS_ZH = {
  ...STATES_ZH,
  Progress: '进度',
  Status: '状态',
  Recipients: '收件人',
  Share: '占比',
  'Latest reason': '最近原因',
} as const;

/** The colours of the bar. */
export const PROGRESS_STYLE = `
.whole{display:flex;gap:2px;height:26px;margin:12px 0;border:1px solid var(--edge);border-radius:8px;overflow:hidden;background:var(--panel)}.whole i{min-width:3px}.whole+.scroll td:first-child{min-width:7.5em}.sign{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:8px;border:1px solid var(--edge)}
i.green{background:var(--good)}i.taken{background:var(--volume)}i.red{background:var(--bad)}i.yellow{background:var(--strong)}i.open{background:var(--grid)}
`;

type SayProgress = Say<keyof typeof PROGRESS_ZH>;

/** How many rows have a status, and the latest reason of a row with it. */
export type Counts = Map<string, { rows: number; reason: string }>;

/** Counts rows of a status. */
export function count(counts: Counts, status: string, rows: number, reason: string | null): void {
  const before = counts.get(status) ?? { rows: 0, reason: '' };
  counts.set(status, { rows: before.rows + rows, reason: reason || before.reason });
}

/** How many rows have one of these statuses. */
export function rowsOf(counts: Counts, ...statuses: string[]): number {
  return statuses.reduce((sum, status) => sum + (counts.get(status)?.rows ?? 0), 0);
}

/** One bar of the whole, and a table with its numbers. `name` tells a screen reader which of several it is. */
export function progress(counts: Counts, say: SayProgress, name = say('Progress')): Markup {
  const found = Object.entries(STATES).flatMap(([status, { text, color, isSent }]) => {
    const counted = counts.get(status);
    const kind = color || (isSent ? 'taken' : 'open');
    return counted ? [{ kind, text: say(text), ...counted }] : [];
  });
  const all = found.reduce((sum, { rows }) => sum + rows, 0);
  const told = found.map(({ text, rows }) => `${text} ${share(rows, all)}`).join(', ');
  const parts = found.map(
    ({ kind, rows }) => safe`<i class="${kind}" style="flex-grow:${rows}"></i>`,
  );
  const lines = found.map(({ kind, text, rows, reason }) => [
    safe`<i class="sign ${kind}"></i>${text}`,
    number(rows),
    share(rows, all),
    quote(reason),
  ]);
  const heads = [say('Status'), `#${say('Recipients')}`, `#${say('Share')}`, say('Latest reason')];
  return safe`<div class="whole" role="img" aria-label="${name}: ${told}">${parts}</div>
${table(name, heads, lines)}`;
}
