import type { Template } from './build';
import { ai, at, chatModel, note, sendTool } from '../../builder/parts';

const message = ai('chatTrigger', 'Chat message', at(0), {
  options: { responseMode: 'responseNodes' },
});

const agent = ai('agent', 'Agent', at(1), {
  options: {
    systemMessage:
      'You tell customers by SMS that their order has shipped. Send with the tool "Send shipping notice", once for each order, and only with values that the user has given. Ask for what is missing: phone number, name, order, date of arrival. When the user declines a message, do not send it again. In the end, say what was sent and what was not.',
  },
});

const model = chatModel(at(0, 1.2));

const memory = ai('memoryBufferWindow', 'Memory', at(1, 1.2));

const review = ai('chatHitlTool', 'Ask before sending', at(2, 1.2), {
  message: `=Send this SMS? It costs money and cannot be taken back.

- To: {{ $tool.parameters.phone }}
- Name: {{ $tool.parameters.name }}
- Order: {{ $tool.parameters.order }}
- Arrives: {{ $tool.parameters.date }}`,
  approvalOptions: {
    values: { approvalType: 'double', approveLabel: 'Send', disapproveLabel: 'Do not send' },
  },
});

const ORDER = "$fromAI('order', 'Number of the order', 'string')";

const send = sendTool('Send shipping notice', at(2, 2.4), {
  to: "={{ $fromAI('phone', 'Mobile number of the customer, 11 digits', 'string') }}",
  parameters: {
    name: "={{ $fromAI('name', 'Name of the customer', 'string') }}",
    order: `={{ ${ORDER} }}`,
    date: "={{ $fromAI('date', 'Date of arrival, for instance June 3', 'string') }}",
  },
  // A model may write an order in another way.
  key: `=shipped-{{ String(${ORDER}).normalize('NFKC').toUpperCase().replace(/[\\s#\\p{Cf}]/gu, '').replace(/[\\p{Pd}−]/gu, '-') }}`,
});

const answer = ai('chat', 'Answer', at(3), {
  operation: 'send',
  message: '={{ $json.output }}',
  options: {},
});

const template: Template = {
  name: 'Agent sends, a person approves',
  notes: [
    note(
      'about',
      -80,
      { above: -30 },
      460,
      `## Agent sends, a person approves
You tell an agent in a chat which order has shipped. Before it sends the SMS, the chat shows number and values and asks: **Send** or **Do not send**. An order that comes again is skipped, for another number too. Without its model, the chat shows an error and nothing is sent.
AI 代理发短信前先由人确认。`,
    ),
    note(
      'set up',
      420,
      { above: -30 },
      480,
      `### Set up here
- *Chat model*: a credential of any chat model.
- *Send shipping notice*: your credential, signature and template. Then see that each of its parameters has its \`$fromAI\`: n8n may have emptied them.
- To ask somebody else, put a review by Slack, Teams or email in the place of *Ask before sending*.`,
    ),
    note(
      'try',
      -80,
      { below: 480 },
      460,
      `### Try it
Press **Open chat**, and write, with your own number: *Order A-1001 of Li Lei, 13810000010, arrives on June 3*.`,
    ),
  ],
  lines: [
    [message, agent],
    [agent, answer],
  ],
  serves: [
    [model, agent, 'ai_languageModel'],
    [memory, agent, 'ai_memory'],
    [review, agent, 'ai_tool'],
    [send, review, 'ai_tool'],
  ],
};

export default template;
