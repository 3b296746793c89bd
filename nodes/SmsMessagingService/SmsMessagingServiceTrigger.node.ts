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
import { poll, pollForTest } from './receiving/poll';
import { TRIGGER_FIELDS } from './receiving/triggerFields';
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
    // An expression may give one name instead of a list.
    subtitle: '={{ [].concat($parameter["events"]).join(", ") }}',
    // n8n shows this description for both nodes, above the triggers and the actions to choose from.
    description: 'Send SMS, or start a workflow when delivery reports and replies arrive',
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
    // A copy, because n8n adds its own fields to the array.
    properties: [...TRIGGER_FIELDS],
  };

  methods = { credentialTest: { testConnection } };

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    if (this.getMode() === 'manual') return await pollForTest(this);
    await poll(this);
    return null;
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
