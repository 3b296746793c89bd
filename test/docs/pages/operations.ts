import type { INodePropertyOptions } from 'n8n-workflow';
import { noticeOf } from '../../../nodes/SmsMessagingService/operations/endpoint';
import type { Endpoint } from '../../../nodes/SmsMessagingService/operations/endpoint';
import { repetitionOf } from '../../../nodes/SmsMessagingService/operations/operation';
import { REPETITION } from '../../../nodes/SmsMessagingService/operations/repetition';
import { RESOURCES as IN_EDITOR } from '../../../nodes/SmsMessagingService/resources/index';
import {
  action,
  credential,
  fieldsOf,
  trigger as triggerNode,
} from '../../engine/harness/descriptions';
import { CHOOSE, fieldsList, noticesOf, rowsOf } from './fields';
import type { Row } from './fields';
import { limitsPart } from './limits';
import { joined, linkTo, listed } from './markdown';
import { Outputs } from './outputs';
import { placesOf } from './request';
import { findShared, OF_ALL, ownRows } from './shared';
import type { Shared } from './shared';
import { tellOnce } from './told';

/** What is used most comes first. The editor sorts its own lists by name. */
const BY_USE = [
  ...['message', 'balance', 'deliveryReport', 'reply', 'template', 'signature', 'qualification'],
  ...['sendTemplate', 'sendCustom', 'getAll', 'get', 'create', 'update', 'delete'],
];

function placeOf(value: unknown): number {
  const place = BY_USE.indexOf(String(value));
  return place < 0 ? BY_USE.length : place;
}

const RESOURCES = IN_EDITOR.toSorted((a, b) => placeOf(a.option.value) - placeOf(b.option.value));

const { description: trigger } = triggerNode;

interface Operation {
  resource: string;
  /** Such as `v1.0.0/balance/get`. */
  schema: string;
  option: INodePropertyOptions;
  heading: string;
  endpoint: Endpoint;
  /** What a second call does, as a sentence. Empty: nothing that has to be said. */
  repeating: string;
  /** What the editor says above the fields. */
  notices: string[];
  rows: Row[];
}

/** The text of docs/reference/operations.md: all operations, their fields and outputs, as the editor shows them. */
export async function operationsPage(): Promise<string> {
  const operations = await Promise.all(RESOURCES.flatMap(readOperations));
  const shared = findShared(operations);
  const outputs = new Outputs();
  return [
    '<!-- Made by `npm run docs` from the descriptions of the nodes. Do not edit it by hand. -->',
    '',
    '# Operations',
    '',
    'All operations of the nodes: what each sends, its fields, and its output. The texts of the editor are English, also in an n8n that is set to another language. How to use them: [sending](../use/sending.md), [the trigger](../use/receiving.md), [records](../use/records.md). At the end: [fields of the trigger](#sms-messaging-service-trigger), [of the credential](#sms-messaging-service-api), and [the limits](#limits) that no field changes.',
    '',
    ...overviewOf(operations),
    ...readingHelp(),
    ...RESOURCES.flatMap(({ option: { name, description } }) => [
      `## ${name}`,
      '',
      `${description}.`,
      '',
      ...operations
        .filter(({ resource }) => resource === name)
        .flatMap((operation) => describeOperation(operation, operations, shared, outputs)),
    ]),
    '## Fields of many operations',
    '',
    ...shared.flatMap(({ heading, rows }) => [`### ${heading}`, '', ...fieldsList(rows)]),
    ...triggerAndCredential(outputs),
    '## Limits',
    '',
    'The numbers that no field changes.',
    '',
    ...limitsPart(),
  ].join('\n');
}

function readOperations({ option, operations }: (typeof RESOURCES)[0]): Promise<Operation>[] {
  const { name, value: resource } = option;
  return operations
    .toSorted((a, b) => placeOf(a.option.value) - placeOf(b.option.value))
    .map(async (described) => {
      const { option: own, endpoint } = described;
      const operation = String(own.value);
      const repetition = repetitionOf(described);
      const fields = fieldsOf(action, { resource, operation });
      const places = await placesOf({ resource, operation }, fields);
      const notices = noticesOf(fields);
      return {
        resource: name,
        schema: `v1.0.0/${resource}/${operation}`,
        option: own,
        heading: `${name}: ${own.name}`,
        endpoint,
        // A read can be repeated, and a notice says what a pull uses up.
        repeating: ['reads', 'usesUp'].includes(repetition) ? '' : REPETITION[repetition],
        // The page has the notice of inferred operations once, above all operations.
        notices: isInferred(endpoint) ? notices.slice(1) : notices,
        rows: rowsOf(fields, { places, path: endpoint.path, action: own.action }),
      };
    });
}

