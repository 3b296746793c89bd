import type { Template } from './build';
import {
  at,
  base,
  cases,
  fields,
  note,
  only,
  onRecord,
  says,
  STOP_WORDS,
} from '../../builder/parts';
import type { More, Node } from '../../builder/parts';

const records = onRecord('Reports and replies', at(0, 1), ['reply']);

/** Beside the records, which go on as they came. */
const words = fields('Keywords', at(1), { keywords: `1, 2, ${STOP_WORDS}` });

const kind = cases(
  'Report or reply?',
  at(1, 1),
  {
    Report: "={{ $json.event === 'deliveryReport' }}",
    Reply: "={{ $json.event === 'reply' }}",
  },
  'Neither',
);

const keyword = cases(
  'Which keyword?',
  at(2.3, 0.4),
  {
    Keyword: `={{ ${says('$json.content', "$('Keywords').first().json.keywords")} }}`,
  },
  'Everything else',
);

/** Another workflow gets all records of a page at once. If it fails, the others still get theirs. */
const handTo = (name: string, position: [number, number], more: More = {}): Node =>
  base(
    'executeWorkflow',
    name,
    position,
    {
      workflowId: { __rl: true, mode: 'list', value: '' },
      mode: 'once',
      options: { waitForSubWorkflow: true },
    },
    { onError: 'continueRegularOutput', ...more },
  );

const forReports = handTo('Workflow for reports', at(3.7, -2), { disabled: true });
const forKeywords = handTo('Workflow for keywords', at(3.7, -1));
const forOthers = handTo('Workflow for other replies', at(3.7));

const ends = base('merge', 'Wait for all', at(4.8, 1), { numberInputs: 4 });

const failed = only(
  'What went wrong',
  at(5.8, 1),
  "={{ Boolean($json.error) || $json.event === 'unreadable' || ($json.event === 'deliveryReport' && !$('Workflow for reports').params.workflowId.value) }}",
);

const stop = base('stopAndError', 'Say so', at(6.8, 1), {
  errorMessage:
    "={{ $json.error ? 'A workflow that this one calls has failed: ' + $json.error : $json.event === 'deliveryReport' ? 'No workflow for reports is chosen. They are in this execution.' : 'The service sent an answer that nobody can read. It is in this execution.' }}",
});

const template: Template = {
  name: 'One trigger for several workflows',
  notes: [
    note(
      'about',
      -80,
      { above: -30 },
      440,
      `## One trigger for several workflows
An account has one trigger for its replies and reports: a second one would take records from it, and cannot be published. This workflow has it, and hands each record to the workflow that wants it.
一个账号只能有一个触发器。由它取数据，再按类型和关键词分给其他工作流。`,
    ),
    note(
      'set up',
      -80,
      { below: 400 },
      440,
      `### Set up here
- *Reports and replies*: your credential.
- In each *Workflow for …*: a workflow that starts when it is called, such as the templates for replies and reports. Publish it, with its own trigger deleted. With one workflow for all replies, choose it twice.
- *Keywords*: those that go to *Workflow for keywords*, opt-outs too.
- Reports too? Activate *Workflow for reports* and choose its workflow, then add *Delivery Report* in *Reports and replies*.`,
    ),
    note(
      'more',
      900,
      { below: 480 },
      440,
      `### If one fails
The others get their records all the same. This execution fails at its end, so that your error workflow hears of it. The records do not come again: retry the execution of the workflow that failed.`,
    ),
  ],
  lines: [
    [records, words],
    [records, kind],
    [kind, forReports, 0],
    [kind, keyword, 1],
    [kind, ends, 2, 3],
    [keyword, forKeywords, 0],
    [keyword, forOthers, 1],
    [forReports, ends],
    [forKeywords, ends, 0, 1],
    [forOthers, ends, 0, 2],
    [ends, failed],
    [failed, stop],
  ],
};

export default template;
