import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { compileItemPaths } from './itemPath';
import { compileParts, entered, partOf } from './textParts';
import type { Part, ReadParts } from './textParts';
import { requireJsonObject } from './values';

/** Reads a parameter of the node for one item. `parse` is used as by `ParameterReader.get`. */
export type ItemParameter = (
  name: string,
  fallback?: unknown,
  parse?: (value: unknown) => unknown,
) => unknown;

/** Returns a value for an item. Undefined: the engine must be asked for the whole parameter. */
type Read = (itemIndex: number) => unknown;

interface Parameter {
  read: Read;
  isExpression: boolean;
}

/**
 * Reads the node's parameters for many items. In n8n's production engine one expression costs about as
 * much as sending a message, so few go through it: what is constant is read once, and a path into the item
 * (`itemPath.ts`) is read from there.
 */
export class ParameterReader {
  private readonly items: INodeExecutionData[];

  private ownItems?: boolean;

  private readonly parameters = new Map<string, Parameter>();

  private readonly texts = new Map<string, ReadParts>();

  private readonly made = new Map<unknown, unknown>();

  /** The latest value that was parsed, by the name of its parameter. */
  private readonly latest = new Map<string, { value: unknown; parsed: unknown }>();

  /** The latest value of a collection that is itself an expression. */
  private collection?: { name: string; itemIndex: number; values: IDataObject };

  constructor(private readonly context: IExecuteFunctions) {
    this.items = context.getInputData();
  }

  /**
   * Returns the value for one item. `name` may lead into a collection (`options.timeout`). The caller must
   * not change the value.
   *
   * @param parse always the same for a parameter. A value that is the same as for the item before, such as a
   * constant, is parsed once.
   * @throws what n8n throws if an expression cannot be evaluated, and what `parse` throws
   */
  get<T = unknown>(
    name: string,
    itemIndex: number,
    fallback?: unknown,
    parse?: (value: unknown) => T,
  ): T {
    const value = this.parameter(name, fallback).read(itemIndex);
    if (parse === undefined) return value as T;
    let latest = this.latest.get(name);
    if (latest === undefined || latest.value !== value) {
      this.latest.set(name, (latest = { value, parsed: parse(value) }));
    }
    return latest.parsed as T;
  }

  /** Returns a function that reads the parameters for one item. */
  forItem(itemIndex: number): ItemParameter {
    return (name, fallback, parse) => this.get(name, itemIndex, fallback, parse);
  }

  /**
   * Returns what a text consists of, for one item. No part: nothing was entered.
   *
   * @throws what n8n throws if an expression cannot be evaluated
   */
  parts(name: string, itemIndex: number): Part[] {
    let read = this.texts.get(name);
    if (read === undefined) this.texts.set(name, (read = this.createParts(name)));
    return read(itemIndex);
  }

  /** Makes what is the same for all items, once. The key stands for it. */
  once<T>(key: unknown, make: () => T): T {
    if (!this.made.has(key)) this.made.set(key, make());
    return this.made.get(key) as T;
  }

  /** Returns a function that reads the parts of a text, given as it is saved. */
  compileText(raw: unknown): ReadParts {
    if (isExpression(raw)) {
      return compileParts(raw, {
        evaluate: (code, itemIndex) => this.context.evaluateExpression(code, itemIndex),
        json: this.hasOwnItems() ? (itemIndex) => this.json(itemIndex) : undefined,
      });
    }
    const parts = entered(raw);
    return () => parts;
  }

  /** Whether the parameter is an expression, has one in it, or is in a collection that is one. */
  isExpression(name: string, fallback?: unknown): boolean {
    return this.parameter(name, fallback).isExpression;
  }

  /** Returns the item's own fields. */
  json(itemIndex: number): IDataObject {
    return this.items[itemIndex]?.json ?? {};
  }

  private parameter(name: string, fallback: unknown): Parameter {
    let parameter = this.parameters.get(name);
    if (parameter === undefined) {
      this.parameters.set(name, (parameter = this.createParameter(name, fallback)));
    }
    return parameter;
  }

