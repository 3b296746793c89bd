// The text of docs/operations.md, from the descriptions of the built nodes and their output schemas.
import { createRequire } from 'node:module';
import { fieldsTable, locatorHelp, noticesOf, rowsOf } from './fields.mjs';
import { interfaceLink } from './interface.mjs';
import { code, linkTo, listed, table } from './markdown.mjs';
import { readOperations } from './operations.mjs';
import { OF_ALL } from './order.mjs';
import { combinedOutput, outputOf, simplifiedOutput } from './outputs.mjs';
import {
  SmsMessagingService,
  SmsMessagingServiceApi,
  SmsMessagingServiceTrigger,
} from './package.mjs';
import { findShared, ownRows } from './shared.mjs';

const { Workflow } = createRequire(import.meta.url)('n8n-workflow');

const action = new SmsMessagingService().description;
const trigger = new SmsMessagingServiceTrigger().description;
const credential = new SmsMessagingServiceApi();

/** @returns {Promise<string>} the whole page */
export async function pageText() {
  const operations = await readOperations();
  const shared = findShared(operations);
  const resources = [...new Set(operations.map(({ resource }) => resource))];
  const isOf = (resource) => (each) => each.resource === resource;
  const isWithin = (resource) => (each) => each.operations.every(isOf(resource));
  return [
    '<!-- Made by `npm run docs` from the descriptions of the nodes. Do not edit it by hand. -->',
    '',
    '# Operations',
    '',
    'All operations of the nodes: what each sends, its fields, its output, and every text of the editor. The texts are English, also in an n8n that is set to another language. How to use them: [sending](sending.md), [templates](templates.md), [the trigger](trigger.md), [records](records.md).',
    '',
    ...overviewOf(operations),
    ...readingHelp(),
    ...resources.flatMap((resource) => [
      `## ${resource.name}`,
      '',
      `${resource.description}.`,
      '',
      ...operations
        .filter(isOf(resource))
        .flatMap((operation) => describeOperation(operation, operations, shared)),
      ...shared.filter(isWithin(resource)).flatMap(describeShared),
    ]),
    '## Fields of many operations',
    '',
    ...shared
      .filter((each) => !resources.some((one) => isWithin(one)(each)))
      .flatMap(describeShared),
    ...triggerAndCredential(operations),
  ].join('\n');
}

/** The table of all operations, and what those are that the specification only names. */
function overviewOf(operations) {
  const rows = operations.map((operation, index) => {
    const { resource, heading, name, path } = operation;
    const isFirst = resource !== operations[index - 1]?.resource;
    return [
      isFirst ? resource.name : '',
      linkTo(heading, { text: name }),
      code(path),
      interfaceLink(operation),
    ];
  });
  const notices = [...new Set(operations.flatMap(({ inferredNotices }) => inferredNotices))];
  return [
    ...table(['Resource', 'Operation', 'Path', 'Interface'], rows),
    `**Inferred** means: the platform's specification names the operation, but it does not show its path, its fields or its answer. Path and fields follow those of similar operations. The editor says: “${notices.join(' ')}” Compare both with your provider's manual.`,
    '',
    `Every operation can be adapted to your SMS provider: **Options → Endpoint Path** takes another path. **Options → Extra Fields (JSON)** adds request fields or replaces them; \`null\` leaves a field out, as in \`{"id": null, "template_id": 301}\`. More: [Adapting to your SMS provider](adapting.md).`,
    '',
  ];
}

function readingHelp() {
  const collections = action.properties
    .filter(({ type }) => type === 'collection')
    .map(
      ({ displayName, name, placeholder }) =>
        `\`${name}\` with **${displayName} → ${placeholder}**`,
    );
  const { advice, prompts } = locatorHelp(action.properties);
  return [
    'In the tables of fields:',
    '',
    `- **Parameter** is the name in the JSON of a workflow. \`options.timeout\` is \`timeout\` inside \`options\`. Such a field has to be added in the editor: ${listed([...new Set(collections)])}.`,
    '- **API field** is the name in the request. `messages[].params` is `params` in each entry of `messages`. Where it is empty, the request has no such field.',
    '- **Default** is what a field holds at first, or when it is added.',
    `- A field for a record has the modes **From List** (${listed(prompts.map((text) => `“${text}”`))}) and **By ID**. ${advice}`,
    `- “Tools only” means: when the node is a tool of an AI agent. There, every operation also has a Tool Description.`,
    `- The tables leave out what every operation has: ${linkTo(OF_ALL)}.`,
    '',
    `The tables of outputs have the fields that are known. A field that a service adds comes out too. In n8n's list, the node is described as “${action.description}”. ${listed([trigger, credential].map(({ displayName }) => linkTo(displayName)))} are at the end.`,
    '',
  ];
}

function describeOperation(operation, operations, shared) {
  const { resource, value, heading, path, isInferred, rows } = operation;
  const own = ownRows(operation, operations, shared);
  const more = shared.filter(
    (each) => each.operations.includes(operation) && each.operations.length < operations.length,
  );
  const links = listed(more.map((each) => linkTo(each.heading)));
  const output = { schema: `v1.0.0/${resource.value}/${value}`, heading };
  // Create gives the whole record.
  const raw = { schema: `v1.0.0/${resource.value}/create`, heading: `${resource.name}: Create` };
  const isSimplified = rows.some(({ parameter }) => parameter === 'simplify');
  return [
    `### ${heading}`,
    '',
    `${operation.description}.`,
    '',
    `Action: **${operation.action}**. Path: \`${path}\`${isInferred ? ' (inferred)' : ''}.`,
    '',
    ...operation.notices.flatMap(quoted),
    ...(own.length > 0 ? fieldsTable(own) : []),
    ...(more.length > 0 ? [`${own.length > 0 ? 'More fields' : 'Fields'}: ${links}.`, ''] : []),
    ...(own.length + more.length === 0 ? ['No fields of its own.', ''] : []),
    ...(isSimplified ? simplifiedOutput(output, raw) : outputOf(output)),
  ];
}

function describeShared({ heading, rows }) {
  return [`### ${heading}`, '', ...fieldsTable(rows)];
}

function triggerAndCredential(operations) {
  const events = trigger.properties.find(({ name }) => name === 'events').options;
  const pulls = events.map(({ value: event }) => {
    const { heading, resource, value } = operations.find((each) => each.resource.value === event);
    return { schema: `v1.0.0/${resource.value}/${value}`, heading };
  });
  return [
    `## ${trigger.displayName}`,
    '',
    `${trigger.description}. Its subtitle names the events: **${subtitleOf(trigger)}**.`,
    '',
    ...noticesOf(trigger.properties).flatMap(quoted),
    ...fieldsTable(rowsOf(trigger.properties)),
    ...combinedOutput({ schema: 'v1.0.0' }, pulls),
    `## ${credential.displayName}`,
    '',
    ...fieldsTable(rowsOf(credential.properties)),
  ];
}

const quoted = (text) => [`> ${text}`, ''];

/** The subtitle of a new node, as the editor evaluates it. */
function subtitleOf(description) {
  const node = {
    id: '1',
    name: 'SMS',
    type: 'sms',
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
  };
  const nodeTypes = { getByNameAndVersion: () => ({ description }) };
  const { expression } = new Workflow({ nodes: [node], connections: {}, nodeTypes });
  return expression.getSimpleParameterValue(node, description.subtitle, 'internal', {});
}
