import { randomUUID } from 'node:crypto';
import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import {
  isPlainText,
  isSamePlain,
  NOT_PLAIN,
  parseItemExpression,
  readItemExpression,
  readItemParts,
  splitExpression,
} from './itemPath';
import type { ExpressionParts, ItemExpression } from './itemPath';
import { locatorValue } from './locators';
import { requireJsonObject } from './values';

/** Reads a parameter of the node for the item at hand. */
export type ItemParameter = (name: string, fallback?: unknown) => unknown;

/** Gives the value for an item, or NOT_PLAIN where only n8n's expression engine can give it. */
type Read = (itemIndex: number) => unknown;

/** One `{{ … }}` in a text, and the text that it has become. */
export interface TextPart {
  code: string;
  text: string;
}

/** A text with expressions in it. */
interface Template extends ExpressionParts {
  /** Where all of them are paths into the item. */
  paths?: ItemExpression;
}

/** Stands before each part while n8n evaluates the parts of a text. No value has it. */
const MARK = randomUUID();

/**
 * Reads the node's parameters for many items. In n8n's production engine one expression costs about as
 * much as sending a message, so few go through it. A parameter without expression is read once per run.
 * A path such as `{{ $json.phone }}`, with or without text around it, is read from the item directly.
 *
 * The value must be the one that n8n would give. So the engine is asked too, at the first and the last
 * item, and at the 2nd, 4th, 8th and so on. Once the engine gives another value, the engine is used for
 * that parameter from then on.
 */
export class ParameterReader {
  private readonly items: INodeExecutionData[];

  private readonly reads = new Map<string, Read>();

  private readonly raws = new Map<string, unknown>();

  private readonly templates = new Map<string, Template | undefined>();

  /** A collection that an expression gives as a whole, as it was read last. */
  private latest?: { name: string; itemIndex: number; collection: IDataObject };

  constructor(private readonly context: IExecuteFunctions) {
    this.items = context.getInputData();
  }

  /**
   * The value for one item. `name` may lead into a collection (`options.timeout`). The caller must not
   * change the value.
   *
   * @throws what n8n throws when an expression cannot be evaluated
   */
  get(name: string, itemIndex: number, fallback?: unknown): unknown {
    let read = this.reads.get(name);
    if (read === undefined) this.reads.set(name, (read = this.createRead(name, fallback)));
    return read(itemIndex);
  }

  /** Reads the parameters for one item. */
  forItem(itemIndex: number): ItemParameter {
    return (name, fallback) => this.get(name, itemIndex, fallback);
  }

  /**
   * Like `get`. With text around its expressions, a value has `parts`: what each `{{ … }}` has become. n8n
   * writes a missing value as no text, so the value alone does not show that a part is missing.
   */
  getParts(
    name: string,
    itemIndex: number,
    fallback?: unknown,
  ): { value: unknown; parts: TextPart[] } {
    const value = this.get(name, itemIndex, fallback);
    if (!this.templates.has(name)) {
      this.templates.set(name, parseTemplate(this.readRaw(name, fallback)));
    }
    const template = this.templates.get(name);
    if (template === undefined) return { value, parts: [] };
    const found =
      this.readPathTexts(template, itemIndex, value) ??
      cutText(template, value) ??
      this.evaluateTexts(template, itemIndex);
    const parts = template.codes.map((code, index) => ({ code, text: found[index] ?? '' }));
    return { value, parts };
  }

  /** Whether the parameter is an expression, has one in it, or comes from one. */
  isExpression(name: string, fallback?: unknown): boolean {
    return this.isInExpression(name) || hasExpression(this.readRaw(name, fallback));
  }

  /** Whether an expression gives the parameter for this item. If it has no value then, one is missing. */
  isFilled(name: string, itemIndex: number, fallback?: unknown): boolean {
    if (!this.isInExpression(name)) return hasExpression(this.readRaw(name, fallback));
    const { collection, entry } = divide(name);
    return Object.hasOwn(this.readCollection(collection, itemIndex), entry);
  }

