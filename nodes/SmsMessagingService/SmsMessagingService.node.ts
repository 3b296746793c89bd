import type {
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { testConnection } from './methods/credentialTest';
import * as listSearch from './methods/listSearch';
import * as resourceMapping from './methods/resourceMapping';
import { RESOURCES } from './resources';
import { runOperation } from './operations/runner';
import { describeResources } from './operations/operation';

/**
 * The action node. It is programmatic because sends and pulls work on all items together. n8n's
 * declarative style makes one request per item.
 */
export class SmsMessagingService implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'SMS Messaging Service',
    name: 'smsMessagingService',
    icon: {
      light: 'file:../../icons/smsMessagingService.svg',
      dark: 'file:../../icons/smsMessagingService.dark.svg',
    },
    group: ['output'],
    version: 1,
    // A node that only checks must not look as if it sent.
    subtitle:
      '={{ ($parameter["options"]?.checkOnly === true ? "Check Only: " : "") + $parameter["operation"] + ": " + $parameter["resource"] }}',
    description:
      'Send SMS, read the balance, pull delivery reports and replies, and manage templates, signatures, qualifications and reported links',
    defaults: { name: 'SMS Messaging Service' },
    usableAsTool: true,
    builderHint: {
      searchHint:
        'Messages are real and cost money. For verification codes and notifications, send a template: a custom text is reviewed by people first. Phone numbers are mainland mobiles as text, and one field may hold many. One node sends all input items in few requests, so no loop is needed. Where a webhook, a schedule or an agent may run twice, set the option idempotencyKey to an expression that names the message, such as an order number.',
      relatedNodes: [
        {
          nodeType: 'n8n-nodes-sms-messaging-service.smsMessagingServiceTrigger',
          relationHint: 'Starts a workflow with delivery reports and replies',
        },
      ],
    },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'smsMessagingServiceApi', required: true, testedBy: 'testConnection' }],
    properties: describeResources('message', RESOURCES),
  };

  methods = { credentialTest: { testConnection }, listSearch, resourceMapping };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return await runOperation(this, RESOURCES);
  }
}
