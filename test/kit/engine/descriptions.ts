import type {
  INodeProperties,
  INodePropertyCollection,
  INodePropertyMode,
  INodePropertyOptions,
  INodeType,
} from 'n8n-workflow';
import { SmsMessagingServiceApi } from '../../../credentials/SmsMessagingServiceApi.credentials';
import { SmsMessagingService } from '../../../nodes/SmsMessagingService/SmsMessagingService.node';
import { SmsMessagingServiceTrigger } from '../../../nodes/SmsMessagingService/SmsMessagingServiceTrigger.node';

/** The descriptions of the nodes and the credential, as the editor gets them. */

export const action: INodeType = new SmsMessagingService();
export const trigger: INodeType = new SmsMessagingServiceTrigger();
export const credential = new SmsMessagingServiceApi();

interface Selection {
  resource: string;
  operation: string;
}

/** The entries of a list. */
export const optionsOf = ({ options = [] }: INodeProperties) => options as INodePropertyOptions[];

/** The fields with a list to choose from. */
export const listsIn = (fields: INodeProperties[]) =>
  fields.filter(({ type }) => type === 'options' || type === 'multiOptions');

/** The modes of the fields for records. */
export const modesIn = (fields: INodeProperties[]) =>
  fields.flatMap(({ modes = [] }) => modes as INodePropertyMode[]);

/** Every operation, with its entry in the list. */
export const OPERATIONS: (Selection & { option: INodePropertyOptions })[] =
  action.description.properties
    .filter(({ name }) => name === 'operation')
    .flatMap((field) =>
      optionsOf(field).map((option) => ({
        resource: String(field.displayOptions?.show?.resource?.[0]),
        operation: String(option.value),
        option,
      })),
    );

/** The fields that the editor shows for an operation, without Resource and Operation. */
export function fieldsOf({ resource, operation }: Selection): INodeProperties[] {
  return action.description.properties.filter(
    ({ type, displayOptions: { show } = {} }) =>
      type !== 'hidden' &&
      show?.resource?.includes(resource) &&
      show.operation?.includes(operation),
  );
}

/** The fields, with those in their collections. */
export function flatten(fields: INodeProperties[]): INodeProperties[] {
  return fields.flatMap((field) => [
    field,
    ...(field.type === 'collection' ? flatten(field.options as INodeProperties[]) : []),
    ...(field.type === 'fixedCollection'
      ? (field.options as INodePropertyCollection[]).flatMap(({ values }) => flatten(values))
      : []),
  ]);
}

/** The trigger's fields without the poll times, which are n8n's. */
export const TRIGGER_FIELDS = trigger.description.properties.filter(
  ({ name }) => name !== 'pollTimes',
);
