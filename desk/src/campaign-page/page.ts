import type { DateTime } from 'luxon';

import type { Campaign } from '../common/messages/campaigns';
import { safe, type Markup } from '../../../builder/code/html';
import { sayIn, type Say } from '../../../builder/code/lang';
import { addressOf, hidden, masked, pageOf, panel, quote, tile } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import { number } from '../common/text/numbers';
import { errorsIn, rowsOf } from '../common/records/days';
import { isEnabled, recordsIn } from '../common/records/service';
import { countsIn, rowsIn, type Cell } from './cells';
import { pressesPanel } from './presses';
import { progress, PROGRESS_STYLE } from './progress';
import { reasonIn } from '../common/messages/reasons';
import { segmentsOf } from '../common/messages/received';
import { thresholdsIn, type Thresholds } from '../common/messages/thresholds';
import { unsentPanel } from '../common/messages/unsent';
import { figuresOf, NOT_SENT } from './figures';
import { daysOf, endOf, planOf, ruleOf, type Day } from './plan';
import { paceSet, stateOf, unsentIn, waitOf, type Facts, type State } from './state';
import { clock } from '../common/text/clock';
import type { Asked } from './what-is-asked';
import { resendWarning, unknownOf, unknownPanel, type Button, type Unknown } from './unknown';
import { ZH } from './words';

const STYLE = `${PROGRESS_STYLE}.texts bdi{display:block;padding:8px 12px;margin:4px 0;background:var(--bg);border-radius:8px;white-space:pre-wrap}`;

type Words = Say<keyof typeof ZH>;

/** What is known about one campaign. */
interface Known extends Facts {
  cells: Cell[];
  unknown: Unknown;
  thresholds: Thresholds;
}

/** The page of a campaign. */
export default function page({ $, $now }: N8n): object {
  const asked = $('What is asked').first<Asked>().json;
  const say = sayIn(asked.lang, ZH);
  const { lang, kept } = asked;
  // The list of campaigns has a node of its own.
  if (!asked.campaign) return [];
  const { cause, cause_code, cause_values } = asked.campaign;
  const told = { reason: cause, reason_code: cause_code, reason_values: cause_values };
  const campaign = { ...asked.campaign, cause: reasonIn(lang, told) };
  const thresholds = thresholdsIn($('Thresholds').all());
  const counted = countsIn({ $ });
  const figures = figuresOf(
    counted.filter(({ out }) => !out),
    thresholds,
  );
  const cells = counted
    .filter(({ status }) => status !== 'duplicate')
    .map((cell) => ({ ...cell, reason: reasonIn(lang, cell) }));
  const unknown = unknownOf(campaign, cells);
  const known: Known = {
    ...{ campaign, cells, unknown, now: $now, thresholds, unsent: figures.unsent },
    pending: rowsIn(cells, 'pending'),
    rule: ruleOf({ $ }),
    balance: $('Balance').first().json,
    pace: paceOf(cells, paceSet(campaign, rowsOf($('Campaigns').all()))),
    loading: $('Lists being loaded').isExecuted
      ? $('Lists being loaded').first<{ createdAt?: string }>().json.createdAt
      : undefined,
  };
  const { token = '' } = $('Store the token').first<{ token?: string }>().json;
  const button = buttonsOf(campaign, String(token), asked, say);
  const isDraft = $('Three samples').isExecuted;
  const address = addressOf('sms-campaign', { campaign: campaign.id, lang: kept });
  const question = questionOf(known, asked, say, { button, back: address, isDraft, $ });
  const content = question ?? [
    ...changeNotice(asked, say),
    ...testNotice(asked, say),
    ...unreadNotice({ $ }, isDraft, say),
    ...(isDraft
      ? draft(known, draftInput($, campaign), say, button, kept)
      : live(known, lang, say, button, address)),
    ...pressesPanel(campaign, say, $now),
    safe`<p><a href="${addressOf('sms-campaign', { lang: kept })}">${say('All campaigns')}</a></p>`,
  ];
  // Nobody should lose a warning while reading it.
  const isLive = !question && (campaign.state === 'running' || known.loading);
  const reload = isLive ? asked.reload : undefined;
  const frame = { here: 'sms-campaign', lang, kept, now: $now, style: STYLE } as const;
  const text = pageOf({ ...frame, title: campaign.campaign, reload }, content);
  return { page: text };
}

/** How many messages a minute, as measured in the last ten minutes or as set. */
function paceOf(cells: Cell[], set: number): number {
  const since = Date.now() - 600_000;
  let first = Infinity;
  let sent = 0;
  for (const { sent_at, status, rows } of cells) {
    const at = sent_at && status !== 'pending' ? Date.parse(sent_at) : 0;
    if (at < since) continue;
    first = Math.min(first, at);
    sent += rows;
  }
  // One portion says nothing about how often they come.
  const minutes = (Date.now() - first) / 60_000;
  return sent > 0 && minutes > 0.5 ? Math.min(sent / minutes, set) : set;
}

