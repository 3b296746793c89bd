/** What the pages of a draft and of a campaign that was started have in common. */
import { safe, type Markup } from '../../../builder/code/html';
import type { Say } from '../../../builder/code/lang';
import { hidden, panel } from '../../../builder/code/look';
import { number } from '../common/text/format';
import type { Shown } from './shown';

export const ONE_ZH = {
  'This sends, and costs money': '会发送并产生费用',
  'Download the bad numbers': '下载无效号码',
  'Download the failed rows': '下载失败名单',
} as const;

type Words = Say<keyof typeof ONE_ZH>;

/** Makes a button that asks for an action, with what its form tells. */
export const buttonsOf =
  ({ campaign, token, asked }: Shown) =>
  (
    action: string,
    text: string,
    kind: string,
    inside?: Markup | Markup[],
  ): Markup => safe`<form method="post" action="sms-campaign-buttons">
${hidden({ token, campaign: campaign.id, lang: asked.kept })}${inside ?? ''}
<button class="${kind}" name="action" value="${action}">${text}</button></form>`;

/** The buttons after which messages go: apart from those after which none does. */
export function spending(buttons: (Markup | false)[], say: Words): Markup[] {
  const shown = buttons.filter((each) => each !== false);
  if (shown.length === 0) return [];
  return [panel(say('This sends, and costs money'), safe`<div class="bar">${shown}</div>`)];
}

export function download(
  list: 'invalid' | 'failed',
  rows: number,
  id: number,
  say: Words,
): Markup | '' {
  const text =
    list === 'invalid' ? say('Download the bad numbers') : say('Download the failed rows');
  return rows > 0
    ? safe`<p><a class="button" href="sms-campaign?campaign=${id}&amp;list=${list}">${text} (${number(rows)})</a></p>`
    : '';
}
