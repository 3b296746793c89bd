import type { IDataObject, IExecuteContextData, INodeParameters } from 'n8n-workflow';
import type { Gateway, RecordedRequest } from '../../sandbox/gateway';
import { useGateway } from './gateway';
import type { World } from './gateway';
import { byId } from './locators';

/** Parameters of sends that take their values from the item, items to send, and checks of the result. */

export const TEMPLATE = {
  resource: 'message',
  operation: 'sendTemplate',
  templateId: byId(301),
  signatureId: byId(201),
  phoneNumbers: '={{ $json.phone }}',
  parameters: {
    mappingMode: 'defineBelow',
    value: { code: '={{ $json.code }}', minutes: '5' },
  },
};

/** The same parameters of a template send as JSON. */
export const asJson = (parametersJson: string) => ({ parameterMode: 'json', parametersJson });

export const CUSTOM = {
  resource: 'message',
  operation: 'sendCustom',
  signatureId: byId(201),
  phoneNumbers: '={{ $json.phone }}',
  content: '={{ $json.content }}',
};

/** A template send with these options. */
export const withOptions = (options: IDataObject) => ({ ...TEMPLATE, options }) as INodeParameters;

/** A template send with two messages per request, and one request at a time. */
export const inPairs = (options: IDataObject = {}) =>
  withOptions({ batchSize: 2, maxConcurrency: 1, ...options });

/** The run continues after an error, and every item gets its outcome. */
export const CONTINUE = { node: { onError: 'continueRegularOutput' } } as const;

/** n8n runs the node again if it fails. */
export const RETRY = { retryOnFail: true, waitBetweenTries: 1 };

/** The phone number with an index. */
export const phone = (index: number) => `138${String(10_000_000 + index)}`;

/** Items to send, with the phone numbers from index 0 on. */
export const people = (count: number, extra: IDataObject = {}) =>
  Array.from({ length: count }, (_, index) => ({
    phone: phone(index),
    code: String(1000 + index),
    ...extra,
  }));

/** The messages of a request of a template send. */
export const messagesOf = ({ body }: Pick<RecordedRequest, 'body'>) =>
  (body as { messages: { phone_number: string; params: unknown }[] }).messages;

/** Returns whether a request has a message for a number with one of these indices: for `Fault.match`. */
export function isFor(...indices: number[]) {
  const phones = new Set(indices.map(phone));
  return (request: RecordedRequest) =>
    messagesOf(request).some(({ phone_number }) => phones.has(phone_number));
}

/** The context of an execution as "Retry execution" finds it, saved with the execution. */
export const savedContext = (context: IExecuteContextData): IExecuteContextData =>
  JSON.parse(JSON.stringify(context)) as IExecuteContextData;

/** The description of a node's error. */
export const descriptionOf = (error: unknown) =>
  (error as { description?: string } | undefined)?.description ?? '';

/**
 * One gateway for all tests of a file, as in `useGateway`. A test fails if a number has received more than
 * one message, unless it has called `allow` with how many a number may receive.
 */
export function useSendingGateway(): World & { allow: (perNumber: number) => void } {
  let maxPerNumber = 1;

  beforeEach(() => {
    maxPerNumber = 1;
  });

  const world = useGateway({
    check: (gateway: Gateway) => {
      expect([...gateway.deliveries()].filter(([, count]) => count > maxPerNumber)).toEqual([]);
    },
  });
  const allow = (perNumber: number) => {
    maxPerNumber = perNumber;
  };
  return Object.assign(Object.create(world) as World, { allow });
}
