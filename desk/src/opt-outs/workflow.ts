import {
  ONLY_FAILURES,
  OPTED_OUT,
  base,
  button,
  changes,
  code,
  lane,
  page,
  runs,
  show,
  workflow,
  type Statement,
} from '../parts';
import { SHOWN } from './most';

const ASKED = "$('What is asked').first().json";

/** One call for all lines. What was not asked for is asked of no line. */
const CHANGED: Statement = {
  query: `SELECT done, count(*)::integer AS count,
to_json((array_agg(json_build_object('line', line, 'given', given) ORDER BY line) FILTER (WHERE phone IS NULL))[1:${SHOWN}]) AS lines
FROM (SELECT * FROM sms.add_opt_outs(CASE $2 WHEN 'add' THEN $1::json END)
UNION ALL SELECT * FROM sms.remove_opt_outs(CASE $2 WHEN 'remove' THEN $1::json END)) AS each GROUP BY done ORDER BY done`,
  values: [`${ASKED}.numbers`, `${ASKED}.action`],
};

/** How many numbers there are, and the latest of those that are searched for: all, for a file. */
const FOUND: Statement = {
  query: `SELECT (${OPTED_OUT}) AS count, (SELECT json_agg(row)::text FROM (
SELECT id, phone_number, word, since, "createdAt" FROM sms.opt_outs
WHERE CASE WHEN $1::text = '' THEN true WHEN $1::text ~ '^[0-9]{4}$' THEN phone_number LIKE '%' || $1::text
ELSE phone_number = sms.kept_phone($1::text) END ORDER BY id DESC LIMIT $2::bigint) AS row) AS packed`,
  values: [`${ASKED}.search`, `${ASKED}.isFile ? null : ${SHOWN}`],
};

export default workflow(
  {
    name: 'Opt-outs',
    about: `## Opt-outs · 退订名单
The page of the list *sms.opt_outs*: how many are on it, search, add, take off, download. Whoever is on it gets no notices and no campaigns.
退订名单 *sms.opt_outs* 的网页：人数、搜索、添加、移出、下载。名单上的号码不再收到通知和群发。`,
    setUp: `## Set up here · 设置
Select the login of the pages in *Page is opened* and *Button is pressed*, then publish. 选网页登录的凭据，再发布。`,
    tryIt: `## Try it · 试一下
Open \`…/webhook/sms-opt-outs\`. 打开这个地址；加 \`?lang=zh\` 就是中文。`,
    settings: ONLY_FAILURES,
  },
  lane(
    [
      `## One call · 一次调用
*sms.add_opt_outs* and *sms.remove_opt_outs* take the whole list, and say of each line what was done. What is no mobile number of the mainland is told by its line, and listed as it is written.
整个名单一次交给这两个函数，逐行返回结果。不是大陆手机号的会指出是哪一行，并按原样列入。`,
      `## One use · 只用一次
A change needs the token of a page that was opened in the last day, and uses it up. A search needs none. No address has a number.
每次修改要带着一天内打开的那个网页的令牌，用一次即失效；搜索不用。网址里不出现号码。`,
    ],
    [
      page('Page is opened', 'sms-opt-outs'),
      code('What is asked'),
      runs('Change the list', CHANGED, { once: true, always: true }),
      runs('Numbers on the list', FOUND, { once: true, tries: 3 }),
      base('crypto', 'Make a token', {
        action: 'generate',
        dataPropertyName: 'token',
        encodingType: 'uuid',
      }),
      changes(
        'Store the token',
        "INSERT INTO sms.tokens (token, page) VALUES ($1, 'sms-opt-outs')",
        ['$json.token'],
      ),
      code('Page'),
      show('Show the page', '={{ $json.page }}', {
        type: "={{ $json.fileName ? 'text/csv' : 'text/html' }}; charset=utf-8",
        file: '={{ $json.fileName ? `attachment; filename="${$json.fileName}"` : \'inline\' }}',
      }),
    ],
    [
      button('Button is pressed', 'sms-opt-outs'),
      changes(
        'Use the token',
        `DELETE FROM sms.tokens WHERE token = $1 AND page = 'sms-opt-outs' AND "createdAt" >= statement_timestamp() - interval '1 day'`,
        ["typeof $json.body.token === 'string' ? $json.body.token : ''"],
        { always: true },
      ),
      'What is asked',
    ],
  ),
);
