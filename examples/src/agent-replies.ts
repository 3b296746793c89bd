import type { Template } from './build';
import {
  ai,
  at,
  base,
  calledNote,
  chatModel,
  isTrue,
  mail,
  makeTable,
  mapped,
  note,
  onRecord,
  phoneOf,
  rows,
  sendTemplate,
  whenCalled,
  where,
} from './parts';

const TABLE = 'sms_with_person';

const THIS = `={{ ${phoneOf('$json')} }}`;
const REPLY = "$('Nobody has it').item.json";
const CUSTOMER = `={{ ${phoneOf(REPLY)} }}`;

const replies = onRecord('New replies', at(0), ['reply']);
const called = whenCalled(at(0, 2));

const table = makeTable('Table of who has a person', at(1), TABLE, [
  'phone',
  'content',
  'why',
  'since',
]);

const taken = base('dataTable', 'A person has it', at(1, 1), {
  ...rows('rowExists', TABLE),
  ...where({ phone: THIS }),
});

const free = base('dataTable', 'Nobody has it', at(1, 2), {
  ...rows('rowNotExists', TABLE),
  ...where({ phone: THIS }),
});

// Who opts out gets no answer, and the person sees it.
const asks = base('if', 'Asks for a person?', at(2, 2), {
  conditions: isTrue(
    "={{ /人工|客服|退订|^\\s*(td|t|stop)\\b|\\b(person|human)\\b/i.test(String($json.content ?? '').normalize('NFKC')) }}",
  ),
  options: {},
});

const agent = ai('agent', 'Agent', at(3, 3), {
  promptType: 'define',
  text: "=We wrote: {{ $json.sms_content ?? '' }}\nThe customer answers: {{ $json.content }}",
  options: {
    systemMessage:
      'You answer text messages of the customers of a shop, in their language, in at most 60 characters, without links. This is all that you know: the shop is open from 9 to 18, orders arrive within three days, and goods can be returned for 14 days. For everything else, and for a customer who complains, answer with the one word PERSON.',
  },
});

const model = chatModel(at(3, 4.2));

const can = base('if', 'Has it an answer?', at(5, 3), {
  conditions: isTrue(
    "={{ Boolean($json.output) && !$json.output.includes('PERSON') && $json.output.length <= 200 }}",
  ),
  options: {},
});

const send = sendTemplate('Send the answer', at(6, 4), {
  to: CUSTOMER,
  parameters: { answer: '={{ $json.output }}' },
  key: `=agent-{{ ${phoneOf(REPLY)} }}-{{ ${REPLY}.time }}`,
});

const leave = base('dataTable', 'Leave it to a person', at(7, 2), {
  ...rows('upsert', TABLE),
  ...where({ phone: CUSTOMER }),
  columns: mapped({
    phone: CUSTOMER,
    content: `={{ String(${REPLY}.content ?? '') }}`,
    why: "={{ $json.details ? 'The answer was not sent: ' + ($json.details.msg ?? $json.details.status) : $json.output === undefined ? 'The customer asks for a person.' : 'The agent has no answer.' }}",
    since: '={{ $now.toISO() }}',
  }),
  options: {},
});

const tell = mail('Tell the person', at(8, 1), {
  subject: '=SMS from {{ $json.phone ?? $json.phone_number }}',
  text: "={{ $json.content }}\n\n{{ $json.why ?? 'You have this customer.' }}",
});

const template: Template = {
  name: 'Agent answers replies',
  notes: [
    note(
      'about',
      -80,
      { above: -30 },
      460,
      `## Agent answers replies
An AI agent answers replies by SMS, until the customer asks for a person, opts out, or the agent has no answer. From then on, every reply of this number goes to a person by mail.
AI 代理回复客户短信，需要人工时转给人工。`,
    ),
    note(
      'set up',
      420,
      { above: 180 },
      620,
      `### Set up here
- *Agent*: what it may say. *Chat model*: a credential of any chat model.
- *Send the answer*: your credential, signature and template. Then map its parameter to \`output\`. Your provider has to allow a template that is all parameter.
- *Tell the person*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.`,
    ),
    note(
      'more',
      1080,
      { above: 180 },
      460,
      `### Back to the agent
Delete the row of the number in the data table \`sms_with_person\`.`,
    ),
    calledNote(),
  ],
  lines: [
    [replies, table],
    [replies, taken],
    [replies, free],
    [called, table],
    [called, taken],
    [called, free],
    [taken, tell],
    [free, asks],
    [asks, leave],
    [asks, agent, 1],
    [agent, can],
    [can, send],
    [can, leave, 1],
    [send, leave, 1],
    [leave, tell],
  ],
  serves: [[model, agent, 'ai_languageModel']],
};

export default template;
