import {
  base,
  fields,
  isListed,
  lane,
  makeOptOuts,
  mobileOf,
  rowsOfNumber,
  sendTemplate,
  when,
  whenCalled,
  workflow,
} from '../parts';

const MESSAGE = "$('Read the number').item.json";

export default workflow(
  {
    name: 'Send unless opted out',
    about: `## Send unless opted out
Your workflows call this one with their messages. Whoever stands in the data table \`sms_opt_outs\` gets none. The others get theirs, and your workflow gets one item for each: \`status\`, \`msg\`, \`batch_id\`.

别的工作流把短信交给它发。名单 \`sms_opt_outs\` 里的不发，其余照发；每条返回一个 item，带 \`status\`、\`msg\`、\`batch_id\`。`,
    setUp: `### Set up here
- *Send*: your credential, signature and template. Then drag the fields of the item into its parameters. Publish it.
- In your workflow: an *Execute Sub-workflow* node with this one. Each item has \`phone\` (one number), \`key\`, such as an order number, and the fields for the parameters. A key is sent once to a number.
- Can people outside set it off? Add **Max per Number and Day** in the options of *Send*.
### 设置
- *Send*：凭据、签名、模板，再把 item 的字段拖进变量，然后发布。
- 在您的工作流里加一个 *Execute Sub-workflow* 节点，选这个。每个 item 要有 \`phone\`（一个号码）、\`key\`（如订单号）和变量要用的字段。同一号码、同一个 key 只发一次。
- 外面的人能触发的，在 *Send* 的选项里加上 **Max per Number and Day**。`,
    more: [
      `### Who stands in the list · 名单从哪来
Those who reply TD and the like, by the templates *reply-keyword* or *agent-replies*, and whom you enter. Enter a number in 11 digits. Spaces, hyphens and +86 do no harm.
回复 TD、退订等的人（由 *reply-keyword* 或 *agent-replies* 记入），以及您自己填的。请填 11 位号码；带空格、横线、+86 也认得。`,
      `### Codes and alarms · 验证码和告警
Send these without it: who has opted out wants them still.
不要经过它：退订的人仍然需要这些。`,
    ],
  },
  lane(
    [],
    [whenCalled(), makeOptOuts()],
    [
      'From another workflow',
      // A text that is not one number is nobody's: it must not pass the list as a whole.
      fields(
        'Read the number',
        { number: `={{ ${mobileOf('$json.phone')} }}` },
        { keepsOthers: true },
      ),
      rowsOfNumber('$json.number'),
    ],
    [
      'Read the number',
      when('May it be sent?', [
        '={{ Boolean($json.number) }}',
        `={{ !${isListed('$json.number')} }}`,
      ]),
      sendTemplate('Send', {
        to: '={{ $json.number }}',
        parameters: { name: '={{ $json.name }}', order: '={{ $json.order }}' },
        key: '=to-{{ $json.number }}-{{ $json.key }}',
      }),
      base('merge', 'All of them', { numberInputs: 3 }),
      fields('Outcome', {
        phone: `={{ ${MESSAGE}.phone }}`,
        key: `={{ ${MESSAGE}.key }}`,
        status: '={{ $json.details?.status ?? $json.status ?? "rejected" }}',
        msg: '={{ $json.details?.msg ?? $json.error ?? $json.msg ?? "" }}',
        batch_id: '={{ $json.details?.batch_id ?? $json.batch_id ?? "" }}',
      }),
    ],
    [
      ['Send', 1],
      ['All of them', 0, 1],
    ],
    [
      ['May it be sent?', 1],
      fields('Not sent', {
        status: 'rejected',
        msg: "={{ $json.number ? 'The number has opted out.' : 'The field phone is not one mobile number.' }}",
      }),
      ['All of them', 0, 2],
    ],
  ),
);
