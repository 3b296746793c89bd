import type { Template } from './build';
import {
  ai,
  at,
  base,
  calledNote,
  cases,
  chatModel,
  fields,
  isTrue,
  mail,
  makeTable,
  mapped,
  note,
  onRecord,
  phoneOf,
  rows,
  says,
  sendTemplate,
  STOP_WORDS,
  whenCalled,
  where,
} from '../../builder/parts';

/** The same list as that of the desk and of reply-keyword. */
const TABLE = 'sms_opt_outs';

const REPLY = "$('Read the reply').item.json";
const IS_LISTED = `$('On the opt-out list?').all().some(({ json }) => json.phone_number === ${REPLY}.phone)`;

const replies = onRecord('New replies', at(0), ['reply'], { repeatFailed: true });
const called = whenCalled(at(0, 2));

const table = makeTable('Table of opt-outs', at(1), TABLE, ['phone_number', 'word', 'since']);

const read = fields(
  'Read the reply',
  at(1, 2),
  { stop_words: STOP_WORDS, phone: `={{ ${phoneOf('$json')} }}` },
  { keepsOthers: true },
);

const who = cases(
  'Who answers?',
  at(2, 2),
  {
    'Nobody: opt out': `={{ Boolean($json.phone) && ${says('$json.content', '$json.stop_words')} }}`,
    'A person':
      "={{ !$json.phone || !$json.content || /人工|客服|退[订訂]|拒收|订阅|停止|[不别勿].{0,8}(发|短信)|\\b(person|human|unsubscribe|stop|opt.?out|remove|not text)\\b/i.test(String($json.content).normalize('NFKC')) }}",
  },
  'The agent',
);

const optOut = base('dataTable', 'Opt out', at(3, 1), {
  ...rows('upsert', TABLE),
  ...where({ phone_number: '={{ $json.phone }}' }),
  columns: mapped({
    phone_number: '={{ $json.phone }}',
    word: '={{ $json.content }}',
    since: '={{ $json.time_iso ?? $now.toUTC().toISO() }}',
  }),
  options: {},
});

// It runs before the agent, because it stands above it, and after those of the page have opted out.
const listed = base('dataTable', 'On the opt-out list?', at(3, 2.4), {
  ...rows('get', TABLE),
  ...where({ phone_number: '={{ $json.phone }}' }),
  returnAll: true,
});

// Without a model, an item goes on too: it has no answer.
const agent = ai(
  'agent',
  'Agent',
  at(3, 3.4),
  {
    promptType: 'define',
    text: "=We wrote: {{ $json.sms_content ?? '' }}\nThe customer answers: {{ $json.content }}",
    options: {
      systemMessage:
        'You answer text messages of the customers of a shop, in their language, in at most 60 characters, without links. This is all that you know: the shop is open from 9 to 18, orders arrive within three days, and goods can be returned for 14 days. For everything else, and for a customer who complains, answer with the one word PERSON.',
    },
  },
  { onError: 'continueRegularOutput' },
);

const model = chatModel(at(3, 4.6));

const can = base('if', 'Has it an answer?', at(5, 3.4), {
  conditions: isTrue(
    `={{ Boolean($json.output?.trim?.()) && !/\\bperson\\b|^\\P{L}*转?人工\\P{L}*$/iu.test($json.output) && $json.output.length <= 200 && !${IS_LISTED} }}`,
  ),
  options: {},
});

const send = sendTemplate('Send the answer', at(6, 4.4), {
  to: `={{ ${REPLY}.phone }}`,
  parameters: { answer: '={{ $json.output }}' },
  // With the text: two questions may come in one second.
  key: `=agent-{{ ${REPLY}.phone }}-{{ ${REPLY}.time }}-{{ ${REPLY}.content }}`,
});

const tell = mail('Tell the person', at(7, 1.4), {
  subject: `=SMS from {{ ${REPLY}.phone }}`,
  text: `={{ ${REPLY}.content || JSON.stringify(${REPLY}.answer ?? ${REPLY}) }}

{{ $prevNode.name === 'Opt out' ? 'The customer has opted out, and is on the list.' : $prevNode.name === 'Who answers?' ? 'The customer asks for a person, or it is nothing for the agent.' : $json.details ? 'The answer was not sent (' + $json.details.status + '): ' + ($json.details.msg ?? $json.error) : ${IS_LISTED} ? 'The customer has opted out before: no SMS was sent.' : $json.output ? 'The agent has no answer.' : 'The model has not answered. ' + ($json.error ?? '') }}`,
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
An AI agent answers replies by SMS. A person gets by mail what it cannot answer, who asks for a person, and who opts out; the number then goes into the data table \`sms_opt_outs\`, and no answer goes to it.
AI 代理回复客户短信，需要人工时用邮件转给人工，退订的记入名单。`,
    ),
    note(
      'set up',
      420,
      { above: 180 },
      620,
      `### Set up here
- *Read the reply*: the words by which customers opt out. *Agent*: what it may say. *Chat model*: a credential of any chat model.
- *Send the answer*: your credential, signature and template. Then map its parameter to \`output\`. Your provider has to allow a template that is all parameter.
- *Tell the person*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.`,
    ),
    note(
      'more',
      1080,
      { above: 180 },
      460,
      `### What it leaves to you
It sees one reply, not the conversation, and does not know that a person is talking with the customer. If something fails, the replies come again with the next poll: a mail can come twice, an SMS cannot.`,
    ),
    calledNote(),
  ],
  lines: [
    [replies, table],
    [replies, read],
    [called, table],
    [called, read],
    [read, who],
    [who, optOut, 0],
    [who, tell, 1],
    [who, listed, 2],
    [who, agent, 2],
    [optOut, tell],
    [agent, can],
    [can, send],
    [can, tell, 1],
    [send, tell, 1],
  ],
  serves: [[model, agent, 'ai_languageModel']],
};

export default template;
