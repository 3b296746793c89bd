import {
  AS_GIVEN,
  ONLY_FAILURES,
  base,
  call,
  called,
  choose,
  code,
  every,
  fields,
  get,
  lane,
  makeTables,
  num,
  published,
  sms,
  update,
  upsert,
} from '../parts';
import type { DeskWorkflow } from '../parts';
import runDefaultRules from './default-rules';
import runPart from './part';
import runWhatTheServiceSays from './what-the-service-says';

const whenPublished = published('When published');

const tables = makeTables({
  'Table of messages': 'sms_outbox',
  'Table of rules': 'sms_rules',
  'Table of templates': 'sms_templates',
  'Table of tokens': 'sms_tokens',
});

const areThereRules = get('Are there rules?', 'sms_rules', {}, { limit: 1, always: true });

const defaultRules = code('Default rules', runDefaultRules);

const storeTheDefaultRules = upsert(
  'Store the default rules',
  'sms_rules',
  { class: '={{ $json.class }}' },
  AS_GIVEN,
);

const askedByTheOutbox = called('Asked by the outbox');

const whatIsAskedFor = choose('What is asked for?', {
  Template: "={{ $json.want === 'template' }}",
  Signature: "={{ $json.want === 'signature' }}",
  Parts: "={{ $json.want === 'part' && $('Asked by the outbox').all().length > 1 }}",
  'A part': "={{ $json.want === 'part' }}",
});

const noteThatItIsAsked = upsert(
  'Note that it is asked',
  'sms_templates',
  { kind: '={{ $json.want }}', record_id: '={{ $json.record_id }}' },
  { kind: '={{ $json.want }}', record_id: '={{ $json.record_id }}' },
  { goOn: true },
);

const template = sms(
  'Template',
  {
    resource: 'template',
    operation: 'get',
    templateId: { __rl: true, mode: 'id', value: '={{ $json.record_id }}' },
  },
  { goOn: true },
);

const whatTheServiceSays = code('What the service says', runWhatTheServiceSays);

const storeTheNames = upsert(
  'Store the names',
  'sms_templates',
  { kind: '={{ $json.kind }}', record_id: '={{ $json.record_id }}' },
  {
    kind: '={{ $json.kind }}',
    record_id: '={{ $json.record_id }}',
    name: '={{ $json.name }}',
    content: '={{ $json.content }}',
  },
  { goOn: true },
);

const signature = sms(
  'Signature',
  {
    resource: 'signature',
    operation: 'get',
    signatureId: { __rl: true, mode: 'id', value: '={{ $json.record_id }}' },
  },
  { goOn: true },
);

const partByPart = base('splitInBatches', 'Part by part', { options: {} });

const lookAtThePart = call('Look at the part', '={{ $workflow.id }}', { tries: 3 });

const rowsOfThePart = get(
  'Rows of the part',
  'sms_outbox',
  {
    'id >': '={{ $json.part_from }}',
    'id <=': '={{ $json.part_to }}',
    'createdAt >=': '={{ $json.part_since }}',
  },
  { always: true },
);

const part = code('Part', runPart);

const everyMinute = every('Every minute', 1, 'minutes');

const giveUpWhatWasInterrupted = update(
  'Give up what was interrupted',
  'sms_outbox',
  { status: 'claimed', 'sent_at <': '={{ $now.minus({ minutes: 10 }).toISO() }}' },
  { status: 'unknown', reason: 'An earlier execution was interrupted: it may have been sent.' },
  { always: true },
);

const whoseHourHasCome = get(
  'Whose hour has come',
  'sms_outbox',
  { status: 'waiting', 'sent_at <=': '={{ $now.toISO() }}' },
  { order: 'id', limit: 1000, once: true },
);

const upToWhichRow = fields(
  'Up to which row',
  { waited_up_to: num("={{ $('Whose hour has come').last().json.id }}") },
  { once: true },
);

const sendWhatWaited = call('Send what waited', "={{ 'sms-outbox' }}");

const workflow: DeskWorkflow = {
  name: 'Outbox: upkeep',
  about: `## The outbox: upkeep
What *SMS · Outbox* needs beside it: the tables, the names of templates and signatures, long looks at the table, and every minute the messages whose hour has come.`,
  setUp: `## Set up here
1. Select your credential in *Template* and *Signature*.
2. Publish this workflow, and then *SMS · Outbox*.`,
  tryIt: `## Try it
Press *Execute workflow*: it sends what waits and may go now. *SMS · Outbox* has to be published.`,
  settings: ONLY_FAILURES,
  lanes: [
    lane(
      [
        `## Tables
They are made when this is published; if one is missing later, publish it again. An empty table of rules gets a row for each class.`,
        `## What the outbox asks for
A template, a signature, or a part of the table.`,
        `## Templates and signatures
A name that was asked for is asked for again after an hour at the earliest, whatever the service answers.`,
        `## Parts of the table
Each part is read in an execution of its own, so never more than 5,000 rows are in memory at once.`,
      ],
      [whenPublished, ...tables, areThereRules, defaultRules, storeTheDefaultRules],
      [askedByTheOutbox, whatIsAskedFor, noteThatItIsAsked],
      [[whatIsAskedFor, 1], noteThatItIsAsked],
      [whatIsAskedFor, template, whatTheServiceSays, storeTheNames],
      [[whatIsAskedFor, 1], signature, whatTheServiceSays],
      [[whatIsAskedFor, 2], [partByPart, 1], lookAtThePart, partByPart],
      [[whatIsAskedFor, 3], rowsOfThePart, part],
    ),
    lane(
      `## Every minute
Sends what has waited for its hour. What was under way for ten minutes was interrupted: it becomes unknown, and is never sent again by itself.`,
      [everyMinute, giveUpWhatWasInterrupted, whoseHourHasCome, upToWhichRow, sendWhatWaited],
    ),
  ],
};

export default workflow;
