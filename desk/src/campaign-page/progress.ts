/** What the page of a campaign shows about rows by their status. */
import { safe, type Markup } from '../../../builder/code/html';
import type { Say } from '../../../builder/code/lang';
import { quote, table } from '../../../builder/code/look';
import { STATES, STATES_ZH } from '../common/messages/states';
import { number, share } from '../common/text/numbers';
import { rowsIn, type Cell } from './shown';

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

/** The reason of the row that has become so last, of those with a reason. */
function latestOf(cells: Cell[], status: string): string {
  const said = cells.filter((each) => each.status === status && each.reason !== '');
  const at = ({ changed }: Cell) => Date.parse(changed ?? '') || 0;
  return said.reduce((a, b) => (a && at(a) > at(b) ? a : b), said[0])?.reason ?? '';
}

/** One bar of the whole, and a table with its numbers. */
export function progress(cells: Cell[], say: SayProgress): Markup {
  const name = say('Progress');
  const found = Object.entries(STATES).flatMap(([status, { text, color, isSent }]) => {
    const rows = rowsIn(cells, status);
    const kind = color || (isSent ? 'taken' : 'open');
    return rows > 0 ? [{ kind, text: say(text), rows, reason: latestOf(cells, status) }] : [];
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
