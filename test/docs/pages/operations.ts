import type { INodePropertyOptions } from 'n8n-workflow';
import { noticeOf } from '../../../nodes/SmsMessagingService/operations/endpoint';
import type { Endpoint } from '../../../nodes/SmsMessagingService/operations/endpoint';
import { REPETITION } from '../../../nodes/SmsMessagingService/operations/repetition';
import { RESOURCES as IN_EDITOR } from '../../../nodes/SmsMessagingService/resources/index';
import {
  action,
  credential,
  fieldsOf,
  trigger as triggerNode,
} from '../../engine/harness/descriptions';
import { CHOOSE, fieldsTable, noticesOf, rowsOf } from './fields';
import type { Row } from './fields';
import { code, ended, linkTo, listed, table } from './markdown';
import { Outputs } from './outputs';
import { placesOf } from './request';
import { findShared, OF_ALL, ownRows } from './shared';
import type { Shared } from './shared';

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
  /** What a second call does, as a sentence. */
  repeating: string;
  /** What the editor says above the fields. */
  notices: string[];
  rows: Row[];
}

/** The operations in short, for the README: a line for the resources that have the same ones. */
export function operationsList(): string {
  const lines: { operations: string; resources: string[] }[] = [];
  for (const { option, operations: own } of RESOURCES) {
    const operations = own.map(({ option: { name } }) => name).join(', ');
    const last = lines.at(-1);
    if (last?.operations === operations) last.resources.push(option.name);
    else lines.push({ operations, resources: [option.name] });
  }
  const bold = (name: string) => `**${name}**`;
  return lines
    .map(({ operations, resources }) => `- ${resources.map(bold).join(', ')}: ${operations}`)
    .join('\n');
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
    'All operations of the nodes: what each sends, its fields, and its output. The texts of the editor are English, also in an n8n that is set to another language. How to use them: [sending](../use/sending.md), [templates](../use/templates.md), [the trigger](../use/receiving.md), [records](../use/records.md). Numbers that no field changes: [limits](limits.md).',
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
    ...shared.flatMap(({ heading, rows }) => [`### ${heading}`, '', ...fieldsTable(rows)]),
    ...triggerAndCredential(outputs),
  ].join('\n');
}

function readOperations({ option, operations }: (typeof RESOURCES)[0]): Promise<Operation>[] {
  const { name, value: resource } = option;
  return operations
    .toSorted((a, b) => placeOf(a.option.value) - placeOf(b.option.value))
    .map(async ({ option: own, endpoint, repetition }) => {
      const operation = String(own.value);
      const fields = fieldsOf(action, { resource, operation });
      const places = await placesOf({ resource, operation }, fields);
      const notices = noticesOf(fields);
      return {
        resource: name,
        schema: `v1.0.0/${resource}/${operation}`,
        option: own,
        heading: `${name}: ${own.name}`,
        endpoint,
        repeating: REPETITION[repetition],
        // The page has the notice of inferred operations once, above all operations.
        notices: isInferred(endpoint) ? notices.slice(1) : notices,
        rows: rowsOf(fields, { places, path: endpoint.path, action: own.action }),
      };
    });
}

/** The table of all operations, and what inferred ones are. */
function overviewOf(operations: Operation[]): string[] {
  const rows = operations.map(({ resource, heading, option, endpoint }, index) => [
    resource === operations[index - 1]?.resource ? '' : resource,
    linkTo(heading, { text: option.name }),
    code(endpoint.path),
    interfaceLink(endpoint),
  ]);
  const inferred = operations.map(({ endpoint }) => endpoint).find(isInferred);
  return [
    table(['Resource', 'Operation', 'Path', 'Interface'], rows),
    '',
    `**Inferred** means: the platform's specification names the operation, but it does not show its path, its fields or its answer. Path and fields follow those of similar operations. The editor says: “${inferred && noticeOf(inferred)}.” Compare both with your provider's manual.`,
    '',
    `Every operation can be adapted to your SMS provider: **Options → Endpoint Path** takes another path. **Options → Extra Fields (JSON)** adds request fields or replaces them; \`null\` leaves a field out, as in \`{"id": null, "template_id": 301}\`. More: [Adapting to your SMS provider](../run/provider.md).`,
    '',
  ];
}

function readingHelp(): string[] {
  const collections = action.description.properties
    .filter(({ type }) => type === 'collection')
    .map((field) => `\`${field.name}\` with **${field.displayName} → ${field.placeholder}**`);
  return [
    'In the tables of fields:',
    '',
    `- **Parameter** is the name in the JSON of a workflow. \`options.timeout\` is \`timeout\` inside \`options\`. Such a field has to be added in the editor: ${listed([...new Set(collections)])}.`,
    '- **API field** is the name in the request. `messages[].params` is `params` in each entry of `messages`. Where it is empty, the request has no such field.',
    '- **Default** is what a field holds at first, or when it is added.',
    `- A field for a record has the modes **From List** and **By ID**. ${CHOOSE}`,
    `- “Tools only” means: when the node is a tool of an AI agent. There, every operation also has a Tool Description.`,
    `- The tables leave out what every operation has: ${linkTo(OF_ALL)}.`,
    '',
    `The tables of outputs have the fields that are known. Fields that a service adds come out of pulls and changes, and of records with Simplify off. ${listed([trigger, credential].map(({ displayName }) => linkTo(displayName)))} are at the end.`,
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
  const own = ownRows(operation, shared);
  const more = shared
    .filter((each) => each.heading !== OF_ALL && each.operations.includes(operation))
    .map((each) => linkTo(each.heading));
  const isSimplified = rows.some(({ parameter }) => parameter === 'simplify');
  // Create gives the whole record.
  const raw = operations.find((each) => isSimplified && each.heading === `${resource}: Create`);
  return [
    `### ${heading}`,
    '',
    ended(option.description ?? ''),
    '',
    `Action: **${option.action}**. Path: \`${endpoint.path}\`${isInferred(endpoint) ? ' (inferred)' : ''}. ${repeating}`,
    '',
    ...notices.flatMap(quoted),
    ...(own.length > 0 ? fieldsTable(own) : []),
    ...(more.length > 0
      ? [`${own.length > 0 ? 'More fields' : 'Fields'}: ${listed(more)}.`, '']
      : []),
    ...(own.length + more.length === 0 ? ['No fields of its own.', ''] : []),
    ...outputs.describe(operation, raw),
  ];
}

function triggerAndCredential(outputs: Outputs): string[] {
  return [
    `## ${trigger.displayName}`,
    '',
    `${trigger.description}.`,
    '',
    ...noticesOf(trigger.properties).flatMap(quoted),
    ...fieldsTable(rowsOf(trigger.properties)),
    ...outputs.describe({ schema: 'v1.0.0', heading: trigger.displayName }),
    `## ${credential.displayName}`,
    '',
    ...fieldsTable(rowsOf(credential.properties)),
  ];
}

const quoted = (text: string) => [`> ${text}`, ''];

/** A link to the part of docs/build/interface.md that describes an operation. */
function interfaceLink(endpoint: Endpoint): string {
  const page = '../build/interface.md';
  return isInferred(endpoint)
    ? linkTo('Operations known by name only', { text: 'inferred', page })
    : linkTo(endpoint.heading, { page });
}

function isInferred({ source }: Endpoint): boolean {
  return source === 'inferred';
}
