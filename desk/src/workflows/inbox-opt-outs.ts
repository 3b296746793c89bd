import { called, get, lane, only, remove, upsert, when } from '../parts';
import type { DeskWorkflow } from '../parts';

const stopAndStartReplies = called('Stop and start replies');

const laterRepliesOfTheNumber = get(
  'Later replies of the number',
  'sms_inbox',
  {
    'id >': '={{ $json.newest_id - 20000 }}',
    phone_number: '={{ $json.phone_number }}',
    event: 'reply',
    'time >': '={{ $json.since }}',
  },
  { order: 'id' },
);

const lastWordOfEachNumber = only(
  'Last word of each number',
  "={{ !$input.all().some(({ json }, index) => json.phone_number === $json.phone_number && (json.since > $json.since || (json.since === $json.since && index > $itemIndex))) && !$('Later replies of the number').all().some(({ json, pairedItem }) => pairedItem.item === $itemIndex && ['stop_words', 'start_words'].some((list) => $json[list].split(/[,，、]/).map((word) => word.normalize('NFKC').toUpperCase().replace(/[\\p{P}\\p{S}\\p{M}\\p{Z}\\p{C}]/gu, '')).filter(Boolean).includes(String(json.content ?? '').normalize('NFKC').toUpperCase().replace(/[\\p{P}\\p{S}\\p{M}\\p{Z}\\p{C}]/gu, '')))) }}",
);

const aStopWord = when('A stop word?', "={{ $json.says === 'stop' }}");

const putOnTheOptOutList = upsert(
  'Put on the opt-out list',
  'sms_opt_outs',
  { phone_number: '={{ $json.phone_number }}' },
  {
    phone_number: '={{ $json.phone_number }}',
    word: '={{ $json.word }}',
    since: '={{ $json.since }}',
  },
  { tries: 3 },
);

const takeOffTheOptOutList = remove(
  'Take off the opt-out list',
  'sms_opt_outs',
  { phone_number: '={{ $json.phone_number }}', 'since <=': '={{ $json.since }}' },
  { tries: 3 },
);

const workflow: DeskWorkflow = {
  name: 'Inbox: opt-outs',
  about: `## SMS · Inbox: opt-outs
The inbox calls this part before it stores a page with stop or start words. It keeps the list *sms_opt_outs*: the numbers that get no messages any more. You change the words in *SMS · Inbox*. Nothing is to be set up here: publish it before the inbox.

Do you type numbers into *sms_opt_outs* yourself? It holds numbers of 11 digits only, such as 13800138000.`,

  settings: { saveDataSuccessExecution: 'none', executionTimeout: 300 },
  lanes: [
    lane(
      `## The latest word counts
Replies can come in any order, and a page can come twice. So a word counts only if no later word of its number is on the page or in *sms_inbox*, and a start word takes off only what is older.

No Code node here: the inbox has not stored the page yet.`,
      [stopAndStartReplies, laterRepliesOfTheNumber],
      [stopAndStartReplies, lastWordOfEachNumber, aStopWord, putOnTheOptOutList],
      [[aStopWord, 1], takeOffTheOptOutList],
    ),
  ],
};

export default workflow;
