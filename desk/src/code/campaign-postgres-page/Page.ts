import { UNKNOWN_ZH, unknownPanel, warningOf, type Known } from '../campaignUnknown';
import { safe, type Markup } from '../html';
import { given, langOf, sayIn, type Request, type Say } from '../lang';
import { pageOf, panel, reloadOf } from '../look';
import type { Item, N8n } from '../n8n';
import { number } from '../numbers';
import { count, progress, PROGRESS_STYLE, PROGRESS_ZH, rowsOf, type Counts } from '../progress';

const RELOAD_SECONDS = 10;

const ZH = {
  ...PROGRESS_ZH,
  ...UNKNOWN_ZH,
  'Campaigns on PostgreSQL': 'PostgreSQL 群发',
  'No rows yet.': '还没有数据。',
  '{rows} rows.': '共 {rows} 行。',
  'Nothing is left to send.': '没有待发送的了。',
  'It pauses until {until}: the last portion had no accepted message ({cause}). Then ten rows are tried.':
    '暂停至 {until}：上一批没有一条被接受（{cause}）。之后先试发 10 条。',
  'Nothing was sent in the last ten minutes: outside the allowed hours, below the balance, unpublished, in no workflow’s Settings, or the opt-outs could not be read.':
    '最近十分钟没有发送：不在允许的时段、余额低于下限、工作流未发布、没有工作流在 Settings 中填写该名称，或无法读取退订名单。',
  '{rows} rows a minute. At this pace the rest takes about {time} of the allowed hours.':
    '每分钟 {rows} 行。按此速度，其余还需约 {time}（只计允许的时段）。',
  '{minutes} min': '{minutes} 分钟',
  '{hours} h': '{hours} 小时',
  'They go with the next portions. A report that comes by then takes its row out.':
    '随后续批次发送；期间收到回执的不再发送。',
  '{rows} messages go again with the next portions.': '{rows} 条短信将随后续批次重发。',
  'Nothing is sent again: the warning was used before, or the unknown messages are no longer those that it named.':
    '没有重发：该提示已使用过，或结果未知的短信与提示所示的已不相同。',
  'Nothing is sent again: delivery reports wait to be handed over, and may tell what became of the messages. Publish “SMS · Campaign on PostgreSQL: reports” if it is not, and try again in some minutes.':
    '没有重发：有回执等待处理，可能会说明这些短信的结果。请确认 “SMS · Campaign on PostgreSQL: reports” 已发布，几分钟后再试。',
} as const;

type Words = Say<keyof typeof ZH>;

/** The rows of a campaign that have a status. */
interface Counted {
  campaign?: string;
  status: string;
  rows: number;
  reason: string | null;
  /** How many were claimed in the last ten minutes, and since when: in milliseconds, as Date.now() counts. */
  recent: number;
  since: number | null;
  /** When a pause of the campaign ends, and why it pauses. */
  until: string | null;
  cause: string | null;
  /** Of unknown rows: what is known about them. */
  known: Known[] | null;
  /** Of the campaign that the page warns about: the token of the warning, and how many rows it names. */
  token: string | null;
  warned: number | null;
}

interface Campaign {
  known: Known[];
  warning: { token: string; rows: number } | undefined;
  counts: Counts;
  recent: number;
  since: number;
  until: number;
  cause: string;
}

/** The progress of the campaigns in the outbox table. */
export default function page({ $input, $, $now }: N8n): Item[] {
  const request = $('Page is opened').first<Request>().json;
  const lang = langOf(request);
  const say = sayIn(lang, ZH);
  const campaigns = campaignsOf($input.all<Counted>().map(({ json }) => json));
  const keepsLang = given(request.query, 'lang') !== '';
  const [warned] = [...campaigns].filter(([, { warning }]) => warning);
  const panels = [...campaigns].map(([name, campaign]) => {
    const all = [...campaign.counts.values()].reduce((sum, { rows }) => sum + rows, 0);
    const rows = say('{rows} rows.', { rows: number(all) });
    // A Code node has no URLSearchParams.
    const ask = `ask=${encodeURIComponent(name)}${keepsLang ? `&lang=${lang}` : ''}`;
    return [
      panel(
        name,
        safe`<p>${rows} ${paceOf(campaign, $now, say)}</p>${progress(campaign.counts, say, name)}`,
      ),
      ...unknownPanel(
        {
          known: campaign.known,
          rows: campaign.known.reduce((sum, each) => sum + (each.isTaken ? 0 : each.rows), 0),
        },
        say,
        {
          address: `sms-outbox?${ask}`,
          clock: (at) => $now.plus(at - Date.now()).toFormat('yyyy-MM-dd HH:mm'),
        },
      ),
    ];
  });
  const isOpen = [...campaigns.values()].some(({ counts }) => rowsOf(counts, 'pending') > 0);
  const frame = {
    title: say('Campaigns on PostgreSQL'),
    lang,
    keepsLang,
    now: $now,
    style: PROGRESS_STYLE,
    // Nobody should lose a warning while reading it, and each opening of it writes one down.
    reload: isOpen && !warned ? reloadOf(request, RELOAD_SECONDS) : undefined,
  };
  const content = warned
    ? warningAbout(warned, keepsLang ? lang : '', say)
    : [
        ...noticeOf(given(request.query, 'again'), say),
        ...(panels.length > 0 ? panels.flat() : [safe`<p>${say('No rows yet.')}</p>`]),
      ];
  return [{ json: { page: pageOf(frame, content) } }];
}

