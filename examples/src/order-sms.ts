import type { Template } from './build';
import { at, base, needs, note, sendTemplate } from './parts';

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

const send = sendTemplate('Send the SMS', at(1), {
  to: '={{ $json.body.phone }}',
  parameters: {
    name: '={{ $json.body.name }}',
    order: '={{ $json.body.order }}',
    date: '={{ $json.body.date }}',
  },
  key: '=order-{{ $json.body.order }}',
});

const accepted = base('respondToWebhook', 'Say that it is sent', at(2), {
  respondWith: 'json',
  responseBody: '={{ JSON.stringify({ status: $json.status, batch_id: $json.batch_id ?? null }) }}',
  options: {},
});

const notAccepted = base('respondToWebhook', 'Say why it is not', at(2, 1), {
  respondWith: 'json',
  responseBody:
    '={{ JSON.stringify({ status: $json.details.status, reason: $json.details.msg ?? $json.error }) }}',
  options: { responseCode: "={{ $json.details.status === 'unknown' ? 502 : 422 }}" },
});

const template: Template = {
  name: 'Order → SMS',
  notes: [
    note(
      'about',
      -80,
      { above: -30 },
      460,
      `## Order → SMS
Your shop posts an order, the customer gets an SMS, and the shop gets the outcome as the answer. An order that comes twice is sent once.
商城提交订单后给客户发一条短信，并返回发送结果；同一订单只发一次。`,
    ),
    note(
      'set up',
      400,
      { above: -30 },
      440,
      `### Set up here
- *Order*: a Header Auth credential: the name of a header and a secret, both made up by you, which your shop sends.
- *Send the SMS*: your signature and template. Then map its parameters, if they are others than \`name\`, \`order\` and \`date\`, or n8n has emptied them.`,
    ),
    note(
      'try',
      -80,
      { below: 380 },
      460,
      `### Try it
Publish it, and post an order with your own number to the **Production URL** of *Order*:
\`curl https://… -H 'x-webhook-key: secret' -H 'content-type: application/json' -d '{ "order": "A-1001", "phone": "13800138000", "name": "Li Lei", "date": "June 3" }'\``,
    ),
    note(
      'more',
      400,
      { below: 380 },
      440,
      `### What comes back
200 with \`accepted\`, or \`skipped\` for an order that was sent before. 422 with \`rejected\`: nothing was sent, post it again once it is corrected. 502 with \`unknown\`: it may have been sent.`,
    ),
  ],
  lines: [
    [order, send],
    [send, accepted],
    [send, notAccepted, 1],
  ],
};

export default template;
