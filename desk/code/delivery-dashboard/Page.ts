import { rowsOf } from '../days';
import type { Markup } from '../html';
import { safe } from '../html';
import { pageOf, panel, table } from '../look';
import { MOST } from '../most';
import type { Fields, Item, N8n } from '../n8n';
import { number, share } from '../numbers';
import { address } from './address';
import { barsOf, type Bar, type Unit } from './bars';
import { chartsOf } from './charts';
import { figuresOf, narrowed, type Figures, type Span } from './figures';
import { findingsOf, perDay, type Finding } from './health';
import { readRows, type Rows } from './rows';
import { STYLE } from './style';
import { strip, type Voice } from './strip';
import { tables } from './tables';
import { voiceOf } from './voice';
import type { Asked } from './What was asked';

/** What the page shows. The tests look at it. */
export interface Shown {
  asked: Asked;
  figures: Figures;
  /** Of the period before, if all of it was read. */
  before?: Figures;
  bars: Bar[];
  unit: Unit;
  findings: Finding[];
  cutAt?: number;
}

const PERIODS = {
  '1h': 'the last hour',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  all: 'all time',
  '': 'this period',
} as const;

const NO_FILTER = { template: '', batch: '', status: '' };

function controls({ asked, say, nameOf }: Voice): Markup {
  const windows = (['1h', '24h', '7d', 'all'] as const).map((window) => {
    const current = window === asked.window ? safe` aria-current="page"` : '';
    const link = address(asked, { window, from: '', to: '' });
    const label = window === 'all' ? say('All') : window.replace(/\d+/, '$& ');
    return safe`<a href="${link}"${current}>${label}</a>`;
  });
  const hidden = { window: asked.window, lang: asked.keepsLang ? asked.lang : '' };
  const inputs = Object.entries(hidden)
    .filter(([, value]) => value)
    .map(([name, value]) => safe`<input type="hidden" name="${name}" value="${value}">`);
  const label = say('Last four digits, or a number');
  // A whole number is not written into the page again.
  const typed = asked.pattern ? '' : asked.typed;
  const chips = [
    ['template', say('Template'), nameOf(asked.template) || asked.template],
    ['batch', say('Batch'), asked.batch],
    ['status', say('Status'), statusName(asked.status, say)],
    ['from', say('Period'), asked.from && `${asked.from} – ${asked.to}`.replaceAll('T', ' ')],
  ].flatMap(([name = '', title, value]) => {
    if (!value) return [];
    const without = name === 'from' ? { from: '', to: '', window: '24h' as const } : { [name]: '' };
    const remove = say('Remove: {name}', { name: `${title} ${value}` });
    return safe`<a class="button chip" href="${address(asked, without)}" aria-label="${remove}">${title}: <bdi>${value}</bdi> <b aria-hidden="true">×</b></a>`;
  });
  const filters =
    chips.length > 0
      ? safe`<nav class="bar" aria-label="${say('All filters')}">${chips}</nav>`
      : '';
  return safe`<div class="bar"><nav class="choice" aria-label="${say('Time window')}">${windows}</nav>
<form class="search" method="get" role="search">${inputs}<input type="search" name="digits" value="${typed}" placeholder="${label}" aria-label="${label}" inputmode="tel" autocomplete="off"> <button>${say('Search')}</button></form>
<a class="button" href="${address(asked, { format: 'csv' })}" title="${say('Complete numbers and texts: personal data')}">${say('CSV file')}</a></div>${filters}`;
}

function statusName(status: string, say: Voice['say']): string {
  if (status === 'none') return say('no report');
  return status === 'failed' ? say('failed') : status;
}

