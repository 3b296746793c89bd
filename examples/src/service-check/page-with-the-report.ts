import { safe, Markup } from '../../../builder/code/html';
import { sayIn } from '../../../builder/code/lang';
import { CSS, panel, table } from '../../../builder/code/look';
import type { Item, N8n } from '../../../builder/code/n8n';
import type { Report } from './report';

const ZH = {
  'Check of the SMS service': '短信服务检测',
  'as of {time}, times in {zone}': '截至 {time}，时区 {zone}',
  'What to set': '需要设置',
  'Nothing to set.': '无需设置。',
  'What was seen': '检测结果',
  Subject: '项目',
  Verdict: '结论',
  Found: '发现',
  'What else to know': '其他说明',
  works: '正常',
  fails: '失败',
  'cannot be told': '无法判断',
} as const;

const COLORS = { works: 'green', fails: 'red', 'cannot be told': 'yellow' };

/** The report as a web page: the inner part of it, because n8n puts its own around it. */
export default function makePage({ $input, $now }: N8n): Item[] {
  const { lang, rows, actions, texts } = $input.first<Report>().json;
  const say = sayIn(lang, ZH);
  const lines = rows.map(({ about, verdict, found }) => [
    about,
    safe`<span class="mark ${COLORS[verdict]}">${say(verdict)}</span>`,
    found,
  ]);
  const items = actions.map(({ what, where }) => safe`<li><b>${where}</b><br>${what}</li>`);
  const settings =
    items.length > 0 ? safe`<ol>${items}</ol>` : safe`<p>${say('Nothing to set.')}</p>`;
  const time = { time: $now.toFormat('yyyy-MM-dd HH:mm:ss'), zone: String($now.zoneName) };
  const seen = table(say('What was seen'), [say('Subject'), say('Verdict'), say('Found')], lines);
  const { text: page } = safe`<style>${new Markup(CSS + OVER_N8N)}</style>
<main lang="${lang}"><header><h1>${say('Check of the SMS service')}</h1>
<p>${say('as of {time}, times in {zone}', time)}</p></header>
${panel(say('What to set'), settings)}${panel(say('What was seen'), seen)}
${panel(
  say('What else to know'),
  texts.map((text) => safe`<p>${text}</p>`),
)}</main>`;
  return [{ json: { page } }];
}

/** n8n's page has a style of its own. */
const OVER_N8N = `body{display:block;max-width:960px}ol{margin:0}li+li,p+p{margin-top:8px}`;
