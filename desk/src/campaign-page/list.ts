import type { DateTime } from 'luxon';

import { figuresOf, type Counted, type Figures } from './figures';
import type { Campaign } from '../common/messages/campaigns';
import { ruleOf } from './plan';
import { thresholdsIn } from '../common/messages/thresholds';
import { unsentPanel, worstOf, type Line } from '../common/messages/unsent';
import { paceSet, STATE_ZH, stateOf, unsentIn } from './state';
import { rowsOf } from '../common/records/days';
import { groupBy } from '../common/records/groups';
import { clock } from '../common/text/clock';
import { safe, type Markup } from '../../../builder/code/html';
import { sayIn, type Say } from '../../../builder/code/lang';
import { addressOf, pageOf, quote, table } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import { number } from '../common/text/numbers';
import { MOST } from './most';
import type { Asked } from './what-is-asked';

const ZH = {
  ...STATE_ZH,
  Campaigns: '群发',
  Campaign: '群发任务',
  State: '状态',
  '#People': '#人数',
  '#Sent': '#已发送',
  '#Not sent': '#未发送',
  '#Not delivered': '#未送达',
  'First message': '首条发送',
  End: '结束',
  'expected {time}': '预计 {time}',
  'The latest {most} of {all} campaigns.': '共 {all} 个群发任务，以下为最近 {most} 个。',
  'New campaign from a spreadsheet': '用表格新建群发',
  'No campaign yet.': '还没有群发任务。',
} as const;

type Words = Say<keyof typeof ZH>;

/** A campaign whose last message is older is not told of at the top. */
const RECENT_MS = 86_400_000;

/** On a phone, each campaign is a card. */
const STYLE = `
.cards small{white-space:nowrap}.cards td:first-child{min-width:9em}
@media (max-width:640px){.cards thead{display:none}.cards tbody,.cards td{display:block}.cards tr{display:grid;grid-template-columns:repeat(3,1fr);gap:6px 10px;padding:12px 0;border-bottom:1px solid var(--grid)}.cards tr:last-child{border:0}.cards td{padding:0;border:0;text-align:left}.cards td:nth-child(-n+2){grid-column:1/-1}.cards td:nth-child(n+3)::before{content:attr(data-label);display:block;color:var(--soft)}}
`;

/** The list of campaigns, with the figures of their pages. */
export default function listOfCampaigns({ $, $now }: N8n): object {
  const asked = $('What is asked').first<Asked>().json;
  const { lang, kept, reload } = asked;
  const say = sayIn(lang, ZH);
  const thresholds = thresholdsIn($('Thresholds').all());
  const all = rowsOf<Campaign>($('Campaigns').all());
  const counts = groupBy(
    $('Counts of all')
      .all<Counted & { campaign: string }>()
      .map(({ json }) => json),
    ({ campaign }) => campaign,
  );
  const rule = ruleOf({ $ });
  const running = ({ state }: Campaign) => Number(state === 'running');
  const shown = [...all]
    .sort((a, b) => running(b) - running(a) || b.id - a.id)
    .slice(0, MOST)
    .map((campaign) => {
      const figures = figuresOf(counts.get(campaign.campaign) ?? [], thresholds);
      const { pending, unsent } = figures;
      const state = stateOf(
        {
          ...{ campaign, rule, now: $now, pending },
          ...{ pace: paceSet(campaign, all), unsent },
        },
        say,
      );
      return { campaign, figures, state };
    });
  const pageOfOne = ({ id }: Campaign) => addressOf('sms-campaign', { campaign: id, lang: kept });
  const lines = shown.map(({ campaign, figures, state }) => [
    safe`<a href="${pageOfOne(campaign)}">${quote(campaign.campaign)}</a><small>${quote(campaign.template)}</small>`,
    safe`<span class="mark ${state.color}">${state.text}</span>`,
    ...amounts(figures),
    ...times(campaign, figures, state.end, $now, say),
  ]);
  const heads = [
    ...[say('Campaign'), say('State'), say('#Not sent'), say('#People'), say('#Sent')],
    ...[say('#Not delivered'), say('First message'), say('End')],
  ];
  const most = number(MOST);
  const text = say('The latest {most} of {all} campaigns.', { most, all: number(all.length) });
  const unsent = shown.flatMap(({ campaign, figures, state }): Line[] => {
    const isRecent = running(campaign) || Number(figures.last) > Date.now() - RECENT_MS;
    if (!isRecent) return [];
    const of = { name: campaign.campaign, href: pageOfOne(campaign) };
    const lines = unsentIn(figures, state).filter(({ level }) => level !== 'plain');
    return lines.map((line) => ({ ...line, of }));
  });
  // What is older is not told of.
  const isNothing = shown.every(({ figures }) => figures.unsent.length === 0);
  const content = [
    unsent.length > 0 || isNothing ? unsentPanel(unsent, { lang, thresholds }) : safe``,
    safe`<p class="bar"><a class="button" href="${addressOf('../form/sms-campaign-form', { lang: kept })}">${say('New campaign from a spreadsheet')}</a></p>`,
    all.length === 0
      ? safe`<p>${say('No campaign yet.')}</p>`
      : safe`<section>${table(say('Campaigns'), heads, lines, 'cards')}</section>`,
    all.length > MOST ? safe`<p class="more">${text}</p>` : safe``,
  ];
  const frame = { here: 'sms-campaign', lang, kept, now: $now, reload, style: STYLE } as const;
  const page = pageOf({ ...frame, title: say('Campaigns') }, content);
  return { page };
}

function amounts({ people, sent, failed, unsent }: Figures): (Markup | string)[] {
  const bad = (amount: number) => (amount > 0 ? safe`<b>${number(amount)}</b>` : '0');
  return [
    bad(worstOf(unsent.filter(({ kind }) => kind !== 'late')).count),
    ...[number(people), number(sent), bad(failed)],
  ];
}

/** When the first message went, and the last one, or when it is expected. */
function times(
  { state }: Campaign,
  figures: Figures,
  end: DateTime | undefined,
  now: DateTime,
  say: Words,
): string[] {
  const time = (at: number | undefined) => (at ? clock(now.minus(Date.now() - at), now) : '–');
  const isOver = state === 'done' || state === 'stopped';
  const expected = end ? say('expected {time}', { time: clock(end, now) }) : '–';
  return [time(figures.first), isOver ? time(figures.last) : expected];
}