function notices(rows: Rows, hasBefore: boolean, { asked, say, clock }: Voice): Markup[] {
  const now = Date.parse(asked.now);
  const { problems, cutAt, messages } = rows;
  const texts = problems.map((problem) =>
    problem.includes('not found')
      ? say(
          'A data table is missing. Publish the workflows SMS · Inbox and SMS · Outbox: each makes its tables when the first record or message comes. ({problem})',
          { problem },
        )
      : say('The numbers are not complete. A table could not be read: {problem}', { problem }),
  );
  const most = number(MOST);
  if (cutAt && cutAt > Date.parse(asked.start)) {
    texts.push(
      say('There are more than {most} rows. These figures begin at {time}.', {
        ...{ most, time: clock(cutAt) },
      }),
    );
  } else if (cutAt && !hasBefore) {
    texts.push(
      say('There are more than {most} rows, so nothing is compared with the time before.', {
        most,
      }),
    );
  }
  const ahead = messages.filter(({ report }) => report && report.at - now > 600_000).length;
  if (ahead > 0) {
    texts.push(
      say(
        '{n} reports have a time in the future. Check this server’s clock, and your SMS provider’s.',
        { n: number(ahead) },
      ),
    );
  }
  if (asked.typed && !asked.pattern) {
    texts.push(
      say(
        '“{typed}” is neither four digits nor a mobile number. One has 11 digits; +86, spaces and dashes are fine.',
        { typed: asked.typed },
      ),
    );
  }
  return texts.map((text) => safe`<p class="notice" role="status"><bdi>${text}</bdi></p>`);
}

type Value = Markup | string;

function tile(
  label: string,
  value: Value,
  notes: (string | false | undefined)[],
  kind = '',
): Markup {
  const more = notes.filter(Boolean).map((note) => safe`<dd class="more">${note}</dd>`);
  return safe`<div class="tile"><dt>${label}</dt><dd class="value ${kind}">${value}</dd>${more}</div>`;
}

interface Account {
  balance: unknown;
  perDay: number;
  lastStored?: number;
  optOuts: number;
  optOutsBefore?: number;
}

function tiles(
  { figures, before }: Pick<Shown, 'figures' | 'before'>,
  account: Account,
  voice: Voice,
): Markup {
  const { asked, say, lengthOf } = voice;
  const { sent, reported, delivered, failed, missing, overdue, unknown } = figures;
  const { replies, segments, estimated, p50, p95 } = figures;
  const was = (value: string | undefined) =>
    value === undefined ? '' : say('before: {value}', { value });
  const amount = (name: 'sent' | 'segments' | 'replies') => was(before && number(before[name]));
  const to = (status: string, value: number) =>
    value === 0 ? '0' : safe`<a href="${address(asked, { status })}">${number(value)}</a>`;
  const rate = (part: 'delivered' | 'failed') =>
    was(before && before.reported > 0 ? share(before[part], before.reported) : undefined);
  const { balance, lastStored } = account;
  const left = account.perDay > 0 ? Math.floor(Number(balance) / account.perDay) : undefined;
  return safe`<dl class="tiles ten">${[
    tile(say('Sent'), number(sent), [amount('sent')]),
    tile(say('Segments'), number(segments), [
      ...[
        amount('segments'),
        estimated > 0 && say('{n} of them estimated', { n: number(estimated) }),
      ],
    ]),
    tile(say('Delivered'), share(delivered, reported), [
      ...[say('{n} of {whole} reported', { n: number(delivered), whole: number(reported) })],
      ...[unknown > 0 && say('{n} reports of other messages', { n: number(unknown) })],
      rate('delivered'),
    ]),
    tile(
      say('Failed'),
      to('failed', failed),
      [
        failed > 0 && say('{rate} of the reported', { rate: share(failed, reported) }),
        rate('failed'),
      ],
      failed > 0 ? 'red' : '',
    ),
    tile(say('No report yet'), to('none', missing), [
      overdue > 0 && say('{n} for more than an hour', { n: number(overdue) }),
    ]),
    tile(say('Time to delivery'), p50 === undefined ? '–' : lengthOf(p50), [
      p50 !== undefined && say('median'),
      p95 !== undefined && say('95 % within {time}', { time: lengthOf(p95) }),
      was(before?.p50 === undefined ? undefined : lengthOf(before.p50)),
    ]),
    tile(say('Replies'), number(replies), [amount('replies')]),
    tile(say('Opt-outs'), number(account.optOuts), [
      was(account.optOutsBefore === undefined ? undefined : number(account.optOutsBefore)),
    ]),
    tile(say('Balance'), typeof balance === 'number' ? number(balance) : '–', [
      typeof balance === 'number' &&
        left !== undefined &&
        say('for about {n} days', { n: number(Math.max(0, left)) }),
    ]),
    tile(
      say('Last record'),
      lastStored === undefined
        ? say('never')
        : say('{time} ago', { time: lengthOf(Math.max(0, Date.parse(asked.now) - lastStored)) }),
      [lastStored !== undefined && voice.clock(lastStored)],
    ),
  ]}</dl>`;
}

