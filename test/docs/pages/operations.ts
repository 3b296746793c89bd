import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import type { RecordKind } from '../../../nodes/SmsMessagingService/operations/operation';
import { RESOURCES } from '../../../nodes/SmsMessagingService/resources/index';
import { LEAD } from '../../../nodes/SmsMessagingService/resources/lead';
import { QUALIFICATION } from '../../../nodes/SmsMessagingService/resources/qualification';
import { SIGNATURE } from '../../../nodes/SmsMessagingService/resources/signature';
import { TEMPLATE } from '../../../nodes/SmsMessagingService/resources/template';
import {
  credential,
  fieldsOf,
  flatten,
  optionsOf,
  TRIGGER_FIELDS,
} from '../../kit/engine/descriptions';
import { contractOperations, contractSchemas } from '../../sandbox/contract';
import { LIMITS } from './limits';

/** The parts of docs/reference/operations.md, made of what the nodes, their output schemas and the contract say. */

const code = (text: string) => `\`${text}\``;

const list = (lines: string[]) => lines.map((line) => `- ${line}`).join('\n');

const table = (...rows: string[][]) => rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const rule = (columns: number) => Array.from({ length: columns }, () => '---');

// --- Fields of the editor ---

const isEntered = ({ type, name }: INodeProperties) =>
  !['notice', 'hidden', 'collection'].includes(type) && name !== 'toolDescription';

/** The fields in a collection. */
const inside = (fields: INodeProperties[], name: string) =>
  flatten(fields.filter((field) => field.name === name && field.type === 'collection')).slice(1);

/** The fields of an operation, and what is under its options apart from what every operation has. */
function fieldsIn(resource: string, operation: string) {
  const fields = fieldsOf({ resource, operation });
  const options = inside(fields, 'options');
  const isCommon = ({ name }: INodeProperties) =>
    ['endpointPath', 'extraFieldsJson'].includes(name);
  return {
    fields: fields.filter(isEntered),
    options: options.filter((option) => !isCommon(option)),
    common: [
      ...fields.filter(({ name }) => name === 'toolDescription'),
      ...options.filter(isCommon),
    ],
    collection: (name: string) => inside(fields, name),
  };
}

const sentence = (text: string) => text.replaceAll('\n', ' ').replace(/\.?$/, '.');

/** Where something else holds without the option than the editor proposes for it. */
const WITHOUT: Record<string, string> = {
  maxMessages: 'no limit',
  maxPerNumberAndDay: 'no limit',
  itemsPerExecution: '**Pull Size**',
};

/** What the field is about, its choices with their values, and its default if it says something. */
function aboutOf(field: INodeProperties): string {
  const { name: parameter, description, type, default: value } = field;
  const isList = /options$/i.test(type) && parameter !== 'fields';
  const choices = (isList ? optionsOf(field) : []).map(
    ({ name, value: choice, description: about }) =>
      sentence([`**${name}** (${code(String(choice))})`, ...(about ? [about] : [])].join(': ')),
  );
  const isSaid =
    value === true || typeof value === 'number' || (isList && typeof value === 'string');
  return [
    ...(description ? [sentence(description)] : []),
    ...choices,
    ...(isSaid ? [`Default: ${WITHOUT[parameter] ?? code(String(value))}`] : []),
  ].join(' ');
}

function fieldLine(field: INodeProperties, collection = ''): string {
  const { displayName, name, required, displayOptions: { show } = {} } = field;
  const notes = [...(required ? ['required'] : []), ...(show?.['@tool'] ? ['tools only'] : [])];
  return `**${displayName}** (${[code(collection + name), ...notes].join(', ')}): ${aboutOf(field)}`;
}

const fieldLines = (fields: INodeProperties[], options: INodeProperties[] = []) =>
  list([
    ...fields.map((field) => fieldLine(field)),
    ...options.map((field) => fieldLine(field, 'options.')),
  ]);

// --- Operations ---

function endpointOf(resource: string, operation: string) {
  const { operations = [] } = RESOURCES.find(({ option }) => option.value === resource) ?? {};
  const { endpoint } = operations.find(({ option }) => option.value === operation) ?? {};
  if (!endpoint) throw new TypeError(`There is no ${resource}.${operation}`);
  return endpoint;
}