/** The warning before unknown rows of a campaign are sent again. */
function warningAbout([name, { warning }]: [string, Campaign], lang: string, say: Words): Markup[] {
  const { token = '', rows = 0 } = warning ?? {};
  const kept = lang && safe`<input type="hidden" name="lang" value="${lang}">`;
  return [
    safe`<h2>${name}</h2>`,
    ...warningOf(rows, say, {
      then: say('They go with the next portions. A report that comes by then takes its row out.'),
      button: safe`<form method="post" action="sms-outbox-again"><input type="hidden" name="token" value="${token}">${kept}<button class="danger">${say('Send them again')}</button></form>`,
      back: `sms-outbox${lang && `?lang=${lang}`}`,
    }),
  ];
}

/** What became of a press. */
function noticeOf(again: string, say: Words): Markup[] {
  if (again === '') return [];
  if (again === 'later') {
    return [
      safe`<p class="notice red">${say('Nothing is sent again: delivery reports wait to be handed over, and may tell what became of the messages. Publish “SMS · Campaign on PostgreSQL: reports” if it is not, and try again in some minutes.')}</p>`,
    ];
  }
  const rows = Number(/^\d{1,9}$/.exec(again)?.[0] ?? 0);
  const text =
    rows > 0
      ? say('{rows} messages go again with the next portions.', { rows: number(rows) })
      : say(
          'Nothing is sent again: the warning was used before, or the unknown messages are no longer those that it named.',
        );
  return [safe`<p class="notice${rows > 0 ? '' : ' red'}">${text}</p>`];
}

function campaignsOf(counted: Counted[]): Map<string, Campaign> {
  const campaigns = new Map<string, Campaign>();
  for (const { campaign, status, rows, reason, recent, since, until, cause, ...other } of counted) {
    if (!campaign) continue;
    const entry: Campaign = campaigns.get(campaign) ?? {
      ...{ counts: new Map(), recent: 0, since: Infinity, known: [] },
      warning: other.token ? { token: other.token, rows: other.warned ?? 0 } : undefined,
      ...{ until: Date.parse(until ?? ''), cause: cause ?? '' },
    };
    campaigns.set(campaign, entry);
    count(entry.counts, status, rows, reason);
    entry.known.push(...(other.known ?? []));
    entry.recent += recent;
    entry.since = Math.min(entry.since, since ?? Infinity);
  }
  return campaigns;
}

/** How fast it goes, or why it does not. */
function paceOf(
  { counts, recent, since, until, cause }: Campaign,
  now: N8n['$now'],
  say: Words,
): string {
  const pending = rowsOf(counts, 'pending');
  if (pending === 0) return say('Nothing is left to send.');
  const left = until - Date.now();
  if (left > 0) {
    return say(
      'It pauses until {until}: the last portion had no accepted message ({cause}). Then ten rows are tried.',
      { until: now.plus(left).toFormat('HH:mm:ss'), cause },
    );
  }
  if (recent === 0) {
    return say(
      'Nothing was sent in the last ten minutes: outside the allowed hours, below the balance, unpublished, in no workflow’s Settings, or the opt-outs could not be read.',
    );
  }
  // At least one interval of the schedule, or the first portion would seem endlessly fast.
  const perMinute = recent / Math.max((Date.now() - since) / 60_000, 1 / 6);
  return say(
    '{rows} rows a minute. At this pace the rest takes about {time} of the allowed hours.',
    { rows: number(Math.round(perMinute)), time: timeOf(pending / perMinute, say) },
  );
}

function timeOf(minutes: number, say: Words): string {
  if (minutes < 90) return say('{minutes} min', { minutes: Math.ceil(minutes) });
  return say('{hours} h', { hours: number(Math.round(minutes / 60)) });
}
