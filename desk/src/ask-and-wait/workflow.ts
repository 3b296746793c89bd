import { callOf } from '../../../builder/expression';
import {
  ALL_ITEMS,
  OWNERS,
  base,
  call,
  called,
  changes,
  choose,
  every,
  fields,
  lane,
  mobileOf,
  obj,
  only,
  published,
  reads,
  runs,
  settings,
  subscribe,
  when,
  workflow,
  type Statement,
} from '../parts';
import { VERSION } from '../declared';

/** Only the inbox writes an event and a run, and a question has a phone or a template. */
const IS_CUSTOMER =
  '(!$json.event || !$json.run || $json.phone !== undefined || $json.template_id !== undefined)';

const CUSTOMER = "$('Customers or records?').first().json";
const QUESTION = "$('Remember the question').first().json";
const TAKEN = "$('Take the answer').first().json";

/** That its key was used says nothing of the first message with it. */
const NOT_SENT =
  "(['refused', 'rejected'].includes($json.status) && $json.reason_code !== 'key_used')";

/** Its number has no other open question then. */
const REMEMBERED: Statement = {
  query: `WITH own AS (UPDATE sms.questions SET batch_id = $2, "updatedAt" = clock_timestamp() WHERE id = $1::integer RETURNING id, phone_number)
UPDATE sms.questions AS older SET answer = '(a newer question)', "updatedAt" = clock_timestamp() FROM own
WHERE older.phone_number = own.phone_number AND older.id < own.id AND older.answer = ''`,
  values: [`${QUESTION}.id`, "$json.batch_id ?? ''"],
};

/** Why its SMS was not sent. */
const REASON = callOf('desk/src/common/messages/reasons', 'reasonIn', "'en'", '$json');

