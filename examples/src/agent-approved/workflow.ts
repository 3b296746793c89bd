import {
  agent,
  askInChat,
  chat,
  chatMemory,
  chatModel,
  chatTrigger,
  lane,
  sendTool,
  workflow,
} from '../parts';

const ORDER = "$fromAI('order', 'Number of the order', 'string')";

const send = sendTool('Send shipping notice', {
  to: "={{ $fromAI('phone', 'Mobile number of the customer, 11 digits', 'string') }}",
  parameters: {
    name: "={{ $fromAI('name', 'Name of the customer', 'string') }}",
    order: `={{ ${ORDER} }}`,
    date: "={{ $fromAI('date', 'Date of arrival, for instance June 3', 'string') }}",
  },
  // A model may write an order in another way.
  key: `=shipped-{{ String(${ORDER}).normalize('NFKC').toUpperCase().replace(/[\\s#\\p{Cf}]/gu, '').replace(/[\\p{Pd}−]/gu, '-') }}`,
});

const review = askInChat(
  'Ask before sending',
  {
    message: `=Send this SMS? It costs money and cannot be taken back.

- To: {{ $tool.parameters.phone }}
- Name: {{ $tool.parameters.name }}
- Order: {{ $tool.parameters.order }}
- Arrives: {{ $tool.parameters.date }}`,
    approvalOptions: {
      values: { approvalType: 'double', approveLabel: 'Send', disapproveLabel: 'Do not send' },
    },
  },
  { subnodes: { tools: [send] } },
);

export default workflow(
  {
    name: 'Agent sends, a person approves',
    about: `## Agent sends, a person approves
You tell an agent in a chat which order has shipped. Before it sends the SMS, the chat shows number and values and asks: **Send** or **Do not send**. An order that comes again is skipped, for another number too. Without its model, nothing is sent.

在聊天里告诉 AI 智能体哪个订单发货了。发短信之前，聊天里显示号码和内容，由您点 **Send**（发送）或 **Do not send**（不发）。同一订单再来会跳过，换了号码也一样。模型没有响应就什么也不发。`,
    setUp: `### Set up here
- *Chat model*: a credential of any chat model.
- *Send shipping notice*: your credential, signature and template. Then see that each parameter has its \`$fromAI\`: n8n may have emptied them.
- To ask somebody else, put a review by Slack, Teams or email in the place of *Ask before sending*.
### 设置
- *Chat model*：任何一种大模型的凭据。
- *Send shipping notice*：凭据、签名、模板。再看每个变量是否还有 \`$fromAI\`，n8n 可能已清空。
- 要由别人确认，把 *Ask before sending* 换成 Slack、Teams 或邮件的审核。`,
    tryIt: `### Try it · 试一下
Press **Open chat**, and write, with your own number: *Order A-1001 of Li Lei, 13810000010, arrives on June 3*.
点 **Open chat**，用您自己的号码写：*李雷的订单 A-1001，13810000010，6 月 3 日到*。`,
  },
  lane(
    [],
    [
      chatTrigger('Chat message', { options: { responseMode: 'responseNodes' } }),
      agent(
        'Agent',
        {
          options: {
            systemMessage:
              'You tell customers by SMS that their order has shipped. Send with the tool "Send shipping notice", once for each order, and only with values that the user has given. Ask for what is missing: phone number, name, order, date of arrival. When the user declines a message, do not send it again. In the end, say what was sent and what was not.',
          },
        },
        { subnodes: { model: chatModel(), memory: chatMemory('Memory'), tools: [review] } },
      ),
      chat('Answer', {
        operation: 'send',
        message: '={{ $json.output }}',
        options: {},
      }),
    ],
  ),
);
