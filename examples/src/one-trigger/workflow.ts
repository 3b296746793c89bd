import { base, choose, everyMinute, fields, lane, only, says, STOP_WORDS } from '../parts';
import type { Node, Way, Workflow } from '../parts';

const records = everyMinute('Reports and replies', ['reply']);

/** Beside the records, which go on as they came. */
const words = fields('Keywords', { keywords: `1, 2, ${STOP_WORDS}` });

const kind = choose(
  'Report or reply?',
  {
    Report: "={{ $json.event === 'deliveryReport' }}",
    Reply: "={{ $json.event === 'reply' }}",
  },
  'Neither',
);

const keyword = choose(
  'Which keyword?',
  {
    Keyword: `={{ ${says('$json.content', "$('Keywords').first().json.keywords")} }}`,
  },
  'Everything else',
);

/** Another workflow gets all records of a page at once. If it fails, the others still get theirs. */
const handTo = (name: string, way: Way = {}): Node =>
  base(
    'executeWorkflow',
    name,
    {
      workflowId: { __rl: true, mode: 'list', value: '' },
      mode: 'once',
      options: { waitForSubWorkflow: true },
    },
    { goOn: true, ...way },
  );

const forReports = handTo('Workflow for reports', { disabled: true });
const forKeywords = handTo('Workflow for keywords');
const forOthers = handTo('Workflow for other replies');

const ends = base('merge', 'Wait for all', { numberInputs: 4 });

const failed = only(
  'What went wrong',
  "={{ Boolean($json.error) || $json.event === 'unreadable' || ($json.event === 'deliveryReport' && !$('Workflow for reports').params.workflowId.value) }}",
);

const stop = base('stopAndError', 'Say so', {
  errorMessage:
    "={{ $json.error ? 'A workflow that this one calls has failed: ' + $json.error : $json.event === 'deliveryReport' ? 'No workflow for reports is chosen. They are in this execution.' : 'The service sent an answer that nobody can read. It is in this execution.' }}",
});

const workflow: Workflow = {
  name: 'One trigger for several workflows',
  about: `## One trigger for several workflows
An account has one trigger for its replies and reports: a second one would take records from it, and cannot be published. This workflow has it, and hands each record to the workflow that wants it.
一个账号只能有一个触发器。由它取数据，再按类型和关键词分给其他工作流。`,
  setUp: `### Set up here
- *Reports and replies*: your credential.
- In each *Workflow for …*: a workflow that starts when it is called, such as the templates for replies and reports. Publish it, with its own trigger deleted. With one workflow for all replies, choose it twice.
- *Keywords*: those that go to *Workflow for keywords*, opt-outs too.
- Reports too? Activate *Workflow for reports* and choose its workflow, then add *Delivery Report* in *Reports and replies*.`,
  lanes: [
    lane(
      [],
      [records, words],
      [records, [kind, 2], [ends, 0, 3], failed, stop],
      [kind, forReports, ends],
      [[kind, 1], keyword, forKeywords, [ends, 0, 1]],
      [[keyword, 1], forOthers, [ends, 0, 2]],
    ),
  ],
  more: [
    `### If one fails
The others get their records all the same. This execution fails at its end, so that your error workflow hears of it. The records do not come again: retry the execution of the workflow that failed.`,
  ],
};

export default workflow;
