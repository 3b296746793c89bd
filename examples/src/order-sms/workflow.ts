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
} from '../parts';
import type { Workflow } from '../parts';

const TABLE = 'sms_orders';
const COLUMNS = ['order', 'status', 'batch_id', 'reason'];

const order = posted('Order', 'order-sms', { responseMode: 'responseNode' });

const table = makeTable('Table of orders', TABLE, COLUMNS);

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

const read = fields('Read the order', { body: obj(`={{ ${ORDER} }}`) });

const send = sendTemplate('Send the SMS', {
  to: '={{ $json.body.phone }}',
  parameters: {
    name: '={{ $json.body.name }}',
    order: '={{ $json.body.order }}',
    date: '={{ $json.body.date }}',
  },
  key: '=order-{{ $json.body.order }}',
});

const outcome = fields('What became of it', {
  order: "={{ String($('Read the order').first().json.body.order ?? '') }}",
  status: "={{ $json.status ?? $json.details?.status ?? 'unknown' }}",
  batch_id: "={{ String($json.batch_id ?? '') }}",
  reason: "={{ $json.details?.msg || $json.error || '' }}",
});

const decide = choose(
  'Is it new?',
  {
    'posted before': "={{ $json.status === 'skipped' }}",
    'not sent': "={{ $json.status === 'rejected' }}",
  },
  'sent, or may be',
);

const first = rows(
  'Outcome of the first post',
  'get',
  TABLE,
  { ...where({ order: '={{ $json.order }}' }), returnAll: true },
  { always: true },
);

// Behind the send: an order without a row has no known outcome.
const keep = rows(
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
);

const NO_OUTCOME =
  'This order was posted before, and how that ended is not known: it is on its way, or was cut off. It may have been sent.';

// Not what comes out of the row that was written: that may have failed.
const SAID =
  "$('Outcome of the first post').isExecuted ? $json : $('What became of it').first().json";

const answer = base('respondToWebhook', 'Answer the shop', {
  respondWith: 'json',
  responseBody: `={{ (({ status, batch_id, reason }) => JSON.stringify(status === 'accepted' ? { status, batch_id: batch_id || null } : { status: status ?? 'unknown', reason: status ? reason : '${NO_OUTCOME}' }))(${SAID}) }}`,
  options: {
    responseCode: `={{ (({ status }) => status === 'accepted' ? 200 : status === 'rejected' ? 422 : status ? 502 : 409)(${SAID}) }}`,
  },
});

const workflow: Workflow = {
  name: 'Order → SMS',
  about: `## Order → SMS
Your shop posts an order, the customer gets an SMS, and the shop gets the outcome as the answer. An order that comes twice is sent once, and gets the outcome of the first time.
商城提交订单后给客户发一条短信，并返回发送结果；同一订单只发一次，重复提交返回首次的结果。`,
  setUp: `### Set up here
- *Order*: a Header Auth credential: the name of a header and a secret, both made up by you, which your shop sends.
- *Send the SMS*: your signature and template. Then map its parameters, if they are others than \`name\`, \`order\` and \`date\`, or n8n has emptied them.`,
  tryIt: `### Try it
Publish it, and post an order with your own number to the **Production URL** of *Order*:
\`curl https://… -H 'x-webhook-key: secret' -H 'content-type: application/json' -d '{ "order": "A-1001", "phone": "13800138000", "name": "Li Lei", "date": "June 3" }'\``,
  lanes: [
    lane(
      [],
      [order, table],
      [order, read, send, outcome, [decide, 1], answer],
      [[send, 1], outcome],
      [decide, first, answer],
      [[decide, 2], keep, answer],
    ),
  ],
  more: [
    `### What comes back
- 200 \`accepted\`: it is sent, now or when it was first posted.
- 422 \`rejected\`: nothing was sent. Correct it, and post it again.
- 502 \`unknown\`: it may have been sent. It is not sent again: look at the delivery reports.
- 409 \`unknown\`: it was posted before, and that has not ended, or was cut off. Ask again in a minute; if it stays so, it may have been sent.

A post is one order, as JSON or as a form. Many at once are for the template *Sheet → SMS*.`,
  ],
};

export default workflow;
