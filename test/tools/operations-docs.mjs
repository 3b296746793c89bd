// `npm run docs`: writes docs/operations.md, the reference of all operations, of every text in the
// editor and of every output, from the descriptions of the built nodes and their output schemas. With
// `--check`: writes nothing, exits with code 1 if the file is outdated.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const FILE = path.join(root, 'docs/operations.md');

const require = createRequire(import.meta.url);
const { displayParameter, Workflow } = require('n8n-workflow');
const { SmsMessagingService, SmsMessagingServiceApi, SmsMessagingServiceTrigger } = require(root);
const action = new SmsMessagingService().description;
const trigger = new SmsMessagingServiceTrigger().description;
const credential = new SmsMessagingServiceApi();

/** By the fields of its output, the operation that has them first. */
const headings = new Map();
const resources = action.properties.find(({ name }) => name === 'resource').options;
const text = [
  '# Operations',
  '',
  'Made by `npm run docs` from the descriptions of the nodes, with every text that the editor shows, and from their output schemas. Do not edit it by hand. Where a record is chosen, the modes are **From List** and **By ID**.',
  '',
  `${action.description}.`,
  '',
  'As a tool of an AI agent, each operation has one more field, **Tool Description**: what the model is told about it.',
  '',
  'The tables of outputs have the fields that are known. A field that a service adds comes out too.',
  '',
  ...resources.flatMap(describeResource),
  `## ${trigger.displayName}`,
  '',
  `${trigger.description}.`,
  '',
  ...namesOf({ subtitle: subtitleOf(trigger, {}) }),
  ...tableOf(trigger.properties),
  ...outputOf('v1.0.0'),
  `## ${credential.displayName}`,
  '',
  ...tableOf(credential.properties),
].join('\n');

if (process.argv.includes('--check')) {
  const isCurrent = fs.existsSync(FILE) && fs.readFileSync(FILE, 'utf8') === text;
  if (!isCurrent) console.error('docs/operations.md is not up to date: run `npm run docs`.');
  process.exitCode = isCurrent ? 0 : 1;
} else {
  fs.writeFileSync(FILE, text);
}

function describeResource({ name, value, description }) {
  const full = `${name}: Create`;
  const operations = action.properties
    .filter(
      (each) => each.name === 'operation' && each.displayOptions?.show?.resource?.includes(value),
    )
    .flatMap(({ options }) => options);
  return [
    `## ${name}`,
    '',
    `${description}.`,
    '',
    ...operations.flatMap((operation) => [
      `### ${name}: ${operation.name}`,
      '',
      `${operation.description}.`,
      '',
      ...namesOf({
        action: operation.action,
        subtitle: subtitleOf(action, { resource: value, operation: operation.value }),
      }),
      ...tableOf(fieldsOf(value, operation.value)),
      ...outputOf(`v1.0.0/${value}/${operation.value}`, `${name}: ${operation.name}`),
      ...(fieldsOf(value, operation.value).some((field) => field.name === 'simplify')
        ? [`With Simplify off, it has the fields of [${full}](#${anchorOf(full)}).`, '']
        : []),
    ]),
  ];
}

/** How an entry of a list is called in n8n's panel of actions, and on the canvas. */
function namesOf({ action: name, subtitle }) {
  return [`${name ? `Action: **${name}**. ` : ''}Subtitle: **${subtitle}**.`, ''];
}

/** The subtitle of a node with these parameters, as the editor evaluates it. */
function subtitleOf(description, parameters) {
  const node = { id: '1', name: 'SMS', type: 'sms', typeVersion: 1, position: [0, 0], parameters };
  const nodeTypes = { getByNameAndVersion: () => ({ description }) };
  const { expression } = new Workflow({ nodes: [node], connections: {}, nodeTypes });
  return expression.getSimpleParameterValue(node, description.subtitle, 'internal', {});
}