/** What is asked before something is done that costs money. */
function questionOf(
  known: Known,
  { ask }: Asked,
  say: Words,
  { isDraft, $, ...ways }: { button: Button; back: string; isDraft: boolean; $: N8n['$'] },
): Markup[] | undefined {
  if (ask === 'unknown' && known.unknown.rows > 0) return resendWarning(known.unknown, say, ways);
  if (ask !== 'start' || !isDraft) return undefined;
  const forecast = forecastOf(known);
  if (!canStart(known, forecast)) return undefined;
  const warnings = warningsOf(known, draftInput($, known.campaign), forecast, say);
  return [...warnings, startQuestion(known, forecast, say, ways)];
}

function mark({ text, color, more }: State): Markup {
  return safe`<p><span class="mark ${color}">${text}</span></p>${more ? safe`<p class="more">${quote(more)}</p>` : ''}`;
}

function buttonsOf({ id }: Campaign, token: string, { kept }: Asked, say: Words): Button {
  return (
    action,
    text,
    kind,
    inside,
    values,
  ) => safe`<form method="post" action="sms-campaign-buttons">
${hidden({ token, campaign: id, lang: kept })}${inside ?? ''}
<button class="${kind}" name="action" value="${action}">${say(text as never, values)}</button></form>`;
}

function changeNotice({ isOutdated }: Asked, say: Words): Markup[] {
  const text = say(
    'This click did nothing: the campaign has changed since its page was opened. Look at it again.',
  );
  return isOutdated ? [safe`<p class="notice red">${text}</p>`] : [];
}

/** What is not known, because a table could not be read. */
function unreadNotice({ $ }: Pick<N8n, '$'>, isDraft: boolean, say: Words): Markup[] {
  const read = [
    ...[...$('Rules').all(), ...$('Figures of today').all(), ...$('Thresholds').all()],
    ...(isDraft ? $('Opt-outs').all() : []),
  ];
  const [problem] = errorsIn(read);
  const text = 'The numbers are not complete. A table could not be read: {problem}';
  return problem ? [safe`<p class="notice red">${quote(say(text, { problem }))}</p>`] : [];
}

const TESTS = {
  accepted: ['green', 'Your message was accepted.'],
  waiting: ['', 'Your message waits for the allowed hours.'],
  refused: ['red', 'Your message was not sent.'],
  rejected: ['red', 'Your message was not sent.'],
  '': ['red', 'Your message may have been sent.'],
} as const;

function testNotice({ test, row }: Asked, say: Words): Markup[] {
  if (test === '') return [];
  // If the call of the outbox has failed, nobody knows either.
  const [color, text] = TESTS[Object.hasOwn(TESTS, test) ? (test as keyof typeof TESTS) : ''];
  const isKnown = color === 'red' && /^o\d+$/.test(row);
  const link = isKnown && safe` <a href="sms-dashboard?row=${row}">${say('See why')}</a>`;
  return [safe`<p class="notice ${color}">${say(text)}${link || ''}</p>`];
}

interface Text {
  phone: string;
  text: string;
}

interface DraftInput {
  texts: Text[];
  isTemplateGone: boolean;
}

function draftInput($: N8n['$'], campaign: Campaign): DraftInput {
  const said = $('Templates').first().json;
  // The list of templates may be older than the one that was chosen.
  const isNewer = Date.parse(String(said.answered)) > Date.parse(campaign.loaded_at ?? '');
  const isThere = recordsIn(said).some(
    (each) => isEnabled(each) && String(each.id) === campaign.template_id,
  );
  return {
    texts: $('Three samples')
      .all<Text>()
      .map(({ json }) => json)
      // Of a list without a row to send, n8n gives an empty item.
      .filter(({ phone }) => phone),
    isTemplateGone: isNewer && !isThere,
  };
}

/** What a start would do. */
type Forecast = ReturnType<typeof forecastOf>;

function forecastOf({ campaign, cells, rule, now, pace, balance: said }: Known) {
  const balance = typeof said?.balance === 'number' ? said.balance : undefined;
  const plan = planOf(cells);
  const sent = plan.people - plan.optedOut;
  const days = daysOf(sent, pace, rule, now);
  const free = endOf(sent, pace, { ...rule, today: Infinity, later: Infinity }, now);
  const after =
    balance === undefined || plan.segments === undefined ? undefined : balance - plan.segments;
  const isShort = after !== undefined && after < (campaign.keep_balance ?? 0);
  return { plan, sent, days, free, balance, after, isShort };
}

