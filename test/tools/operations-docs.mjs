// `npm run docs`: writes docs/operations.md, the reference of all operations, from the descriptions
// of the built nodes. With `--check`: writes nothing, exits with code 1 if the file is outdated.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const FILE = path.join(root, 'docs/operations.md');

const require = createRequire(import.meta.url);
const { displayParameter } = require('n8n-workflow');
const { SmsMessagingService, SmsMessagingServiceTrigger } = require(root);
const action = new SmsMessagingService().description;
const trigger = new SmsMessagingServiceTrigger().description;

const resources = action.properties.find(({ name }) => name === 'resource').options;
const text = [
  '# Operations',
  '',
  'Made by `npm run docs` from the descriptions of the nodes. Do not edit it by hand.',
  '',
  'As a tool of an AI agent, each operation has one more field, **Tool Description**: what the model is told about it.',
  '',
  ...resources.flatMap(describeResource),
  `## ${trigger.displayName}`,
  '',
  `${trigger.description}.`,
  '',
  ...tableOf(trigger.properties),
].join('\n');

if (process.argv.includes('--check')) {
  const isCurrent = fs.existsSync(FILE) && fs.readFileSync(FILE, 'utf8') === text;
  if (!isCurrent) console.error('docs/operations.md is not up to date: run `npm run docs`.');
  process.exitCode = isCurrent ? 0 : 1;
} else {
  fs.writeFileSync(FILE, text);
}

function describeResource({ name, value }) {
  const operations = action.properties
    .filter(
      (each) => each.name === 'operation' && each.displayOptions?.show?.resource?.includes(value),
    )
    .flatMap(({ options }) => options);
  return [
    `## ${name}`,
    '',
    ...operations.flatMap((operation) => [
      `### ${name}: ${operation.name}`,
      '',
      `${operation.description ?? operation.action}.`,
      '',
      ...tableOf(fieldsOf(value, operation.value)),
    ]),
  ];
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
    '| Field | Name | Default | What it is |',
    '| --- | --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.map(escaped).join(' | ')} |`),
    '',
  ];
}

function rowsOf(property, parent = '') {
  const { displayName, name, type, required, description, displayOptions, options = [] } = property;
  if (type === 'hidden') return [];
  if (type === 'notice') return [['', '', '', plain(displayName)]];
  const isForTools = displayOptions?.show?.['@tool']?.includes(true);
  const label = `${parent}${displayName}${required ? ' (required)' : ''}${isForTools ? ' (tools only)' : ''}`;
  const choices = ['options', 'multiOptions'].includes(type)
    ? options.map((each) => `**${each.name}**${each.description ? `: ${each.description}` : ''}`)
    : [];
  const about = [description, property.hint, ...choices].filter(Boolean).map(plain).join('. ');
  const own = [label, `\`${name}\``, shownDefault(property), about.replaceAll('..', '.')];
  const inner =
    type === 'collection'
      ? options.flatMap((each) => rowsOf(each, `${displayName} → `))
      : type === 'fixedCollection'
        ? options.flatMap(({ values }) =>
            values.flatMap((each) => rowsOf(each, `${displayName} → `)),
          )
        : [];
  return inner.length > 0 ? inner : [own];
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
