import type { IDataObject, INodeParameters } from 'n8n-workflow';

/* What the bench compares. `contestantProcess.ts` runs the contestants. */

/** Messages per request, for all contestants that send several in a request. */
export const BATCH_SIZE = 100;
/** Highest number of requests at the same time, for the same contestants. */
export const CONCURRENCY = 4;

/** A node, and its parameters for the base URL of a gateway. */
export interface NodeUnderTest {
  type: string;
  /** The setting On Error. Left out: Stop Workflow. */
  onError?: 'continueRegularOutput';
  typeVersion?: number;
  parameters: (baseUrl: string) => INodeParameters;
}

interface Contestant {
  name: string;
  /** Undefined for the raw client, outside n8n. */
  node: NodeUnderTest | undefined;
  /** The largest number of recipients that does not take minutes. */
  largest: number;
}

export const TEMPLATE_SEND = '/sendsms/template/send';
const CREDENTIAL = 'smsMessagingServiceApi';
const TEMPLATE_ID = 301;
const SIGNATURE_ID = 201;

/** The JSON of an input item: one recipient. */
export interface Person extends IDataObject {
  phone: string;
  params: { code: string; minutes: string };
}

/** Made-up recipients with different phone numbers. */
export function people(count: number): Person[] {
  return Array.from({ length: count }, (_, index) => ({
    phone: String(13_800_000_000 + index),
    params: { code: String(100_000 + index), minutes: '5' },
  }));
}

/** The body of Send template SMS for these recipients. */
export function templateSend(persons: Person[]) {
  return {
    template_id: TEMPLATE_ID,
    sms_sign_id: SIGNATURE_ID,
    messages: persons.map(({ phone, params }) => ({ phone_number: phone, params })),
  };
}

const locator = (id: number) => ({ __rl: true, mode: 'id', value: String(id) });

const thisNode = (
  phoneNumbers: string,
  templateParameters: INodeParameters,
  onError?: NodeUnderTest['onError'],
): NodeUnderTest => ({
  type: 'n8n-nodes-sms-messaging-service.smsMessagingService',
  onError,
  parameters: () => ({
    resource: 'message',
    operation: 'sendTemplate',
    templateId: locator(TEMPLATE_ID),
    signatureId: locator(SIGNATURE_ID),
    phoneNumbers,
    ...templateParameters,
    options: { batchSize: BATCH_SIZE, maxConcurrency: CONCURRENCY },
  }),
});

const mapped = (value: INodeParameters) => ({
  parameterMode: 'fields',
  parameters: { mappingMode: 'defineBelow', value },
});

/** As drag and drop writes them. */
const PATHS = { code: '={{ $json.params.code }}', minutes: '={{ $json.params.minutes }}' };

const HTTP_REQUEST: NodeUnderTest = {
  type: 'n8n-nodes-base.httpRequest',
  typeVersion: 4.4,
  parameters: (baseUrl) => ({
    method: 'POST',
    url: baseUrl + TEMPLATE_SEND,
    authentication: 'predefinedCredentialType',
    nodeCredentialType: CREDENTIAL,
    sendBody: true,
    contentType: 'json',
    specifyBody: 'json',
    jsonBody: `={{ { template_id: ${TEMPLATE_ID}, sms_sign_id: ${SIGNATURE_ID}, messages: [{ phone_number: $json.phone, params: $json.params }] } }}`,
  }),
};

/** In the order of the columns of the report. The others are compared with the raw client. */
export const CONTESTANTS = [
  { name: 'Raw client', node: undefined, largest: 100_000 },
  {
    name: 'This node',
    node: thisNode('={{ $json.phone }}', mapped(PATHS), 'continueRegularOutput'),
    largest: 100_000,
  },
  {
    name: 'This node, Stop Workflow',
    node: thisNode('={{ $json.phone }}', mapped(PATHS)),
    largest: 100_000,
  },
  {
    name: 'This node, As JSON',
    node: thisNode(
      '={{ $json.phone }}',
      { parameterMode: 'json', parametersJson: '={{ $json.params }}' },
      'continueRegularOutput',
    ),
    largest: 100_000,
  },
  {
    name: 'This node, expressions',
    node: thisNode(
      '={{ $json.phone.trim() }}',
      mapped({ ...PATHS, code: '={{ String($json.params.code) }}' }),
      'continueRegularOutput',
    ),
    largest: 10_000,
  },
  { name: 'HTTP Request', node: HTTP_REQUEST, largest: 10_000 },
] as const satisfies Contestant[];

export type Name = (typeof CONTESTANTS)[number]['name'];
