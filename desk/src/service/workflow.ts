import {
  AS_GIVEN,
  ONLY_FAILURES,
  allOf,
  code,
  every,
  lane,
  makeTables,
  published,
  sms,
  upsert,
  when,
} from '../parts';
import type { DeskWorkflow } from '../parts';
import runWhatItSaid from './what-it-said';

const whenPublished = published('When published');

const table = makeTables({ 'Table of the service': 'sms_service' });

const every5Minutes = every('Every 5 minutes', 5, 'minutes');

const balance = sms(
  'Balance',
  { resource: 'balance', operation: 'get' },
  { once: true, always: true, goOn: true },
);

const doesItAnswer = when('Does it answer?', '={{ $json.error === undefined }}', { once: true });

const allTemplates = allOf('All templates', 'template', { always: true, goOn: true });

const allSignatures = allOf('All signatures', 'signature', { always: true, goOn: true });

const whatItSaid = code('What it said', runWhatItSaid);

const rememberWhatItSaid = upsert('Remember what it said', 'sms_service', AS_GIVEN, { tries: 3 });

const workflow: DeskWorkflow = {
  name: 'Service',
  about: `## SMS · Service
Asks the service for the balance, the templates and the signatures, and writes them into the table *sms_service*. The pages read that and ask nobody, so they come at once also while the service hangs.`,
  setUp: `## Set up here
Select your credential in *Balance*, *All templates* and *All signatures*, and publish it before the pages.`,
  tryIt: `## Try it
Press *Execute workflow* from *Every 5 minutes*: the pages show what it says.`,
  settings: ONLY_FAILURES,
  lanes: [
    lane(
      `## Every 5 minutes
What has no answer keeps the answer before, with its time.`,
      [whenPublished, ...table, balance],
      [every5Minutes, balance, doesItAnswer, allTemplates, allSignatures, whatItSaid],
      [[doesItAnswer, 1], whatItSaid, rememberWhatItSaid],
    ),
  ],
};

export default workflow;