const KINDS: Record<string, RecordKind> = {
  templates: TEMPLATE,
  signatures: SIGNATURE,
  qualifications: QUALIFICATION,
  reportedLinks: LEAD,
};

const isRecord = (resource: string) => Object.values(KINDS).some(({ value }) => value === resource);

const otherOperations = () =>
  list(
    RESOURCES.filter(({ option }) => !isRecord(option.value)).flatMap((resource) =>
      resource.operations.map(({ option, endpoint }) => {
        const values = `${code(resource.option.value)}, ${code(option.value)}`;
        return `${resource.option.name}: ${option.name} (${values}): ${code(endpoint.path)}`;
      }),
    ),
  );

const recordOperations = () =>
  table(
    [
      '',
      'Get Many (`getAll`), Get (`get`)',
      'Create (`create`)',
      'Update (`update`)',
      'Delete (`delete`)',
    ],
    rule(5),
    ...Object.values(KINDS).map(({ value, locator }) => [
      `${locator.displayName} (${code(value)})`,
      ...['getAll', 'create', 'update', 'delete'].map((operation) => {
        const { path: at, isGuess } = endpointOf(value, operation);
        return `${code(at)}${isGuess ? ' \\*' : ''}`;
      }),
    ]),
  );

// --- Fields of requests ---

/** The API's names of the fields that are called otherwise in the editor. */
const NAMES: Record<string, string[]> = {
  leadId: ['lead_id'],
  qualificationId: ['certification_id'],
  signatureId: ['sms_sign_id', 'sign_id', 'signature_id'],
  templateId: ['template_id'],
};

const camelCase = (name: string) =>
  name.replace(/_+(.)/g, (_, letter: string) => letter.toUpperCase());

/** The field of the operation's request that a field of the editor fills. Undefined if the contract has none. */
function sentAs({ name }: INodeProperties, resource: string, operation: string) {
  const { path: at } = endpointOf(resource, operation);
  const { request } = contractOperations().find((each) => each.path === at) ?? {};
  return Object.keys(request?.properties ?? {}).find(
    (each) => camelCase(each) === name || NAMES[name]?.includes(each),
  );
}

/** In a template SMS, what each message has of its own. */
const IN_MESSAGES: Record<string, string> = {
  phoneNumbers: 'messages[].phone_number',
  parameters: 'messages[].params',
  inputParameters: 'messages[].params',
  parametersJson: 'messages[].params',
};

function sendFields(): string {
  const sends = ['sendTemplate', 'sendCustom'];
  const fields = sends.flatMap((operation) => fieldsIn('message', operation).fields);
  const byName = new Map(fields.map((field) => [field.name, field]));
  const rows = [...byName.values()].map((field) => {
    const names = sends.map((operation) => sentAs(field, 'message', operation));
    const sent = new Set(
      [IN_MESSAGES[field.name], ...names].flatMap((name) => (name ? [code(name)] : [])),
    );
    const mode = field.displayOptions?.show?.parameterMode?.join() ?? '';
    const choices = /options$/i.test(field.type)
      ? optionsOf(field).map(({ value }) => code(String(value)))
      : [];
    const notes = choices.length > 0 ? `: ${choices.join(', ')}` : mode && `, for ${code(mode)}`;
    return [`**${field.displayName}**`, code(field.name) + notes, [...sent].join(', ')];
  });
  return table(['Field', 'Parameter', 'API field'], rule(3), ...rows);
}

// --- Outputs ---

interface OutputSchema {
  description?: string;
  properties?: Record<string, OutputSchema>;
}

/** The schema of an operation's output, or of the trigger's. */
function schemaOf(...place: string[]): OutputSchema {
  const folder = path.resolve(__dirname, '../../../nodes/SmsMessagingService/__schema__');
  return JSON.parse(
    readFileSync(`${path.join(folder, 'v1.0.0', ...place)}.json`, 'utf8'),
  ) as OutputSchema;
}

/** Name and meaning of each field, and of those in the objects among them. */
const meaningsIn = ({ properties = {} }: OutputSchema, before = ''): [string, string][] =>
  Object.entries(properties).flatMap(([name, field]): [string, string][] => [
    [before + name, field.description ?? ''],
    ...meaningsIn(field, `${before}${name}.`),
  ]);

