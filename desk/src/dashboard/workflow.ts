import {
  OPTED_OUT,
  base,
  call,
  code,
  lane,
  look,
  page,
  reads,
  runs,
  saidOf,
  show,
  sizes,
  unless,
  workflow,
} from '../parts';

const ASKED = "$('What was asked').first().json";

export default workflow(
  {
    name: 'Dashboard and status',
    about: `## SMS · Dashboard and status · 看板和状态页
The *dashboard* says first what was not sent, then what is wrong now, and leads to each message and its text. The *status* has lights for the parts of the desk; each says what to do. They have no script, make no table, and are in Chinese for browsers that ask for it.
看板先说哪些没发出去，再说现在的问题，可以一直点到每条短信和正文。状态页用灯显示各部分是否正常，并说怎么处理。网页没有脚本，不建表；浏览器语言是中文就显示中文。`,
    setUp: `## Set up here · 设置
1. *Page is opened*, *Status page is opened*: a Basic Auth credential; user and password are up to you. 选 Basic Auth 凭据，用户名和密码自定。
2. Publish *SMS · Upkeep*, *SMS · Outbox* and *SMS · Inbox* first. Times are in the time zone of this workflow's *Settings*. 先发布这三个；时间按本工作流 *Settings*（设置）里的时区。`,
    tryIt: `## Try it · 试一下
Publish, and open \`/webhook/sms-dashboard\` or \`/webhook/sms-status\` of your n8n. 发布后打开这两个地址。
Parts of the address · 地址参数：\`?window=1h\`, \`24h\`, \`7d\`, \`all\`; \`from\`, \`to\`; \`template\`, \`batch\`, \`status\`; \`row\`; \`digits\`; \`lang=zh\`; \`refresh=off\`.`,
    settings: {
      saveDataSuccessExecution: 'none',
      saveExecutionProgress: false,
      // No longer than the dashboard waits before it loads itself anew.
      executionTimeout: 300,
    },
  },
  lane(
    [
      `## What is read · 读多少
The time shown, the same length before it, and the last 24 hours. PostgreSQL counts, in the function *sms.dashboard*; *sms.dashboard_file* gives the rows of the file.
读所选的时段、之前等长的一段，以及最近 24 小时。由 PostgreSQL 的函数 *sms.dashboard* 统计；文件的行由 *sms.dashboard_file* 给出。`,
      `## The page · 网页
*Count and judge* judges the figures and draws chart and tables; *Page* writes them. A row of *sms.thresholds* (name, value) changes a threshold. Every value is escaped: replies are texts that strangers wrote.
*Count and judge* 判断数字、画图表，*Page* 写出来。往 *sms.thresholds* 加一行（name、value）改阈值。所有值都转义，因为上行是陌生人写的。`,
      `## One message, or a search · 一条短信或搜索
For \`?row=o12\` (row 12 of *sms.outbox*), \`?row=i34\` (of *sms.inbox*) and \`?digits=2001\`: no phone number in addresses. 地址里不出现手机号。`,
      `## The file · 文件
Complete numbers and texts: personal data. What a spreadsheet would take for a formula has a quote before it. If a table cannot be read, the page says so instead (503).
里面有完整的号码和正文，是个人信息。会被当成公式的值，前面加引号。有表读不到时，不给文件，只说明原因（503）。`,
    ],
    [
      page('Page is opened', 'sms-dashboard'),
      code('What was asked'),
      unless('One number or message?', `={{ ['message', 'number'].includes(${ASKED}.view) }}`, {
        once: true,
      }),
      runs(
        'Count them',
        {
          query:
            "SELECT CASE $1::json->>'view' WHEN 'csv' THEN sms.dashboard_file($1::json) ELSE sms.dashboard($1::json) END AS shown",
          values: [ASKED],
        },
        { once: true, goOn: true },
      ),
      unless('As a file?', `={{ ${ASKED}.view === 'csv' && !$json.error }}`, { once: true }),
      code('Count and judge'),
      code('Page'),
      show('Show the page', '={{ $json.text ?? $json.html }}', {
        status:
          "={{ $('What was asked').first().json.view === 'csv' && !$json.fileName ? 503 : 200 }}",
        type: "={{ $json.fileName ? 'text/csv' : 'text/html' }}; charset=utf-8",
        file: '={{ $json.fileName ? `attachment; filename="${$json.fileName}"` : \'inline\' }}',
      }),
    ],
    ['As a file?', code('Rows as CSV'), 'Show the page'],
    [
      'One number or message?',
      reads('Messages of the number', 'SELECT sms.messages_of($1::json) AS shown', [ASKED]),
      code('Message page'),
      'Show the page',
    ],
  ),
  lane(
    `## The status · 状态
*Days*: the upkeep counts them every 5 minutes. 每日数字由维护工作流每 5 分钟统计。`,
    [
      page('Status page is opened', 'sms-status'),
      call('Does the inbox answer?', 'sms-inbox', { once: true, always: true, goOn: true }),
      sizes('Sizes'),
      saidOf('Does the service answer?', 'balance'),
    ],
    [
      'Status page is opened',
      look('Who has subscribed', 'sms.subscribers'),
      reads('Rules', 'SELECT * FROM sms.rules_in_force'),
      look('Heartbeats', 'sms.heartbeats'),
      reads('Opt-outs in all', OPTED_OUT),
    ],
    [
      'Status page is opened',
      reads('Days', 'SELECT * FROM sms.days ORDER BY day DESC LIMIT 14'),
      reads('Not sent', 'SELECT * FROM sms.unsent'),
      look('Thresholds of the status', 'sms.thresholds'),
    ],
    [
      'Status page is opened',
      code('Lights'),
      code('Status page'),
      show('Show the status page', '={{ $json.html }}'),
    ],
  ),
  lane(
    `### Failed pulls · 拉取失败
n8n starts this line when a pull of the inbox fails: this workflow is the *Error Workflow* in the inbox's settings. If you choose another there, the page does not know of failed pulls.
收件箱拉取失败时，n8n 启动这一行，因为本工作流是收件箱的 *Error Workflow*。换成别的，状态页就不知道拉取失败了。`,
    [base('errorTrigger', 'A pull has failed', {}), code('Remember the failed pull')],
  ),
);
