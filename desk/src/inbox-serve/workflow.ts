import {
  base,
  call,
  called,
  every,
  heartbeat,
  lane,
  only,
  runs,
  split,
  when,
  workflow,
  type Statement,
} from '../parts';
import { VERSION } from '../declared';

const CLAIM = "$('Claim').first().json";

/** Ends the claim. @param failure an expression of why its rows were not taken */
const served = (failure: string): Statement => ({
  query: `SELECT sms.inbox_served(version => ${VERSION}, asked => $1::integer, claim => $2::timestamptz, up_to => $3::integer, failure => $4)`,
  values: [`${CLAIM}.id`, `${CLAIM}.free_at`, `${CLAIM}.up_to`, failure],
});

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
      runs(
        'Subscribers to serve',
        { query: 'SELECT * FROM sms.subscribers WHERE free_at <= clock_timestamp() ORDER BY id' },
        { once: true, tries: 3 },
      ),
      [base('splitInBatches', 'For each subscriber', { options: {} }), 1],
      call('Serve in an execution of its own', '={{ $workflow.id }}', { waits: false }),
      'For each subscriber',
    ],
  ),
  lane(
    [
      `## One subscriber · 一个订阅者
It gets up to 1,000 rows in one call; the cursor moves when its execution has succeeded. If it fails, \`reason\` and \`since\` say why and since when, and the next minute tries again. *Claim* takes its row, at most for a day (*Ask and wait*: 10 minutes). The end of the execution, a start of n8n, or publishing it again ends the claim. A row can come twice: with the same *id*. A new subscriber begins with what comes after it. *Did it succeed?* runs last because it stands below: do not move it.
每次最多 1,000 行，执行成功后 \`read_to\` 才前移。失败时 \`reason\`、\`since\` 记下原因和时间，下一分钟再试。*Claim* 占住它的行，最长一天（*Ask and wait* 是 10 分钟）；执行结束、n8n 启动或重新发布则释放。同一行可能来两次，*id* 相同。新订阅的，从订阅之后的记录开始。*Did it succeed?* 因为位置在下而最后运行，请不要移动。`,
    ],
    [
      called('Called by the inbox or itself'),
      when('Is it for one subscriber?', '={{ Boolean($json.workflow_id) }}', { once: true }),
      runs(
        'Claim',
        {
          query: `SELECT * FROM sms.inbox_claim(version => ${VERSION}, asked => $1::integer)`,
          values: ['$json.id'],
        },
        { tries: 3 },
      ),
      // Without rows there is no item, and so no hand-over.
      split('One item per row', 'rows'),
      [call('Hand over', `={{ ${CLAIM}.workflow_id }}`, { errors: true }), 1],
      runs('Store why it failed', served('$json.error'), { once: true, tries: 5, pause: 5 }),
    ],
    [
      'Claim',
      only('Did it succeed?', "={{ !$('Store why it failed').isExecuted }}"),
      runs('Move the cursor', served('null'), { tries: 5, pause: 5 }),
      only('May there be more?', `={{ ${CLAIM}.seen > 0 }}`),
      call('Go on', '={{ $workflow.id }}', { waits: false }),
    ],
    [['Is it for one subscriber?', 1], 'Subscribers to serve'],
  ),
);
