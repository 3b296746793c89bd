import {
  base,
  button,
  call,
  code,
  fields,
  get,
  goTo,
  insert,
  lane,
  obj,
  page,
  remove,
  saidOf,
  show,
  when,
} from '../parts';
import type { DeskWorkflow } from '../parts';
import runNumbersToLookUp from './numbers-to-look-up';
import runPage from './page';
import runPageThatSaysWhy from './page-that-says-why';
import runWhatWasAsked from './what-was-asked';
import runWhatWasSent from './what-was-sent';

const pageIsOpened = page('Page is opened', 'sms-conversations');

const whatWasAsked = code('What was asked', runWhatWasAsked);

const openedMessage = get(
  'Opened message',
  '={{ $json.opened.table }}',
  { id: '={{ $json.opened.id }}' },
  { limit: 1, once: true, always: true, goOn: true, choices: ['sms_outbox', 'sms_inbox'] },
);

const messagesSent = get(
  'Messages sent',
  'sms_outbox',
  {
    'id <': "={{ $('What was asked').first().json.sendsBelow }}",
    "phone_number ={{ $('What was asked').first().json.condition }}":
      "={{ $('Opened message').first().json.phone_number || $('What was asked').first().json.phone }}",
  },
  {
    order: 'id desc',
    limit: "={{ $('What was asked').first().json.limits.sends + 1 }}",
    ...{ once: true, always: true, goOn: true },
    choices: ['eq', 'like', 'neq'],
  },
);

const repliesAndReports = get(
  'Replies and reports',
  'sms_inbox',
  {
    'id <': "={{ $('What was asked').first().json.recordsBelow }}",
    "phone_number ={{ $('What was asked').first().json.condition }}":
      "={{ $('Opened message').first().json.phone_number || $('What was asked').first().json.phone }}",
    "event ={{ $('What was asked').first().json.opened.id ? 'neq' : 'eq' }}":
      "={{ $('What was asked').first().json.opened.id ? '' : 'reply' }}",
  },
  {
    order: 'id desc',
    limit: "={{ $('What was asked').first().json.limits.records + 1 }}",
    ...{ once: true, always: true, goOn: true },
    choices: ['eq neq', 'eq eq', 'like eq', 'neq eq'],
  },
);

const numbersToLookUp = code('Numbers to look up', runNumbersToLookUp, {
  once: true,
  always: true,
});

const laterMessages = get(
  'Later messages',
  'sms_outbox',
  { phone_number: "={{ $json.phone_number || 'none' }}", 'status !=': ['refused', 'rejected'] },
  { order: 'id desc', limit: 1, always: true, goOn: true },
);

const optOuts = get(
  'Opt-outs',
  'sms_opt_outs',
  { phone_number: "={{ $json.phone_number || 'none' }}" },
  { limit: 1, always: true, goOn: true },
);

const knownTemplates = get(
  'Known templates',
  'sms_templates',
  {},
  { once: true, always: true, goOn: true },
);

const thresholds = get(
  'Thresholds',
  'sms_thresholds',
  {},
  { once: true, always: true, goOn: true },
);

const isTheReplyBoxOpen = when(
  'Is the reply box open?',
  "={{ $('What was asked').first().json.reply && $('What was asked').first().json.opened.id > 0 }}",
  { once: true },
);

const pageNode = code('Page', runPage, { once: true });

const isItAnotherAddress = when('Is it another address?', "={{ $json.location !== '' }}");

const goToTheAddress = goTo('Go to the address', '={{ $json.location }}');

const templates = saidOf('Templates', 'template');

const signatures = saidOf('Signatures', 'signature');

const isATemplateChosen = when(
  'Is a template chosen?',
  "={{ $('What was asked').first().json.template !== '' }}",
  { once: true },
);

const token = base(
  'crypto',
  'Token',
  { action: 'generate', dataPropertyName: 'token', encodingType: 'hex', stringLength: 32 },
  { once: true },
);

const rememberTheToken = insert(
  'Remember the token',
  'sms_tokens',
  {
    token: '={{ $json.token }}',
    page: "=sms-conversations {{ $('Opened message').first().json.phone_number }}",
  },
  { tries: 3 },
);

const showThePage = show('Show the page', '={{ $json.html }}');

const replyIsSent = button('Reply is sent', 'sms-conversations-reply');

const whatWasSent = code('What was sent', runWhatWasSent);

const messageOfTheConversation = get(
  'Message of the conversation',
  '={{ $json.opened.table }}',
  { id: '={{ $json.opened.id }}' },
  { limit: 1, always: true, goOn: true, choices: ['sms_outbox', 'sms_inbox'] },
);

const tokenOfTheForm = get(
  'Token of the form',
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

const showWhy = show('Show why', '={{ $json.html }}', { status: '={{ $json.status }}' });

const workflow: DeskWorkflow = {
  name: 'Conversations',
  about: `## Conversations
A web page: what was sent to each phone number and what came back, as on a phone. The list shows who waits for an answer; an answer is one SMS with a template of yours, sent through the outbox.

Needs *SMS · Inbox* and *SMS · Outbox*.`,
  setUp: `## Set up here
1. *Page is opened* and *Reply is sent*: choose a Basic Auth credential. User and password are up to you.
2. Publish *SMS · Upkeep* and *SMS · Outbox* first, then this.`,
  tryIt: `## Try it
Publish, and open the production address of *Page is opened* in a browser. In a conversation press *Answer*, choose a template, and press *Send*: this sends a real SMS. *Execute workflow* is not needed: it waits for the test address.`,
  settings: { saveDataSuccessExecution: 'none', saveExecutionProgress: false },
  lanes: [
    lane(
      [
        `## What is read
The newest rows only: 50 messages and 50 replies for the list, 100 and 200 for one number. *Older* goes on from their IDs. An address has the ID of a row and never a phone number.`,
        `## Reply box
Opens with \`&reply=1\`. When a template is chosen, a token goes into the form and into *sms_tokens*.`,
      ],
      [
        pageIsOpened,
        whatWasAsked,
        openedMessage,
        messagesSent,
        repliesAndReports,
        numbersToLookUp,
        laterMessages,
      ],
      [
        numbersToLookUp,
        optOuts,
        knownTemplates,
        thresholds,
        [isTheReplyBoxOpen, 1],
        pageNode,
        isItAnotherAddress,
        goToTheAddress,
      ],
      [isTheReplyBoxOpen, templates, signatures, [isATemplateChosen, 1], pageNode],
      [isATemplateChosen, token, rememberTheToken, pageNode],
      [[isItAnotherAddress, 1], showThePage],
    ),
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
        tokenOfTheForm,
        [isItKnown, 1],
        waitForTheFirstClick,
        messageWithThisKey,
        isItInTheOutbox,
        backToTheConversation,
      ],
      [isItKnown, useUpTheTokensOfTheConversation, [wasItThere, 1], waitForTheFirstClick],
      [wasItThere, message, outbox, isItInTheOutbox],
      [[isItInTheOutbox, 1], pageThatSaysWhy, showWhy],
    ),
  ],
};

export default workflow;
