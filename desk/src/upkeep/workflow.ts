import {
  ONLY_FAILURES,
  called,
  choose,
  code,
  every,
  get,
  lane,
  look,
  num,
  ofItem,
  remove,
  runs,
  settings,
  sms,
  unless,
  upsert,
  workflow,
} from '../parts';
import { TABLES } from '../tables';

/** The tables whose old rows go, if their status lets them. */
const GROWING = Object.entries(TABLES).flatMap(([name, { columns }]) =>
  'status' in columns ? name : [],
);

/** Asks the service for the template or the signature of an ID. */
const recordOf = (name: string, resource: 'template' | 'signature') =>
  sms(
    name,
    {
      ...{ resource, operation: 'get' },
      [`${resource}Id`]: { __rl: true, mode: 'id', value: '={{ $json.record_id }}' },
    },
    { goOn: true },
  );

export default workflow(
  {
    name: 'Upkeep',
    about: `## SMS · Upkeep · 维护
Looks up templates and signatures, counts by day, and keeps room. Every 5 minutes the oldest rows go: those older than \`days\`, and so many that the tables take no more than \`megabytes\`. What is not sent yet stays. At 80% of \`megabytes_of_disk\`, or with room for less than a day, status page and watchdog say so.
查模板和签名，按天统计，清理空间。每 5 分钟删最旧的行：超过 \`days\` 天的，以及超出 \`megabytes\` 的。还没发的保留。用到 \`megabytes_of_disk\` 的 80%，或剩下的空间不够一天，状态页和告警会提醒。`,
    setUp: `## Set up here · 设置
1. Select your credential in *Template* and *Signature*. 选凭据。
2. *How long to keep*: \`days\`, and room. \`megabytes_of_disk\` is what your database has for them. 保留多少天、多少 MB；\`megabytes_of_disk\` 是数据库留给这些表的空间。
3. Publish this behind *SMS · Schema*, then inbox and outbox. 在 *SMS · Schema* 之后发布它，再发布收件箱和发件箱。`,
    tryIt: `## Try it · 试一下
Press *Execute workflow* from *Every 5 minutes*: it cleans up and counts. 从 *Every 5 minutes* 执行：清理并统计。`,
    settings: { ...ONLY_FAILURES, executionTimeout: 540 },
  },
  lane(
    [
      `## What others ask for · 别的工作流来问
The outbox a template or a signature; status page and watchdog the sizes. 发件箱来问模板和签名，状态页和告警来问表的大小。`,
      `## Templates and signatures · 模板和签名
A name is asked for again after an hour at the earliest. 同一个名称至少隔一小时才再查。`,
      `## How full? · 占了多少
Estimated: newest ID less oldest, times what the newest 50 rows take. PostgreSQL keeps the room of deleted rows for a while: so \`megabytes\` is little more than half of \`megabytes_of_disk\`.
估算：最新 ID 减最旧 ID，乘以最新 50 行的平均大小。PostgreSQL 删行后空间不会马上释放，所以 \`megabytes\` 比 \`megabytes_of_disk\` 的一半略多。`,
      `## Figures by day · 每日统计
The sums stay in *sms.days* when rows go. The row of a day says how far each table is counted: after a crash nothing is counted twice or missed. Records count 2 minutes after they were stored, sends 11 minutes after they began.
行删了，合计还在 *sms.days*。每天的行记着各表数到哪里，崩溃后不重不漏。记录存好 2 分钟后、短信开始发送 11 分钟后计入。`,
    ],
    [
      called('Asked'),
      choose('What is asked for?', {
        Template: "={{ $json.want === 'template' }}",
        Signature: "={{ $json.want === 'signature' }}",
        Sizes: '={{ !$json.want }}',
      }),
      upsert(
        'Note that it is asked',
        'sms.templates',
        { kind: '={{ $json.want }}', record_id: '={{ $json.record_id }}' },
        { goOn: true },
      ),
    ],
    [['What is asked for?', 1], 'Note that it is asked'],
    [
      'What is asked for?',
      recordOf('Template', 'template'),
      code('What the service says'),
      upsert('Store the names', 'sms.templates', ofItem('kind', 'record_id', 'name', 'content'), {
        goOn: true,
      }),
    ],
    [['What is asked for?', 1], recordOf('Signature', 'signature'), 'What the service says'],
    [
      ['What is asked for?', 2],
      settings(
        'How long to keep',
        { days: num(90), megabytes: num(20_000), megabytes_of_disk: num(40_000) },
        { once: true },
      ),
      runs(
        'Tables that grow',
        {
          query: `SELECT name AS id, name FROM unnest('{${GROWING.join()}}'::text[]) AS name`,
          values: [],
        },
        { once: true, tries: 3 },
      ),
      get(
        'Newest rows',
        '={{ $json.name }}',
        {},
        { order: 'id desc', limit: 50, always: true, goOn: true, choices: GROWING },
      ),
    ],
    [
      every('Every 5 minutes', 5, 'minutes'),
      get(
        'Figures so far',
        'sms.days',
        {},
        { order: 'day desc', limit: 400, once: true, always: true },
      ),
      'How long to keep',
    ],
    [
      'Tables that grow',
      get(
        'Oldest row',
        '={{ $json.name }}',
        {},
        { order: 'id', limit: 1, always: true, goOn: true, choices: GROWING },
      ),
    ],
    [
      'Tables that grow',
      get(
        'Oldest row that may go',
        '={{ $json.name }}',
        { 'status !=': ['pending', 'sending', 'waiting'] },
        { order: 'id', limit: 1, always: true, goOn: true, choices: GROWING },
      ),
    ],
    [
      'Tables that grow',
      code('Sizes', { always: true }),
      unless('Only the sizes?', "={{ $('Asked').isExecuted }}", { once: true }),
      look(
        'First row that is waited for',
        'sms.subscribers',
        { 'read_to >=': '={{ 0 }}' },
        { order: 'read_to', limit: 1 },
      ),
      code('Rows to go'),
      remove(
        'Delete old rows',
        '={{ $json.name }}',
        {
          'id <': '={{ $json.below }}',
          'createdAt <': '={{ DateTime.fromMillis($json.before).toISO() }}',
          'status !=': ['pending', 'sending', 'waiting'],
        },
        { tries: 3, choices: GROWING },
      ),
    ],
    [
      ['Only the sizes?', 1],
      code('What is not counted'),
      get(
        'New rows',
        '={{ $json.table }}',
        { 'id >': '={{ $json.after }}', 'createdAt <': '={{ $json.before }}' },
        {
          ...{ order: 'id', limit: 3000, always: true, goOn: true },
          choices: ['sms.inbox', 'sms.outbox', 'sms.opt_outs'],
        },
      ),
      code('Day sums'),
      upsert(
        'Keep the figures',
        'sms.days',
        ofItem(
          ...(['day', 'sent', 'accepted', 'delivered', 'failed', 'replies', 'opt_outs'] as const),
          ...(['inbox_id', 'outbox_id', 'opt_outs_id'] as const),
        ),
        { tries: 3 },
      ),
    ],
    [
      'Every 5 minutes',
      /** Those of pages. That of a list whose load broke off stays: its campaign may have a number twice. */
      remove(
        'Delete old tokens',
        'sms.tokens',
        { 'createdAt <': '={{ $now.minus({ days: 1 }).toISO() }}', 'page like': 'sms-%' },
        { once: true, goOn: true },
      ),
    ],
  ),
);
