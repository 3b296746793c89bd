import {
  ONLY_FAILURES,
  call,
  claim,
  code,
  every,
  get,
  lane,
  missing,
  num,
  OF_RANGE,
  ofItem,
  only,
  settings,
  sms,
  update,
  when,
  workflow,
  heartbeat,
} from '../parts';
import { WHY, why } from '../common/messages/reasons';

const pendingRows = (campaign: string) => ({
  ...{ campaign, status: 'pending' },
  'changed <': '={{ $now.minus({ minutes: 1 }).toISO() }}',
});

export default workflow(
  {
    name: 'Campaign: send',
    about: `## Campaigns: send · 群发：发送
Every 10 seconds, a portion goes through the outbox; running campaigns take turns. The outbox leaves out who opted out, keeps hours and limits, and sends to each number once per campaign. After a crash no row is sent twice: what was under way is unknown until a delivery report tells. *SMS · Campaign: load* takes a spreadsheet, *SMS · Campaign: page* shows and starts it.
每 10 秒把一批交给发件箱，几个群发轮流。发件箱不发给退订的，遵守时段和限额，同一次群发一个号码只发一次。崩溃后不重发：正在发的结果未知，等状态报告。*SMS · Campaign: load* 导入表格，在 *SMS · Campaign: page* 的网页上查看和开始。`,
    setUp: `## Set up here · 设置
1. Select your credential in *Read the balance*. 选凭据。
2. **Settings:** \`portion_size\` is the pace (100 every 10 seconds: 600 a minute). If one takes longer, up to \`portions_at_once\` go side by side: what is under way in a crash stays unknown. Below \`stop_below_balance\` nothing is sent. 每批条数决定速度；一批超过 10 秒时，最多 \`portions_at_once\` 批同时发；崩溃时正在发的结果未知；余额低于 \`stop_below_balance\` 就不发。
3. Hours and limits: the row *marketing* of *sms.rules*. 时段和限额：表 *sms.rules* 的 *marketing* 行。
4. Publish behind *SMS · Inbox* and *SMS · Outbox*. 在收件箱和发件箱之后发布。`,
    tryIt: `## Try it · 试一下
Press **Execute workflow**: it sends the next portion now, if a campaign runs. 有群发在进行时，马上发下一批。`,
    settings: ONLY_FAILURES,
  },
  lane(
    [
      `## One look, one portion · 看一次，发一批
The campaign whose latest turn is longest ago comes first. *Claim the portion* gives back the rows that it has claimed: each row belongs to one execution. A campaign with nothing left and nothing under way is done.
最久没轮到的群发先发。*Claim the portion* 返回它占住的行：一行只属于一个执行。没有待发的，也没有正在发的，群发就完成了。`,
      `## After the send · 发完之后
If a portion had no accepted message, and not because of its recipients, the campaign pauses for 1 minute, then 2, 4, 8 and 16. Then ten rows are tried. Rows of *Send them again* go under a key of their own; the outbox sends no other row again.
一批里一条也没受理，又不是收件人的原因，就暂停 1、2、4、8、16 分钟，之后先试十条。重发的行用自己的键；其余的，发件箱不会再发。`,
    ],
    [every('Every 10 seconds', 10, 'seconds'), heartbeat('Campaign: send', 1)],
    [
      'Every 10 seconds',
      settings(
        'Settings',
        {
          ...{ portion_size: num(100), stop_below_balance: num(1000), minutes_under_way: num(5) },
          portions_at_once: num(4),
        },
        { once: true },
      ),
      update(
        'Give up rows under way',
        'sms.recipients',
        {
          status: 'sending',
          'changed <':
            "={{ $now.minus({ minutes: $('Settings').first().json.minutes_under_way }).toISO() }}",
        },
        {
          status: 'unknown',
          ...why('interrupted'),
          changed: '={{ $now.toISO() }}',
        },
        { always: true, gives: [] },
      ),
      update(
        'Campaigns',
        'sms.campaigns',
        { state: ['running', 'draft', 'incomplete', 'paused'] },
        {
          portion_size: "={{ $('Settings').first().json.portion_size }}",
          keep_balance: "={{ $('Settings').first().json.stop_below_balance }}",
          ticked_at: '={{ $now.toISO() }}',
        },
        { once: true, any: true },
      ),
      /** So many rows that there is one of each portion, or of as many portions as may be under way. */
      get(
        'Rows under way',
        'sms.recipients',
        { status: 'sending' },
        {
          ...{ once: true, always: true, gives: ['campaign', 'portion'] },
          limit:
            "={{ ($('Settings').first().json.portions_at_once - 1) * $('Settings').first().json.portion_size + 1 }}",
        },
      ),
      get('Rules', 'sms.rules', {}, { once: true, always: true }),
      code('Whose turn?'),
      get('First row of each', 'sms.recipients', pendingRows('={{ $json.campaign }}'), {
        order: 'id',
        limit: 1,
      }),
      sms('Read the balance', { resource: 'balance', operation: 'get' }, { once: true }),
      when(
        'Enough left?',
        "={{ Number($json.balance) >= $('Settings').first().json.stop_below_balance }}",
      ),
      /** It may be paused by now. */
      update(
        'Choose the campaign',
        'sms.campaigns',
        { campaign: "={{ $('First row of each').first().json.campaign }}", state: 'running' },
        { served_at: '={{ $now.toISO() }}' },
        { once: true },
      ),
      /** After a pause, a small portion shows whether the service accepts messages again. */
      claim(
        'Claim the portion',
        pendingRows("={{ $('Choose the campaign').first().json.campaign }}"),
        {
          status: 'sending',
          portion: '={{ $execution.id }}',
          changed: '={{ $now.toISO() }}',
          sent_at: '={{ $now.toISO() }}',
        },
        {
          limit:
            "={{ $('Choose the campaign').first().json.tries ? 10 : $('Settings').first().json.portion_size }}",
          most: "={{ $('Settings').first().json.portions_at_once }}",
        },
      ),
      get(
        'Resends',
        'sms.resends',
        {
          'recipient >=': "={{ $('Claim the portion').first().json.id }}",
          'recipient <=': "={{ $('Claim the portion').last().json.id }}",
        },
        { order: 'id', once: true, always: true, tries: 5 },
      ),
      code('Messages'),
      call('Send through the outbox', 'sms-outbox', { always: true, goOn: true }),
      code('Outcomes'),
      update(
        'Settle the portion',
        'sms.recipients',
        {
          portion: '={{ $execution.id }}',
          status: 'sending',
          ...OF_RANGE,
        },
        { ...ofItem('status', 'batch_id', ...WHY), changed: '={{ $now.toISO() }}' },
        // A database may be away for a while. What was not settled is unknown.
        { together: true, tries: 5, pause: 5 },
      ),
    ],
    [
      'Whose turn?',
      only('Nothing of it under way', '={{ !$json.under_way }}'),
      missing('Is nothing left?', 'sms.recipients', {
        campaign: '={{ $json.campaign }}',
        status: 'pending',
      }),
      /** Not if it had a turn since: what is under way may become pending again. */
      update(
        'Mark it as done',
        'sms.campaigns',
        {
          id: '={{ $json.id }}',
          state: 'running',
          served_at: '={{ $json.served_at }}',
          'loaded_at <': '={{ $now.minus({ minutes: 2 }).toISO() }}',
        },
        { state: 'done' },
      ),
    ],
    [
      'Outcomes',
      /** Of portions that went side by side, the first one that ends decides: a late one does not end its pause. */
      update(
        'Set the pause',
        'sms.campaigns',
        {
          id: "={{ $('Choose the campaign').first().json.id }}",
          tries: "={{ $('Choose the campaign').first().json.tries ?? null }}",
        },
        ofItem('tries', 'until', 'cause', 'cause_code', 'cause_values'),
        { once: true, tries: 5 },
      ),
    ],
  ),
);