/** Its figures. */
function tilesOf(
  { campaign, rule, now, pace, balance: said }: Known,
  forecast: Forecast,
  say: Words,
) {
  const { plan, sent, days, balance, after, isShort } = forecast;
  const age = now.toMillis() - Date.parse(String(said?.answered));
  const end = days?.at(-1)?.end;
  const speed = say('at {pace} a minute, {from} to {to} o’clock', {
    ...{ pace: number(Math.round(pace)), from: rule.from_hour, to: rule.to_hour },
  });
  const amount = (value?: number) => (value === undefined ? '–' : number(value));
  return {
    people: tile(say('People'), number(sent), [
      say('{people|gets|get} a message', { people: plan.people }),
    ]),
    invalid: tile(say('Bad numbers'), number(plan.invalid), [say('left out')]),
    optedOut: tile(say('Opted out'), number(plan.optedOut), [say('left out')]),
    duplicates: tile(say('Duplicates'), number(campaign.duplicates ?? 0), [
      say('one message each'),
    ]),
    segments: tile(say('Segments'), amount(plan.segments), [say('by the usual rule')]),
    now: tile(say('Balance now'), amount(balance), [
      balance !== undefined && say('as of {time}', { time: clock(now.minus(age), now) }),
    ]),
    after: tile(
      say('Balance after'),
      amount(after),
      [say('if a segment costs 1')],
      isShort ? 'red' : '',
    ),
    end: tile(say('Expected to end'), end ? clock(end, now) : say('never'), [speed]),
  };
}

/** What is wrong before it. */
function warningsOf(
  { campaign, balance: said }: Known,
  { isTemplateGone }: DraftInput,
  { plan, days, free, balance, isShort }: Forecast,
  say: Words,
): Markup[] {
  const warnings = [
    campaign.missing &&
      say(
        'The template needs {missing}. Add a column of that name to the spreadsheet, and load it again under the same name.',
        { missing: campaign.missing },
      ),
    ...[...plan.blank].map(([name, blank]) =>
      say('{count} {count|person has|people have} nothing in “{name}”.', {
        ...{ count: number(blank), name },
      }),
    ),
    isTemplateGone && say('The template is not in your account any more, or is disabled.'),
    balance === undefined && say('The balance could not be read.'),
    said?.error && say('The service does not answer.'),
    isShort && say('The balance is too small for everybody.'),
    ...limitNotice(days, free, say),
  ].filter(Boolean);
  return warnings.map((text) => safe`<p class="notice">${quote(text)}</p>`);
}

/** Whether somebody may start the campaign. */
const canStart = ({ campaign, loading }: Known, { plan }: Forecast) =>
  campaign.state === 'draft' && plan.ready > 0 && !loading;

/** The question before a start: to how many, what it costs, with what, and when it ends. */
function startQuestion(
  known: Known,
  forecast: Forecast,
  say: Words,
  { button, back }: { button: Button; back: string },
): Markup {
  const { campaign, now } = known;
  const about = [
    tile(say('Template'), quote(campaign.template), [
      `${campaign.template_id ?? ''} · ${campaign.signature ?? ''}`,
    ]),
    tile(say('File'), quote(campaign.file || '–'), []),
  ];
  const zone = String(now.zoneName);
  const inside = [
    ...hidden({ loaded: campaign.loaded_at, zone }),
    safe`<label>${say('Not before')} <input name="at" type="datetime-local" min="${now.toFormat("yyyy-MM-dd'T'HH:mm")}"></label>`,
  ];
  const start = button('start', 'Send to {n} {n|person|people}', 'main', inside, {
    n: number(forecast.sent),
  });
  const { people, segments, after, end } = tilesOf(known, forecast, say);
  return panel(
    say('Start “{name}”?', { name: campaign.campaign }),
    safe`<dl class="tiles">${[people, segments, after, end, ...about]}</dl><p class="more">${say('Empty: now. The time is that of {zone}.', { zone })}</p><div class="bar">${start}<a class="button" href="${back}">${say('Do not start')}</a></div>`,
  );
}