  /** The item's own fields. */
  json(itemIndex: number): IDataObject {
    return this.items[itemIndex]?.json ?? {};
  }

  /** The ID in a resource locator, in any of its modes. */
  getLocatorValue(name: string, itemIndex: number): unknown {
    return locatorValue(this.get(name, itemIndex));
  }

  private createRead(name: string, fallback: unknown): Read {
    if (this.isInExpression(name)) {
      const { collection, entry } = divide(name);
      return (itemIndex) => {
        const values = this.readCollection(collection, itemIndex);
        return Object.hasOwn(values, entry) ? values[entry] : fallback;
      };
    }
    const raw = this.readRaw(name, fallback);
    const evaluate = this.evaluation(name, fallback);
    if (!hasExpression(raw)) {
      const value = evaluate(0);
      return () => value;
    }
    // n8n converts the values of a resource mapper only when its value is read on its own.
    const isConverted =
      name.endsWith('.value') && isMapper(this.readRaw(name.slice(0, -'.value'.length)));
    const read = isConverted ? evaluate : this.compile(raw, name);
    return (itemIndex) => {
      const value = read(itemIndex);
      return value === NOT_PLAIN ? evaluate(itemIndex) : value;
    };
  }

  /** The parameter as it is saved. getNode() would not do: its copy leaves out some parameters. */
  private readRaw(name: string, fallback?: unknown): unknown {
    if (!this.raws.has(name)) {
      const raw: unknown = this.context.getNodeParameter(name, 0, fallback, {
        rawExpressions: true,
      });
      this.raws.set(name, raw);
    }
    return this.raws.get(name);
  }

  /** Whether one expression gives the collection that the parameter is in. n8n finds no entry in it. */
  private isInExpression(name: string): boolean {
    const { collection } = divide(name);
    if (collection === '') return false;
    const raw = this.readRaw(collection, {});
    return typeof raw === 'string' && raw.startsWith('=');
  }

  private readCollection(name: string, itemIndex: number): IDataObject {
    const { latest } = this;
    if (latest?.name === name && latest.itemIndex === itemIndex) return latest.collection;
    const displayName = name.charAt(0).toUpperCase() + name.slice(1);
    const value = this.get(name, itemIndex);
    if (value === undefined || value === null) throw noCollection(displayName);
    const collection = requireJsonObject(displayName, value);
    this.latest = { name, itemIndex, collection };
    return collection;
  }

  private readPathTexts(
    { paths }: Template,
    itemIndex: number,
    value: unknown,
  ): string[] | undefined {
    const texts = paths && readItemParts(this.json(itemIndex), paths);
    // Another value is one that only the engine can give.
    return texts?.join('') === value ? texts?.filter((_, index) => index % 2 === 1) : undefined;
  }

  private evaluateTexts({ codes }: Template, itemIndex: number): string[] {
    const expression = codes.map((code) => `${MARK}{{${code}}}`).join('');
    return String(this.context.evaluateExpression(expression, itemIndex)).split(MARK).slice(1);
  }

  private evaluation(name: string, fallback?: unknown): Read {
    return (itemIndex) => this.context.getNodeParameter(name, itemIndex, fallback) as unknown;
  }

  /** Reads a raw parameter part by part, each in the cheapest way. */
  private compile(raw: unknown, name: string): Read {
    if (!hasExpression(raw)) return () => raw;
    if (typeof raw === 'string') return this.compileExpression(raw, name);
    const entries = Object.entries(raw as IDataObject);
    // When the engine reads a part by its path, it does not know the parts beside it.
    const isDivisible = entries.every(
      ([key, part]) =>
        /^[^.[\]]+$/.test(key) && !(key in Object.prototype) && !mentionsParameters(part),
    );
    if (!isDivisible) return () => NOT_PLAIN;
    const parts = entries.map(
      ([key, part]) => [key, this.compilePart(part, `${name}.${key}`)] as const,
    );
    return (itemIndex) => {
      const whole: Record<string, unknown> = Array.isArray(raw) ? ([] as never) : {};
      for (const [key, read] of parts) {
        const value = read(itemIndex);
        if (value === NOT_PLAIN) return NOT_PLAIN;
        whole[key] = value;
      }
      return whole;
    };
  }

