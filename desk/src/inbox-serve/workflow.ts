import {
  base,
  call,
  called,
  code,
  every,
  get,
  lane,
  only,
  split,
  update,
  when,
  workflow,
  heartbeat,
} from '../parts';

const CLAIM = "$('Claim').first().json";

/** How many minutes the last claim was for, if it was never ended: an end writes both times at once. */
const LAST_CLAIM = '((new Date($json.free_at) - new Date($json.updatedAt)) / 60000 || 0)';

const theHolder = {
  id: `={{ ${CLAIM}.id }}`,
  free_at: `={{ ${CLAIM}.free_at }}`,
};

export default workflow(
  {
    name: 'Inbox: serve',
    about: `## SMS · Inbox: serve · 分发
Hands the stored records to the workflows that want them. Each subscriber has a cursor in *sms.subscribers*, \`read_to\`: the last row that it has taken. The inbox calls this behind its last page; every minute it looks by itself. Publish it before the inbox. To end a subscription, unpublish the workflow and delete its row in *sms.subscribers*.
把存好的记录分给订阅的工作流。每个订阅的工作流在 *sms.subscribers* 里有一行，\`read_to\` 是已经取到的那一行的 ID。收件箱存完最后一页就调用它，它自己每分钟也看一次。先于收件箱发布。不再订阅：取消发布那个工作流，再删掉它在 *sms.subscribers* 的那一行。`,

    settings: { saveDataSuccessExecution: 'none' },
  },
  lane(
    `## All subscribers · 全部订阅者
Each in an execution of its own, so one that fails or hangs keeps nothing from the others. 各用一个执行，互不影响。`,
    [every('Every minute', 1, 'minutes'), heartbeat('Inbox: serve', 1)],
    [
      'Every minute',
      get(
        'Free subscribers',
        'sms.subscribers',
        { 'free_at <=': '={{ $now.toISO() }}' },
        { order: 'id', once: true },
      ),
      [base('splitInBatches', 'One subscriber at a time', { options: {} }), 1],
      call('Serve in an execution of its own', '={{ $workflow.id }}', { waits: false }),
      'One subscriber at a time',
    ],
  ),
  lane(
    [
      `## One subscriber · 一个订阅者
It gets up to 1,000 rows in one call; the cursor moves when its execution has succeeded. If it fails, \`reason\` and \`since\` say why and since when, and the next minute tries again. *Claim* takes its row: for 10 minutes, and if that was never ended, for 20, then 40, up to a day. Its end, a start of n8n, or publishing it again ends the claim. A row can come twice: with the same *id*.
每次最多 1,000 行，执行成功后 \`read_to\` 才前移。失败时 \`reason\`、\`since\` 记下原因和时间，下一分钟再试。*Claim* 占住它的行 10 分钟，一直没结束就 20、40 分钟，最长一天；执行结束、n8n 启动或重新发布则释放。同一行可能来两次，*id* 相同。`,
      `## No row is skipped · 不漏行
On PostgreSQL a row can appear behind one with a higher ID. So nothing behind a gap in the IDs is handed over until the gap is a minute old. A new subscriber begins with what comes after it.
在 PostgreSQL 里，ID 较小的行可能后出现，所以 ID 有空缺时等一分钟再往后分。新订阅的，从订阅之后的记录开始。`,
    ],
    [
      called('Called by the inbox or itself'),
      when('Is it for one subscriber?', '={{ Boolean($json.workflow_id) }}', { once: true }),
      update(
        'Claim',
        'sms.subscribers',
        { id: '={{ $json.id }}', 'free_at <=': '={{ $now.toISO() }}' },
        {
          free_at: `={{ $now.plus({ minutes: Math.min(1440, Math.max(10, 2 * ${LAST_CLAIM})) }).toISO() }}`,
          since: '={{ $json.since ?? $now.toISO() }}',
        },
        { tries: 3 },
      ),
      get(
        'Newest row',
        'sms.inbox',
        {
          'createdAt <':
            '={{ $json.read_to === null ? new Date(Date.parse($json.createdAt) - 60000).toJSON() : $now.plus({ days: 1 }).toISO() }}',
        },
        { order: 'id desc', limit: 1, always: true },
      ),
      get(
        'Rows behind the cursor',
        'sms.inbox',
        {
          'id >': `={{ ${CLAIM}.read_to <= ($json.id ?? 0) ? ${CLAIM}.read_to ?? $json.id ?? 0 : 0 }}`,
        },
        { order: 'id', limit: 1000, always: true },
      ),
      code('Rows to hand over', { errors: true }),
      // Without rows there is no item, and so no hand-over.
      split('One item per row', 'rows'),
      [call('Hand over', `={{ ${CLAIM}.workflow_id }}`, { errors: true }), 1],
      update(
        'Note why not',
        'sms.subscribers',
        theHolder,
        { reason: '={{ $json.error }}', free_at: '={{ $now.toISO() }}' },
        { once: true, tries: 5, pause: 5 },
      ),
    ],
    [['Rows to hand over', 1], 'Note why not'],
    [
      'Rows to hand over',
      only('Did it succeed?', "={{ !$('Note why not').isExecuted }}", { once: true }),
      update(
        'Move the cursor',
        'sms.subscribers',
        theHolder,
        {
          read_to: "={{ $('Rows to hand over').first().json.up_to }}",
          free_at: '={{ $now.toISO() }}',
          since: null,
          reason: '',
        },
        { tries: 5, pause: 5 },
      ),
      only(
        'May there be more?',
        "={{ $('Hand over').isExecuted || $('Rows behind the cursor').all().length === 1000 }}",
      ),
      call('Go on', '={{ $workflow.id }}', { waits: false }),
    ],
    [['Is it for one subscriber?', 1], 'Free subscribers'],
  ),
);