function draft(
  known: Known,
  input: DraftInput,
  say: Words,
  button: Button,
  kept: Asked['kept'],
): Markup[] {
  const { campaign } = known;
  const forecast = forecastOf(known);
  const { plan, sent } = forecast;
  const shown = input.texts.map(({ phone, text }) => {
    const to = say('to {phone}, segments: {segments}', {
      ...{ phone: masked(phone), segments: segmentsOf(text) },
    });
    return safe`<p><small>${to}</small></p>${quote(text)}`;
  });
  const field = safe`<label>${say('Your number')} <input name="phone" type="tel" autocomplete="tel" required maxlength="40"></label>`;
  const loaded = hidden({ loaded: campaign.loaded_at });
  const start = safe`<form action="sms-campaign">${hidden({ campaign: campaign.id, ask: 'start', lang: kept })}<button class="main">${say('Start')}</button></form>`;
  const discard = safe`<div class="bar">${button('discard', 'Throw away', 'danger', loaded)}</div>`;
  return [
    mark(stateOf(known, say)),
    ...warningsOf(known, input, forecast, say),
    ...(known.loading ? [] : [discard]),
    panel(
      say('What will happen'),
      safe`<p class="more">${say('Nothing has been sent, and nothing has been paid.')}</p><dl class="tiles">${Object.values(tilesOf(known, forecast, say))}</dl>${download('invalid', plan.invalid, campaign, say)}`,
    ),
    panel(
      say('Three real texts'),
      [...shown, ...(sent > 0 ? [button('test', 'Send one to me', '', field)] : [])],
      'texts',
    ),
    ...spending([canStart(known, forecast) && start], say),
  ];
}

/** What the limit of the day changes: on which days it goes. */
function limitNotice(days: Day[] | undefined, free: DateTime | undefined, say: Words): string[] {
  if (String(days?.at(-1)?.end) === String(free)) return [];
  if (!days) return [say('The day’s limit in sms.rules leaves nothing for campaigns.')];
  const all = days.map(({ end, messages }) => `${end.toFormat('MM-dd')}: ${number(messages)}`);
  const shown = [...all.slice(0, 3), ...(all.length > 3 ? ['…'] : [])].join('; ');
  return [
    say('Because of the day’s limit in sms.rules, so many go on each day: {days}.', {
      days: shown,
    }),
  ];
}

/** The buttons after which messages go: apart from those after which none does. */
function spending(buttons: (Markup | false)[], say: Words): Markup[] {
  const shown = buttons.filter((each) => each !== false);
  if (shown.length === 0) return [];
  return [panel(say('This sends, and costs money'), safe`<div class="bar">${shown}</div>`)];
}

function download(
  list: 'invalid' | 'failed',
  rows: number,
  { id }: Campaign,
  say: Words,
): Markup | '' {
  const text =
    list === 'invalid' ? say('Download the bad numbers') : say('Download the failed rows');
  return rows > 0
    ? safe`<p><a class="button" href="sms-campaign?campaign=${id}&amp;list=${list}">${text} (${number(rows)})</a></p>`
    : '';
}

/** How it goes on by a button: by the main one, by one beside another, or not. */
function resumeOf({ campaign, loading, pending }: Known): '' | 'main' | undefined {
  const { state } = campaign;
  if (state === 'running') return waitOf(campaign) > 0 ? '' : undefined;
  const rests = state === 'paused' || (state === 'done' && pending > 0 && !loading);
  return rests ? 'main' : undefined;
}

function live(
  known: Known,
  lang: Asked['lang'],
  say: Words,
  button: Button,
  address: string,
): Markup[] {
  const { campaign, cells, now, thresholds } = known;
  const { state } = campaign;
  const said = stateOf(known, say);
  const time = said.end ? say('Expected to end at {time}.', { time: clock(said.end, now) }) : '';
  const resume = resumeOf(known);
  const isRunning = state === 'running';
  const mayStop = isRunning || state === 'paused';
  const isAgain = state !== 'stopped' && rowsIn(cells, 'refused', 'rejected') > 0;
  const buttons = [
    isRunning && button('pause', 'Pause', 'main'),
    mayStop && button('stop', 'Stop', 'danger'),
    mayStop && safe`<small>${say('A stopped campaign cannot go on.')}</small>`,
  ].filter((each) => each !== false);
  const again = say('Mend what the reason says, and press “Send again what was not sent”.');
  const todo = {
    ...{ refused: again, rejected: again },
    unknown: say('Wait for the delivery reports. More is below, under “Outcome unknown”.'),
  };
  return [
    unsentPanel(unsentIn(known, said), { lang, thresholds, todo }),
    panel(say('Progress'), safe`${mark(said)}<p>${time}</p>${progress(cells, say)}`),
    safe`<div class="bar">${buttons}</div>`,
    ...spending(
      [
        resume !== undefined && button('resume', 'Resume', resume),
        isAgain && button('again', 'Send again what was not sent', ''),
      ],
      say,
    ),
    ...unknownPanel(known.unknown, say, {
      address: `${address}&ask=unknown`,
      clock: (at) => clock(now.plus(at - Date.now()), now),
    }),
    safe`<div class="bar">${download('failed', rowsIn(cells, ...NOT_SENT), campaign, say)}${download('invalid', rowsIn(cells, 'invalid'), campaign, say)}</div>`,
  ];
}
