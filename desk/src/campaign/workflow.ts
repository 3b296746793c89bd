import {
  ONLY_FAILURES,
  call,
  code,
  every,
  heartbeat,
  lane,
  num,
  runs,
  settings,
  sms,
  when,
  workflow,
} from '../parts';
import { VERSION } from '../declared';

const SETTINGS = "$('Settings').first().json";

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
*sms.campaign_turn* says whose turn it is: the campaign whose latest turn is longest ago. *sms.campaign_take* claims its next rows: each belongs to one execution. A campaign with nothing left and nothing under way is done.
*sms.campaign_turn* 选出最久没轮到的群发，*sms.campaign_take* 占住它接下来的行：一行只属于一个执行。没有待发的，也没有正在发的，群发就完成了。`,
      `## After the send · 发完之后
What becomes of a message, the outbox writes into its recipient too. If a portion had no accepted message, and not because of its recipients, the campaign pauses for 1 minute, then 2, 4, 8 and 16. Then ten rows are tried. Rows of *Send them again* go under a key of their own; the outbox sends no other row again.
短信的结果由发件箱同时写进收件人的行。一批里一条也没受理，又不是收件人的原因，就暂停 1、2、4、8、16 分钟，之后先试十条。重发的行用自己的键；其余的，发件箱不会再发。`,
    ],
    [every('Every 10 seconds', 10, 'seconds'), heartbeat('Campaign: send', 1)],
    [
      'Every 10 seconds',
      settings(
        'Settings',
        { portion_size: num(100), stop_below_balance: num(1000), portions_at_once: num(4) },
        { once: true },
      ),
      runs(
        'Whose turn?',
        {
          query: `SELECT * FROM sms.campaign_turn(version => ${VERSION}, settings => $1::json, zone => $2)`,
          values: [SETTINGS, '$now.zoneName'],
        },
        { once: true },
      ),
      sms('Read the balance', { resource: 'balance', operation: 'get' }, { once: true }),
      when('Enough left?', `={{ Number($json.balance) >= ${SETTINGS}.stop_below_balance }}`),
      runs(
        'Claim the portion',
        {
          query: `SELECT * FROM sms.campaign_take(version => ${VERSION}, asked => $1::integer, execution => $2, settings => $3::json)`,
          values: ["$('Whose turn?').first().json.id", '$execution.id', SETTINGS],
        },
        { once: true },
      ),
      code('Messages'),
      call('Send through the outbox', 'sms-outbox', { always: true, goOn: true }),
      runs(
        'Settle the portion',
        {
          query: `SELECT sms.campaign_settle(version => ${VERSION}, asked => $1::integer, execution => $2, portion_of => $3::json, answers => $4::json, zone => $5) AS settled`,
          values: [
            "$('Whose turn?').first().json.id",
            '$execution.id',
            "(({ tries, first, last }) => ({ tries, first, last }))($('Claim the portion').first().json)",
            "$('Send through the outbox').all().map(({ json }) => json).filter(({ outbox_id }) => !outbox_id)",
            '$now.zoneName',
          ],
        },
        // A database may be away for a while. Said again, nothing changes.
        { once: true, tries: 5, pause: 5 },
      ),
    ],
  ),
);
