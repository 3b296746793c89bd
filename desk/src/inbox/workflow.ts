import { callOf } from '../../../builder/expression';
import { DOUBT_WORDS, STOP_WORDS } from '../../../builder/code/replies';
import { VERSION } from '../declared';
import {
  ALL_ITEMS,
  call,
  called,
  fields,
  lane,
  list,
  onRecord,
  only,
  posted,
  runs,
  settings,
  split,
  workflow,
} from '../parts';

const BODY = "$('Pushed reports and replies').first().json.body";

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
One execution per page of records. *Store* calls *sms.inbox_store*: it stores all rows of the page, or none, and changes the opt-out list with them. A page that was not stored for any reason (n8n stopped, table full) comes again, whole or each record alone, with its number behind the ID of the page; what is there is left out. No Code node is in front of it: those fail while n8n stops.
一页记录一个执行。*Store* 调用 *sms.inbox_store*：整页存入并同时改退订名单，要么都不做。没存下来的（n8n 停止、表满）会再来：整页，或者一条一条来，页的 ID 后面加序号；已有的不再存。前面不用 Code 节点，因为 n8n 停止时 Code 节点会失败。`,
      `## Set up here: stop and start words · 退订词
A reply that is nothing but a stop word puts its number on *sms.opt_outs*; a start word takes it off. Who only mentions one, or complains, is put there too, and *needs a reply*: take the number off on the page of *SMS · Opt-outs* if that was not meant. Case, punctuation, emoji, full-width letters, 回复 before it and thanks do not matter. Add words that your messages announce, such as N; 取消 is not one: it may mean an order. The latest word by its time counts. Replies are pulled once a minute: a number can still get what is sent in that minute. By hand: on the page of *SMS · Opt-outs*.
上行里只有退订词的，号码记入 *sms.opt_outs*；只有恢复词的，移出。只是提到退订词、或在投诉的，也先记入，并列为“等待回复”：不是退订的，在 *SMS · Opt-outs* 的网页移出。大小写、标点、表情、全角、前面的“回复”和道谢都不影响。短信里写了“回复 N 退订”的，加上 N；“取消”不算，因为可能指取消订单。以时间最晚的为准。每分钟拉取一次，这一分钟里还可能发给该号码。手工增删：用 *SMS · Opt-outs* 的网页。`,
      `### Pushed records · 推送的记录
For providers that send records to an address of yours, as \`{"count": 2, "data": [ … ]}\`, as a list, or one at a time. What is in the table is not stored again. The answer is 200 only when everything is stored.
服务商主动推送的：\`{"count": 2, "data": [ … ]}\`、数组或单条记录。表里已有的不再存。全部存好才返回 200。`,
    ],
    [
      onRecord('New reports and replies', {
        pollTimes: { item: [{ mode: 'everyMinute' }] },
        events: ['deliveryReport', 'reply'],
        options: { repeatFailed: true },
      }),
      // n8n takes half a millisecond for an expression: one makes all rows.
      fields(
        'Rows',
        {
          rows: list(
            `={{ ${callOf('desk/src/inbox/rows', 'rowsOf', ALL_ITEMS, 'DateTime', '$now', '$execution.id')} }}`,
          ),
        },
        { once: true },
      ),
      settings('Stop and start words', {
        stop_words: STOP_WORDS,
        doubt_words: DOUBT_WORDS,
        start_words: 'START, 恢复, 恢复订阅',
      }),
      fields('What the replies say', {
        rows: list(
          `={{ ${callOf('desk/src/inbox/rows', 'withWords', "$('Rows').first().json.rows", '$json')} }}`,
        ),
      }),
      runs('Store', {
        query: `SELECT sms.inbox_store(version => ${VERSION}, page => $1::json) AS stored`,
        values: ['$json.rows'],
      }),
      only('Is it the last page?', "={{ $('Rows').first().json.rows.length < 100 }}"),
      call('Serve the subscribers', 'sms-inbox-serve', { waits: false }),
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
          `={{ ${callOf('desk/src/inbox/pushed', 'recordsIn', BODY, `'push-' + JSON.stringify(${BODY}).hash('sha256')`, 'DateTime', '$now')} }}`,
        ),
      }),
      split('One item per record', 'value'),
      'Rows',
    ],
  ),
  lane([], [called('Asked by the status page')]),
);
