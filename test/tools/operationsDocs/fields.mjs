// The fields of the editor as rows of a table.
import { code, listed, table } from './markdown.mjs';

/** The end of what fields for records say. The page says it once, and not with each of them. */
const CHOOSE = 'Choose it from the list, or enter its ID.';

/**
 * A field, or a field in a collection.
 *
 * @typedef {object} Row
 * @property {string} label with what the editor shows it for
 * @property {string} collection label of the collection that it is in, or nothing
 * @property {string} parameter such as `options.timeout`
 * @property {string} place its name in the request; empty where it is not sent
 * @property {string} initial its default
 * @property {string} about what it is
 * @property {string} choices those without a text of their own, which are the names of a record's fields
 * @property {boolean} isRequired whether a user of the node must fill it
 */

/**
 * The rows of fields. Notices and hidden fields have none.
 *
 * @param {import('n8n-workflow').INodeProperties[]} properties
 * @param {{ places?: Record<string, string>, path?: string, action?: string }} operation
 * @returns {Row[]}
 */
export function rowsOf(properties, operation = {}) {
  return properties.flatMap((property) => {
    const { displayName, name, type, options } = property;
    if (type === 'hidden' || type === 'notice') return [];
    if (type !== 'collection') return [rowOf(property, operation, properties)];
    return options.map((each) => {
      const inner = { ...each, name: `${name}.${each.name}` };
      return { ...rowOf(inner, operation, options), collection: displayName };
    });
  });
}

/** The table of rows. */
export function fieldsTable(rows) {
  return table(
    ['Field', 'Parameter', 'API field', 'Default', 'What it is'],
    rows.map(({ label, parameter, place, initial, about, choices }) => [
      label,
      code(parameter),
      place,
      initial,
      joined([about, choices]),
    ]),
  );
}

/** The notices above the fields, each with what makes the editor show it. */
export function noticesOf(properties) {
  return properties
    .filter(({ type }) => type === 'notice')
    .map((property) => {
      const condition = conditionOf(property, properties);
      return ended(condition ? `If ${condition}: ${property.displayName}` : property.displayName);
    });
}

/**
 * How a record is chosen: what the editor shows while nothing is chosen, and the advice that the fields
 * have in common.
 *
 * @throws when they do not have it any more
 */
export function locatorHelp(properties) {
  const locators = properties.filter(({ type }) => type === 'resourceLocator');
  if (!locators.some(({ description }) => description.endsWith(CHOOSE))) {
    throw new Error(`No field for a record says '${CHOOSE}' any more`);
  }
  const modes = locators.flatMap((each) => each.modes).filter(({ name }) => name === 'list');
  return { advice: CHOOSE, prompts: [...new Set(modes.map(({ placeholder }) => placeholder))] };
}

function rowOf(property, operation, siblings) {
  const { displayName, name, required = false, description, hint, displayOptions } = property;
  const isForTools = displayOptions?.show?.['@tool']?.includes(true) ?? false;
  const isForNodes = displayOptions?.hide?.['@tool']?.includes(true) ?? false;
  const marks = [
    required && '(required)',
    isForTools && '(tools only)',
    isForNodes && '(not in tools)',
  ];
  const choices = ['options', 'multiOptions'].includes(property.type) ? property.options : [];
  const about = joined([
    description?.replace(`. ${CHOOSE}`, ''),
    hint,
    ...choices.flatMap((each) => (each.description ? `**${each.name}**: ${each.description}` : [])),
  ]);
  const condition = conditionOf(property, siblings);
  return {
    label: [displayName, ...marks.filter(Boolean)].join(' '),
    collection: '',
    parameter: name,
    place: code(operation.places?.[name] ?? ''),
    initial: initialOf(property, operation),
    about: joined([withExample(about, property), condition && `Shown if ${condition}`]),
    choices: choices.flatMap((each) => (each.description ? [] : `**${each.name}**`)).join(', '),
    isRequired: required && !isForTools,
  };
}

function withExample(about, { placeholder = '', modes, default: initial }) {
  const text = modes ? modes.find(({ name }) => name === 'id').placeholder : placeholder;
  const example = text.replace(/^e\.g\. /, '');
  if (example === '' || example === initial) return about;
  if (modes) return joined([about, `By ID, e.g. \`${example}\``]);
  return about.endsWith('.') ? `${about} E.g. \`${example}\`` : `${about}, e.g. \`${example}\``;
}

/** Which value of another field makes the editor show this one. */
function conditionOf({ displayOptions: { show = {} } = {} }, siblings) {
  const conditions = siblings.flatMap(({ displayName, name, type, options }) => {
    if (!(name in show)) return [];
    const [value] = show[name];
    if (type === 'boolean') return [`'${displayName}' is ${value ? 'on' : 'off'}`];
    const choice = options?.find((each) => each.value === value);
    return [`'${displayName}' is '${choice?.name ?? value}'`];
  });
  return listed(conditions);
}

/** The default, in words where it is made of the operation's own texts. */
function initialOf({ default: value, type }, { path, action }) {
  if (value === '' || type === 'resourceMapper' || type === 'resourceLocator') return '';
  if (value === path) return 'the path of the operation';
  if (String(value).startsWith(`${action}. `)) return 'action and description of the operation';
  return code(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Sentences, of which the last one stays as it is. */
function joined(texts) {
  const [last = '', ...others] = texts.filter(Boolean).reverse();
  return [...others.reverse().map(ended), last].join(' ');
}

function ended(sentence) {
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}
