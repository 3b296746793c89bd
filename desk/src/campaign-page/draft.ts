/** The page of a draft: what a start would do. */
import type { DateTime } from 'luxon';

import { parametersOf } from '../common/messages/campaigns';
import { received, segmentsOf } from '../common/messages/received';
import { safe, type Markup } from '../../../builder/code/html';
import { sayIn, type Say } from '../../../builder/code/lang';
import { addressOf, hidden, masked, pageOf, panel, quote, tile } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import { clock, number } from '../common/text/format';
import { buttonsOf, download, ONE_ZH, spending } from './one';
import { daysOf, endOf, type Day } from './plan';
import { rowsIn, shownIn, type Shown } from './shown';

const STYLE =
  '.texts bdi{display:block;padding:8px 12px;margin:4px 0;background:var(--bg);border-radius:8px;white-space:pre-wrap}';

const ZH = {
  ...ONE_ZH,
  draft: '草稿',
  'incomplete: a column is missing': '缺少列，不能开始',
  'The balance could not be read.': '无法读取余额。',
  'as of {time}': '截至 {time}',
  'The service does not answer.': '短信服务没有响应。',
  'The template is not in your account any more, or is disabled.': '模板已不在账户中，或已停用。',
  'The template has changed: texts and segments are those of before. Throw the draft away, and load the list again.':
    '模板已修改，这里的短信和计费条数还是修改前的。请删除草稿，重新导入名单。',
  'What will happen': '开始后会发生什么',
  'Nothing has been sent, and nothing has been paid.': '目前没有发送，也没有产生费用。',
  People: '人数',
  '{people|gets|get} a message': '将收到短信',
  'Bad numbers': '无效号码',
  'Opted out': '已退订',
  'left out': '不会发送',
  Duplicates: '重复号码',
  'one message each': '每个号码只发一条',
  Segments: '计费条数',
  'by the usual rule': '按常用规则估算',
  'Balance now': '当前余额',
  'Balance after': '发送后余额',
  'if a segment costs 1': '每条按 1 计',
  'Expected to end': '预计结束',
  'at {pace} a minute, {from} to {to} o’clock': '每分钟 {pace} 条，{from} 点至 {to} 点',
  never: '不会完成',
  'Three real texts': '三条真实短信',
  'to {phone}, segments: {segments}': '发给 {phone}，计费 {segments} 条',
  'The template needs {missing}. Add a column of that name to the spreadsheet, and load it again under the same name.':
    '模板需要变量 {missing}。请在表格中加上同名的列，用同一名称重新导入。',
  '{count} {count|person has|people have} nothing in “{name}”.': '有 {count} 人的“{name}”是空的。',
  'The balance is too small for everybody.': '余额不够发给所有人。',
  'Because of the day’s limit in sms.rules, so many go on each day: {days}.':
    '受 sms.rules 中每日限额的限制，每天发送的条数为：{days}。',
  'The day’s limit in sms.rules leaves nothing for campaigns.':
    'sms.rules 中的每日限额没有给群发留下余量。',
  'Your number': '您的手机号',
  'Send one to me': '先发一条给我',
  Start: '开始发送',
  'Start “{name}”?': '开始发送“{name}”？',
  'Send to {n} {n|person|people}': '发送给 {n} 人',
  'Do not start': '先不发送',
  'Not before': '开始时间',
  'Empty: now. The time is that of {zone}.': '不填就是现在。时区：{zone}。',
  Template: '模板',
  File: '文件',
  'Throw away': '删除草稿',
  'Your message was accepted.': '给您的短信已受理。',
  'Your message waits for the allowed hours.': '给您的短信在等待允许的时段。',
  'Your message was not sent.': '给您的短信没有发出。',
  'Your message may have been sent.': '给您的短信可能已发出。',
  'See why': '查看原因',
} as const;

type Words = Say<keyof typeof ZH>;

export default function draft({ $, $now }: N8n): object {
  const shown = shownIn({ $, $now });
  const { asked, now, campaign } = shown;
  const { lang, kept, ask } = asked;
  const say = sayIn(lang, ZH);
  const forecast = forecastOf(shown);
  const warnings = warningsOf(shown, forecast, say);
  const mayStart = campaign.state === 'draft' && shown.plan.ready > 0;
  const content =
    ask === 'start' && mayStart
      ? [...warnings, startQuestion(shown, forecast, say)]
      : [
          ...testNotice(shown, say),
          mark(shown, say),
          ...warnings,
          ...whatWillHappen(shown, forecast, say),
          ...spending([mayStart && startButton(shown, say)], say),
        ];
  const frame = { here: 'sms-campaign', title: campaign.campaign, lang, kept, now } as const;
  return { page: pageOf({ ...frame, style: STYLE }, content) };
}

function mark({ campaign }: Shown, say: Words): Markup {
  return campaign.state === 'draft'
    ? safe`<p><span class="mark yellow">${say('draft')}</span></p>`
    : safe`<p><span class="mark red">${say('incomplete: a column is missing')}</span></p>`;
}

const TESTS = {
  accepted: ['green', 'Your message was accepted.'],
  waiting: ['', 'Your message waits for the allowed hours.'],
  refused: ['red', 'Your message was not sent.'],
  rejected: ['red', 'Your message was not sent.'],
  '': ['red', 'Your message may have been sent.'],
} as const;

function testNotice({ asked: { test, row } }: Shown, say: Words): Markup[] {
  if (test === '') return [];
  // If the call of the outbox has failed, nobody knows either.
  const [color, text] = TESTS[Object.hasOwn(TESTS, test) ? (test as keyof typeof TESTS) : ''];
  const isKnown = color === 'red' && /^o\d+$/.test(row);
  const link = isKnown && safe` <a href="sms-dashboard?row=${row}">${say('See why')}</a>`;
  return [safe`<p class="notice ${color}">${say(text)}${link || ''}</p>`];
}

