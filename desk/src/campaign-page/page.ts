import type { DateTime } from 'luxon';

import { safe, type Markup } from '../../../builder/code/html';
import { sayIn, type Say } from '../../../builder/code/lang';
import { addressOf, pageOf, panel, quote } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import { clock } from '../common/text/clock';
import { number } from '../common/text/numbers';
import { reasonIn } from '../common/messages/reasons';
import { unsentPanel } from '../common/messages/unsent';
import { buttonsOf, download, ONE_ZH, spending } from './one';
import { PRESSES_ZH, pressesPanel } from './presses';
import { progress, PROGRESS_STYLE, PROGRESS_ZH } from './progress';
import { NOT_SENT, rowsIn, shownIn, type Known, type Shown } from './shown';
import { STATE_ZH, stateOf, unsentIn, waitOf, type State } from './state';
import { resendWarning, unknownOf, UNKNOWN_ZH } from './unknown';

const ZH = {
  ...{ ...STATE_ZH, ...PROGRESS_ZH, ...PRESSES_ZH, ...UNKNOWN_ZH, ...ONE_ZH },
  'Expected to end at {time}.': '预计 {time} 结束。',
  'Send one to me': '先发一条给我',
  Start: '开始发送',
  Pause: '暂停',
  Resume: '继续',
  Stop: '停止',
  'Send again what was not sent': '重发没发出去的',
  'A stopped campaign cannot go on.': '停止后不能再继续。',
} as const;

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
    ? resendWarning(unknown, say, { button: buttonsOf(shown), back: address })
    : [
        ...live({ ...shown, campaign }, unknown.rows, say),
        safe`<div class="bar">${download('failed', rowsIn(cells, ...NOT_SENT), campaign.id, say)}${download('invalid', rowsIn(cells, 'invalid'), campaign.id, say)}</div>`,
        ...pressesPanel(campaign, say, now),
      ];
  // Nobody should lose a warning while reading it.
  const reload = !isAsked && campaign.state === 'running' ? asked.reload : undefined;
  const frame = {
    here: 'sms-campaign',
    title: campaign.campaign,
    lang,
    kept,
    now,
    reload,
  } as const;
  return { page: pageOf({ ...frame, style: PROGRESS_STYLE }, content) };
}

/** How it goes on by a button: by the main one, by one beside another, or not. */
function resumeOf(campaign: Known): '' | 'main' | undefined {
  const { state, pending } = campaign;
  if (state === 'running') return waitOf(campaign) > 0 ? '' : undefined;
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
  const isAgain = state !== 'stopped' && rowsIn(cells, 'refused', 'rejected') > 0;
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
        isAgain && button('again', say('Send again what was not sent'), ''),
        unknown > 0 &&
          safe`<a class="button" href="${address}">${say('Send the unknown again')} (${number(unknown)})</a>`,
      ],
      say,
    ),
  ];
}
