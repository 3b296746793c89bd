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
import { EMPTY_CODE_FIELD } from './receiving/emptyCode';
import { endPoll, poll } from './receiving/poll';

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
    subtitle: '={{ [].concat($parameter["events"]).join(", ") }}',
    description: 'Starts the workflow with new delivery reports and replies',
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
          'The service may hand out each delivery report and reply only once. Use one trigger per account and event, or they take records from each other.',
        name: 'onceNotice',
        type: 'notice',
        default: '',
      },
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        required: true,
        default: ['deliveryReport', 'reply'],
        options: [
          {
            name: 'Delivery Report',
            value: 'deliveryReport',
            description: 'What became of a message that was sent',
          },
          { name: 'Reply', value: 'reply', description: 'A message that a recipient sent back' },
        ],
        description:
          'What to start the workflow with. Each item says which it is in its field event.',
      },
      countField(
        'Pull Size',
        'pullSize',
        100,
        'Number of records to ask for in one request. A crash of n8n costs at most one such page of each event.',
      ),
      {
        displayName: 'When Testing in the Editor',
        name: 'testData',
        type: 'options',
        default: 'sample',
        options: [
          {
            name: 'Show Sample Data',
            value: 'sample',
            description: 'Made-up records with the fields of real ones; nothing is pulled',
          },
          {
            name: 'Pull Live Data',
            value: 'live',
            description:
              'Real records; they may be gone from the service then, and will not start the workflow',
          },
        ],
        description: 'What a test of this trigger in the editor brings',
      },
      {
        displayName:
          'A test pulls up to Pull Size records of each event. They appear in the editor only; the published workflow may never get them.',
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
          EMPTY_CODE_FIELD,
          countField(
            'Items per Execution',
            'itemsPerExecution',
            100,
            'Most records that one execution of the workflow gets. Without this option it gets a whole page; more than a page it never gets.',
          ),
          countField(
            'Max Records per Poll',
            'maxRecordsPerPoll',
            10000,
            'Most records of each event that one poll takes. The rest stays with the service until the next poll.',
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
    return { closeFunction: async () => await endPoll(this) };
  }
}
