import { callOf } from '../../../builder/expression';
import {
  base,
  choose,
  fields,
  lane,
  makeTable,
  mapped,
  mobileOf,
  num,
  posted,
  readPost,
  rows,
  sendTemplate,
  where,
  workflow,
  OF_ORDER,
} from '../parts';

const TABLE = 'sms_orders';
const COLUMNS = ['order', 'phone', 'date', 'status', 'batch_id', 'reason'];

/** A field in one form: full-width signs and all kinds of hyphens in ASCII, nothing invisible, no space around it. */
const plain = (field: string) => callOf('examples/src/plain', 'plain', `$json.post.${field}`);

/** No more of it than is sent: buyers may have typed it. */
const short = (field: string, length: number) =>
  `={{ [...${plain(field)}].slice(0, ${length}).join('') }}`;

const IS_SAME =
  "$json.phone === $('What became of it').first().json.phone && $json.date === $('What became of it').first().json.date";

const REASONS = `{
  open: 'Posted before, and how that ended is not known. It may have been sent.',
  changed: 'Posted before with another phone or date. Nothing was sent now.',
}`;

export default workflow(
  {
    name: 'Order → SMS',
    about: `## Order → SMS
Your shop posts an order, the customer gets an SMS, and the shop gets the outcome as the answer. An order that comes twice is sent once, and gets the outcome of the first time.

商城提交订单，客户收到短信，商城得到发送结果。同一订单只发一次，再提交返回第一次的结果。`,
    setUp: `### Set up here
- *Order*: a Header Auth credential: the name of a header and a secret, both made up by you, which your shop sends.
- *Send the SMS*: your signature and template. Then map its parameters, if they are others than \`name\`, \`order\` and \`date\`, or n8n has emptied them.
### 设置
- *Order*：Header Auth 凭据，即请求头的名字和一个密钥，都由您定，商城提交时带上。
- *Send the SMS*：签名、模板。变量不是 \`name\`、\`order\`、\`date\`，或被 n8n 清空时，重新映射。`,
    tryIt: `### Try it · 试一下
Publish it, and post an order with your own number to the **Production URL** of *Order*:
发布后，用您自己的号码向 *Order* 的 **Production URL** 提交：
\`curl https://… -H 'x-webhook-key: secret' -H 'content-type: application/json' -d '{ "order": "A-1001", "phone": "13800138000", "name": "Li Lei", "date": "June 3" }'\``,
    more: [
      `### What comes back · 返回什么
- 200 \`accepted\`: it is sent, now or when it was first posted. 已受理，这次或第一次提交时。
- 422 \`rejected\`: nothing was sent. Correct it, and post it again. 没发出去，改好再提交。
- 502 \`unknown\`: it may have been sent, and is not sent again: look at the delivery reports. 可能已发出，不会再发，看状态报告。
- 409 \`open\`: posted before, and that has not ended, or was cut off. Ask again in a minute; if it stays so, it may have been sent. 以前提交过，还没结束，或中断了；一分钟后再提交，还是这样就可能已发出。
- 409 \`changed\`: posted before with another phone or date. Nothing was sent now. 以前提交过，号码或日期不同，这次没发。

A post is one order, as JSON or as a form, and one number. 一次提交一个订单，JSON 或表单，一个号码。`,
      `### What buyers cannot do · 买家做不到的
Text others, or one number without end: it gets 5 a day. Of a name and a date, 20 characters are sent.
发给多个人，或一直发给一个号码：每个号码每天 5 条。名字和日期只取前 20 个字。`,
    ],
  },
  lane(
    [],
    [
      posted('Order', 'order-sms', { responseMode: 'responseNode' }),
      makeTable('Table of orders', TABLE, COLUMNS),
    ],
    [
      'Order',
      readPost(),
      fields('Read the order', {
        order: short('order', 40),
        // As one word: of several, the one that is a mobile number would be sent to, beside those that are refused.
        phone: `={{ ${mobileOf('$json.post.phone')} || String($json.post.phone ?? '').replace(/[\\s,;，；、､]+/g, '/') }}`,
        name: short('name', 20),
        date: short('date', 20),
        // Whole: two that begin alike are two.
        id: `={{ ${plain('order')} }}`,
      }),
      sendTemplate('Send the SMS', {
        to: '={{ $json.phone }}',
        parameters: OF_ORDER,
        key: '=order-{{ $json.id }}',
        perDay: 5,
      }),
      fields('What became of it', {
        order: "={{ $('Read the order').first().json.id }}",
        phone: "={{ $json.phone_number ?? $json.details?.phone_number ?? '' }}",
        date: "={{ $('Read the order').first().json.date }}",
        status: "={{ $json.status ?? $json.details?.status ?? 'unknown' }}",
        batch_id: "={{ String($json.batch_id ?? '') }}",
        reason: "={{ $json.details?.msg || $json.error || '' }}",
      }),
      [
        choose(
          'Is it new?',
          {
            'posted before': "={{ $json.status === 'skipped' }}",
            'not sent': "={{ $json.status === 'rejected' }}",
          },
          'sent, or may be',
        ),
        1,
      ],
      fields(
        'What to say',
        {
          code: num('={{ { accepted: 200, rejected: 422, unknown: 502 }[$json.status] ?? 409 }}'),
          reason: `={{ (${REASONS})[$json.status] ?? $json.reason }}`,
        },
        { keepsOthers: true },
      ),
      base('respondToWebhook', 'Answer the shop', {
        respondWith: 'json',
        responseBody:
          '={{ JSON.stringify({ status: $json.status, batch_id: $json.batch_id || undefined, reason: $json.reason || undefined }) }}',
        options: { responseCode: '={{ $json.code }}' },
      }),
    ],
    [['Send the SMS', 1], 'What became of it'],
    [
      'Is it new?',
      rows(
        'Outcome of the first post',
        'get',
        TABLE,
        { ...where({ order: '={{ $json.order }}' }), returnAll: true },
        { always: true },
      ),
      fields(
        'Is it the same order?',
        { status: `={{ !$json.status ? 'open' : ${IS_SAME} ? $json.status : 'changed' }}` },
        { keepsOthers: true },
      ),
      'What to say',
    ],
    [['Is it new?', 2], 'What to say'],
    [
      ['Is it new?', 2],
      // Behind the send: an order without a row has no known outcome. The shop has its answer, if the table is full.
      rows('Keep the outcome', 'insert', TABLE, {
        columns: mapped(
          Object.fromEntries(COLUMNS.map((column) => [column, `={{ $json.${column} }}`])),
        ),
        options: {},
      }),
    ],
  ),
);
