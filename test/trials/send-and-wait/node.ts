/**
 * The node with one more operation, for the trial only: Send and Wait for Reply. It is bundled from the
 * sources and replaces the node of an installed package.
 */
import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { NodeOperationError, SEND_AND_WAIT_OPERATION } from 'n8n-workflow';

import { SmsMessagingService as PublishedNode } from '../../../nodes/SmsMessagingService/SmsMessagingService.node';
import { REGISTER_ID, SENT_ID } from './ids';

const SENDS_LIKE = 'sendTemplate';

/** The same, as n8n's own nodes with this operation have it. */
const RESUME_WEBHOOK = {
  name: 'default',
  httpMethod: 'POST',
  responseMode: 'onReceived',
  responseData: '',
  path: '={{ $nodeId }}',
  restartWebhook: true,
  isFullPath: true,
} as const;

const FIELDS: INodeProperties[] = [
  { displayName: 'Question', name: 'question', type: 'string', default: '' },
  { displayName: 'Answers', name: 'answers', type: 'string', default: '1,2' },
  { displayName: 'Wait at Most (Seconds)', name: 'waitSeconds', type: 'number', default: 86_400 },
];

export class SmsMessagingService extends PublishedNode {
  constructor() {
    super();
    this.description = withSendAndWait(this.description);
  }

  override async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const send = PublishedNode.prototype.execute;
    if (this.getNodeParameter('operation', 0) !== SEND_AND_WAIT_OPERATION) return send.call(this);
    if (process.env.TRIAL_WITHOUT_SIGNED_URL) removeSignedUrl(this);

    if (this.getInputData().length > 1) return refuse(this, 'One execution waits for one customer');
    if (typeof this.getSignedResumeUrl !== 'function') {
      return refuse(this, 'This n8n has no signed resume address');
    }
    const question = await callWorkflow(this, REGISTER_ID, {
      phone_number: this.getNodeParameter('phoneNumbers', 0),
      question: this.getNodeParameter('question', 0),
      answers: this.getNodeParameter('answers', 0),
      execution: this.getExecutionId(),
      resume_url: this.getSignedResumeUrl(),
    });
    const [items = []] = await send.call(asSend(this));
    const { status, batch_id } = items[0]?.json ?? {};
    await callWorkflow(this, SENT_ID, { ...question, status, batch_id });
    if (!['accepted', 'unknown'].includes(String(status))) return [items];
    const seconds = this.getNodeParameter('waitSeconds', 0) as number;
    await this.putExecutionToWait(new Date(Date.now() + seconds * 1000));
    // A copy: with an error output n8n empties what it gets here, and nothing would come out after the time.
    return [[...this.getInputData()]];
  }

  /** The reply. n8n calls it with the node's own data, and goes on with what it returns. */
  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const { answer } = this.getBodyData();
    // `approved` is what the human review of an AI agent reads.
    const data = { answer, approved: answer === '1' };
    return { webhookResponse: 'taken', workflowData: [[{ json: { data } }]] };
  }
}

function withSendAndWait(description: INodeTypeDescription): INodeTypeDescription {
  const show = { resource: ['message'], operation: [SEND_AND_WAIT_OPERATION] };
  const properties = description.properties.map((property) => {
    const shown = property.displayOptions?.show;
    if (!shown?.resource?.includes('message')) return property;
    if (property.name === 'operation') {
      const added = {
        name: 'Send and Wait for Reply',
        value: SEND_AND_WAIT_OPERATION,
        action: 'Send SMS and wait for reply',
      };
      return { ...property, options: [...(property.options ?? []), added] } as INodeProperties;
    }
    if (!shown.operation?.includes(SENDS_LIKE)) return property;
    const operation = [...shown.operation, SEND_AND_WAIT_OPERATION];
    const displayOptions = { ...property.displayOptions, show: { ...shown, operation } };
    return { ...property, displayOptions };
  });
  const fields = FIELDS.map((field) => ({ ...field, displayOptions: { show } }));
  return {
    ...description,
    webhooks: [RESUME_WEBHOOK],
    waitingNodeTooltip: 'Waiting for a reply',
    properties: [...properties, ...fields],
  };
}

function refuse(context: IExecuteFunctions, error: string): INodeExecutionData[][] {
  if (!context.continueOnFail()) throw new NodeOperationError(context.getNode(), error);
  // Beside other fields, n8n takes an error for data.
  return [context.getInputData().map((_, item) => ({ json: { error }, pairedItem: { item } }))];
}

/** The node's context, in which the operation is Send Template SMS. */
function asSend(context: IExecuteFunctions): IExecuteFunctions {
  const read = context.getNodeParameter.bind(context) as (...args: unknown[]) => unknown;
  const getNodeParameter = (name: string, ...rest: unknown[]) =>
    name === 'operation' ? SENDS_LIKE : read(name, ...rest);
  return new Proxy(context, {
    get(target, key) {
      if (key === 'getNodeParameter') return getNodeParameter;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

async function callWorkflow(
  context: IExecuteFunctions,
  id: string,
  json: IDataObject,
): Promise<IDataObject> {
  const { data } = await context.executeWorkflow({ id }, [{ json }]);
  return data[0]?.[0]?.json ?? {};
}

/** As in an n8n before 1.107. */
function removeSignedUrl(context: object): void {
  for (let owner = context; owner !== null; owner = Object.getPrototypeOf(owner) as object) {
    Reflect.deleteProperty(owner, 'getSignedResumeUrl');
  }
}
