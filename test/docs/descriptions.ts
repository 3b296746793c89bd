import type { INodeProperties } from 'n8n-workflow';
import { SmsMessagingServiceApi } from '../../credentials/SmsMessagingServiceApi.credentials';
import { SmsMessagingService } from '../../nodes/SmsMessagingService/SmsMessagingService.node';
import { SmsMessagingServiceTrigger } from '../../nodes/SmsMessagingService/SmsMessagingServiceTrigger.node';
import { flatten, listsIn, modesIn, operationsOf, optionsOf } from '../engine/harness/descriptions';

/** What the editor shows, from the built package. */

export const action = new SmsMessagingService();
export const trigger = new SmsMessagingServiceTrigger();
const credential = new SmsMessagingServiceApi();

export const OPERATIONS = operationsOf(action);

/** The names of the resources, by their values. */
export const RESOURCES = new Map(
  action.description.properties
    .filter(({ name }) => name === 'resource')
    .flatMap(optionsOf)
    .map(({ name, value }) => [value, name] as const),
);

/** Every field that the editor shows, also those in collections. */
export const FIELDS: INodeProperties[] = flatten([
  ...action.description.properties,
  ...trigger.description.properties,
  ...credential.properties,
]).filter(({ type }) => type !== 'hidden');

/** What can be chosen in the lists. */
export const ENTRIES = listsIn(FIELDS).flatMap(optionsOf);

/** The modes of the fields for records. */
export const MODES = modesIn(FIELDS);

/** What the trigger starts with. n8n makes its panel of triggers of them. */
const events = FIELDS.filter(({ name }) => name === 'events').flatMap(optionsOf);

/** Every label of the nodes and the credential: names of fields, of choices, of actions. */
export const LABELS = new Set([
  ...[action.description, trigger.description, credential].map(({ displayName }) => displayName),
  ...FIELDS.filter(({ type }) => type !== 'notice').map(({ displayName }) => displayName),
  ...ENTRIES.map(({ name }) => name),
  ...ENTRIES.flatMap(({ action: name }) => name ?? []),
  ...events.map(({ name }) => `On ${name.toLowerCase()}`),
  ...MODES.map(({ displayName }) => displayName),
]);

const optionsIn = (properties: INodeProperties[]) =>
  properties
    .filter(({ name, type }) => name === 'options' && type === 'collection')
    .flatMap(({ options }) => options as INodeProperties[]);

/** The options of the sends. */
export const SEND_OPTIONS = optionsIn(
  action.description.properties.filter(({ displayOptions }) =>
    displayOptions?.show?.resource?.includes('message'),
  ),
);

/** The options of the trigger. */
export const TRIGGER_OPTIONS = optionsIn(trigger.description.properties);
