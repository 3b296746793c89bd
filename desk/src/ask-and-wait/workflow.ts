import {
  base,
  call,
  called,
  choose,
  fields,
  get,
  insert,
  lane,
  makeTables,
  obj,
  only,
  published,
  remove,
  update,
  when,
} from '../parts';
import type { DeskWorkflow } from '../parts';

const tryItWithASampleQuestion = base('manualTrigger', 'Try it with a sample question', {});

const sampleQuestion = fields('Sample question', {
  phone: '13810000040',
  template_id: '',
  signature_id: '',
  parameters: obj("={{ { name: 'Li Lei', date: 'June 3, 10:00' } }}"),
  question: 'Sample',
  answers: '1,2',
});

const moreThanOneCustomer = when('More than one customer?', '={{ $input.all().length > 1 }}');

const oneCustomerAfterAnother = base('splitInBatches', 'One customer after another', {
  batchSize: 1,
  options: {},
});

const askInAnExecutionOfItsOwn = call('Ask in an execution of its own', '={{ $workflow.id }}', {
  waits: false,
});

const customersToAsk = called('Customers to ask');

const onlyQuestions = only('Only questions', '={{ !$json.event }}');

const rememberTheQuestion = insert('Remember the question', 'sms_questions', {
  phone_number:
    "={{ (/^(?:\\+|00)?(?:86)?(1[3-9]\\d{9})$/.exec(String($json.phone ?? '').normalize('NFKC').replace(/[\\s().\\p{Pd}]+/gu, '')) ?? [])[1] ?? '' }}",
  question: "={{ String($json.question ?? '') }}",
  answers: "={{ String($json.answers || '1,2') }}",
  asked: '={{ $now.toISO() }}',
  execution: '={{ $execution.id }}',
  resume_url: "={{ $execution.resumeUrl.replace(/(?=\\?)|$/, '/answer') }}",
  batch_id: '',
  answer: '',
  reply: '',
});

const message = fields('Message', {
  phone: '={{ $json.phone_number }}',
  class: "={{ $('More than one customer?').first(1).json.class || 'notice' }}",
  template_id: "={{ String($('More than one customer?').first(1).json.template_id ?? '') }}",
  signature_id: "={{ String($('More than one customer?').first(1).json.signature_id ?? '') }}",
  parameters: obj("={{ $('More than one customer?').first(1).json.parameters ?? {} }}"),
  key: "={{ String($('More than one customer?').first(1).json.key ?? '') }}",
  reference: '={{ $json.question }}',
  source: "={{ $('More than one customer?').first(1).json.source || $workflow.name }}",
  phone_data: "={{ 'question-' + $json.id }}",
});

const sendThroughTheOutbox = call('Send through the outbox', 'sms-outbox', { errors: true });

const wasItAccepted = when(
  'Was it accepted?',
  "={{ ['accepted', 'unknown', 'waiting'].includes($json.status) }}",
);

const rememberTheBatchOfTheSMS = update(
  'Remember the batch of the SMS',
  'sms_questions',
  { id: "={{ $('Remember the question').first().json.id }}" },
  { batch_id: "={{ $json.batch_id ?? '' }}" },
  { once: true, always: true, goOn: true },
);

const replaceOlderQuestions = update(
  'Replace older questions',
  'sms_questions',
  {
    phone_number: "={{ $('Remember the question').first().json.phone_number }}",
    'id <': "={{ $('Remember the question').first().json.id }}",
    answer: '',
  },
  { answer: '(a newer question)' },
  { always: true, goOn: true },
);

const waitForTheReply = base('wait', 'Wait for the reply', {
  resume: 'webhook',
  httpMethod: 'POST',
  responseMode: 'onReceived',
  limitWaitTime: true,
  limitType: 'afterTimeInterval',
  resumeAmount: 24,
  resumeUnit: 'hours',
  options: { webhookSuffix: 'answer' },
});

const takeTheAnswer = update(
  'Take the answer',
  'sms_questions',
  { id: "={{ $('Remember the question').first().json.id }}", 'resume_url filled': true },
  { resume_url: '' },
  { once: true, tries: 5 },
);

const whatBecameOfItsSMS = get(
  'What became of its SMS',
  'sms_outbox',
  { id: "={{ $('Was it accepted?').first().json.outbox_id }}" },
  { limit: 1, once: true, always: true, goOn: true },
);

