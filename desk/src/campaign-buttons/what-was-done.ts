import { safe } from '../../../builder/code/html';
import { langOf, sayIn, given, type Request } from '../../../builder/code/lang';
import { addressOf, pageOf } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';

const ZH = {
  'This click did nothing: the page was used before, or is outdated, or the campaign has changed since.':
    '这次点击没有执行任何操作：此页面已使用过或已过期，或群发任务已有变化。',
  'This click did nothing: the time to start at is over, or it is no time.':
    '这次点击没有执行任何操作：开始时间已过，或不是有效的时间。',
  'This click did nothing: the unknown messages are no longer those that the page told of.':
    '这次点击没有执行任何操作：结果未知的短信与页面所示的已不相同。',
  'Load the page again': '重新打开页面',
  'Not done': '未执行',
} as const;

const [OUTDATED, LATE, OTHERS] = Object.keys(ZH) as (keyof typeof ZH)[];

/** Why a press did nothing. */
const WHY: Partial<Record<string, keyof typeof ZH>> = {
  ...{ outdated: OUTDATED, late: LATE, others: OTHERS },
};

/** Where the browser goes on, or the page that says why nothing was done. */
export default function whatWasDone({ $, $now }: N8n): object {
  const { body, headers } = $('Button is pressed').first<Request>().json;
  const { did } = $('Do it').first<{ did: string }>().json;
  const lang = langOf({ headers, query: { lang: given(body, 'lang') } });
  const say = sayIn(lang, ZH);
  const id = did !== 'gone' && /^\d{1,15}$/.exec(given(body, 'campaign'))?.[0];
  const kept = given(body, 'lang') && lang;
  const address = addressOf('sms-campaign', { campaign: id, lang: kept });
  const why = WHY[did];
  if (!why) return { did, address };
  const content = safe`<p class="notice">${say(why)} <a href="${address}">${say('Load the page again')}</a></p>`;
  const frame = { here: 'sms-campaign', title: say('Not done'), lang, now: $now } as const;
  return { did, address, page: pageOf(frame, content) };
}
