import {
  base,
  called,
  every,
  fields,
  get,
  lane,
  missing,
  num,
  only,
  remove,
  subscription,
  update,
} from '../parts';
import type { DeskWorkflow } from '../parts';

const recordsFromTheInbox = called('Records from the inbox');

const onlyRepliesAndFailures = only(
  'Only replies and failures',
  "={{ $json.event === 'reply' || ($json.event === 'deliveryReport' && !['', 'DELIVRD'].includes($json.status ?? '') && /^$|^question-\\d+$/.test($json.phone_data ?? '')) }}",
);

const readTheRecord = fields('Read the record', {
  phone_number: '={{ $json.phone_number }}',
  answer:
    "={{ $json.event === 'reply' ? String($json.content ?? '').normalize('NFKC').toUpperCase().replace(/^[\\s\\p{P}]+|[\\s\\p{P}]+$/gu, '') : '(not delivered) ' + [$json.status, $json.status_desc].filter(Boolean).join(': ').slice(0, 300) }}",
  reply:
    "={{ [new Date($json.time || NaN).toJSON(), $json.phone_number, $json.id ? 'row ' + $json.id : $json.time, $json.content].join(' ') }}",
  batch_id: "={{ $json.batch_id ?? '' }}",
  time: "={{ $json.time ?? '' }}",
  question: num(
    "={{ $json.event === 'reply' ? 0 : Number(($json.phone_data ?? '').replace('question-', '')) }}",
  ),
});

const leaveOutThoseWithAKnownBatch = missing(
  'Leave out those with a known batch',
  'sms_questions',
  {
    phone_number: "={{ $('Read the record').item.json.phone_number }}",
    batch_id: "={{ $('Read the record').item.json.batch_id || '-' }}",
  },
);

const findTheOpenQuestion = get(
  'Find the open question',
  'sms_questions',
  {
    phone_number: "={{ $('Read the record').item.json.phone_number }}",
    answer: '',
    'resume_url filled': true,
  },
  { order: 'id desc', limit: 1 },
);

const questionsOfAllRecords = base('merge', 'Questions of all records', {});

const isItAnAnswerToIt = only(
  'Is it an answer to it?',
  "={{ ($('Read the record').item.json.answer.startsWith('(') || $json.answers.normalize('NFKC').toUpperCase().split(/[\\s,;、]+/).includes($('Read the record').item.json.answer)) && ($('Read the record').item.json.question ? $json.id === $('Read the record').item.json.question : $('Read the record').item.json.answer.startsWith('(') ? Boolean($json.batch_id) && $json.batch_id === $('Read the record').item.json.batch_id : !$json.batch_id || ['', $json.batch_id].includes($('Read the record').item.json.batch_id)) && ($('Read the record').item.json.answer.startsWith('(') || !(new Date($('Read the record').item.json.time).getTime() < new Date($json.asked).getTime() - 2 * 60 * 1000)) }}",
);

const leaveOutWhatHasArrived = missing('Leave out what has arrived', 'sms_inbox', {
  "={{ $('Read the record').item.json.answer.startsWith('(') ? 'event' : 'id' }}":
    "={{ $('Read the record').item.json.answer.startsWith('(') ? 'deliveryReport' : -1 }}",
  status: 'DELIVRD',
  phone_number: "={{ $('Read the record').item.json.phone_number }}",
  "={{ $('Read the record').item.json.question ? 'phone_data' : 'batch_id' }}":
    "={{ $('Read the record').item.json.question ? 'question-' + $('Read the record').item.json.question : $('Read the record').item.json.batch_id || '-' }}",
});

const leaveOutRecordsUsedBefore = missing('Leave out records used before', 'sms_questions', {
  reply: "={{ $('Read the record').item.json.reply }}",
});

const storeTheAnswerOrFailure = update(
  'Store the answer or failure',
  'sms_questions',
  { id: '={{ $json.id }}', answer: '', 'resume_url filled': true },
  {
    answer: "={{ $('Read the record').item.json.answer }}",
    reply: "={{ $('Read the record').item.json.reply }}",
  },
);