/** All operations, and what inferred ones are. */
function overviewOf(operations: Operation[]): string[] {
  const lines = RESOURCES.map(({ option: { name } }) => {
    const own = operations.filter(({ resource }) => resource === name);
    return `- ${linkTo(name)}: ${own.map((each) => linkTo(each.heading, { text: each.option.name })).join(', ')}`;
  });
  const inferred = operations.map(({ endpoint }) => endpoint).find(isInferred);
  return [
    ...lines,
    '',
    `**Inferred** means: the specification of the service names the operation, without path, fields or answer: these follow similar operations. The editor says: “${inferred && noticeOf(inferred)}.”`,
    '',
    `Every operation can be adapted to your SMS provider: **Options → Endpoint Path** takes another path. **Options → Extra Fields (JSON)** adds request fields or replaces them; \`null\` leaves a field out, as in \`{"id": null, "template_id": 301}\`. More: [connect your provider](../run/provider.md#another-path-other-fields). What the specification shows of each request: [interface](../build/interface.md).`,
    '',
  ];
}

function readingHelp(): string[] {
  const collections = action.description.properties
    .filter(({ type }) => type === 'collection')
    .map((field) => `\`${field.name}\` with **${field.displayName} → ${field.placeholder}**`);
  return [
    'A field stands as **Label** (`parameter` → `API field`):',
    '',
    `- The parameter is the name in the JSON of a workflow. \`options.timeout\` is \`timeout\` inside \`options\`. Such a field has to be added in the editor: ${listed([...new Set(collections)])}.`,
    '- The API field is the name in the request, if the field is sent. `messages[].params` is `params` in each entry of `messages`.',
    `- A field for a record has the modes **From List** and **By ID**. ${CHOOSE}`,
    `- “Tools only” means: when the node is a tool of an AI agent. There, every operation also has a Tool Description.`,
    `- Where nothing is said of a second call, it only reads. What every operation has stands once: ${linkTo(OF_ALL)}.`,
    '',
    `The outputs have the fields that are known. Fields that a service adds come out of pulls and changes, and of records with Simplify off. ${listed([trigger, credential].map(({ displayName }) => linkTo(displayName)))} are at the end.`,
    '',
  ];
}

function describeOperation(
  operation: Operation,
  operations: Operation[],
  shared: Shared<Operation>[],
  outputs: Outputs,
): string[] {
  const { resource, option, heading, endpoint, repeating, notices, rows } = operation;
  const before = operations
    .slice(0, operations.indexOf(operation))
    .filter((each) => each.resource === resource)
    .map((each) => ({ heading: each.heading, rows: ownRows(each, shared) }));
  const { rows: own, sentences } = tellOnce(ownRows(operation, shared), before);
  const more = shared
    .filter((each) => each.heading !== OF_ALL && each.operations.includes(operation))
    .map((each) => linkTo(each.heading));
  const isSimplified = rows.some(({ parameter }) => parameter === 'simplify');
  // Create gives the whole record.
  const raw = operations.find((each) => isSimplified && each.heading === `${resource}: Create`);
  return [
    `### ${heading}`,
    '',
    joined([
      option.description,
      `\`${endpoint.path}\`${isInferred(endpoint) ? ' (inferred)' : ''}`,
      repeating,
    ]),
    '',
    ...notices.flatMap(quoted),
    ...(own.length > 0 ? fieldsList(own) : []),
    ...(sentences.length > 0 ? [sentences.join(' '), ''] : []),
    ...(more.length > 0
      ? [`${own.length > 0 ? 'More fields' : 'Fields'}: ${listed(more)}.`, '']
      : []),
    ...(own.length + sentences.length + more.length === 0 ? ['No fields of its own.', ''] : []),
    ...outputs.describe(operation, { raw, fields: rows }),
  ];
}

function triggerAndCredential(outputs: Outputs): string[] {
  return [
    `## ${trigger.displayName}`,
    '',
    `${trigger.description}.`,
    '',
    ...noticesOf(trigger.properties).flatMap(quoted),
    ...fieldsList(rowsOf(trigger.properties)),
    ...outputs.describe({ schema: 'v1.0.0', heading: trigger.displayName }),
    `## ${credential.displayName}`,
    '',
    ...fieldsList(rowsOf(credential.properties)),
  ];
}

const quoted = (text: string) => [`> ${text}`, ''];

function isInferred({ source }: Endpoint): boolean {
  return source === 'inferred';
}
