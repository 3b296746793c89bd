import { base, code, get, goTo, insert, lane, page, show, sms, when } from '../parts';
import type { DeskWorkflow } from '../parts';
import runNumbersToLookUp from './numbers-to-look-up';
import runPage from './page';
import runWhatWasAsked from './what-was-asked';

const pageIsOpened = page('Page is opened', 'sms-conversations');

const whatWasAsked = code('What was asked', runWhatWasAsked);

const openedMessage = get(
  'Opened message',
  '={{ $json.opened.table }}',
  { id: '={{ $json.opened.id }}' },
  { limit: 1, once: true, always: true, goOn: true },
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
    once: true,
    always: true,
    goOn: true,
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
    once: true,
    always: true,
    goOn: true,
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

const isTheReplyBoxOpen = when(
  'Is the reply box open?',
  "={{ $('What was asked').first().json.reply && $('What was asked').first().json.opened.id > 0 }}",
  { once: true },
);

const pageNode = code('Page', runPage, { once: true });

const isItAnotherAddress = when('Is it another address?', "={{ $json.location !== '' }}");

const goToTheAddress = goTo('Go to the address', '={{ $json.location }}');

const templates = sms(
  'Templates',
  { resource: 'template', operation: 'getAll', returnAll: true },
  { once: true, always: true, goOn: true },
);

const signatures = sms(
  'Signatures',
  { resource: 'signature', operation: 'getAll', returnAll: true },
  { once: true, always: true, goOn: true },
);

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

const workflow: DeskWorkflow = {
  name: 'Conversations',
  about: `## Conversations
A web page: what was sent to each phone number and what came back, as on a phone. The list shows who waits for an answer; an answer is sent with a template of yours.

Needs *SMS · Inbox*, *SMS · Outbox* and, to answer, *SMS · Conversations: reply*.`,
  setUp: `## Set up here
1. *Page is opened*: choose a Basic Auth credential. User and password are up to you.
2. *Templates* and *Signatures*: choose your SMS credential.
3. Publish, here and in *SMS · Conversations: reply*.`,
  tryIt: `## Try it
Publish, and open the production address of *Page is opened* in a browser. *Execute workflow* is not needed: it waits for the test address.`,
  settings: { saveDataSuccessExecution: 'none', saveExecutionProgress: false },
  lanes: [
    lane(
      [
        `## What is read
The newest rows only: 50 messages and 50 replies for the list, 100 and 200 for one number. *Older* goes on from their IDs. An address has the ID of a row and never a phone number.`,
        `## Reply box
Opens with \`&reply=1\`. When a template is chosen, a token goes into the form and into *sms_tokens*: the other workflow takes each form once.`,
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
        [isTheReplyBoxOpen, 1],
        pageNode,
        isItAnotherAddress,
        goToTheAddress,
      ],
      [isTheReplyBoxOpen, templates, signatures, [isATemplateChosen, 1], pageNode],
      [isATemplateChosen, token, rememberTheToken, pageNode],
      [[isItAnotherAddress, 1], showThePage],
    ),
  ],
};

export default workflow;