const outcome = fields(
  'Outcome',
  {
    phone_number: "={{ $('Remember the question').first().json.phone_number }}",
    question: "={{ $('Remember the question').first().json.question }}",
    outcome:
      "={{ !$('Take the answer').isExecuted ? 'notDelivered' : /^[^(]/.test($('Take the answer').first().json.answer) ? 'answered' : /^\\(not/.test($('Take the answer').first().json.answer) || ['refused', 'rejected'].includes($json.status) ? 'notDelivered' : 'silent' }}",
    answer:
      "={{ $('Take the answer').isExecuted && /^[^(]/.test($('Take the answer').first().json.answer) ? $('Take the answer').first().json.answer : '' }}",
    respondedAt:
      "={{ $('Take the answer').isExecuted && /^[^(]/.test($('Take the answer').first().json.answer) ? /^\\d{4}-\\S+/.exec($('Take the answer').first().json.reply)?.[0] ?? $now.toUTC().toISO() : '' }}",
    reason:
      "={{ !$('Take the answer').isExecuted ? 'Not sent: ' + ($('Was it accepted?').isExecuted ? $('Was it accepted?').first(1).json.reason : $('Send through the outbox').first(1).json.error?.message ?? $('Send through the outbox').first(1).json.error ?? '') : /^[^(]/.test($('Take the answer').first().json.answer) ? '' : /^\\(not/.test($('Take the answer').first().json.answer) ? $('Take the answer').first().json.answer.replace('(not delivered) ', '') : ['refused', 'rejected'].includes($json.status) ? 'Not sent: ' + $json.reason : $('Take the answer').first().json.answer ? 'A newer question to this number took its place.' : '' }}",
    customer: obj("={{ $('More than one customer?').first(1).json }}"),
  },
  { once: true },
);

const isAWorkflowToBeTold = when(
  'Is a workflow to be told?',
  "={{ Boolean($('More than one customer?').first(1).json.tell) }}",
);

const tellTheWorkflowThatAsked = call(
  'Tell the workflow that asked',
  "={{ $('More than one customer?').first(1).json.tell }}",
  { waits: false },
);

const forgetTheQuestion = remove(
  'Forget the question',
  'sms_questions',
  { execution: '={{ $execution.id }}' },
  { once: true, always: true },
);

const whichEnd = choose('Which end?', {
  Answered: "={{ $json.outcome === 'answered' }}",
  Silent: "={{ $json.outcome === 'silent' }}",
  'Not delivered': "={{ $json.outcome === 'notDelivered' }}",
});

const whenPublished = published('When published');

const tables = makeTables({ 'Make the table of questions': 'sms_questions' }, { tries: 5 });

const workflow: DeskWorkflow = {
  name: 'Ask and wait for the reply',
  about: `## Ask and wait for the reply
Sends a question by SMS and waits for a keyword, such as *1* or *2*, or until the time is over. Each customer has an execution that sleeps in n8n's database, also through a restart. *SMS · Ask and wait: replies* wakes it: publish that one too, with inbox and outbox.

**From your workflow**: call this one with *Execute Sub-workflow*, one item per customer:
- \`phone\`, and \`template_id\`, \`signature_id\` and \`parameters\` of a message that names the keywords
- \`question\`: your own reference; \`answers\`: the keywords (\`1,2\` if left out); \`key\`, if it must never be sent twice
- \`tell\`: the ID of the workflow that gets the outcome, such as \`{{ $workflow.id }}\`

That workflow starts with *When Executed by Another Workflow*. It gets one \`outcome\` of three, and in \`customer\` the fields of the item:
- \`answered\`, with \`answer\` and \`respondedAt\`, its time
- \`silent\`: no answer within the time
- \`notDelivered\`, at once, with a \`reason\`: that of the outbox if nothing was sent, or else what the delivery report says`,
  setUp: `### Set up here
In *Wait for the reply*: how long a customer may take. Your own steps go behind the three ends of *Which end?*.`,
  tryIt: `### Try it
In *Sample question*: your own number, the IDs of a template and a signature, and its parameters. Press **Execute workflow**, and answer 1 or 2. The execution goes on within a minute.`,
  lanes: [
    lane(
      [
        `### Several customers
This workflow calls itself for each, so each can wait.`,
        `### How it is sent
The row of the question is stored before the SMS, because a reply may be quick. The outbox decides whether it is sent. A newer question to the same phone replaces older ones, which get no reply.`,
      ],
      [
        tryItWithASampleQuestion,
        sampleQuestion,
        moreThanOneCustomer,
        [oneCustomerAfterAnother, 1],
        askInAnExecutionOfItsOwn,
        oneCustomerAfterAnother,
      ],
      [customersToAsk, onlyQuestions, moreThanOneCustomer],
      [
        [moreThanOneCustomer, 1],
        rememberTheQuestion,
        message,
        sendThroughTheOutbox,
        wasItAccepted,
        rememberTheBatchOfTheSMS,
        replaceOlderQuestions,
        waitForTheReply,
        takeTheAnswer,
        whatBecameOfItsSMS,
        outcome,
        isAWorkflowToBeTold,
        tellTheWorkflowThatAsked,
      ],
      [[sendThroughTheOutbox, 1], forgetTheQuestion, outcome],
      [[wasItAccepted, 1], forgetTheQuestion],
      [outcome, whichEnd],
    ),
    lane(
      `### When it is published
It makes its table.`,
      [whenPublished, ...tables],
    ),
  ],
};

export default workflow;