  /** Like `compile`, for a part. n8n turns a DateTime, say, into text only when it reads the whole. */
  private compilePart(raw: unknown, name: string): Read {
    const read = this.compile(raw, name);
    if (typeof raw !== 'string') return read;
    const evaluate = this.evaluation(name);
    return (itemIndex) => {
      const value = read(itemIndex);
      if (value !== NOT_PLAIN) return value;
      const evaluated = evaluate(itemIndex);
      return typeof evaluated === 'object' && evaluated !== null ? NOT_PLAIN : evaluated;
    };
  }

  private compileExpression(expression: string, name: string): Read {
    const parsed = parseItemExpression(expression);
    if (parsed === undefined) return () => NOT_PLAIN;
    const readItem: Read = (itemIndex) => readItemExpression(this.json(itemIndex), parsed);
    const evaluate = this.evaluation(name);
    const agreesAt = (itemIndex: number) => {
      const value = readItem(itemIndex);
      if (value === NOT_PLAIN) return true;
      try {
        return isSamePlain(value, evaluate(itemIndex));
      } catch {
        return false;
      }
    };
    const last = this.items.length - 1;
    let isTrusted = true;
    let reads = 0;
    let nextCheck = 1;
    return (itemIndex) => {
      const value = isTrusted ? readItem(itemIndex) : NOT_PLAIN;
      if (value === NOT_PLAIN) return value;
      reads += 1;
      if (reads >= nextCheck) {
        if (nextCheck === 1 && itemIndex !== last) isTrusted = agreesAt(last);
        isTrusted &&= agreesAt(itemIndex);
        nextCheck *= 2;
      }
      return isTrusted ? value : NOT_PLAIN;
    };
  }
}

function noCollection(displayName: string): UserError {
  return new UserError(`'${displayName}' has no value`, {
    description: `Check the expression that fills '${displayName}': it must give an object.`,
  });
}

/** The collection that a parameter is in, and its name there: `options.timeout`. */
function divide(name: string): { collection: string; entry: string } {
  const dot = name.lastIndexOf('.');
  return { collection: name.slice(0, Math.max(dot, 0)), entry: name.slice(dot + 1) };
}

/** Undefined for what is no text with expressions in it. */
function parseTemplate(raw: unknown): Template | undefined {
  if (typeof raw !== 'string' || !raw.startsWith('=')) return undefined;
  const parts = splitExpression(raw);
  const isAlone = parts.codes.length === 1 && parts.texts.join('') === '';
  return isAlone ? undefined : { ...parts, paths: parseItemExpression(raw) };
}

/** What the only part of a text has become. Undefined where the texts around it do not show it. */
function cutText({ texts }: Template, value: unknown): string[] | undefined {
  const [before = '', after = '', ...more] = texts;
  if (more.length > 0 || typeof value !== 'string' || !isPlainText(texts)) return undefined;
  const isAround = value.startsWith(before) && value.endsWith(after);
  return isAround ? [value.slice(before.length, value.length - after.length)] : undefined;
}

/** Whether a raw parameter, or anything in it, is an expression. */
function hasExpression(raw: unknown): boolean {
  if (typeof raw === 'string') return raw.startsWith('=');
  if (typeof raw !== 'object' || raw === null) return false;
  return Object.values(raw).some(hasExpression);
}

function mentionsParameters(raw: unknown): boolean {
  return typeof raw === 'string' && /\$(?:parameter|rawParameter|self)\b/.test(raw);
}

function isMapper(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && 'mappingMode' in raw;
}
