import { ONLY_FAILURES, choose, code, lane, page, runs, show, unless, workflow } from '../parts';
import type { Statement } from '../parts';
import { VERSION } from '../declared';
import { NOT_SENT } from './shown';

const rowsOfTheFile: Statement = {
  query: `SELECT json_agg(r ORDER BY id)::text AS packed FROM (SELECT id, line, phone_number, parameters, status, reason, reason_code, reason_values
FROM sms.recipients WHERE campaign = (SELECT campaign FROM sms.campaigns WHERE id = $1::integer) AND status = ANY ($2::text[])) AS r`,
  values: ['$json.id', `$json.list === 'invalid' ? '{invalid}' : '{${NOT_SENT.join()}}'`],
};

export default workflow(
  {
    name: 'Campaign: page',
    about: `## Campaigns: page · 群发页
The list of campaigns with their figures. Each has a page of its own: a draft shows what will happen before it costs anything; a running campaign its progress, its expected end, and its buttons.
列出所有群发和数字。每个群发有自己的一页：草稿先显示会发生什么，还没有费用；进行中的显示进度、预计结束时间和按钮。`,
    setUp: `## Set up here · 设置
1. Select the login of the page in *Page is opened*. 选网页登录的凭据。
2. Publish it with *SMS · Campaign: buttons*. Times are in the time zone of this workflow's Settings. 和 *SMS · Campaign: buttons* 一起发布；时间按本工作流 Settings（设置）里的时区。`,
    tryIt: `## Try it · 试一下
Open the address instead of pressing the button: \`…/webhook/sms-campaign\`. 不点按钮，直接打开这个地址；加 \`?lang=zh\` 就是中文。`,
    settings: ONLY_FAILURES,
  },
  lane(
    [
      `## A draft · 草稿
Who opted out, whether the template is still there, and three real texts. Nothing is sent.
显示多少人退订了、模板还能不能用、三条真实短信。不发送。`,
      `## Counts, not rows · 只读计数
Triggers of *sms.recipients* keep the counts, so a page reads few rows, however large a campaign is.
由 *sms.recipients* 的触发器计数；无论群发多大，网页只读几行。`,
      `## One use · 只用一次
Each page has a token in its buttons. It works once and for its campaign, so a forged, repeated or double click does nothing.
按钮里有令牌，只对本群发有效一次；伪造、重复、连点都没有作用。`,
    ],
    [
      page('Page is opened', 'sms-campaign'),
      code('What is asked', { once: true }),
      unless('Is a file wanted?', "={{ $json.id > 0 && $json.list !== '' }}"),
      runs(
        'What there is',
        {
          query: `SELECT * FROM sms.campaign_page(version => ${VERSION}, asked => $1::integer, zone => $2)`,
          values: ['$json.id', '$now.zoneName'],
        },
        { tries: 5 },
      ),
      choose('Of what?', {
        List: '={{ !$json.campaign }}',
        Draft: "={{ ['draft', 'incomplete'].includes($json.campaign.state) }}",
        Campaign: '={{ true }}',
      }),
      code('List', { once: true }),
      show('Show the page', '={{ $json.page }}', {
        type: "={{ $json.fileName ? 'text/csv' : 'text/html' }}; charset=utf-8",
        file: '={{ $json.fileName ? `attachment; filename="${$json.fileName}"` : \'inline\' }}',
      }),
    ],
    [['Of what?', 1], code('Draft', { once: true }), 'Show the page'],
    [['Of what?', 2], code('Page', { once: true }), 'Show the page'],
    [
      'Is a file wanted?',
      runs('Rows of the file', rowsOfTheFile, { tries: 5 }),
      code('File'),
      'Show the page',
    ],
  ),
);