/** All fields of an operation, including those that are shown only for a value of another field. */
function fieldsOf(resource, operation) {
  const shown = { resource: [resource], operation: [operation] };
  return action.properties.filter(({ name, displayOptions }) => {
    if (['resource', 'operation', 'toolDescription'].includes(name)) return false;
    const { show = {}, hide = {} } = displayOptions ?? {};
    return Object.keys(shown).every((key) =>
      displayParameter(
        { resource, operation },
        { displayOptions: { show: pick(show, key), hide: pick(hide, key) } },
        null,
        null,
      ),
    );
  });
}

function pick(conditions, key) {
  return key in conditions ? { [key]: conditions[key] } : {};
}

function tableOf(properties) {
  const rows = properties.flatMap((property) => rowsOf(property));
  if (rows.length === 0) return ['No fields.', ''];
  return [
    '| Field | Name | Default | Placeholder | What it is |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.map(escaped).join(' | ')} |`),
    '',
  ];
}

/** The fields of the output. Where an operation before has the same ones, a link to it. */
function outputOf(schema, heading = '') {
  const file = path.join(root, `nodes/SmsMessagingService/__schema__/${schema}.json`);
  const rows = outputRows(JSON.parse(fs.readFileSync(file, 'utf8')).properties);
  const key = JSON.stringify(rows);
  const before = headings.get(key);
  if (before) return [`The output has the fields of [${before}](#${anchorOf(before)}).`, ''];
  headings.set(key, heading);
  return ['| Output | Type | What it is |', '| --- | --- | --- |', ...rows, ''];
}

function outputRows(properties, parent = '', known = properties) {
  return Object.entries(properties).flatMap(([name, field]) => {
    const inner = field.properties ?? field.items?.properties ?? {};
    // The parts of a send have the fields of the send itself.
    const own = Object.fromEntries(Object.entries(inner).filter(([each]) => !(each in known)));
    const type = field.items ? `${field.type} of ${field.items.type}s` : field.type;
    const cells = [`\`${parent}${name}\``, type, field.description];
    return [
      `| ${cells.map(escaped).join(' | ')} |`,
      ...outputRows(own, `${parent}${name}.`, { ...known, ...own }),
    ];
  });
}

function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}

function rowsOf(property, parent = '') {
  const { displayName, name, type, required, description, displayOptions, options = [] } = property;
  if (type === 'hidden') return [];
  if (type === 'notice') return [['', '', '', '', plain(displayName)]];
  const isForTools = displayOptions?.show?.['@tool']?.includes(true);
  const label = `${parent}${displayName}${required ? ' (required)' : ''}${isForTools ? ' (tools only)' : ''}`;
  const choices = ['options', 'multiOptions'].includes(type)
    ? options.map((each) => `**${each.name}**${each.description ? `: ${each.description}` : ''}`)
    : [];
  const about = [description, property.hint, ...choices].filter(Boolean).map(plain).join('. ');
  const example =
    property.placeholder ?? property.modes?.map((mode) => mode.placeholder).join(', ');
  const own = [
    label,
    `\`${name}\``,
    shownDefault(property),
    example ?? '',
    about.replaceAll('..', '.'),
  ];
  const inner =
    type === 'collection'
      ? options.flatMap((each) => rowsOf(each, `${displayName} → `))
      : type === 'fixedCollection'
        ? options.flatMap(({ values }) =>
            values.flatMap((each) => rowsOf(each, `${displayName} → `)),
          )
        : [];
  return [own, ...inner];
}

function shownDefault({ default: value, type }) {
  if (value === '' || value === undefined || type === 'resourceMapper') return '';
  if (type === 'resourceLocator') return 'from the list';
  return `\`${typeof value === 'object' ? JSON.stringify(value) : value}\``;
}

function plain(html) {
  return String(html)
    .replaceAll(/<br\s*\/?>/g, ' ')
    .replaceAll(/<[^>]+>/g, '')
    .trim();
}

function escaped(cell) {
  return cell.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
