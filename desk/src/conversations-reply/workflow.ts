import {
  base,
  button,
  call,
  code,
  fields,
  get,
  goTo,
  lane,
  obj,
  remove,
  show,
  when,
} from '../parts';
import type { DeskWorkflow } from '../parts';
import runPageThatSaysWhy from './page-that-says-why';
import runWhatWasSent from './what-was-sent';

const replyIsSent = button('Reply is sent', 'sms-conversations-reply');

const whatWasSent = code('What was sent', runWhatWasSent);

const messageOfTheConversation = get(
  'Message of the conversation',
  '={{ $json.opened.table }}',
  { id: '={{ $json.opened.id }}' },
  { limit: 1, always: true, goOn: true },
);

const token = get(
  'Token',
  'sms_tokens',
  {
    token: "={{ $('What was sent').first().json.token || 'none' }}",
    page: "=sms-conversations {{ $('Message of the conversation').first().json.phone_number }}",
    'createdAt >': '={{ $now.minus({ days: 1 }).toISO() }}',
  },
  { limit: 1, always: true, goOn: true },
);

const isItKnown = when('Is it known?', '={{ Boolean($json.id) }}');

const useUpTheTokensOfTheConversation = remove(
  'Use up the tokens of the conversation',
  'sms_tokens',
  { page: "=sms-conversations {{ $('Message of the conversation').first().json.phone_number }}" },
  { always: true },
);

const wasItThere = when(
  'Was it there?',
  "={{ $input.all().some(({ json }) => json.token === $('What was sent').first().json.token) }}",
  { once: true },
);

const message = fields(
  'Message',
  {
    phone: "={{ $('Message of the conversation').first().json.phone_number }}",
    class: 'notice',
    template_id: "={{ $('What was sent').first().json.template }}",
    signature_id: "={{ $('What was sent').first().json.signature }}",
    parameters: obj("={{ $('What was sent').first().json.parameters }}"),
    key: "={{ $('What was sent').first().json.token }}",
    source: 'SMS · Conversations',
  },
  { once: true },
);

const outbox = call('Outbox', 'sms-outbox', { goOn: true });

const isItInTheOutbox = when('Is it in the outbox?', '={{ Boolean($json.outbox_id ?? $json.id) }}');

const backToTheConversation = goTo(
  'Back to the conversation',
  "=sms-conversations?row={{ $('What was sent').first().json.row }}&sent={{ $json.outbox_id ?? $json.id }}{{ $('What was sent').first().json.keepsLang ? '&lang=' + $('What was sent').first().json.lang : '' }}#end",
);

const waitForTheFirstClick = base(
  'wait',
  'Wait for the first click',
  { amount: 2 },
  { once: true },
);

const messageWithThisKey = get(
  'Message with this key',
  'sms_outbox',
  { key: "={{ $('What was sent').first().json.token || 'none' }}" },
  { order: 'id desc', limit: 1, always: true, goOn: true },
);

const pageThatSaysWhy = code('Page that says why', runPageThatSaysWhy);

const showThePage = show('Show the page', '={{ $json.html }}', { status: '={{ $json.status }}' });

const workflow: DeskWorkflow = {
  name: 'Conversations: reply',
  about: `## Conversations: reply
Takes the form of the reply box on the page of conversations, and sends one SMS through the outbox. Then the browser goes back to the conversation, which shows the outcome.

Needs *SMS · Conversations* and *SMS · Outbox*.`,
  setUp: `## Set up here
1. *Reply is sent*: choose the Basic Auth credential of *SMS · Conversations*.
2. Publish *SMS · Outbox* first, then this.`,
  tryIt: `## Try it
Open a conversation on the page, press *Answer*, choose a template, and press *Send*: this sends a real SMS. *Execute workflow* does nothing without the form.`,
  settings: { saveDataSuccessExecution: 'none', saveExecutionProgress: false },
  lanes: [
    lane(
      [
        `## Each form once
The token of the form must be in *sms_tokens*, for this number, and a day old at most. One delete takes it out, with those of all other windows that have this conversation open. Whoever gets it back may send. The token is the outbox's key too.`,
        `## A second click
The same form was sent a moment ago: it leads to that message, and sends nothing.`,
      ],
      [
        replyIsSent,
        whatWasSent,
        messageOfTheConversation,
        token,
        [isItKnown, 1],
        waitForTheFirstClick,
        messageWithThisKey,
        isItInTheOutbox,
        backToTheConversation,
      ],
      [isItKnown, useUpTheTokensOfTheConversation, [wasItThere, 1], waitForTheFirstClick],
      [wasItThere, message, outbox, isItInTheOutbox],
      [[isItInTheOutbox, 1], pageThatSaysWhy, showThePage],
    ),
  ],
};

export default workflow;