const outputLines = (schema: OutputSchema, note: (name: string) => string = () => '') =>
  list(meaningsIn(schema).map(([name, about]) => `${code(name)}${note(name)}: ${about}`));

/** Which of the two events has a field, if only one has it. */
function eventOf(name: string): string {
  const has = (event: string) => name in (schemaOf(event, 'pull').properties ?? {});
  if (has('deliveryReport') === has('reply')) return '';
  return has('reply') ? ' (reply)' : ' (report)';
}

// --- Records ---

/** Each field of a record once: of requests, of outputs, or of both. */
function recordFields(kind: RecordKind): string {
  const { value, locator, output } = kind;
  const created = fieldsIn(value, 'create');
  const updated = fieldsIn(value, 'update').collection('updateFields');
  const inEditor = new Map(
    [...created.fields, ...created.collection('additionalFields')].map((field) => [
      sentAs(field, value, 'create') ?? field.name,
      field,
    ]),
  );
  // Simplify puts what is inside an object beside it.
  const meanings = new Map(meaningsIn(schemaOf(value, 'get')));
  const contract = Object.values(contractSchemas()).find(
    ({ title }) => title?.toLowerCase() === locator.displayName.toLowerCase(),
  );
  const ofRecord = Object.keys(contract?.properties ?? {});
  const names = new Set([...ofRecord, ...meanings.keys(), ...inEditor.keys()]);
  names.delete('id');
  const rows = [...names].map((name) => {
    const field = inEditor.get(name);
    if (!field) return `${code(name)}: ${meanings.get(name) ?? 'An object with the last three'}`;
    const notes = [
      ...(field.name === camelCase(name) ? [] : [code(field.name)]),
      ...(field.required ? ['required'] : created.fields.includes(field) ? ['in the form'] : []),
      ...(updated.some((each) => each.name === field.name) ? [] : ['Create only']),
      ...(ofRecord.includes(name) ? [] : ['not in the output']),
    ];
    return `${code(name)}: **${field.displayName}**${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
  });
  const left = ofRecord.filter((name) => !['id', ...output.simple].includes(name));
  const filters = fieldsIn(value, 'getAll').collection('filters');
  return [
    list(rows),
    `Filters: ${filters.map((field) => `**${field.displayName}** (${code(field.name)})`).join(', ')}.`,
    ...(left.length > 0 ? [`Simplify leaves out ${left.map(code).join(', ')}.`] : []),
  ].join('\n\n');
}

const credentialFields = () =>
  list(
    credential.properties.map(({ displayName, name, default: value }) => {
      const usual = value === '' ? '' : `: ${code(String(value))}`;
      return `**${displayName}** (${code(name)})${usual}`;
    }),
  );

/** Name of the part → its text. */
export const OPERATIONS: Record<string, () => string> = {
  otherOperations,
  recordOperations,
  commonFields: () => {
    const [description, ...options] = fieldsIn('balance', 'get').common;
    return fieldLines(description ? [description] : [], options);
  },
  sendFields,
  sendOptions: () => fieldLines([], fieldsIn('message', 'sendTemplate').options),
  sendOutput: () => outputLines(schemaOf('message', 'sendTemplate')),
  balanceOutput: () => outputLines(schemaOf('balance', 'get')),
  pullFields: () => {
    const { fields, options } = fieldsIn('reply', 'pull');
    return fieldLines(fields, options);
  },
  triggerFields: () =>
    fieldLines(TRIGGER_FIELDS.filter(isEntered), inside(TRIGGER_FIELDS, 'options')),
  eventOutput: () => outputLines(schemaOf(), eventOf),
  listFields: () => {
    const { fields, options } = fieldsIn('template', 'getAll');
    return fieldLines(fields, options);
  },
  credentialFields,
};

for (const [name, kind] of Object.entries(KINDS)) OPERATIONS[name] = () => recordFields(kind);
for (const [name, limits] of Object.entries(LIMITS)) {
  OPERATIONS[name] = () => list(limits.map(([about, limit]) => `${about}: **${limit}**`));
}