  private createParameter(name: string, fallback: unknown): Parameter {
    const entryOf = this.entryOfExpression(name);
    if (entryOf) {
      const read: Read = (itemIndex) => {
        const entry = entryOf(itemIndex);
        return entry ? entry[0] : fallback;
      };
      return { read, isExpression: true };
    }
    const evaluate: Read = (itemIndex) => this.context.getNodeParameter(name, itemIndex, fallback);
    const raw = this.readRaw(name, fallback);
    if (!hasExpression(raw)) {
      const value = evaluate(0);
      return { read: () => value, isExpression: false };
    }
    const compiled = this.compile(raw);
    const read: Read = (itemIndex) => compiled(itemIndex) ?? evaluate(itemIndex);
    return { read, isExpression: true };
  }

  private createParts(name: string): ReadParts {
    const entryOf = this.entryOfExpression(name);
    if (!entryOf) return this.compileText(this.readRaw(name, ''));
    return (itemIndex) => entryOf(itemIndex)?.map((value) => partOf(value)) ?? [];
  }

  /**
   * An entry of a collection that is itself an expression: n8n finds none in it.
   *
   * @returns undefined for any other parameter, and a function that returns undefined if there is no entry
   */
  private entryOfExpression(
    name: string,
  ): ((itemIndex: number) => [unknown] | undefined) | undefined {
    const [collection = '', entry = ''] = name.split(/\.(?=[^.]*$)/);
    if (entry === '' || !isExpression(this.readRaw(collection, {}))) return undefined;
    return (itemIndex) => {
      const values = this.readCollection(collection, itemIndex);
      return Object.hasOwn(values, entry) ? [values[entry]] : undefined;
    };
  }

  private compile(raw: unknown): Read {
    if (!hasExpression(raw)) return () => raw;
    if (typeof raw !== 'string') return this.compileEntries(raw as IDataObject);
    const read = this.hasOwnItems() ? compileItemPaths(raw) : undefined;
    return read ? (itemIndex) => read(this.json(itemIndex)) : () => undefined;
  }

  private compileEntries(raw: IDataObject): Read {
    const reads = Object.entries(raw).map(([key, entry]) => [key, this.compile(entry)] as const);
    return (itemIndex) => {
      const whole: IDataObject = Array.isArray(raw) ? ([] as never) : {};
      for (const [key, read] of reads) {
        const value = read(itemIndex);
        if (value === undefined) return undefined;
        whole[key] = value as IDataObject[string];
      }
      return whole;
    };
  }

  /** Whether `$json` in an expression is the item. For a tool of an AI agent, it is the item of the agent. */
  private hasOwnItems(): boolean {
    try {
      this.ownItems ??= this.context.getWorkflowDataProxy(0).$json === this.items[0]?.json;
    } catch {
      this.ownItems = false;
    }
    return this.ownItems;
  }

  /** Reads the parameter as it is saved. getNode() would not do: its copy leaves out some parameters. */
  readRaw(name: string, fallback?: unknown): unknown {
    return this.context.getNodeParameter(name, 0, fallback, { rawExpressions: true });
  }

  private readCollection(name: string, itemIndex: number): IDataObject {
    if (this.collection?.name !== name || this.collection.itemIndex !== itemIndex) {
      const values = requireCollection(name, this.get(name, itemIndex));
      this.collection = { name, itemIndex, values };
    }
    return this.collection.values;
  }
}

function isExpression(raw: unknown): raw is string {
  return typeof raw === 'string' && raw.startsWith('=');
}

/** Whether a parameter as it is saved, or anything in it, is an expression. */
function hasExpression(raw: unknown): boolean {
  if (isExpression(raw)) return true;
  return typeof raw === 'object' && raw !== null && Object.values(raw).some(hasExpression);
}

/** The entries of a collection, which may be an expression. */
export function requireCollection(name: string, value: unknown): IDataObject {
  const displayName = name.charAt(0).toUpperCase() + name.slice(1);
  if (value !== undefined && value !== null) return requireJsonObject(displayName, value);
  throw new UserError(`'${displayName}' has no value`, {
    description: `Check the expression that fills '${displayName}': it must give an object.`,
  });
}
