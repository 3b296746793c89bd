import {
  agent,
  chatModel,
  choose,
  everyMinute,
  isListed,
  lane,
  mail,
  makeOptOuts,
  ONE_BY_ONE,
  optOut,
  OR_CALLED,
  readReplies,
  rowsOfNumber,
  sendTemplate,
  when,
  whenCalled,
  workflow,
} from '../parts';

const REPLY = "$('Read the reply').item.json";
const IS_LISTED = isListed(`${REPLY}.digits`);

/** Says a sentence in the mail if it came by this node. */
const from = (node: string, sentence: string) =>
  `{{ $prevNode.name === '${node}' ? ${sentence} : '' }}`;

export default workflow(
  {
    name: 'Agent answers replies',
    about: `## Agent answers replies
An AI agent answers replies by SMS, a number five times a day at most. A person gets a mail about each but plain opt-outs: what the agent has promised, what it cannot answer, who asks for a person, who complains.

AI 智能体用短信回复客户，同一号码一天最多五条。除了明确的退订，每条都用邮件告诉人工：它答了什么；答不了的、要找人工的、投诉的转人工。`,
    setUp: `### Set up here
- *Read the reply*: the words by which customers opt out, complain, or ask for a person. *Agent*: what it may say. *Chat model*: a credential of any chat model.
- *Send the answer*: your credential, signature and template. Then map its parameter to \`output\`. Your provider has to allow a template that is all parameter.
- *Tell the person*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
### 设置
- *Read the reply*：退订、投诉、找人工的词。*Agent*：它可以说什么。*Chat model*：任何一种大模型的凭据。
- *Send the answer*：凭据、签名、模板，再把变量映射到 \`output\`。服务商要允许整条都是变量的模板。
- *Tell the person*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。`,
    more: [
      `### What the model does not get · 不交给大模型的
Opt-outs and complaints: the number stands in \`sms_opt_outs\`, and gets no answer. If it was neither, delete the row. Replies that are older than an hour go to the person.
退订和投诉：号码记入名单 \`sms_opt_outs\`，不再回复；都不是的，请删掉那一行。一小时以前的上行也转人工。`,
      `### What it leaves to you · 要留意
It sees one reply, not the conversation, and does not know that a person is talking with the customer. *Execute workflow* is no rehearsal: its sample, STOP of 13800138000, goes on the list.
它只看这一条上行，不知道之前的对话，也不知道人工正在联系客户。*Execute workflow* 会真的执行：样例是 13800138000 回复的 STOP，这个号码会进退订名单。`,
      `### If something fails · 出错时
The replies come again, each alone: a mail can come twice, an SMS cannot.
上行一条一条再来：邮件可能重复，短信不会。`,
    ],
  },
  lane(
    [['From another workflow', OR_CALLED]],
    [everyMinute('New replies', ['reply'], { repeatFailed: true }), makeOptOuts()],
    [
      'New replies',
      readReplies({ person_words: '人工, 客服, PERSON, HUMAN' }),
      choose(
        'Who answers?',
        {
          'Opt out': "={{ Boolean($json.phone) && $json.says === 'stop' }}",
          'A person decides': "={{ Boolean($json.phone) && $json.says === 'doubt' }}",
          'A person':
            '={{ !$json.phone || !$json.content || Boolean($json.says) || !(Math.abs(Date.now() - Date.parse($json.time_iso)) < 3600000) }}',
        },
        'The agent',
      ),
      optOut(),
    ],
    // On the list first: a mail may fail.
    [['Who answers?', 1], 'Opt out'],
    [
      ['Who answers?', 1],
      mail(
        'Tell the person',
        {
          subject: `=SMS from {{ ${REPLY}.phone }}`,
          text: `={{ ${REPLY}.content || JSON.stringify(${REPLY}.answer ?? ${REPLY}) }}

${[
  from(
    'Who answers?',
    `${REPLY}.says === 'doubt' ? 'Is it an opt-out or a complaint? If not, delete the row in sms_opt_outs.' : ''`,
  ),
  from(
    'Who answers?',
    `${REPLY}.says === 'doubt' ? '' : 'It asks for a person, is older than an hour, or is nothing for the agent.'`,
  ),
  `{{ $prevNode.name === 'Has it an answer?' && ${IS_LISTED} ? 'Has opted out before. ' : '' }}`,
  from(
    'Has it an answer?',
    "$json.output ? 'No SMS was sent. The agent says ' + JSON.stringify($json.output) : ''",
  ),
  from(
    'Has it an answer?',
    "$json.output ? '' : 'The model has not answered. ' + ($json.error ?? '')",
  ),
  from(
    'Send the answer',
    "$json.details ? 'The answer was not confirmed (' + $json.details.status + '): ' + ($json.details.msg ?? $json.error) : ''",
  ),
  from(
    'Send the answer',
    "{ accepted: 'The agent has answered: ' + $('Agent').item.json.output, skipped: 'It was answered before, or may have been.' }[$json.status] ?? ''",
  ),
].join('')}`,
        },
        ONE_BY_ONE,
      ),
    ],
    [['Who answers?', 2], 'Tell the person'],
    [
      ['Who answers?', 3],
      // Without a model, an item goes on too: it has no answer.
      agent(
        'Agent',
        {
          promptType: 'define',
          text: "=We wrote: {{ $json.sms_content ?? '' }}\nThe customer answers: {{ $json.content }}",
          options: {
            systemMessage:
              'You answer text messages of the customers of a shop, in their language, in at most 60 characters, without links. This is all that you know: the shop is open from 9 to 18, orders arrive within three days, and goods can be returned for 14 days. For everything else, and for a customer who complains, answer with the one word PERSON.',
          },
        },
        { goOn: true, subnodes: { model: chatModel() } },
      ),
      // Who has opted out while it was thinking gets no answer. It runs first, because it stands above what follows.
      rowsOfNumber(`${REPLY}.digits`),
    ],
    [
      'Agent',
      when('Has it an answer?', [
        '={{ Boolean($json.output?.trim?.()) && $json.output.length <= 100 }}',
        '={{ !/\\bperson\\b|^\\P{L}*转?人工\\P{L}*$/iu.test($json.output) }}',
        `={{ !${IS_LISTED} }}`,
      ]),
      sendTemplate('Send the answer', {
        to: `={{ ${REPLY}.phone }}`,
        parameters: { answer: '={{ $json.output }}' },
        // With the text: two questions may come in one second.
        key: `=agent-{{ ${REPLY}.phone }}-{{ ${REPLY}.time }}-{{ ${REPLY}.content }}`,
        // An answering machine would be answered without end.
        more: { maxPerNumberAndDay: 5 },
      }),
      'Tell the person',
    ],
    [['Send the answer', 1], 'Tell the person'],
    [['Has it an answer?', 1], 'Tell the person'],
    [whenCalled(), 'Table of opt-outs'],
    ['From another workflow', 'Read the reply'],
  ),
);
