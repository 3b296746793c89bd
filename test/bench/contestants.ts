import type { IDataObject, INodeParameters } from 'n8n-workflow';

/* What the bench compares. `contestantProcess.ts` runs the contestants. */

/** Messages per request, for all contestants that send several in a request. */
export const BATCH_SIZE = 100;
/** Highest number of requests at the same time, for the same contestants. */
export const CONCURRENCY = 4;

/** Expression engine of n8n. `vm` is the one in production. */
export type Engine = 'vm' | 'legacy';

/** A node, and its parameters for the base URL of a gateway. */
export interface NodeUnderTest {
  type: string;
  /** The setting On Error. Left out: Stop Workflow. */
  onError?: 'continueRegularOutput';
  typeVersion?: number;
  parameters: (baseUrl: string) => INodeParameters;
}

/**
 * With `engine` and `node`: a node in n8n. With `engine` only: the bare requests, made in n8n.
 * Without both: the bare requests, made outside n8n.
 */
export interface Contestant {
  name: string;
  engine?: Engine;
  node?: NodeUnderTest;
}

export const CREDENTIAL = 'smsMessagingServiceApi';
export const TEMPLATE_SEND = '/sendsms/template/send';
const TEMPLATE_ID = 301;
const SIGNATURE_ID = 201;

/** The JSON of an input item: one recipient. */
export interface Person extends IDataObject {
  phone: string;
  code: string;
  params: Record<string, string>;
}

/** Made-up recipients with different phone numbers. */
export function people(count: number): Person[] {
  return Array.from({ length: count }, (_, index) => {
    const params = { code: String(100_000 + index), minutes: '5' };
    return {
      phone: String(13_800_000_000 + index),
      code: params.code,
      params,
    };
  });
}

/** The body of Send template SMS for these recipients. */
export function templateSend(persons: Pick<Person, 'phone' | 'params'>[]) {
  return {
    template_id: TEMPLATE_ID,
    sms_sign_id: SIGNATURE_ID,
    messages: persons.map(({ phone, params }) => ({ phone_number: phone, params })),
  };
}

const templateSendUrl = (baseUrl: string) => baseUrl + TEMPLATE_SEND;

const locator = (id: number) => ({ __rl: true, mode: 'id', value: String(id) });

/** A field of the resource mapper in the form in which the editor saves it. */
const parameter = (id: string) => ({
  id,
  displayName: id,
  type: 'string',
  required: true,
  display: true,
  defaultMatch: false,
  canBeUsedToMatch: false,
});

const ours = (phoneNumbers: string, templateParameters: INodeParameters): NodeUnderTest => ({
  type: 'n8n-nodes-sms-messaging-service.smsMessagingService',
  onError: 'continueRegularOutput',
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

const fields = (code: string): INodeParameters => ({
  parameterMode: 'fields',
  parameters: {
    mappingMode: 'defineBelow',
    value: { code, minutes: '5' },
    schema: [parameter('code'), parameter('minutes')],
  },
});

const json = (parametersJson: string): INodeParameters => ({
  parameterMode: 'json',
  parametersJson,
});

const PLAIN_PATHS = ours('={{ $json.phone }}', fields('={{ $json.code }}'));

/** The forms in which users write the same parameters. */
const FORMS: Record<string, NodeUnderTest> = {
  'plain paths': PLAIN_PATHS,
  'plain paths, Stop Workflow': { ...PLAIN_PATHS, onError: undefined },
  'text around a path': ours('=+86{{ $json.phone }}', fields('={{ $json.code }}')),
  'paths in JSON': ours(
    '={{ $json.phone }}',
    json('={ "code": "{{ $json.code }}", "minutes": "5" }'),
  ),
  'an object as JSON': ours('={{ $json.phone }}', json('={{ $json.params }}')),
  expressions: ours('={{ $json.phone.trim() }}', fields('={{ $json.code.trim() }}')),
};

const inEngine = (engine: Engine): Contestant[] =>
  Object.entries(FORMS).map(([form, node]) => ({ name: `This node, ${form}`, engine, node }));

const httpRequest = (options: INodeParameters): NodeUnderTest => ({
  type: 'n8n-nodes-base.httpRequest',
  typeVersion: 4.4,
  parameters: (baseUrl: string) => ({
    method: 'POST',
    url: templateSendUrl(baseUrl),
    authentication: 'predefinedCredentialType',
    nodeCredentialType: CREDENTIAL,
    sendBody: true,
    contentType: 'json',
    specifyBody: 'json',
    jsonBody: `={{ { template_id: ${TEMPLATE_ID}, sms_sign_id: ${SIGNATURE_ID}, messages: [{ phone_number: $json.phone, params: $json.params }] } }}`,
    options,
  }),
});

const sequentialLoop: NodeUnderTest = {
  type: 'bench.sequentialLoop',
  parameters: (baseUrl: string) => ({
    url: templateSendUrl(baseUrl),
    phoneNumber: '={{ $json.phone }}',
    params: '={{ $json.params }}',
  }),
};

export const BARE = "n8n's requests, bare";
export const OURS = 'This node, plain paths';
export const HTTP_REQUEST = 'HTTP Request, default';
export const HTTP_REQUEST_BATCHING = 'HTTP Request, batching 1 / 1 ms';
export const SEQUENTIAL_LOOP = 'Sequential loop';

export const CONTESTANTS: Contestant[] = [
  { name: 'Raw undici client' },
  { name: BARE, engine: 'vm' },
  ...inEngine('vm'),
  { name: HTTP_REQUEST, engine: 'vm', node: httpRequest({}) },
  {
    name: HTTP_REQUEST_BATCHING,
    engine: 'vm',
    node: httpRequest({ batching: { batch: { batchSize: 1, batchInterval: 1 } } }),
  },
  { name: SEQUENTIAL_LOOP, engine: 'vm', node: sequentialLoop },
  ...inEngine('legacy'),
  { name: HTTP_REQUEST, engine: 'legacy', node: httpRequest({}) },
];

/** Index of the raw client. The other contestants are compared with it. */
export const RAW = 0;

/** Index of the contestant with this name and the expression engine `vm`. */
export const contestantOf = (name: string) =>
  CONTESTANTS.findIndex((contestant) => contestant.name === name && contestant.engine === 'vm');
