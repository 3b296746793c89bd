import {
  agent,
  chatModel,
  choose,
  everyMinute,
  fields,
  lane,
  mail,
  ONE_BY_ONE,
  makeTable,
  mapped,
  OR_CALLED,
  phoneOf,
  rows,
  says,
  sendTemplate,
  STOP_WORDS,
  when,
  whenCalled,
  where,
  workflow,
} from '../parts';

/** The same list as that of the desk and of reply-keyword. */
const TABLE = 'sms_opt_outs';

const REPLY = "$('Read the reply').item.json";
const IS_LISTED = `$('On the opt-out list?').all().some(({ json }) => json.phone_number === ${REPLY}.phone)`;

export default workflow(
  {
    name: 'Agent answers replies',
    about: `## Agent answers replies
An AI agent answers replies by SMS. A person gets a mail about what it cannot answer, who asks for a person, and who opts out. A number that opts out goes on the list \`sms_opt_outs\`, and gets no answer.

AI 智能体用短信回复客户。它答不了的、要找人工的、退订的，用邮件转给人工；退订的号码记入名单 \`sms_opt_outs\`，不再回复。`,
    setUp: `### Set up here
- *Read the reply*: the words by which customers opt out. *Agent*: what it may say. *Chat model*: a credential of any chat model.
- *Send the answer*: your credential, signature and template. Then map its parameter to \`output\`. Your provider has to allow a template that is all parameter.
- *Tell the person*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
### 设置
- *Read the reply*：退订词。*Agent*：它可以说什么。*Chat model*：任何一种大模型的凭据。
- *Send the answer*：凭据、签名、模板，再把变量映射到 \`output\`。服务商要允许整条都是变量的模板。
- *Tell the person*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。`,
    more: [
      `### What it leaves to you · 要留意
It sees one reply, not the conversation, and does not know that a person is talking with the customer. If something fails, the replies come again, each alone: a mail can come twice, an SMS cannot. *Execute workflow* is no rehearsal: its sample, STOP of 13800138000, goes on the list.

它只看这一条上行，不知道之前的对话，也不知道人工正在联系客户。出错时，上行一条一条再来：邮件可能重复，短信不会。*Execute workflow* 会真的执行：样例是 13800138000 回复的 STOP，这个号码会进退订名单。`,
    ],
  },
  lane(
    [['From another workflow', OR_CALLED]],
    [
      everyMinute('New replies', ['reply'], { repeatFailed: true }),
      makeTable('Table of opt-outs', TABLE, ['phone_number', 'word', 'since']),
    ],
    [
      'New replies',
      fields(
        'Read the reply',
        { stop_words: STOP_WORDS, phone: `={{ ${phoneOf('$json')} }}` },
        { keepsOthers: true },
      ),
      choose(
        'Who answers?',
        {
          'Nobody: opt out': `={{ Boolean($json.phone) && ${says('$json.content', '$json.stop_words')} }}`,
          'A person':
            "={{ !$json.phone || !$json.content || /人工|客服|退[订訂]|拒收|订阅|停止|[不别勿].{0,8}(发|短信)|\\b(person|human|unsubscribe|stop|opt.?out|remove|not text)\\b/i.test(String($json.content).normalize('NFKC')) }}",
        },
        'The agent',
      ),
      rows('Opt out', 'upsert', TABLE, {
        ...where({ phone_number: '={{ $json.phone }}' }),
        columns: mapped({
          phone_number: '={{ $json.phone }}',
          word: '={{ $json.content }}',
          since: '={{ $json.time_iso ?? $now.toUTC().toISO() }}',
        }),
        options: {},
      }),
      mail(
        'Tell the person',
        {
          subject: `=SMS from {{ ${REPLY}.phone }}`,
          text: `={{ ${REPLY}.content || JSON.stringify(${REPLY}.answer ?? ${REPLY}) }}

{{ $prevNode.name === 'Opt out' ? 'The customer has opted out, and is on the list.' : $prevNode.name === 'Who answers?' ? 'The customer asks for a person, or it is nothing for the agent.' : $json.details ? 'The answer was not sent (' + $json.details.status + '): ' + ($json.details.msg ?? $json.error) : ${IS_LISTED} ? 'The customer has opted out before: no SMS was sent.' : $json.output ? 'The agent has no answer.' : 'The model has not answered. ' + ($json.error ?? '') }}`,
        },
        ONE_BY_ONE,
      ),
    ],
    [['Who answers?', 1], 'Tell the person'],
    [
      ['Who answers?', 2],
      // It runs before the agent, because it stands above it, and after those of the page have opted out.
      rows('On the opt-out list?', 'get', TABLE, {
        ...where({ phone_number: '={{ $json.phone }}' }),
        returnAll: true,
      }),
    ],
    [
      ['Who answers?', 2],
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
      when(
        'Has it an answer?',
        `={{ Boolean($json.output?.trim?.()) && !/\\bperson\\b|^\\P{L}*转?人工\\P{L}*$/iu.test($json.output) && $json.output.length <= 200 && !${IS_LISTED} }}`,
      ),
      [
        sendTemplate('Send the answer', {
          to: `={{ ${REPLY}.phone }}`,
          parameters: { answer: '={{ $json.output }}' },
          // With the text: two questions may come in one second.
          key: `=agent-{{ ${REPLY}.phone }}-{{ ${REPLY}.time }}-{{ ${REPLY}.content }}`,
        }),
        1,
      ],
      'Tell the person',
    ],
    [['Has it an answer?', 1], 'Tell the person'],
    [whenCalled(), 'Table of opt-outs'],
    ['From another workflow', 'Read the reply'],
  ),
);
