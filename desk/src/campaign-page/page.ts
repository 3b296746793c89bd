import type { DateTime } from 'luxon';

import { safe, type Markup } from '../../../builder/code/html';
import { sayIn, type Say } from '../../../builder/code/lang';
import { addressOf, hidden, pageOf, panel, quote, table } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import { clock, number, share } from '../common/text/format';
import { reasonIn } from '../common/messages/reasons';
import { STATES, STATES_ZH } from '../common/messages/states';
import { unsentPanel } from '../common/messages/unsent';
import { buttonsOf, download, ONE_ZH, spending } from './one';
import { NOT_SENT, rowsIn, shownIn, type Cell, type Known, type Shown } from './shown';
import { STATE_ZH, stateOf, unsentIn, waitOf, type State } from './state';

const ZH = {
  ...{ ...STATE_ZH, ...STATES_ZH, ...ONE_ZH },
  Progress: '进度',
  Status: '状态',
  Recipients: '收件人',
  Share: '占比',
  'Latest reason': '最近原因',
  'Buttons pressed': '操作记录',
  Time: '时间',
  Button: '按钮',
  Login: '登录名',
  'Send the unknown again': '重发结果未知的',
  '{rows} {rows|message|messages} may have been sent already. Up to {rows} {rows|person gets it|people get them} a second time, and you pay up to {rows} {rows|message|messages} twice.':
    '{rows} 条短信可能已经发出。重发后最多有 {rows} 人会再次收到，最多 {rows} 条会重复计费。',
  'They go after a minute, through the outbox with its hours and limits. A report that comes by then takes its row out. Whom the limit per number refuses, “Send again what was not sent” sends later.':
    '一分钟后经发件箱发送，时段和限额照常生效；期间收到状态报告的不再发送。因单号限额被拦下的，稍后可用“重发没发出去的”发送。',
  'Send them again': '确认重发',
  'Do not send': '不发送',
  'Expected to end at {time}.': '预计 {time} 结束。',
  'Send one to me': '先发一条给我',
  Start: '开始发送',
  Pause: '暂停',
  Resume: '继续',
  Stop: '停止',
  'Send again what was not sent': '重发没发出去的',
  'A stopped campaign cannot go on.': '停止后不能再继续。',
} as const;

/** The buttons by what their forms ask for. */
const BUTTONS = {
  start: 'Start',
  pause: 'Pause',
  resume: 'Resume',
  stop: 'Stop',
  test: 'Send one to me',
  again: 'Send again what was not sent',
  resend: 'Send the unknown again',
} as const;

/** The colours of the bar. */
const STYLE = `
.whole{display:flex;gap:2px;height:26px;margin:12px 0;border:1px solid var(--edge);border-radius:8px;overflow:hidden;background:var(--panel)}.whole i{min-width:3px}.whole+.scroll td:first-child{min-width:7.5em}.sign{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:8px;border:1px solid var(--edge)}
i.green{background:var(--good)}i.taken{background:var(--volume)}i.red{background:var(--bad)}i.yellow{background:var(--strong)}i.open{background:var(--grid)}
`;

type Words = Say<keyof typeof ZH>;

/** The page of a campaign that was started. */
export default function page({ $, $now }: N8n): object {
  const shown = shownIn({ $, $now });
  const { asked, now } = shown;
  const { lang, kept } = asked;
  const say = sayIn(lang, ZH);
  const { cause: reason, cause_code: reason_code, cause_values: reason_values } = shown.campaign;
  const cells = shown.campaign.cells
    .filter(({ status }) => status !== 'duplicate')
    .map((cell) => ({ ...cell, reason: reasonIn(lang, cell) }));
  const cause = reasonIn(lang, { reason, reason_code, reason_values });
  const campaign = { ...shown.campaign, cause, cells };
  const unknown = unknownOf(campaign);
  const address = addressOf('sms-campaign', { campaign: campaign.id, lang: kept });
  const isAsked = asked.ask === 'unknown' && unknown.rows > 0;
  const content = isAsked
    ? resendWarning(shown, unknown, address, say)
    : [
        ...live({ ...shown, campaign }, unknown.rows, say),
        safe`<div class="bar">${download('failed', rowsIn(cells, ...NOT_SENT), campaign.id, say)}${download('invalid', rowsIn(cells, 'invalid'), campaign.id, say)}</div>`,
        ...pressesPanel(shown, say),
      ];
  // Nobody should lose a warning while reading it.
  const reload = !isAsked && campaign.state === 'running' ? asked.reload : undefined;
  return {
    page: pageOf(
      { here: 'sms-campaign', title: campaign.campaign, lang, kept, now, reload, style: STYLE },
      content,
    ),
  };
}

