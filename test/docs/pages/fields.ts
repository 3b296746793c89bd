import type { INodeProperties } from 'n8n-workflow';
import { modesIn, optionsOf } from '../../engine/harness/descriptions';
import { code, ended, joined, listed } from './markdown';

/** The end of what fields for records say. The page says it once, and not with each of them. */
export const CHOOSE = 'Choose it from the list, or enter its ID.';

/** A field of the editor, or a field in a collection. */
export interface Row {
  /** With what the editor shows it for. */
  label: string;
  /** Such as `options.timeout`. */
  parameter: string;
  /** Its name in the request. Empty: it is not sent. */
  place: string;
  initial: string;
  about: string;
  /** Those without a text of their own, which are the names of a record's fields. */
  choices: string;
}

/** What is known of an operation whose fields are described. */
interface Of {
  places?: Record<string, string>;
  path?: string;
  action?: string;
}

/** The fields of a collection. */
export const fieldsIn = ({ options = [] }: INodeProperties) => options as INodeProperties[];

/** The rows of fields. Notices and hidden fields have none. */
export function rowsOf(properties: INodeProperties[], operation: Of = {}): Row[] {
  return properties.flatMap((property) => {
    const { name, type } = property;
    if (type === 'hidden' || type === 'notice') return [];
    if (type !== 'collection') return [rowOf(property, operation, properties)];
    return fieldsIn(property).map((each) =>
      rowOf({ ...each, name: `${name}.${each.name}` }, operation, fieldsIn(property)),
    );
  });
}

/** The list of rows. */
export function fieldsList(rows: Row[]): string[] {
  return [...rows.map(lineOf), ''];
}

function lineOf({ label, parameter, place, initial, about, choices }: Row): string {
  const names = [code(parameter), place].filter(Boolean).join(' → ');
  const text = joined([about, choices, initial && `Default: ${initial}`]);
  return `- **${label}** (${names})${text && `: ${text.replaceAll('\n', ' ')}`}`;
}

/** The notices above the fields, each with what makes the editor show it. */
export function noticesOf(properties: INodeProperties[]): string[] {
  return properties
    .filter(({ type }) => type === 'notice')
    .map((property) => {
      const condition = conditionOf(property, properties);
      return ended(condition ? `If ${condition}: ${property.displayName}` : property.displayName);
    });
}

function rowOf(property: INodeProperties, operation: Of, siblings: INodeProperties[]): Row {
  const { displayName, name, type, description, hint, displayOptions } = property;
  const marks = [
    property.required && '(required)',
    displayOptions?.show?.['@tool']?.includes(true) && '(tools only)',
    displayOptions?.hide?.['@tool']?.includes(true) && '(not in tools)',
  ];
  const choices = type === 'options' || type === 'multiOptions' ? optionsOf(property) : [];
  const isDescribed = (choice: { description?: string }) => Boolean(choice.description);
  const about = joined([
    description?.replace(`. ${CHOOSE}`, '.'),
    hint,
    ...choices.filter(isDescribed).map((each) => `**${each.name}**: ${each.description}`),
  ]);
  const condition = conditionOf(property, siblings);
  return {
    label: [displayName, ...marks.filter(Boolean)].join(' '),
    parameter: name,
    place: code(operation.places?.[name] ?? ''),
    initial: initialOf(property, operation),
    about: joined([withExample(about, property), condition && `Shown if ${condition}`]),
    choices: choices
      .filter((choice) => !isDescribed(choice))
      .map((choice) => `**${choice.name}**`)
      .join(', '),
  };
}

function withExample(about: string, property: INodeProperties): string {
  const byId = modesIn([property]).find(({ name }) => name === 'id');
  const text = byId?.placeholder ?? property.placeholder ?? '';
  const example = text.replace(/^e\.g\. /, '');
  if (example === '' || example === property.default) return about;
  if (byId) return joined([about, `By ID, e.g. \`${example}\``]);
  return about.endsWith('.') ? `${about} E.g. \`${example}\`` : `${about}, e.g. \`${example}\``;
}

/** Which value of another field makes the editor show this one. */
function conditionOf({ displayOptions }: INodeProperties, siblings: INodeProperties[]): string {
  const conditions = siblings.flatMap((other) => {
    const value = displayOptions?.show?.[other.name]?.[0];
    if (value === undefined) return [];
    if (other.type === 'boolean') return [`'${other.displayName}' is ${value ? 'on' : 'off'}`];
    const choice = optionsOf(other).find((each) => each.value === value);
    return [`'${other.displayName}' is '${choice?.name}'`];
  });
  return listed(conditions);
}

/** The default, in words where it is made of the operation's own texts. */
function initialOf({ default: value, type }: INodeProperties, { path, action }: Of): string {
  if (value === '' || type === 'resourceMapper' || type === 'resourceLocator') return '';
  if (value === path) return 'the path of the operation';
  if (String(value).startsWith(`${action}. `)) return 'action and description of the operation';
  return code(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
