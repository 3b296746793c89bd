import {
  ONLY_FAILURES,
  button,
  call,
  choose,
  code,
  get,
  goTo,
  lane,
  remove,
  runs,
  show,
  unless,
  update,
  when,
  workflow,
} from '../parts';
import { said } from '../common/messages/reasons';
import type { Statement } from '../postgres';
import { VERSION } from '../declared';

/** Notes which button was pressed, and the name of the login, never its password. The latest 20 stay. */
const pressNoted: Statement = {
  query: `UPDATE sms.campaigns SET presses = concat_ws(E'\\n', $2, array_to_string((string_to_array(presses, E'\\n'))[1:19], E'\\n')) WHERE id = $1::integer`,
  values: [
    "$json.token === undefined ? 0 : $('Button is pressed').first().json.body.campaign",
    "JSON.stringify([$now.toMillis(), String($('Button is pressed').first().json.body.action).slice(0, 20), String($('Button is pressed').first().json.headers?.authorization ?? '').replace(/^Basic /i, '').base64Decode().split(':')[0].slice(0, 100)])",
  ],
};

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
      `## Send one to me · 先发一条给我
A notice with the first recipient's values, under the token as key: one click, one SMS. 按通知类发，用第一个收件人的内容；点一次只发一条。`,
      `## Send again what was not sent · 重发没发出去的
What your rules refused, or the service rejected, becomes pending. 被规则拦下的、被服务商拒绝的，改为待发。`,
      `## Send the unknown again · 重发结果未知的
*sms.send_unknown_again* takes only those that the page has told of. One that was accepted after all is settled instead. The others rest for a minute: a report that comes takes its row out.
*sms.send_unknown_again* 只重发页面上说过的。其实已受理的，直接记为已受理；其余的等一分钟，这时来了状态报告的不再发。`,
    ],
    [
      button('Button is pressed', 'sms-campaign-buttons'),
      remove(
        'Use the token',
        'sms.tokens',
        {
          token: "={{ typeof $json.body.token === 'string' ? $json.body.token : '' }}",
          page: "={{ 'sms-campaign:' + (typeof $json.body.campaign === 'string' ? $json.body.campaign : '') }}",
          'createdAt >=': '={{ $now.minus({ days: 1 }).toISO() }}',
        },
        { always: true },
      ),
      runs('Note the press', pressNoted, { once: true, always: true, goOn: true }),
      code('What to do', { once: true }),
      choose('Which button?', {
        Outdated: "={{ $json.kind === 'outdated' }}",
        Change: "={{ $json.kind === 'change' }}",
        Test: "={{ $json.kind === 'test' }}",
        Again: "={{ $json.kind === 'again' }}",
        Resend: "={{ $json.kind === 'resend' }}",
      }),
      show('Say that it is outdated', '={{ $json.page }}', { status: 409 }),
    ],
    [
      ['Which button?', 2],
      get('Campaign of the button', 'sms.campaigns', { id: '={{ $json.campaign }}' }, { limit: 1 }),
      get(
        'Its first recipient',
        'sms.recipients',
        { campaign: '={{ $json.campaign }}', status: 'pending' },
        { order: 'id', limit: 1, always: true },
      ),
      code('One message'),
      call('Send through the outbox', 'sms-outbox', { always: true, goOn: true }),
      goTo(
        'Back to the page',
        "={{ $('What to do').first().json.address }}{{ $('Send through the outbox').isExecuted ? '&test=' + ($json.status ?? 'failed') + '&row=o' + ($json.outbox_id ?? '') : '' }}{{ $('Change the state').isExecuted && !$json.id ? '&changed=yes' : '' }}",
        { once: true },
      ),
    ],
    [
      ['Which button?', 1],
      update(
        'Change the state',
        'sms.campaigns',
        {
          id: '={{ $json.campaign }}',
          state: '={{ $json.from }}',
          'loaded_at ={{ $json.condition }}': '={{ $json.loaded }}',
        },
        { state: '={{ $json.to }}', until: '={{ $json.until }}' },
        { always: true, choices: ['=', 'filled'] },
      ),
      when('Does it go?', "={{ !!$json.id && $('What to do').first().json.goes }}", { once: true }),
      remove(
        'Remove its rows',
        'sms.recipients',
        { campaign: '={{ $json.campaign }}', 'sent_at empty': true },
        { always: true, tries: 5, gives: [] },
      ),
      remove(
        'Remove the campaign',
        'sms.campaigns',
        { id: "={{ $('What to do').first().json.campaign }}", state: 'stopped' },
        { once: true, always: true, tries: 5 },
      ),
      goTo(
        'Back to the list',
        "={{ $('What to do').first().json.address.replace(/campaign=\\d+&?/, '').replace(/\\?$/, '') }}",
        { once: true },
      ),
    ],
    [['Does it go?', 1], 'Back to the page'],
    [
      ['Which button?', 3],
      get(
        'Campaign of the rows',
        'sms.campaigns',
        { id: '={{ $json.campaign }}', 'state !=': 'stopped' },
        { limit: 1 },
      ),
      ...['refused', 'rejected'].map((status) =>
        update(
          `Make the ${status} pending`,
          'sms.recipients',
          {
            campaign: "={{ $('Campaign of the rows').first().json.campaign }}",
            status,
            'batch_id empty': true,
          },
          { status: 'pending', portion: '', ...said() },
          { once: true, always: true, gives: [] },
        ),
      ),
      update(
        'Run it again',
        'sms.campaigns',
        { id: "={{ $('What to do').first().json.campaign }}", state: 'done' },
        { state: 'running', until: null },
        { once: true, always: true },
      ),
      'Back to the page',
    ],
    [
      ['Which button?', 4],
      runs('Send them again', {
        query: `SELECT sms.send_unknown_again(${VERSION}, $1::integer, $2::integer, $3::timestamptz, $4) AS done`,
        values: ['campaign', 'rows', 'changed', 'token'].map((each) => `$json.${each}`),
      }),
      unless('Was it done?', '={{ $json.done }}'),
      show('Say that they are others', "={{ $('What to do').first().json.page }}", { status: 409 }),
    ],
    ['Was it done?', 'Back to the page'],
  ),
);
