import type { INodeProperties } from 'n8n-workflow';
import { requireBoolean, requireChoice, requireInteger } from './values';
import type { Range } from './values';

/*
 * Options as data. An option is declared once, under the name of its parameter: what the editor shows, its
 * default, and how its value is read. Only `readValues` reads it. Errors use its label. A field beside
 * Options that is a switch, a number or a choice is declared so, too.
 */

export interface OptionField {
  label: string;
  field: Omit<INodeProperties, 'displayName' | 'name'>;
}

export interface Option<T = unknown> extends OptionField {
  /** The value if the user has not added the option. */
  default: T;
  /** @throws UserError if the value cannot be used */
  read: (value: unknown) => T;
}

export interface ParameterSource {
  /** @param name may lead into a collection: `options.timeout` */
  value: <T>(name: string, option: Option<T>) => T;
}

type Options = Record<string, Option>;

export type ValuesOf<O extends Options> = { [Name in keyof O]: O[Name]['default'] };

interface Declaration {
  label: string;
  description: string;
}

interface CountDeclaration extends Declaration, Range {
  default: number;
  /** What the editor shows when the user adds the option. By default, `default`. */
  shown?: number;
}

/** An option for a whole number, of 1 or more unless `min` says otherwise. */
export function countOption(declaration: CountDeclaration): Option<number> {
  const { label, description, default: absent, shown = absent, min = 1, max, unit } = declaration;
  return {
    label,
    default: absent,
    field: {
      type: 'number',
      typeOptions: { minValue: min, numberPrecision: 0 },
      default: shown,
      description,
    },
    // The default may be outside the range: Infinity for no limit.
    read: (value) => (value === absent ? absent : requireInteger(label, value, { min, max, unit })),
  };
}

/** An option for how long to wait for an answer, in milliseconds: less than a second was meant as seconds. */
export function timeoutOption(
  declaration: Pick<CountDeclaration, 'default' | 'max' | 'description'>,
): Option<number> {
  return countOption({ ...declaration, label: 'Timeout', unit: ' of milliseconds', min: 1_000 });
}

export function booleanOption({
  label,
  description,
  default: absent = false,
}: Declaration & { default?: boolean }): Option<boolean> {
  return {
    label,
    default: absent,
    field: { type: 'boolean', default: absent, description },
    read: (value) => requireBoolean(label, value),
  };
}

/** Needs its export: the type of RUN_OPTIONS names it. */
export type Choices<T extends string> = Record<T, { name: string; description: string }>;

/** An option for one of some texts, in the order in which errors name them. The editor sorts them by name. */
export function choiceOption<T extends string>({
  label,
  description: about,
  default: absent,
  choices,
}: Declaration & { default: NoInfer<T>; choices: Choices<T> }): Option<T> & {
  choices: Choices<T>;
} {
  return {
    label,
    default: absent,
    choices,
    field: {
      type: 'options',
      default: absent,
      options: Object.entries<Choices<T>[T]>(choices)
        .map(([value, { name, description }]) => ({ name, value, description }))
        .sort((a, b) => a.name.localeCompare(b.name)),
      description: about,
    },
    read: (value) => requireChoice(label, value, Object.keys(choices) as T[]),
  };
}

export function textOption({
  label,
  ...texts
}: Declaration & Pick<INodeProperties, 'builderHint' | 'placeholder'>): OptionField {
  return { label, field: { type: 'string', default: '', ...texts } };
}

export function notice(name: string, text: string): INodeProperties {
  return { displayName: text, name, type: 'notice', default: '' };
}

export function optionProperty(name: string, { label, field }: OptionField): INodeProperties {
  return { displayName: label, name, ...field };
}

/** The field "Options", with all options behind an "Add option" button. */
export function optionsCollection(options: Record<string, OptionField>): INodeProperties {
  const properties = Object.entries(options).map(([name, option]) => optionProperty(name, option));
  return collectionOf('options', { displayName: 'Options', placeholder: 'Add option' }, properties);
}

/** A field with these behind a button, sorted by label as n8n wants. */
export function collectionOf(
  name: string,
  { displayName, placeholder }: Pick<INodeProperties, 'displayName' | 'placeholder'>,
  properties: INodeProperties[],
): INodeProperties {
  const options = properties.toSorted((a, b) => a.displayName.localeCompare(b.displayName));
  return { displayName, name, type: 'collection', placeholder, default: {}, options };
}

/**
 * Adds a hidden field after each collection, with the same name and value. Without it, n8n would silently drop
 * an expression that gives the whole collection, because n8n keeps only the fields that it knows.
 */
export function withSavedCollections(properties: INodeProperties[]): INodeProperties[] {
  return properties.flatMap((property) => {
    if (property.type !== 'collection') return [property];
    const { displayName, name, displayOptions } = property;
    const description = 'The collection as it was saved';
    return [
      property,
      { displayName, name, type: 'hidden', default: {}, description, displayOptions },
    ];
  });
}

/**
 * Reads the value of each option, or its default if the user has not added it.
 *
 * @param collection where the options are; empty for fields beside the collections
 * @throws UserError if a value cannot be used
 */
export function readValues<O extends Options>(
  options: O,
  source: ParameterSource,
  collection = 'options.',
): ValuesOf<O> {
  // Called for each item of a send: entries and maps would cost four times as much.
  const values: Record<string, unknown> = {};
  for (const name in options) {
    values[name] = source.value(collection + name, options[name] as Option);
  }
  return values as ValuesOf<O>;
}
