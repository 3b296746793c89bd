import { VERSION } from '../declared';
import { HELD, ONLY_FAILURES, every, heartbeat, lane, look, runs, workflow } from '../parts';

export default workflow(
  {
    name: 'Upkeep',
    about: `## SMS · Upkeep · 维护
Counts by day, and keeps room: every 5 minutes the oldest rows go, those older than 90 days, and so many that the tables take no more than 20,000 MB. What is not sent yet stays, and all of today and yesterday.
按天统计，清理空间：每 5 分钟删最旧的行，超过 90 天的，以及超出 20,000 MB 的。还没发的，和今天、昨天的，都保留。`,
    setUp: `## Set up here · 设置
1. A row \`keep_days\` or \`keep_megabytes\` of *sms.thresholds* changes how much is kept. 往 *sms.thresholds* 加一行 \`keep_days\` 或 \`keep_megabytes\`，改保留多少。
2. Publish this behind *SMS · Schema*. 在 *SMS · Schema* 之后发布它。`,
    tryIt: `## Try it · 试一下
Press *Execute workflow*: it counts and cleans up. 执行一次：统计并清理。`,
    settings: { ...ONLY_FAILURES, executionTimeout: 540 },
  },
  lane(
    `## Figures by day, and room · 每日统计和空间
*sms.upkeep* counts the rows of today and yesterday into *sms.days*, which stays when rows go. Sizes are estimated: PostgreSQL keeps the room of deleted rows for a while, so leave as much again free on the disk.
*sms.upkeep* 把今天和昨天的行数记进 *sms.days*，行删了它还在。大小是估算：PostgreSQL 删行后空间不会马上释放，磁盘上请再留出一倍。`,
    [every('Every 5 minutes', 5, 'minutes'), heartbeat('Upkeep', 5)],
    [
      'Every 5 minutes',
      look('Thresholds', 'sms.thresholds'),
      runs(
        'Count, and make room',
        {
          query: `SELECT sms.upkeep(version => ${VERSION}, days => $1::float8, megabytes => $2::float8, zone => $3) AS rows_gone`,
          values: [`${HELD}.keep_days`, `${HELD}.keep_megabytes`, '$now.zoneName'],
        },
        { once: true, tries: 3 },
      ),
    ],
  ),
);
