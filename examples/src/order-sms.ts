import type { Template } from './build';
import {
  at,
  base,
  cases,
  fields,
  makeTable,
  mapped,
  needs,
  note,
  rows,
  sendTemplate,
  where,
} from '../../builder/parts';

const TABLE = 'sms_orders';
const COLUMNS = ['order', 'status', 'batch_id', 'reason'];

const order = base(
  'webhook',
  'Order',
  at(0),
  {
    httpMethod: 'POST',
    path: 'order-sms',
    authentication: 'headerAuth',
    responseMode: 'responseNode',
    options: {},
  },
  { credentials: needs('httpHeaderAuth') },
);

const table = makeTable('Table of orders', at(1, -1), TABLE, COLUMNS);

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

const read = base('set', 'Read the order', at(1), {
  assignments: {
    assignments: [{ id: 'body', name: 'body', value: `={{ ${ORDER} }}`, type: 'object' }],
  },
  options: {},
});

const send = sendTemplate('Send the SMS', at(2), {
  to: '={{ $json.body.phone }}',
  parameters: {
    name: '={{ $json.body.name }}',
    order: '={{ $json.body.order }}',
    date: '={{ $json.body.date }}',
  },
  key: '=order-{{ $json.body.order }}',
});

const outcome = fields('What became of it', at(3), {
  order: "={{ String($('Read the order').first().json.body.order ?? '') }}",
  status: "={{ $json.status ?? $json.details?.status ?? 'unknown' }}",
  batch_id: "={{ String($json.batch_id ?? '') }}",
  reason: "={{ $json.details?.msg || $json.error || '' }}",
});

const decide = cases(
  'Is it new?',
  at(4),
  {
    'posted before': "={{ $json.status === 'skipped' }}",
    'not sent': "={{ $json.status === 'rejected' }}",
  },
  'sent, or may be',
);

const first = base(
  'dataTable',
  'Outcome of the first post',
  at(5, -1),
  { ...rows('get', TABLE), ...where({ order: '={{ $json.order }}' }), returnAll: true },
  { alwaysOutputData: true },
);

// Behind the send: an order without a row has no known outcome.
const keep = base(
  'dataTable',
  'Keep the outcome',
  at(5, 1),
  {
    ...rows('insert', TABLE),
    columns: mapped(
      Object.fromEntries(COLUMNS.map((column) => [column, `={{ $json.${column} }}`])),
    ),
    options: {},
  },
  { onError: 'continueRegularOutput' },
);

const NO_OUTCOME =
  'This order was posted before, and how that ended is not known: it is on its way, or was cut off. It may have been sent.';

// Not what comes out of the row that was written: that may have failed.
const SAID =
  "$('Outcome of the first post').isExecuted ? $json : $('What became of it').first().json";

const answer = base('respondToWebhook', 'Answer the shop', at(6), {
  respondWith: 'json',
  responseBody: `={{ (({ status, batch_id, reason }) => JSON.stringify(status === 'accepted' ? { status, batch_id: batch_id || null } : { status: status ?? 'unknown', reason: status ? reason : '${NO_OUTCOME}' }))(${SAID}) }}`,
  options: {
    responseCode: `={{ (({ status }) => status === 'accepted' ? 200 : status === 'rejected' ? 422 : status ? 502 : 409)(${SAID}) }}`,
  },
});

const template: Template = {
  name: 'Order → SMS',
  notes: [
    note(
      'about',
      -80,
      { above: -240 },
      460,
      `## Order → SMS
Your shop posts an order, the customer gets an SMS, and the shop gets the outcome as the answer. An order that comes twice is sent once, and gets the outcome of the first time.
商城提交订单后给客户发一条短信，并返回发送结果；同一订单只发一次，重复提交返回首次的结果。`,
    ),
    note(
      'set up',
      420,
      { above: -30 },
      440,
      `### Set up here
- *Order*: a Header Auth credential: the name of a header and a secret, both made up by you, which your shop sends.
- *Send the SMS*: your signature and template. Then map its parameters, if they are others than \`name\`, \`order\` and \`date\`, or n8n has emptied them.`,
    ),
    note(
      'try',
      -80,
      { below: 180 },
      460,
      `### Try it
Publish it, and post an order with your own number to the **Production URL** of *Order*:
\`curl https://… -H 'x-webhook-key: secret' -H 'content-type: application/json' -d '{ "order": "A-1001", "phone": "13800138000", "name": "Li Lei", "date": "June 3" }'\``,
    ),
    note(
      'more',
      420,
      { below: 180 },
      520,
      `### What comes back
- 200 \`accepted\`: it is sent, now or when it was first posted.
- 422 \`rejected\`: nothing was sent. Correct it, and post it again.
- 502 \`unknown\`: it may have been sent. It is not sent again: look at the delivery reports.
- 409 \`unknown\`: it was posted before, and that has not ended, or was cut off. Ask again in a minute; if it stays so, it may have been sent.

A post is one order, as JSON or as a form. Many at once are for the template *Sheet → SMS*.`,
    ),
  ],
  lines: [
    [order, table],
    [order, read],
    [read, send],
    [send, outcome],
    [send, outcome, 1],
    [outcome, decide],
    [decide, first],
    [decide, answer, 1],
    [decide, keep, 2],
    [first, answer],
    [keep, answer],
  ],
};

export default template;