function chartPanels(
  { bars, unit }: Shown,
  usual: number | undefined,
  voice: Voice,
  more: Pick<N8n, 'DateTime'>,
) {
  const { asked, say, lengthOf } = voice;
  if (bars.length === 0) return '';
  const charts = chartsOf({ ...{ bars, unit, usual, say, lengthOf }, zone: asked.zone, ...more });
  const key = (kind: string, text: string) => safe`<span><i class="${kind}"></i>${text}</span>`;
  const per = say('per {unit}', { unit: say(unit) });
  const line =
    usual === undefined ? '' : key('usual', say('usual: {rate}', { rate: share(usual, 1) }));
  const few = bars.some(({ reported }) => reported > 0 && reported < 20)
    ? key('bad few', say('hollow: fewer than {n} reports', { n: 20 }))
    : '';
  const toggle = asked.numbers
    ? safe`<a href="${address(asked, { numbers: false })}">${say('Hide the numbers')}</a>`
    : safe`<a href="${address(asked, { numbers: true })}#numbers">${say('Show the numbers of the charts')}</a>`;
  return [
    panel(
      `${say('Failure rate over time')}, ${per}`,
      safe`<p class="key">${key('bad', say('failed, in per cent of the reported'))}${few}${line}</p>${charts.failures}`,
      'wide',
    ),
    panel(
      `${say('Sent and reported over time')}, ${per}`,
      safe`<p class="key">${key('sent', say('sent'))}${key('reported', say('reported'))}</p>${charts.volume}`,
      'wide',
    ),
    panel(
      `${say('Time to delivery over time')}, ${per}`,
      safe`<p class="key">${key('p50', say('median'))}${key('p95', say('95 % within'))}</p>${charts.times}<p>${toggle}</p>${asked.numbers ? numbers(bars, voice) : ''}`,
      'wide',
    ),
  ];
}

/** The numbers of the charts. */
function numbers(bars: Bar[], { say, clock, lengthOf }: Voice): Markup {
  const length = (millis: number | undefined) => (millis === undefined ? '–' : lengthOf(millis));
  const lines = bars.map(({ from, sent, reported, failed, p50, p95 }) => [
    ...[clock(from), share(failed, reported), number(failed), number(reported), number(sent)],
    ...[length(p50), length(p95)],
  ]);
  const heads = [
    ...[say('From'), say('#Failure rate'), say('#Failed'), say('#Reported'), say('#Sent')],
    ...[say('#Median'), say('#95 % within')],
  ];
  return safe`<div id="numbers">${table(say('The numbers of the charts'), heads, lines)}</div>`;
}

function nothing({ asked, say }: Voice): Markup {
  const link = address(asked, { ...NO_FILTER, window: 'all', from: '', to: '' });
  const toAll =
    asked.window === 'all' ? '' : safe` <a href="${link}">${say('Look at all time')}</a>`;
  const steps = [
    say(
      'Publish the workflow SMS · Inbox. It stores reports and replies in the data table sms_inbox.',
    ),
    say(
      'Publish the workflow SMS · Outbox, and a workflow that sends by it. It stores what was sent in the data table sms_outbox.',
    ),
    say('Send a message, and wait for a minute. This page shows what is in both tables.'),
  ].map((step) => safe`<li>${step}</li>`);
  return panel(
    say('Nothing in {period}', { period: say(PERIODS[asked.window]) }),
    safe`<p>${say('No message was sent, and no report or reply came.')}${toAll}</p><p>${say('If nothing has ever come:')}</p><ol>${steps}</ol>`,
  );
}