/** What a start would do. */
type Forecast = ReturnType<typeof forecastOf>;

function forecastOf({ campaign, plan, rule, now, balance: said }: Shown) {
  const balance = typeof said?.balance === 'number' ? said.balance : undefined;
  const { people, segments } = plan;
  const days = daysOf(people, campaign.pace, rule, now);
  const free = endOf(people, campaign.pace, { ...rule, today: Infinity, later: Infinity }, now);
  const after = balance === undefined || segments === null ? undefined : balance - segments;
  const isShort = after !== undefined && after < (campaign.keep_balance ?? 0);
  return { days, free, balance, after, isShort };
}

/** Its figures. */
function tilesOf(
  { campaign, plan, rule, now, balance: said }: Shown,
  { days, balance, after, isShort }: Forecast,
  say: Words,
) {
  const { people, optedOut, segments } = plan;
  const age = now.toMillis() - Date.parse(String(said?.answered));
  const end = days?.at(-1)?.end;
  const speed = say('at {pace} a minute, {from} to {to} o’clock', {
    ...{ pace: number(Math.round(campaign.pace)), from: rule.from_hour, to: rule.to_hour },
  });
  const amount = (value?: number | null) => (value == null ? '–' : number(value));
  const out = [say('left out')];
  return {
    people: tile(say('People'), number(people), [say('{people|gets|get} a message', { people })]),
    invalid: tile(say('Bad numbers'), number(rowsIn(campaign.cells, 'invalid')), out),
    optedOut: tile(say('Opted out'), number(optedOut), out),
    duplicates: tile(say('Duplicates'), number(campaign.duplicates ?? 0), [
      say('one message each'),
    ]),
    segments: tile(say('Segments'), amount(segments), [say('by the usual rule')]),
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
  { campaign, plan, is_template_gone, is_template_changed, balance: said }: Shown,
  { days, free, balance, isShort }: Forecast,
  say: Words,
): Markup[] {
  const warnings = [
    campaign.missing &&
      say(
        'The template needs {missing}. Add a column of that name to the spreadsheet, and load it again under the same name.',
        { missing: campaign.missing },
      ),
    ...plan.blank.map(({ name, rows }) =>
      say('{count} {count|person has|people have} nothing in “{name}”.', {
        ...{ count: number(rows), name },
      }),
    ),
    is_template_gone && say('The template is not in your account any more, or is disabled.'),
    is_template_changed &&
      say(
        'The template has changed: texts and segments are those of before. Throw the draft away, and load the list again.',
      ),
    balance === undefined && say('The balance could not be read.'),
    said?.error && say('The service does not answer.'),
    isShort && say('The balance is too small for everybody.'),
    ...limitNotice(days, free, say),
  ].filter(Boolean);
  return warnings.map((text) => safe`<p class="notice">${quote(text)}</p>`);
}

/** The question before a start: to how many, what it costs, with what, and when it ends. */
function startQuestion(shown: Shown, forecast: Forecast, say: Words): Markup {
  const { campaign, now, asked, plan } = shown;
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
  const text = say('Send to {n} {n|person|people}', { n: number(plan.people) });
  const start = buttonsOf(shown)('start', text, 'main', inside);
  const back = addressOf('sms-campaign', { campaign: campaign.id, lang: asked.kept });
  const { people, segments, after, end } = tilesOf(shown, forecast, say);
  return panel(
    say('Start “{name}”?', { name: campaign.campaign }),
    safe`<dl class="tiles">${[people, segments, after, end, ...about]}</dl><p class="more">${say('Empty: now. The time is that of {zone}.', { zone })}</p><div class="bar">${start}<a class="button" href="${back}">${say('Do not start')}</a></div>`,
  );
}

const startButton = ({ campaign, asked }: Shown, say: Words): Markup =>
  safe`<form action="sms-campaign">${hidden({ campaign: campaign.id, ask: 'start', lang: asked.kept })}<button class="main">${say('Start')}</button></form>`;

/** The figures of a start, three texts, and the buttons after which it does not begin. */
function whatWillHappen(shown: Shown, forecast: Forecast, say: Words): Markup[] {
  const { campaign, plan } = shown;
  const button = buttonsOf(shown);
  const samples = new Map(shown.samples?.map((row) => [row.id, row])).values();
  const texts = [...samples].slice(0, 3).map((row) => {
    const text = received(campaign.content ?? '', parametersOf(row), campaign.signature ?? '');
    const to = say('to {phone}, segments: {segments}', {
      ...{ phone: masked(row.phone_number), segments: segmentsOf(text) },
    });
    return safe`<p><small>${to}</small></p>${quote(text)}`;
  });
  const field = safe`<label>${say('Your number')} <input name="phone" type="tel" autocomplete="tel" required maxlength="40"></label>`;
  const test = button('test', say('Send one to me'), '', field);
  const loaded = hidden({ loaded: campaign.loaded_at });
  const invalid = rowsIn(campaign.cells, 'invalid');
  return [
    safe`<div class="bar">${button('discard', say('Throw away'), 'danger', loaded)}</div>`,
    panel(
      say('What will happen'),
      safe`<p class="more">${say('Nothing has been sent, and nothing has been paid.')}</p><dl class="tiles">${Object.values(tilesOf(shown, forecast, say))}</dl>${download('invalid', invalid, campaign.id, say)}`,
    ),
    panel(say('Three real texts'), [...texts, ...(plan.people > 0 ? [test] : [])], 'texts'),
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