export default workflow(
  {
    name: 'Ask and wait for the reply',
    about: `## Ask and wait for the reply
Sends a question by SMS and waits for a keyword, such as *1* or *2*, or until the time is over. Each customer has an execution that sleeps in n8n's database, also through a restart. The reply wakes it: publish inbox and outbox too. n8n must reach its own webhook address.
发短信提问，等客户回复关键词（如 *1*、*2*），或等到超时。每位客户一个执行，等待时存在 n8n 的数据库里，重启也不丢；上行会唤醒它，所以收件箱和发件箱也要发布。n8n 要能访问自己的 webhook 地址。

**From your workflow · 从您的工作流：** call this with *Execute Sub-workflow*, one item per customer · 每位客户一个 item：
- \`phone\`, \`template_id\`, \`signature_id\`, \`parameters\`: a message that names the keywords · 短信，里面写明关键词
- \`question\`: your reference · 您的编号；\`answers\`: the keywords, \`1,2\` if left out · 关键词，不填是 \`1,2\`；\`key\`: never sent twice · 幂等键，不重发
- \`tell\`: the ID of the workflow that gets the outcome · 接收结果的工作流 ID，如 \`{{ $workflow.id }}\`

That one starts with *When Executed by Another Workflow*, and gets \`customer\` (the item's fields) and an \`outcome\` · 它得到 \`customer\`（item 的字段）和 \`outcome\`（结果）：
- \`answered\`, with \`answer\` and \`respondedAt\` · 已回答
- \`silent\`: no answer in time · 超时没回
- \`notDelivered\`, with a \`reason\` · 没送达，附原因`,
    setUp: `### Set up here · 设置
In *Wait for the reply*: how long a customer may take. Your own steps go behind the three ends of *Which end?*. n8n keeps executions that wait or failed; what became of the others is in *sms.questions*.
在 *Wait for the reply* 里设等多久。您自己的步骤接在 *Which end?* 的三个出口后面。n8n 只保存等待中和失败的执行，其余的结果看表 *sms.questions*。`,
    tryIt: `### Try it · 试一下
In *Sample question*: your own number, the IDs of a template and a signature, and its parameters. At **Execute workflow** choose *from Try it with a sample question*, press it, and answer 1 or 2. The execution goes on within a minute.
在 *Sample question* 里填您的号码、模板 ID、签名 ID 和变量。在 **Execute workflow** 处选 *from Try it with a sample question*，点它，再回复 1 或 2，一分钟内执行继续。`,
    settings: { saveDataSuccessExecution: 'none' },
  },
  lane(
    [
      `### Customers or records? · 客户还是记录
Your workflows call with customers, and the inbox with records: those have \`event\` and \`run\`, and neither \`phone\` nor \`template_id\`. For several customers the workflow calls itself for each.
您的工作流传客户，收件箱传记录：记录有 \`event\` 和 \`run\`，没有 \`phone\` 和 \`template_id\`。多位客户各用一个执行。`,
      `### How it is sent · 发送
The row is stored before the SMS, because a reply may be quick. A newer question to the same phone replaces older ones, which get no reply.
先存行再发短信，因为回复可能很快。同一号码的新问题取代旧问题。`,
      `### What ends a question · 什么算回答
Only an allowed answer and nothing more; case, full-width digits and punctuation do not matter. A reply to another SMS (\`batch_id\`), from before the question, or one that comes twice is none. A report of failure ends a question without an answer, if no other report says that its SMS has arrived.
整条就是一个允许的关键词，不论大小写、全角和标点。回复别的短信（\`batch_id\`）、问题之前的、重复来的不算。没送达的状态报告会结束还没回答的问题，除非另有报告说已送达。`,
      `### How waking works · 唤醒
Twenty a second. What does not wake is woken again every minute: its answer waits in its row. Questions older than 90 days leave the table.
每秒唤醒二十个。没唤醒的每分钟再试，回答存在表里。90 天前的问题会删除。`,
    ],
    [
      base('manualTrigger', 'Try it with a sample question', {}),
      settings('Sample question', {
        phone: '13810000040',
        template_id: '',
        signature_id: '',
        parameters: obj("={{ { name: 'Li Lei', date: 'June 3, 10:00' } }}"),
        question: 'Sample',
        answers: '1,2',
      }),
      choose('Customers or records?', {
        'One customer': `={{ ${IS_CUSTOMER} && $input.all().length === 1 }}`,
        'Several customers': `={{ ${IS_CUSTOMER} }}`,
        'Reply or failure':
          "={{ $json.event === 'reply' || ($json.event === 'deliveryReport' && !['', 'DELIVRD'].includes($json.status ?? '') && /^$|^question-\\d+$/.test($json.phone_data ?? '')) }}",
      }),
      changes(
        'Remember the question',
        `INSERT INTO sms.questions (phone_number, question, answers, asked, execution, resume_url, batch_id, answer, reply)
VALUES ($1, $2, $3, clock_timestamp(), $4, $5, '', '', '')`,
        [
          mobileOf("String($json.phone ?? '').replace(/[().]/g, '')"),
          "String($json.question ?? '')",
          "String($json.answers || '1,2').normalize('NFKC').toUpperCase()",
          '$execution.id',
          "$execution.resumeUrl.replace(/(?=\\?)|$/, '/answer')",
        ],
      ),
      fields('Message', {
        phone: '={{ $json.phone_number }}',
        class: `={{ ${CUSTOMER}.class || 'notice' }}`,
        template_id: `={{ String(${CUSTOMER}.template_id ?? '') }}`,
        signature_id: `={{ String(${CUSTOMER}.signature_id ?? '') }}`,
        parameters: obj(`={{ ${CUSTOMER}.parameters ?? {} }}`),
        key: `={{ String(${CUSTOMER}.key ?? '') }}`,
        reference: '={{ $json.question }}',
        source: `={{ ${CUSTOMER}.source || $workflow.name }}`,
        phone_data: "={{ 'question-' + $json.id }}",
      }),
      call('Send through the outbox', 'sms-outbox', { errors: true }),
      when(
        'Was it accepted?',
        // A row whose key was used: the first one may have been sent.
        "={{ ['accepted', 'unknown', 'waiting', 'claimed'].includes($json.status) || ($json.status === 'refused' && $json.reason_code === 'key_used') }}",
      ),
      runs('Remember the batch of the SMS', REMEMBERED, { once: true, always: true, goOn: true }),
      base(
        'wait',
        'Wait for the reply',
        {
          resume: 'webhook',
          httpMethod: 'POST',
          responseMode: 'onReceived',
          limitWaitTime: true,
          limitType: 'afterTimeInterval',
          resumeAmount: 24,
          resumeUnit: 'hours',
          options: { webhookSuffix: 'answer' },
        },
        OWNERS,
      ),
      changes(
        'Take the answer',
        `UPDATE sms.questions SET resume_url = '', "updatedAt" = clock_timestamp() WHERE id = $1::integer AND resume_url <> ''`,
        [`${QUESTION}.id`],
        { once: true, tries: 5 },
      ),
      reads('What became of its SMS', 'SELECT * FROM sms.outbox WHERE id = $1::integer', [
        "$('Was it accepted?').first().json.outbox_id ?? $('Was it accepted?').first().json.id",
      ]),
      fields(
        'Outcome',
        {
          phone_number: `={{ ${QUESTION}.phone_number }}`,
          question: `={{ ${QUESTION}.question }}`,
          outcome: `={{ !$('Take the answer').isExecuted ? 'notDelivered' : /^[^(]/.test(${TAKEN}.answer) ? 'answered' : /^\\(not/.test(${TAKEN}.answer) || ${NOT_SENT} ? 'notDelivered' : 'silent' }}`,
          answer: `={{ $('Take the answer').isExecuted && /^[^(]/.test(${TAKEN}.answer) ? ${TAKEN}.answer : '' }}`,
          respondedAt: `={{ $('Take the answer').isExecuted && /^[^(]/.test(${TAKEN}.answer) ? /^\\d{4}-\\S+/.exec(${TAKEN}.reply)?.[0] ?? $now.toUTC().toISO() : '' }}`,
          reason: `={{ !$('Take the answer').isExecuted ? 'Not sent: ' + ($('Was it accepted?').first(1).json.reason ?? $('Send through the outbox').first(1).json.error?.message ?? $('Send through the outbox').first(1).json.error ?? '') : /^[^(]/.test(${TAKEN}.answer) ? '' : /^\\(not/.test(${TAKEN}.answer) ? ${TAKEN}.answer.replace('(not delivered) ', '') : ${NOT_SENT} ? 'Not sent: ' + ${REASON} : ${TAKEN}.answer ? 'A newer question to this number took its place.' : '' }}`,
          customer: obj(`={{ ${CUSTOMER} }}`),
        },
        { once: true },
      ),
      when('Is a workflow to be told?', `={{ Boolean(${CUSTOMER}.tell) }}`),
      call('Tell the workflow that asked', `={{ ${CUSTOMER}.tell }}`, {
        waits: false,
      }),
    ],
    [called('Customers, or records of the inbox'), 'Customers or records?'],
    [
      ['Send through the outbox', 1],
      /** The outbox may fail behind the send, if n8n's database is away. Its row says how far it came. */
      runs(
        'Has the outbox taken it?',
        {
          query:
            'SELECT * FROM sms.outbox WHERE phone_number = $1 AND phone_data = $2 ORDER BY id DESC LIMIT 1',
          values: ['phone', 'phone_data'].map((name) => `$('Message').first().json.${name}`),
        },
        { once: true, always: true, tries: 5, pause: 5 },
      ),
      'Was it accepted?',
    ],
    [
      ['Was it accepted?', 1],
      runs(
        'Forget the question',
        { query: 'DELETE FROM sms.questions WHERE execution = $1', values: ['$execution.id'] },
        { once: true, always: true },
      ),
      'Outcome',
    ],
    [
      'Outcome',
      choose('Which end?', {
        Answered: "={{ $json.outcome === 'answered' }}",
        Silent: "={{ $json.outcome === 'silent' }}",
        'Not delivered': "={{ $json.outcome === 'notDelivered' }}",
      }),
    ],
    [
      ['Customers or records?', 1],
      [base('splitInBatches', 'One customer after another', { batchSize: 1, options: {} }), 1],
      call('Ask in an execution of its own', '={{ $workflow.id }}', { waits: false }),
      'One customer after another',
    ],
    [
      ['Customers or records?', 2],
      fields('Read the record', {
        event: '={{ $json.event }}',
        phone_number: '={{ $json.phone_number }}',
        answer:
          "={{ $json.event === 'reply' ? String($json.content ?? '').normalize('NFKC').toUpperCase().replace(/^[\\s\\p{P}]+|[\\s\\p{P}]+$/gu, '') : '(not delivered) ' + [$json.status, $json.status_desc].filter(Boolean).join(': ').slice(0, 300) }}",
        reply:
          "={{ [new Date($json.time || NaN).toJSON(), $json.phone_number, $json.id ? 'row ' + $json.id : $json.time, $json.content].join(' ') }}",
        batch_id: "={{ $json.batch_id ?? '' }}",
        phone_data: "={{ $json.phone_data ?? '' }}",
        time: "={{ new Date($json.time || NaN).toJSON() ?? '' }}",
      }),
      runs(
        'Store the answers',
        {
          query: `SELECT * FROM sms.answer_questions(version => ${VERSION}, records => $1::json)`,
          values: [`$('Read the record').isExecuted ? ${ALL_ITEMS} : null`],
        },
        { once: true },
      ),
      base(
        'httpRequest',
        'Wake the execution',
        {
          method: 'POST',
          url: '={{ $json.resume_url }}',
          options: {
            batching: { batch: { batchSize: 10, batchInterval: 500 } },
            response: { response: { fullResponse: true, neverError: true } },
            timeout: 120000,
          },
        },
        { errors: true },
      ),
      only(
        'Is the execution gone?',
        "={{ /does not exist|has finished/.test($json.body?.message ?? '') }}",
      ),
      changes(
        'Close its question',
        `UPDATE sms.questions SET resume_url = '', "updatedAt" = clock_timestamp() WHERE resume_url = $1`,
        ["$('Store the answers').item.json.resume_url"],
      ),
      base('stopAndError', 'Stop: nobody took the answer', {
        errorMessage:
          '=The execution that asked {{ $json.phone_number }} is gone. The answer is {{ $json.answer }}; it stays in sms.questions.',
      }),
    ],
    [every('Every minute', 1, 'minutes'), 'Store the answers'],
    [
      'Every minute',
      runs('Forget old questions', {
        query: "DELETE FROM sms.questions WHERE asked < statement_timestamp() - interval '90 days'",
      }),
    ],
    [
      ['Wake the execution', 1],
      base('stopAndError', 'Stop: nothing was woken', {
        errorMessage:
          "=The answers woke nothing: {{ $json.error?.message ?? $json.error ?? '' }}. They are stored, and woken again every minute. If n8n cannot reach its own webhook address, set N8N_WEBHOOK_URL to one that it can reach.",
      }),
    ],
  ),
  lane(
    `### When it is published · 发布时
It tells the inbox which records it wants. 向收件箱订阅记录。`,
    [published('When published'), subscribe('all')],
  ),
);
