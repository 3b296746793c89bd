import type { DateTime } from 'luxon';

import { shownIn, type Known } from './shown';
import { unsentPanel, worstOf, type Line } from '../common/messages/unsent';
import { STATE_ZH, stateOf, unsentIn, type State } from './state';
import { clock, number } from '../common/text/format';
import { safe, type Markup } from '../../../builder/code/html';
import { sayIn, type Say } from '../../../builder/code/lang';
import { addressOf, pageOf, quote, table } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';

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
  const { asked, list, all_of_them: all, thresholds, rule, balance, now } = shownIn({ $, $now });
  const { lang, kept, reload } = asked;
  const say = sayIn(lang, ZH);
  const shown = list.map((campaign) => ({
    campaign,
    state: stateOf({ campaign, rule, balance, now }, say),
  }));
  const pageOfOne = ({ id }: Known) => addressOf('sms-campaign', { campaign: id, lang: kept });
  const lines = shown.map(({ campaign, state }) => [
    safe`<a href="${pageOfOne(campaign)}">${quote(campaign.campaign)}</a><small>${quote(campaign.template)}</small>`,
    safe`<span class="mark ${state.color}">${state.text}</span>`,
    ...amounts(campaign, state),
    ...times(campaign, state.end, now, say),
  ]);
  const heads = [
    ...[say('Campaign'), say('State'), say('#Not sent'), say('#People'), say('#Sent')],
    ...[say('#Not delivered'), say('First message'), say('End')],
  ];
  const text = say('The latest {most} of {all} campaigns.', {
    ...{ most: number(list.length), all: number(all) },
  });
  const unsent = shown.flatMap(({ campaign, state }): Line[] => {
    const isRecent = Date.parse(campaign.last ?? '') > Date.now() - RECENT_MS;
    if (campaign.state !== 'running' && !isRecent) return [];
    const of = { name: campaign.campaign, href: pageOfOne(campaign) };
    const lines = unsentIn(campaign, state).filter(({ level }) => level !== 'plain');
    return lines.map((line) => ({ ...line, of }));
  });
  // What is older is not told of.
  const isNothing = list.every((campaign) => campaign.unsent.length === 0);
  const content = [
    unsent.length > 0 || isNothing ? unsentPanel(unsent, { lang, thresholds }) : safe``,
    safe`<p class="bar"><a class="button" href="${addressOf('../form/sms-campaign-form', { lang: kept })}">${say('New campaign from a spreadsheet')}</a></p>`,
    all === 0
      ? safe`<p>${say('No campaign yet.')}</p>`
      : safe`<section>${table(say('Campaigns'), heads, lines, 'cards')}</section>`,
    all > list.length ? safe`<p class="more">${text}</p>` : safe``,
  ];
  const frame = { here: 'sms-campaign', lang, kept, now, reload, style: STYLE } as const;
  return { page: pageOf({ ...frame, title: say('Campaigns') }, content) };
}

function amounts(campaign: Known, state: State): (Markup | string)[] {
  const { people, sent, failed } = campaign;
  const bad = (amount: number) => (amount > 0 ? safe`<b>${number(amount)}</b>` : '0');
  return [
    bad(worstOf(unsentIn(campaign, state).filter(({ kind }) => kind !== 'late')).count),
    ...[number(people), number(sent), bad(failed)],
  ];
}

/** When the first message went, and the last one, or when it is expected. */
function times(
  { state, first, last }: Known,
  end: DateTime | undefined,
  now: DateTime,
  say: Words,
): string[] {
  const time = (at: string | null) =>
    at ? clock(now.minus(Date.now() - Date.parse(at)), now) : '–';
  const isOver = state === 'done' || state === 'stopped';
  const expected = end ? say('expected {time}', { time: clock(end, now) }) : '–';
  return [time(first), isOver ? time(last) : expected];
}
