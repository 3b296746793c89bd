import type {
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
  IPollFunctions,
  ITriggerFunctions,
  ITriggerResponse,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { testConnection } from './methods/credentialTest';
import { countField } from './parameters/countField';
import { EVENT_OPTIONS, EVENTS_SUBTITLE } from './receiving/eventTexts';
import { poll } from './receiving/poll';
import { DEFAULTS, LABELS } from './receiving/pollSettings';
import { triggers } from './receiving/triggerState';

/** Starts a workflow with new delivery reports and replies, which it pulls from the service. */
export class SmsMessagingServiceTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'SMS Messaging Service Trigger',
    name: 'smsMessagingServiceTrigger',
    icon: {
      light: 'file:../../icons/smsMessagingService.svg',
      dark: 'file:../../icons/smsMessagingService.dark.svg',
    },
    group: ['trigger'],
    version: 1,
    subtitle: EVENTS_SUBTITLE,
    // n8n shows this description for both nodes, above the triggers and the actions to choose from.
    description:
      'Starts the workflow when delivery reports or replies arrive; the actions send SMS',
    defaults: { name: 'SMS Messaging Service Trigger' },
    polling: true,
    builderHint: {
      searchHint:
        'Use one trigger per account and event: the service may hand out a record only once. Each item says in its field event whether it is a deliveryReport or a reply; separate the two with a Switch. A batch_id joins a report or reply to its send.',
      relatedNodes: [
        {
          nodeType: 'n8n-nodes-sms-messaging-service.smsMessagingService',
          relationHint: 'Sends the messages that the reports and replies are about',
        },
      ],
    },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'smsMessagingServiceApi', required: true, testedBy: 'testConnection' }],
    properties: [
      {
        displayName:
          'Use one trigger per account and event, because two take records from each other. A Switch node tells events apart; Execute Sub-workflow starts more workflows.',
        name: 'onceNotice',
        type: 'notice',
        default: '',
      },
      {
        displayName: 'Trigger On',
        name: 'events',
        type: 'multiOptions',
        required: true,
        default: ['deliveryReport', 'reply'],
        options: Object.values(EVENT_OPTIONS),
        hint: "Each item says in its field 'event' which of them it is",
      },
      {
        displayName: 'When Testing in the Editor',
        name: 'testData',
        type: 'options',
        default: 'sample',
        options: [
          {
            name: 'Pull Live Data',
            value: 'live',
            description: 'Real records, which the service may not hand out again',
          },
          {
            name: 'Show Sample Data',
            value: 'sample',
            description: 'Invented records with the fields of real ones; nothing is pulled',
          },
        ],
        description: 'What a test of the trigger in the editor shows',
      },
      {
        displayName:
          'These records appear in the editor only, and the published workflow may miss them',
        name: 'liveNotice',
        type: 'notice',
        default: '',
        displayOptions: { show: { testData: ['live'] } },
      },
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add option',
        default: {},
        options: [
          countField(
            LABELS.itemsPerExecution,
            'itemsPerExecution',
            DEFAULTS.pullSize,
            'Max number of records in one execution of the workflow. A larger page is divided.',
          ),
          countField(
            LABELS.maxRecordsPerPoll,
            'maxRecordsPerPoll',
            DEFAULTS.maxRecordsPerPoll,
            'Max number of records of each event in one poll. The rest stays with the service until the next poll.',
          ),
          countField(
            LABELS.pullSize,
            'pullSize',
            DEFAULTS.pullSize,
            'Max number of records in one page, which is one request. A crash of n8n costs at most one page of each event.',
          ),
        ],
      },
    ],
  };

  methods = { credentialTest: { testConnection } };

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    return await poll(this);
  }

  /**
   * Starts nothing. n8n waits for `closeFunction` when it stops, and when the workflow is changed or
   * unpublished. Nothing else tells a poll that it must end.
   */
  async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
    if (this.getMode() !== 'manual') triggers.open(this);
    return { closeFunction: async () => await triggers.close(this) };
  }
}
