import { safe, type Markup } from '../../../builder/code/html';
import { sayIn, type Say } from '../../../builder/code/lang';
import { addressOf, hidden, masked, pageOf, panel, quote, table } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import { rowsOf } from '../common/records/rows';
import { cell, clock, number } from '../common/text/format';
import type { Row } from '../tables';
import { MOST_LINES, SHOWN } from './most';
import type { Asked } from './what-is-asked';

const ZH = {
  'Opt-outs': '退订',
  '{n} {n|number is|numbers are} on the list. They get no notices and no campaigns, unless a rule allows it.':
    '名单上有 {n} 个号码。除非规则允许，不再向其发送通知和群发。',
  'Last four digits, or the number': '后四位或完整号码',
  Search: '搜索',
  'Download as CSV': '下载 CSV',
  'All numbers': '全部号码',
  'Found by “{search}”': '搜索“{search}”',
  'Latest numbers': '最近加入的号码',
  'These are the latest {n}.': '以下为最近 {n} 个。',
  'No number.': '没有号码。',
  Number: '号码',
  Since: '时间',
  Word: '退订词',
  'Take off': '移出',
  'Add or take off numbers': '添加或移出号码',
  'One number in each line, up to {n} lines: paste a column of a spreadsheet. However a number is written, it is read.':
    '每行一个号码，最多 {n} 行；可以粘贴表格中的一列。号码怎么写都能识别。',
  Numbers: '号码列表',
  Add: '添加',
  '{n} added.': '已添加 {n} 个。',
  '{n} {n|was|were} there already.': '{n} 个原已在名单上。',
  '{n} taken off.': '已移出 {n} 个。',
  '{n} {n|was|were} not on the list.': '{n} 个不在名单上。',
  '{n} {n|line is|lines are} no mobile number of the mainland. The list has them as they are written:':
    '{n} 行不是大陆手机号，已按原样列入名单：',
  'line {line}:': '第 {line} 行：',
  'Nothing was done: the page was used before, or is outdated. Do it again here.':
    '没有执行任何操作：该页面已使用过或已过期。请在此重新操作。',
  'Nothing was done: these are more than {n} lines. Give them in parts.':
    '没有执行任何操作：超过 {n} 行。请分几次提交。',
  'Nothing was done: no line has a number.': '没有执行任何操作：没有一行有号码。',
} as const;

type Words = Say<keyof typeof ZH>;

/** What was done with how many lines, and the first that are no number. */
interface Done {
  done: keyof typeof SAID;
  count: number;
  lines: { line: number; given: string }[] | null;
}

const SAID = {
  added: '{n} added.',
  'was there': '{n} {n|was|were} there already.',
  removed: '{n} taken off.',
  'not there': '{n} {n|was|were} not on the list.',
  'no mainland number':
    '{n} {n|line is|lines are} no mobile number of the mainland. The list has them as they are written:',
} as const;

const STYLE =
  'textarea{width:100%;font:inherit}td form{display:inline}main>p{margin-bottom:12px}input[name=search]{width:280px;max-width:100%}';

function outcome({ problem, action }: Asked, all: Done[], say: Words): Markup[] {
  const most = { n: number(MOST_LINES) };
  const why =
    problem === 'outdated'
      ? say('Nothing was done: the page was used before, or is outdated. Do it again here.')
      : problem === 'long'
        ? say('Nothing was done: these are more than {n} lines. Give them in parts.', most)
        : action && all.length === 0 && say('Nothing was done: no line has a number.');
  if (why) return [safe`<p class="notice red" role="status">${why}</p>`];
  return all.map(({ done, count, lines }) => {
    const isRead = done !== 'no mainland number';
    const named = (isRead ? [] : (lines ?? [])).map(
      ({ line, given }) => safe`<li>${say('line {line}:', { line })} ${quote(given)}</li>`,
    );
    const list = isRead ? '' : safe`<ul>${named}</ul>${count > named.length ? '…' : ''}`;
    return safe`<div class="notice ${isRead ? 'green' : ''}" role="status">${say(SAID[done], { n: number(count) })}${list}</div>`;
  });
}

/** The page of the list, or the list as a file. */
export default function page({ $, $now, DateTime }: N8n): { page: string; fileName?: string } {
  const asked = $('What is asked').first<Asked>().json;
  const found = rowsOf<Row<'sms.opt_outs'>>($('Numbers on the list').all());
  if (asked.isFile) {
    const lines = found.map((row) => [row.phone_number, row.word, row.since]);
    const all = [['phone_number', 'word', 'since'], ...lines].map((line) => line.map(cell).join());
    // The first sign tells Excel that the file is in UTF-8.
    return {
      page: `\uFEFF${all.join('\r\n')}\r\n`,
      fileName: `opt-outs-${$now.toISODate()}.csv`,
    };
  }
  const { lang, kept, search } = asked;
  const say = sayIn(lang, ZH);
  const { token } = $('Make a token').first<{ token: string }>().json;
  const here = addressOf('sms-opt-outs', { lang: kept });
  const all = $('Numbers on the list').first<{ count: number }>().json.count;
  // Without the empty item of a list that was not changed.
  const done = rowsOf<Done>($('Change the list').all(), 'done');
  const lines = found.map((row) => {
    const at = DateTime.fromISO(row.since || String(row.createdAt), { zone: $now.zone });
    const form = safe`<form method="post" action="${here}">${hidden({ token, numbers: row.phone_number, search })}<button name="action" value="remove">${say('Take off')}</button></form>`;
    return [
      safe`<span class="id">${masked(row.phone_number)}</span>`,
      clock(at, $now),
      quote(row.word),
      form,
    ];
  });
  const title = search ? say('Found by “{search}”', { search }) : say('Latest numbers');
  const heads = [say('Number'), say('Since'), say('Word'), say('Take off')];
  const isCut =
    found.length >= SHOWN &&
    safe`<p class="more">${say('These are the latest {n}.', { n: SHOWN })}</p>`;
  const content = [
    ...outcome(asked, done, say),
    safe`<p>${say('{n} {n|number is|numbers are} on the list. They get no notices and no campaigns, unless a rule allows it.', { n: number(all) })}</p>
<div class="bar"><form method="post" action="${here}"><input name="search" required maxlength="40" aria-label="${say('Last four digits, or the number')}" placeholder="${say('Last four digits, or the number')}"><button>${say('Search')}</button></form>${search ? safe`<a class="button" href="${here}">${say('All numbers')}</a>` : ''}<a class="button" href="${addressOf('sms-opt-outs', { format: 'csv' })}">${say('Download as CSV')}</a></div>`,
    panel(
      title,
      lines.length > 0 ? safe`${table(title, heads, lines)}${isCut || ''}` : say('No number.'),
    ),
    panel(
      say('Add or take off numbers'),
      safe`<form method="post" action="${here}">${hidden({ token })}<p class="more">${say('One number in each line, up to {n} lines: paste a column of a spreadsheet. However a number is written, it is read.', { n: number(MOST_LINES) })}</p>
<textarea name="numbers" rows="8" required aria-label="${say('Numbers')}"></textarea><div class="bar"><button class="main" name="action" value="add">${say('Add')}</button><button name="action" value="remove">${say('Take off')}</button></div></form>`,
    ),
  ];
  return {
    page: pageOf(
      { here: 'sms-opt-outs', title: say('Opt-outs'), lang, kept, now: $now, style: STYLE },
      content,
    ),
  };
}
