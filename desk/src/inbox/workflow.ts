import { callOf } from '../../../builder/expression';
import { STOP_WORDS } from '../../../builder/code/replies';
import {
  call,
  called,
  fields,
  get,
  insertAll,
  lane,
  list,
  ofItem,
  onRecord,
  only,
  posted,
  settings,
  remove,
  split,
  upsert,
  when,
  workflow,
} from '../parts';

/** A call of a function of this folder. */
const run = (module: 'rows' | 'pushed' | 'new-rows', name: string, ...values: string[]) =>
  callOf(`desk/src/inbox/${module}`, name, ...values);

const BODY = "$('Pushed reports and replies').first().json.body";
const ROWS = "$('Rows').first().json.rows";

/** The fields of the items of a node. */
const allOf = (node: string) => `${node}.all().map(({ json }) => json)`;

/** Those of a page that are not stored yet. */
const NOT_STORED = run('new-rows', 'notStored', ROWS, allOf("$('Page stored already?')"));

const FIRST = { limit: 1, once: true, always: true };

/** However large the table is, a look takes no longer. */
const RECENT = { 'id >': "={{ ($('Newest row').first().json.id ?? 0) - 20000 }}" };

export default workflow(
  {
    name: 'Inbox',
    about: `## SMS · Inbox · 收件箱
The only workflow with the SMS trigger, because a pull takes the records out of the service. It stores them in *sms.inbox*, keeps the opt-out list, and hands them to its *subscribers*, workflows that subscribe when they are published. Publish *SMS · Upkeep* and *SMS · Inbox: serve* first.
只有它有短信触发器，因为拉取会把记录从服务商取走。它把记录存进 *sms.inbox*，管退订名单，再分给订阅的工作流（它们发布时订阅）。先发布 *SMS · Upkeep* 和 *SMS · Inbox: serve*。`,
    setUp: `## Set up here · 设置
Choose your credential below and publish. Does your SMS provider push? Choose a Header Auth credential in *Pushed reports and replies*, with the header that the provider sends, and give it the production address of that node. Samples of a test in the editor are not stored.
在下面选凭据并发布。服务商主动推送的：在 *Pushed reports and replies* 里选 Header Auth 凭据（服务商会带的请求头），把该节点的 Production URL（正式地址）给服务商。编辑器里测试用的样例不存。`,

    settings: {
      saveDataSuccessExecution: 'none',
      errorWorkflow: 'sms-dashboard',
      executionTimeout: 540,
    },
  },
  lane(
    [
      `## Store first · 先保存
One execution per page of records. A page that was not stored for any reason (n8n stopped, table full) comes again, whole or each record alone, with its number behind the ID of the page. So everything before *Store* can be done twice, and no Code node is in front of it: those fail while n8n stops. *Store* is one step: all rows of a page, or none. n8n runs branches from top to bottom: keep their order, with *Store* the lowest.
一页记录一个执行。没存下来的（n8n 停止、表满）会再来：整页，或者一条一条来，页的 ID 后面加序号。所以 *Store* 之前的步骤都能重做，也不用 Code 节点，因为 n8n 停止时 Code 节点会失败。*Store* 要么存整页，要么都不存。n8n 从上往下执行分支，请保持顺序，*Store* 在最下面。`,
      `## Set up here: stop and start words · 退订词
A reply that is nothing but a stop word puts its number on *sms.opt_outs*; a start word takes it off. Case, punctuation, emoji, full-width letters, 回复 before it and thanks do not matter. Add words that your messages announce, such as N; 取消 is not one: it may mean an order. The latest word by its time counts. Replies are pulled once a minute: a number can still get what is sent in that minute. By hand: on the page of *SMS · Opt-outs*.
上行里只有退订词的，号码记入 *sms.opt_outs*；只有恢复词的，移出。大小写、标点、表情、全角、前面的“回复”和道谢都不影响。短信里写了“回复 N 退订”的，加上 N；“取消”不算，因为可能指取消订单。以时间最晚的为准。每分钟拉取一次，这一分钟里还可能发给该号码。手工增删：用 *SMS · Opt-outs* 的网页。`,
      `### Pushed records · 推送的记录
For providers that send records to an address of yours, as \`{"count": 2, "data": [ … ]}\`, as a list, or one at a time. What is among the latest 20,000 rows is not stored again. The answer is 200 only when everything is stored.
服务商主动推送的：\`{"count": 2, "data": [ … ]}\`、数组或单条记录。最近 20,000 行里已有的不再存。全部存好才返回 200。`,
    ],
    [
      onRecord('New reports and replies', {
        pollTimes: { item: [{ mode: 'everyMinute' }] },
        events: ['deliveryReport', 'reply'],
        options: { repeatFailed: true },
      }),
      // n8n takes half a millisecond for an expression: one makes all rows. A node that runs once has one item as
      // $input.
      fields(
        'Rows',
        {
          rows: list(
            `={{ ${run('rows', 'rowsOf', '$($prevNode.name).all($prevNode.outputIndex, $prevNode.runIndex).map(({ json }) => json)', 'DateTime', '$now', '$execution.id')} }}`,
          ),
        },
        { once: true },
      ),
      get('Newest row', 'sms.inbox', {}, { order: 'id desc', ...FIRST }),
      get(
        'Page stored already?',
        'sms.inbox',
        { ...RECENT, 'run like': "={{ $('Rows').first().json.rows[0].run.split('/')[0] }}%" },
        { order: 'id', once: true, always: true },
      ),
      get(
        'Anything pushed lately?',
        'sms.inbox',
        { ...RECENT, 'run like': 'push-%' },
        { order: 'id', ...FIRST },
      ),
    ],
    [
      posted(
        'Pushed reports and replies',
        'sms-push',
        { responseData: 'noData' },
        { called: 'SMS desk: push' },
      ),
      fields('List of records', {
        value: list(
          `={{ ${run('pushed', 'recordsIn', BODY, `'push-' + JSON.stringify(${BODY}).hash('sha256')`, 'DateTime', '$now')} }}`,
        ),
      }),
      split('One item per record', 'value'),
      'Rows',
    ],
    [
      'Rows',
      only('Only new records', `={{ ${NOT_STORED}.length > 0 }}`),
      only(
        'Was it pushed or pulled?',
        "={{ $json.rows[0].run.startsWith('push-') || Boolean($('Anything pushed lately?').first().json.id) }}",
      ),
      fields('Times of the records', {
        times: list(`={{ ${run('new-rows', 'stretchesOf', ROWS)} }}`),
      }),
      split('One item per time', 'times'),
      get('Rows of these times', 'sms.inbox', {
        ...RECENT,
        // n8n reads a thousand at a time, and fails if there are more at the next.
        'id <=': "={{ $('Newest row').first().json.id ?? 0 }}",
        'time >=': '={{ $json.from }}',
        'time <=': '={{ $json.to }}',
      }),
    ],
    [
      'Only new records',
      settings('Stop and start words', { stop_words: STOP_WORDS, start_words: 'START, 恢复' }),
      fields('New records', {
        rows: list(
          `={{ ${run('new-rows', 'newRows', NOT_STORED, `$('Rows of these times').isExecuted ? ${allOf("$('Rows of these times')")} : []`, '$json')} }}`,
        ),
      }),
      fields('What the replies say', {
        words: list(
          `={{ $json.rows.filter((row) => row.says).map(({ phone_number, content: word, time: since, says }) => ({ phone_number, word, since, says })) }}`,
        ),
      }),
      split('Stop or start', 'words'),
    ],
    [
      'Stop or start',
      get(
        'Later replies of the number',
        'sms.inbox',
        {
          ...RECENT,
          phone_number: '={{ $json.phone_number }}',
          ...{ event: 'reply', 'says filled': true },
          'time >': '={{ $json.since }}',
        },
        { order: 'id' },
      ),
    ],
    [
      'Stop or start',
      only(
        'Last word of each number',
        `={{ !$input.all().some(({ json }, index) => json.phone_number === $json.phone_number && (json.since > $json.since || (json.since === $json.since && index > $itemIndex))) && !$('Later replies of the number').all().some(({ pairedItem }) => pairedItem.item === $itemIndex) }}`,
      ),
      when('A stop word?', "={{ $json.says === 'stop' }}"),
      upsert('Put on the opt-out list', 'sms.opt_outs', ofItem('phone_number', 'word', 'since'), {
        tries: 3,
      }),
    ],
    [
      ['A stop word?', 1],
      remove(
        'Take off the opt-out list',
        'sms.opt_outs',
        { ...ofItem('phone_number'), 'since <=': '={{ $json.since }}' },
        { tries: 3 },
      ),
    ],
    [
      'New records',
      split('One item per row', 'rows'),
      // Not tried again here: if its answer was lost, the rows are there. The page comes again, and is looked for.
      insertAll('Store', 'sms.inbox'),
      only('Is it the last page?', "={{ $('Rows').first().json.rows.length < 100 }}", {
        once: true,
      }),
      call('Serve the subscribers', 'sms-inbox-serve', { waits: false, once: true }),
    ],
  ),
  lane([], [called('Asked by the status page')]),
);
