import {
  ONLY_FAILURES,
  button,
  call,
  choose,
  code,
  goTo,
  lane,
  runs,
  show,
  workflow,
} from '../parts';
import { VERSION } from '../declared';

export default workflow(
  {
    name: 'Campaign: buttons',
    about: `## Campaigns: buttons · 群发：按钮
What the buttons of *SMS · Campaign: page* do. Each needs the token of a page of its campaign that was opened in the last day, and uses it up. A change happens only from the right state: *Start*, at once or from a time on, and *Throw away* only from a draft that no list was loaded into since its page was opened, and a stopped campaign cannot go on.
处理群发页上的按钮。每次点击要带着一天内打开的那个群发页的令牌，用一次即失效。状态不对的不做：“开始发送”“删除草稿”只对页面打开后没有再导入名单的草稿有效；“停止”之后不能再继续。`,
    setUp: `## Set up here · 设置
Select the login of the page in *Button is pressed*, then publish. *SMS · Outbox* must be published. 选网页登录的凭据，再发布；发件箱也要发布。`,
    tryIt: `## Try it · 试一下
Open the page of a campaign, and press its buttons. 打开群发页，点按钮。`,
    settings: ONLY_FAILURES,
  },
  lane(
    [
      `## All or nothing · 要么全做，要么不做
*sms.campaign_press* uses the token up and does what its button says, once. It also notes which button was pressed, and the name of the login, never its password.
*sms.campaign_press* 用掉令牌，把按钮的事做完，只做一次；并记下按了哪个按钮、登录名（不记密码）。`,
      `## Send one to me · 先发一条给我
A notice with the first recipient's values, under the token as key: one click, one SMS. 按通知类发，用第一个收件人的内容；点一次只发一条。`,
    ],
    [
      button('Button is pressed', 'sms-campaign-buttons'),
      runs('Do it', {
        query: `SELECT * FROM sms.campaign_press(version => ${VERSION}, form => $1::json, login => $2)`,
        values: [
          '$json.body',
          "String($json.headers?.authorization ?? '').replace(/^Basic /i, '').base64Decode().split(':')[0]",
        ],
      }),
      code('What was done', { once: true }),
      choose('And now?', {
        Nothing: '={{ !!$json.page }}',
        Test: "={{ $json.did === 'test' }}",
        Done: '={{ true }}',
      }),
      show('Say that nothing was done', '={{ $json.page }}', { status: 409 }),
    ],
    [
      ['And now?', 1],
      code('One message'),
      call('Send through the outbox', 'sms-outbox', { always: true, goOn: true }),
      goTo(
        'Back to the page',
        "={{ $('What was done').first().json.address }}{{ $('Send through the outbox').isExecuted ? '&test=' + ($json.status ?? 'failed') + '&row=o' + ($json.outbox_id ?? '') : '' }}",
        { once: true },
      ),
    ],
    [['And now?', 2], 'Back to the page'],
  ),
);
