import {
  base,
  choose,
  fields,
  lane,
  makeTable,
  mapped,
  obj,
  posted,
  rows,
  sendTemplate,
  where,
  workflow,
} from '../parts';

const TABLE = 'sms_orders';
const COLUMNS = ['order', 'status', 'batch_id', 'reason'];

/** JSON, a form, JSON that was posted as text, or a list with one order. Anything else is no order. */
const ORDER = `(() => {
  try {
    const { body } = $json;
    const [order, ...others] = [typeof body === 'string' ? JSON.parse(body) : body].flat();
    return others.length === 0 && typeof order === 'object' ? order ?? {} : {};
  } catch (error) {
    return {};
  }
})()`;

const NO_OUTCOME =
  'This order was posted before, and how that ended is not known: it is on its way, or was cut off. It may have been sent.';

// Not what comes out of the row that was written: that may have failed.
const SAID =
  "$('Outcome of the first post').isExecuted ? $json : $('What became of it').first().json";

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
- 409 \`unknown\`: it was posted before, and that has not ended, or was cut off. Ask again in a minute; if it stays so, it may have been sent. 以前提交过，还没结束，或中断了；一分钟后再提交，还是这样就可能已发出。

A post is one order, as JSON or as a form. 一次提交一个订单，JSON 或表单。`,
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
      fields('Read the order', { body: obj(`={{ ${ORDER} }}`) }),
      sendTemplate('Send the SMS', {
        to: '={{ $json.body.phone }}',
        parameters: {
          name: '={{ $json.body.name }}',
          order: '={{ $json.body.order }}',
          date: '={{ $json.body.date }}',
        },
        key: '=order-{{ $json.body.order }}',
      }),
      fields('What became of it', {
        order: "={{ String($('Read the order').first().json.body.order ?? '') }}",
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
      base('respondToWebhook', 'Answer the shop', {
        respondWith: 'json',
        responseBody: `={{ (({ status, batch_id, reason }) => JSON.stringify(status === 'accepted' ? { status, batch_id: batch_id || null } : { status: status ?? 'unknown', reason: status ? reason : '${NO_OUTCOME}' }))(${SAID}) }}`,
        options: {
          responseCode: `={{ (({ status }) => status === 'accepted' ? 200 : status === 'rejected' ? 422 : status ? 502 : 409)(${SAID}) }}`,
        },
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
      'Answer the shop',
    ],
    [
      ['Is it new?', 2],
      // Behind the send: an order without a row has no known outcome.
      rows(
        'Keep the outcome',
        'insert',
        TABLE,
        {
          columns: mapped(
            Object.fromEntries(COLUMNS.map((column) => [column, `={{ $json.${column} }}`])),
          ),
          options: {},
        },
        { goOn: true },
      ),
      'Answer the shop',
    ],
  ),
);