const wakeTheExecution = base(
  'httpRequest',
  'Wake the execution',
  {
    method: 'POST',
    url: '={{ $json.resume_url }}',
    options: {
      batching: { batch: { batchSize: 10, batchInterval: 500 } },
      response: { response: { fullResponse: true, neverError: true } },
      timeout: 120000,
    },
  },
  { errors: true },
);

const isTheExecutionGone = only(
  'Is the execution gone?',
  "={{ /does not exist|has finished/.test($json.body?.message ?? '') }}",
);

const closeItsQuestion = update(
  'Close its question',
  'sms_questions',
  {
    resume_url:
      "={{ $('Wake the execution').params.url && $('Get the answers not taken').isExecuted ? $('Get the answers not taken').item.json.resume_url : $('Store the answer or failure').item.json.resume_url }}",
  },
  { resume_url: '' },
);

const stopNobodyTookTheAnswer = base('stopAndError', 'Stop: nobody took the answer', {
  errorMessage:
    '=The execution that asked {{ $json.phone_number }} is gone. The answer is {{ $json.answer }}; it stays in sms_questions.',
});

const everyMinute = every('Every minute', 1, 'minutes');

const getTheAnswersNotTaken = get('Get the answers not taken', 'sms_questions', {
  'answer filled': true,
  'answer !=': '(a newer question)',
  'resume_url filled': true,
});

const forgetOldQuestions = remove(
  'Forget old questions',
  'sms_questions',
  { 'asked <': '={{ $now.minus({ days: 90 }).toISO() }}' },
  { always: true },
);

const findTheQuestionOfItsSMS = get(
  'Find the question of its SMS',
  'sms_questions',
  {
    phone_number: "={{ $('Read the record').item.json.phone_number }}",
    answer: '',
    'resume_url filled': true,
    "={{ $('Read the record').item.json.question ? 'id' : 'batch_id' }}":
      "={{ $('Read the record').item.json.question || $('Read the record').item.json.batch_id || '-' }}",
  },
  { order: 'id desc', limit: 1 },
);

const stopNothingWasWoken = base('stopAndError', 'Stop: nothing was woken', {
  errorMessage:
    "=The answers woke nothing: {{ $json.error?.message ?? $json.error ?? '' }}. They are stored, and woken again every minute. If n8n cannot reach its own webhook address, set N8N_WEBHOOK_URL to one that it can reach.",
});

const workflow: DeskWorkflow = {
  name: 'Ask and wait: replies',
  about: `## Ask and wait: replies
Finds the question that a reply answers, or that was not delivered, stores that, and wakes the execution that asked. There is nothing to choose. n8n must reach its own webhook address.

Only an allowed answer and nothing more counts; case, full-width digits and punctuation do not matter. A reply to another SMS (\`batch_id\`), from before the question, or one that comes twice is no answer.

A report of failure ends only a question without an answer, and not if another report says that its SMS has arrived.`,

  tryIt: `### Try it
Open *SMS · Ask and wait for the reply*, ask yourself, and answer. **Execute workflow** here wakes what is not awake yet.`,
  settings: { saveDataSuccessExecution: 'none' },
  lanes: [
    lane(
      [
        `### How waking works
Twenty a second. An execution that does not wake, because n8n is busy or has stopped or its question is still being sent, is woken again every minute: its answer waits in its row.`,
        `### Every minute
Wakes for answers that nobody has taken yet. Questions older than 90 days leave the table.`,
      ],
      [
        recordsFromTheInbox,
        onlyRepliesAndFailures,
        readTheRecord,
        leaveOutThoseWithAKnownBatch,
        findTheOpenQuestion,
        questionsOfAllRecords,
        isItAnAnswerToIt,
        leaveOutWhatHasArrived,
        leaveOutRecordsUsedBefore,
        storeTheAnswerOrFailure,
        wakeTheExecution,
        isTheExecutionGone,
        closeItsQuestion,
        stopNobodyTookTheAnswer,
      ],
      [everyMinute, getTheAnswersNotTaken, wakeTheExecution],
      [everyMinute, forgetOldQuestions],
      [readTheRecord, findTheQuestionOfItsSMS, [questionsOfAllRecords, 0, 1]],
      [[wakeTheExecution, 1], stopNothingWasWoken],
    ),
    subscription('all'),
  ],
};

export default workflow;
