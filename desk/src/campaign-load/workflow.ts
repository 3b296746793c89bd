import {
  AS_GIVEN,
  ONLY_FAILURES,
  allOf,
  called,
  code,
  fields,
  get,
  insert,
  lane,
  num,
  posted,
  remove,
  update,
  upsert,
  when,
} from '../parts';
import type { DeskWorkflow } from '../parts';
import runCampaignToStore from './campaign-to-store';
import runDuplicates from './duplicates';
import runNewRows from './new-rows';
import runReadTheRequest from './read-the-request';
import runStateOfTheCampaign from './state-of-the-campaign';

const recipientsArrive = posted('Recipients arrive', 'sms-campaign');

const readTheRequest = code('Read the request', runReadTheRequest);

const campaignOfThatName = get(
  'Campaign of that name',
  'sms_campaigns',
  { campaign: '={{ $json.campaign }}' },
  { order: 'id', limit: 1, always: true, tries: 5 },
);

const isATemplateNamed = when(
  'Is a template named?',
  "={{ !!$('Read the request').first().json.template_id }}",
);

const templates = allOf('Templates', 'template');

const signatures = allOf('Signatures', 'signature', { always: true });

const campaignToStore = code('Campaign to store', runCampaignToStore);

const markThatItIsBeingLoaded = insert(
  'Mark that it is being loaded',
  'sms_tokens',
  {
    token: '={{ $execution.id }}',
    page: "={{ 'sms-campaign-load:' + $('Read the request').first().json.campaign }}",
  },
  { once: true, tries: 5 },
);

const storeTheCampaign = upsert(
  'Store the campaign',
  'sms_campaigns',
  { campaign: "={{ $('Campaign to store').first().json.campaign }}" },
  {
    campaign: "={{ $('Campaign to store').first().json.campaign }}",
    loaded_at: '={{ $now.toISO() }}',
  },
  { once: true, tries: 5 },
);

const newRows = code('New rows', runNewRows);

const addTheRows = insert('Add the rows', 'sms_recipients', AS_GIVEN, { tries: 5, atOnce: true });

const noteThatItsRowsAreIn = update(
  'Note that its rows are in',
  'sms_campaigns',
  { id: "={{ $('Store the campaign').first().json.id }}" },
  { loaded_at: '={{ $now.toISO() }}' },
  { once: true, always: true, tries: 5 },
);

const rowsOfTheCampaign = get(
  'Rows of the campaign',
  'sms_recipients',
  { campaign: "={{ $('Read the request').first().json.campaign }}" },
  { order: 'id', once: true, always: true, tries: 5 },
);

const duplicates = code('Duplicates', runDuplicates);

const removeTheDuplicates = remove(
  'Remove the duplicates',
  'sms_recipients',
  {
    campaign: "={{ $('Read the request').first().json.campaign }}",
    'sent_at empty': true,
    'id >=': '={{ $json.from }}',
    'id <=': '={{ $json.to }}',
  },
  { always: true, tries: 5 },
);

const stateOfTheCampaign = code('State of the campaign', runStateOfTheCampaign, { once: true });

const setTheState = update(
  'Set the state',
  'sms_campaigns',
  { id: '={{ $json.id }}', 'state ={{ $json.condition }}': '={{ $json.from }}' },
  {
    state: '={{ $json.state }}',
    missing: '={{ $json.missing }}',
    template_id: '={{ $json.template_id }}',
    template: '={{ $json.template }}',
    content: '={{ $json.content }}',
    signature_id: '={{ $json.signature_id }}',
    signature: '={{ $json.signature }}',
    duplicates: '={{ $json.duplicates }}',
  },
  { always: true, tries: 5 },
);

const itIsLoaded = remove(
  'It is loaded',
  'sms_tokens',
  {
    token: '={{ $execution.id }}',
    page: "={{ 'sms-campaign-load:' + $('Read the request').first().json.campaign }}",
  },
  { once: true, always: true, tries: 5 },
);

const whatWasAdded = fields(
  'What was added',
  {
    id: num("={{ $('Store the campaign').first().json.id }}"),
    state: "={{ $('State of the campaign').first().json.state }}",
    missing: "={{ $('State of the campaign').first().json.missing }}",
    recipients: num("={{ $('Read the request').first().json.recipients }}"),
    added: num("={{ $('Duplicates').first().json.added }}"),
    not_a_number: num("={{ $('Duplicates').first().json.not_a_number }}"),
  },
  { once: true },
);

const calledByTheForm = called('Called by the form');

const workflow: DeskWorkflow = {
  name: 'Campaign: load',
  about: `## Campaigns: load recipients
Takes the lists of *SMS · Campaign: form*, and those that your programs post. Each number becomes one row of *sms_recipients*, however often and however parallel a list is loaded; what is no number becomes an invalid row. A new campaign is a *draft* until somebody starts it on its page; one that lacks a column for a parameter of its template is *incomplete*.`,
  setUp: `## Set up here
1. Select your credential in *Templates* and *Signatures*, and the login of your programs in *Recipients arrive*.
2. Programs post \`{"campaign": "Spring", "template_id": "302", "signature_id": "", "recipients": [{"phone": "13810000020", "name": "Li Lei"}], "start": true}\`. Without \`start\` it is a draft. Later lists of the same campaign need only its name and recipients.`,
  tryIt: `## Try it
Open the form of *SMS · Campaign: form*, and give it a spreadsheet with your own number. A program posts to the production address of *Recipients arrive*.`,
  settings: ONLY_FAILURES,
  lanes: [
    lane(
      [
        `## Each number once
Every load looks at the rows when its own are in the table, so of several at the same moment the last one sees all. A new row rests for a minute before it is sent. Until a list is loaded, the page of its draft has no *Start*.`,
        '## From the form',
      ],
      [
        recipientsArrive,
        readTheRequest,
        campaignOfThatName,
        [isATemplateNamed, 1],
        campaignToStore,
        markThatItIsBeingLoaded,
        storeTheCampaign,
        newRows,
        addTheRows,
        noteThatItsRowsAreIn,
        rowsOfTheCampaign,
        duplicates,
        removeTheDuplicates,
        stateOfTheCampaign,
        setTheState,
        itIsLoaded,
        whatWasAdded,
      ],
      [calledByTheForm, readTheRequest],
      [isATemplateNamed, templates, signatures, campaignToStore],
    ),
  ],
};

export default workflow;
