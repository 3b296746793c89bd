import {
  agent,
  askInChat,
  chat,
  chatMemory,
  chatModel,
  chatTrigger,
  lane,
  sendTool,
} from '../parts';
import type { Workflow } from '../parts';

const message = chatTrigger('Chat message', {
  options: { responseMode: 'responseNodes' },
});

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

const approved = agent(
  'Agent',
  {
    options: {
      systemMessage:
        'You tell customers by SMS that their order has shipped. Send with the tool "Send shipping notice", once for each order, and only with values that the user has given. Ask for what is missing: phone number, name, order, date of arrival. When the user declines a message, do not send it again. In the end, say what was sent and what was not.',
    },
  },
  { subnodes: { model: chatModel(), memory: chatMemory('Memory'), tools: [review] } },
);

const answer = chat('Answer', {
  operation: 'send',
  message: '={{ $json.output }}',
  options: {},
});

const workflow: Workflow = {
  name: 'Agent sends, a person approves',
  about: `## Agent sends, a person approves
You tell an agent in a chat which order has shipped. Before it sends the SMS, the chat shows number and values and asks: **Send** or **Do not send**. An order that comes again is skipped, for another number too. Without its model, the chat shows an error and nothing is sent.
AI 代理发短信前先由人确认。`,
  setUp: `### Set up here
- *Chat model*: a credential of any chat model.
- *Send shipping notice*: your credential, signature and template. Then see that each of its parameters has its \`$fromAI\`: n8n may have emptied them.
- To ask somebody else, put a review by Slack, Teams or email in the place of *Ask before sending*.`,
  tryIt: `### Try it
Press **Open chat**, and write, with your own number: *Order A-1001 of Li Lei, 13810000010, arrives on June 3*.`,
  lanes: [lane([], [message, approved, answer])],
};

export default workflow;
