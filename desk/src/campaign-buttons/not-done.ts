import { safe } from '../../../builder/code/html';
import { langOf, sayIn, given, type Request } from '../../../builder/code/lang';
import { pageOf } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';

const ZH = {
  'This click did nothing: the page was used before, or is outdated.':
    '这次点击没有执行任何操作：此页面已使用过或已过期。',
  'This click did nothing: the time to start at is over, or it is no time.':
    '这次点击没有执行任何操作：开始时间已过，或不是有效的时间。',
  'This click did nothing: the unknown messages are no longer those that the page told of.':
    '这次点击没有执行任何操作：结果未知的短信与页面所示的已不相同。',
  'Load the page again': '重新打开页面',
  'Not done': '未执行',
} as const;

export function notDonePage(
  request: Request,
  { address, why, now }: { address: string; why: keyof typeof ZH; now: N8n['$now'] },
): string {
  const lang = langOf({ ...request, query: { lang: given(request.body, 'lang') } });
  const say = sayIn(lang, ZH);
  const content = safe`<p class="notice">${say(why)} <a href="${address}">${say('Load the page again')}</a></p>`;
  return pageOf({ here: 'sms-campaign', title: say('Not done'), lang, now }, content);
}