/** How it goes on by a button: by the main one, by one beside another, or not. */
function resumeOf(campaign: Known): '' | 'main' | undefined {
  const { state, pending, served_at } = campaign;
  // One that has not begun goes at its time.
  if (state === 'running') return served_at && waitOf(campaign) > 0 ? '' : undefined;
  return state === 'paused' || (state === 'done' && pending > 0) ? 'main' : undefined;
}

/** How it goes, and until when. */
function markOf({ text, color, more, end }: State, now: DateTime, say: Words): Markup {
  const why = more ? safe`<p class="more">${quote(more)}</p>` : '';
  const time = end ? say('Expected to end at {time}.', { time: clock(end, now) }) : '';
  return safe`<p><span class="mark ${color}">${text}</span></p>${why}<p>${time}</p>`;
}

/** How it goes, and its buttons. */
function live(shown: Shown, unknown: number, say: Words): Markup[] {
  const { campaign, now, thresholds, asked } = shown;
  const { state, cells } = campaign;
  const button = buttonsOf(shown);
  const ask = { campaign: campaign.id, ask: 'unknown', lang: asked.kept };
  const address = addressOf('sms-campaign', ask);
  const said = stateOf(shown, say);
  const resume = resumeOf(campaign);
  const isRunning = state === 'running';
  const mayStop = isRunning || state === 'paused';
  const again = rowsIn(openIn(campaign), 'refused', 'rejected');
  const buttons = [
    isRunning && button('pause', say('Pause'), 'main'),
    mayStop && button('stop', say('Stop'), 'danger'),
    mayStop && safe`<small>${say('A stopped campaign cannot go on.')}</small>`,
  ].filter((each) => each !== false);
  return [
    unsentPanel(unsentIn(campaign, said), { lang: asked.lang, thresholds }),
    panel(say('Progress'), safe`${markOf(said, now, say)}${progress(cells, say)}`),
    safe`<div class="bar">${buttons}</div>`,
    ...spending(
      [
        resume !== undefined && button('resume', say('Resume'), resume),
        again > 0 &&
          button('again', `${say('Send again what was not sent')} (${number(again)})`, ''),
        unknown > 0 &&
          safe`<a class="button" href="${address}">${say('Send the unknown again')} (${number(unknown)})</a>`,
      ],
      say,
    ),
  ];
}

/** The reason of the row that has become so last, of those with a reason. */
function latestOf(cells: Cell[], status: string): string {
  const said = cells.filter((each) => each.status === status && each.reason !== '');
  const at = ({ changed }: Cell) => Date.parse(changed ?? '') || 0;
  return said.reduce((a, b) => (a && at(a) > at(b) ? a : b), said[0])?.reason ?? '';
}

/** One bar of the whole, and a table with its numbers. */
function progress(cells: Cell[], say: Words): Markup {
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

/** How many rows may be sent again, and when the latest of them became unknown. */
type Unknown = ReturnType<typeof unknownOf>;

/** Those of which the service has named no batch: of the others, it has taken the messages. */
const openIn = ({ state, cells }: Known): Cell[] =>
  cells.filter(({ taken }) => state !== 'stopped' && !taken);

function unknownOf(campaign: Known) {
  const again = openIn(campaign).filter(({ status }) => status === 'unknown');
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
function resendWarning(shown: Shown, { rows, changed }: Unknown, back: string, say: Words) {
  const text = say(
    '{rows} {rows|message|messages} may have been sent already. Up to {rows} {rows|person gets it|people get them} a second time, and you pay up to {rows} {rows|message|messages} twice.',
    { rows: number(rows) },
  );
  const then = say(
    'They go after a minute, through the outbox with its hours and limits. A report that comes by then takes its row out. Whom the limit per number refuses, “Send again what was not sent” sends later.',
  );
  const told = hidden({ rows, changed });
  const send = buttonsOf(shown)('resend', say('Send them again'), 'danger', told);
  return [
    safe`<p class="notice red">${text}</p>`,
    panel(
      say('Send the unknown again'),
      safe`<p>${then}</p><div class="bar">${send}<a class="button" href="${back}">${say('Do not send')}</a></div>`,
    ),
  ];
}

/** The latest presses, the last one first. A login may have several people. */
function pressesPanel({ campaign, now }: Shown, say: Words): Markup[] {
  const lines = (campaign.presses ?? '')
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      const [at, action = '', login] = JSON.parse(line) as [number, string, string];
      const button = Object.hasOwn(BUTTONS, action) && BUTTONS[action as keyof typeof BUTTONS];
      return button
        ? [[clock(now.plus(at - Date.now()), now), say(button), quote(login || '–')]]
        : [];
    });
  if (lines.length === 0) return [];
  const name = say('Buttons pressed');
  return [panel(name, table(name, [say('Time'), say('Button'), say('Login')], lines))];
}
