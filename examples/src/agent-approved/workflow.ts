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
  // One number: what stands between two makes them one word, which is no number. Nothing else is taken away: a number
  // without its +1 or its .0 is a stranger's.
  to: "={{ $fromAI('phone', 'Mobile number of the customer, 11 digits', 'string').trim().replace(/[\\s,;，；、､]+/g, '-') }}",
  parameters: {
    name: "={{ $fromAI('name', 'Name of the customer', 'string') }}",
    order: `={{ ${ORDER} }}`,
    date: "={{ $fromAI('date', 'Date of arrival, for instance June 3', 'string') }}",
  },
  // A model may write an order in another way.
  key: `=shipped-{{ String(${ORDER}).normalize('NFKC').toUpperCase().replace(/[\\s#\\p{Cf}\\p{DI}]/gu, '').replace(/[\\p{Pd}−]/gu, '-') }}`,
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

/** n8n loses the second of two calls in one turn that a person is to approve. */
const ONE_CALL = { extraBody: '{ "parallel_tool_calls": false }' };

export default workflow(
  {
    name: 'Agent sends, a person approves',
    about: `## Agent sends, a person approves
You tell an agent in a chat which order has shipped. Before it sends the SMS, the chat shows number and values and asks: **Send** or **Do not send**. An SMS goes to one number. An order that comes again is skipped, for another number too. Without its model, nothing is sent.

在聊天里告诉 AI 智能体哪个订单发货了。发短信之前，聊天里显示号码和内容，由您点 **Send**（发送）或 **Do not send**（不发）。一条短信只发一个号码。同一订单再来会跳过，换了号码也一样。模型没有响应就什么也不发。`,
    setUp: `### Set up here
- *Chat model*: a credential of any chat model.
- *Send shipping notice*: your credential, signature and template. Then see that each parameter has its \`$fromAI\`: n8n may have emptied them.
### 设置
- *Chat model*：任何一种大模型的凭据。
- *Send shipping notice*：凭据、签名、模板。再看每个变量是否还有 \`$fromAI\`，n8n 可能已清空。`,
    tryIt: `### Try it · 试一下
Press **Open chat**, and write, with your own number: *Order A-1001 of Li Lei, 13810000010, arrives on June 3*.
点 **Open chat**，用您自己的号码写：*李雷的订单 A-1001，13810000010，6 月 3 日到*。`,
    more: [
      `### Who approves · 谁来确认
Whoever chats. The chat is in n8n's editor, for users who may run this workflow. If you make it public, choose **n8n User Auth** and **Require Workflow Execute Permission** in *Chat message*. To ask somebody else, put a review by Slack, Teams or email in the place of *Ask before sending*.
谁聊天，谁确认。聊天窗口在 n8n 编辑器里，能运行本工作流的用户才能用。要公开时，在 *Chat message* 里选 **n8n User Auth** 并打开 **Require Workflow Execute Permission**。要由别人确认，把 *Ask before sending* 换成 Slack、Teams 或邮件的审核。`,
      `### One SMS at a time · 一次一条
If a model asks for two at once, n8n asks you about one and drops the other: it is not sent, and nobody says so. *Chat model* forbids that in **Extra Body**, which OpenAI's models follow. Another model may not: then tell it one order at a time.
模型一次要发两条时，n8n 只问您一条，另一条丢掉：不会发出，也没有提示。*Chat model* 的 **Extra Body** 禁止这样做，OpenAI 的模型会照办；别的模型不一定，请一次只说一个订单。`,
    ],
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
              'You tell customers by SMS that their order has shipped. Send with the tool "Send shipping notice", once for each order, one order after the other, and only with values that the user has given. Ask for what is missing: phone number, name, order, date of arrival. When the user declines a message, do not send it again. In the end, say what was sent and what was not.',
          },
        },
        { subnodes: { model: chatModel(ONE_CALL), memory: chatMemory('Memory'), tools: [review] } },
      ),
      chat('Answer', {
        operation: 'send',
        message: '={{ $json.output }}',
        options: {},
      }),
    ],
  ),
);