/** Counts, judges and writes the page, in one node: every Code node gets all its items handed over. */
export default function page({ $, $now, DateTime }: N8n): Item<{ html: string; shown: Shown }>[] {
  const asked = $('What was asked').first<Asked>().json;
  const read = (items: Item[]) => rowsOf(items);
  const voice = voiceOf(asked, read($('Names of templates').all()), DateTime);
  const { say } = voice;
  const now = Date.parse(asked.now);
  const packed = $('Only what is counted').first<{ inbox: string; outbox: string }>().json;
  const rows = readRows(packed, { most: MOST, now, idOf: voice.idOf });
  const { cutAt } = rows;
  const start = Math.max(Date.parse(asked.start), cutAt ?? 0);
  const first = rows.messages.reduce(
    (min, { send, report }) => Math.min(min, send?.at ?? report?.at ?? min),
    now,
  );
  const isAll = asked.before === null;
  // What is later than now is in the last bar of a page about now.
  const isNow = asked.from === '' || asked.end === asked.now;
  const span: Span = {
    from: isAll ? Math.min(first, now - 3_600_000) : start,
    to: isNow ? Infinity : Date.parse(asked.end),
  };
  const earlier: Span | undefined =
    asked.before === null || (cutAt ?? 0) > Date.parse(asked.before)
      ? undefined
      : { from: Date.parse(asked.before), to: start - 1 };
  const shownRows = narrowed(rows, asked);
  const figures = figuresOf(shownRows.messages, shownRows.replies, span, now);
  const past = earlier && figuresOf(shownRows.messages, shownRows.replies, earlier, now);
  const before = past && past.sent + past.reported > 0 ? past : undefined;
  const charted = { from: span.from, to: Math.min(span.to, now) };
  const drawn = barsOf(shownRows.messages, charted, { zone: asked.zone, now, DateTime });

  const lastStored = rows.lastStored ?? lastOf(read($('Newest record').all()));
  const balance: Fields = $('Balance').first().json;
  const optOuts = read($('Opt-outs').all()).map(({ since, createdAt }) =>
    Date.parse(String(since || createdAt)),
  );
  const within = ({ from, to }: Span) => optOuts.filter((at) => at >= from && at <= to).length;
  const seen = {
    rows: { ...rows, lastStored },
    days: read($('Figures by day').all()),
    deliveries: read($('Waiting for subscribers').all()),
    subscribers: read($('Subscribers').all()),
    alarms: read($('Open alarms').all()),
    ...{ balance, now },
    segments: figures.sent > 0 ? figures.segments / figures.sent : 1,
    dayOf: (at: number) => DateTime.fromMillis(at, { zone: asked.zone }).toFormat('yyyy-MM-dd'),
  };
  const findings = isNow ? findingsOf(seen) : [];
  const shown: Shown = { asked, figures, before, ...drawn, findings, cutAt };
  const account: Account = {
    ...{ balance: balance.balance, perDay: perDay(seen), lastStored },
    optOuts: within(span),
    optOutsBefore: earlier && within(earlier),
  };
  const usual = before && before.reported >= 200 ? before.failed / before.reported : undefined;
  const top = isNow
    ? strip(findings, rows.problems.length === 0, voice)
    : safe`<p class="notice">${say('What is wrong now is on the page about now.')} <a href="${address(asked, { ...NO_FILTER, window: '24h', from: '', to: '' })}">${say('Look at now')}</a></p>`;
  const isEmpty = figures.sent + figures.reported + figures.replies === 0;
  const body = isEmpty
    ? nothing(voice)
    : safe`${tiles(shown, account, voice)}<div class="grid">${chartPanels(shown, usual, voice, { DateTime })}${tables({ ...shownRows, span, now }, voice)}</div>`;
  const seconds = ['1h', '24h'].includes(asked.window) ? 60 : 300;
  const html = pageOf(
    {
      here: 'sms-dashboard',
      title: say('SMS dashboard'),
      ...{ lang: asked.lang, keepsLang: asked.keepsLang, now: $now, style: STYLE },
      // A page instead of the file would load the file.
      reload:
        isNow && asked.view !== 'csv'
          ? { seconds, isOn: asked.refresh, other: address(asked, { refresh: !asked.refresh }) }
          : undefined,
    },
    [top, controls(voice), ...notices(rows, before !== undefined, voice), body].map(
      (part) => safe`${part}`,
    ),
  );
  return [{ json: { html, shown } }];
}

function lastOf([newest]: Fields[]): number | undefined {
  return newest && Date.parse(String(newest.createdAt));
}
