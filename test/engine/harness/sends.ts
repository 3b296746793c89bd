import type { IDataObject, IExecuteContextData, INodeParameters } from 'n8n-workflow';
import type { Gateway, RecordedRequest } from '../../sandbox/gateway';
import { useGateway } from './gateway';
import type { World } from './gateway';
import { byId } from './locators';

/** Parameters of sends that take what they send from the item, items to send, and what came of it. */

export const TEMPLATE = {
  resource: 'message',
  operation: 'sendTemplate',
  templateId: byId(301),
  signatureId: byId(201),
  phoneNumbers: '={{ $json.phone }}',
  parameterMode: 'json',
  parametersJson: '={{ { code: $json.code, minutes: "5" } }}',
};

export const CUSTOM = {
  resource: 'message',
  operation: 'sendCustom',
  signatureId: byId(201),
  phoneNumbers: '={{ $json.phone }}',
  content: '={{ $json.content }}',
};

/** A template send with these options. */
export const withOptions = (options: IDataObject) => ({ ...TEMPLATE, options }) as INodeParameters;

/** A template send with two messages per batch, and one request at a time. */
export const inPairs = (options: IDataObject = {}) =>
  withOptions({ batchSize: 2, maxConcurrency: 1, ...options });

/** Every item gets its outcome, and the run goes on. */
export const CONTINUE = { node: { onError: 'continueRegularOutput' } } as const;

/** n8n tries the node again when it fails. */
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

/** Whether a request has a message for one of the numbers of these indices: for `Fault.match`. */
export function isFor(...indices: number[]) {
  const phones = new Set(indices.map(phone));
  return (request: RecordedRequest) =>
    messagesOf(request).some(({ phone_number }) => phones.has(phone_number));
}

/** The context of an execution as "Retry execution" finds it: n8n has saved it with the execution. */
export const savedContext = (context: IExecuteContextData): IExecuteContextData =>
  JSON.parse(JSON.stringify(context)) as IExecuteContextData;

/** The description of a node's error. */
export const descriptionOf = (error: unknown) =>
  (error as { description?: string } | undefined)?.description ?? '';

/**
 * One gateway for all tests of a file, as `useGateway`. After each test no number has got more than one
 * message, unless the test has called `allow` with how many a number may get.
 */
export function useSendingGateway(): World & { allow: (mostPerNumber: number) => void } {
  let most = 1;

  beforeEach(() => {
    most = 1;
  });

  const world = useGateway({
    check: (gateway: Gateway) => {
      expect([...gateway.deliveries()].filter(([, count]) => count > most)).toEqual([]);
    },
  });
  const allow = (mostPerNumber: number) => {
    most = mostPerNumber;
  };
  return Object.assign(Object.create(world) as World, { allow });
}
