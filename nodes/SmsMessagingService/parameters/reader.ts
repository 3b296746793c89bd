import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { compile, hasExpression, readTextParts } from './compile';
import type { Read, Source, TextPart } from './compile';
import { NOT_PLAIN } from './itemPath';
import { requireJsonObject } from './values';

/** Reads a parameter of the node for one item. */
export type ItemParameter = (name: string, fallback?: unknown) => unknown;

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

  private readonly source: Source;

  private readonly reads = new Map<string, Read>();

  private readonly raws = new Map<string, unknown>();

  /** The latest value of a collection that is itself an expression. */
  private latest?: { name: string; itemIndex: number; collection: IDataObject };

  constructor(private readonly context: IExecuteFunctions) {
    this.items = context.getInputData();
    this.source = {
      itemCount: this.items.length,
      json: (itemIndex) => this.json(itemIndex),
      evaluate: (name, itemIndex) => this.evaluate(name, itemIndex),
    };
  }

  /**
   * Returns the value for one item. `name` may lead into a collection (`options.timeout`). The caller must
   * not change the value.
   *
   * @throws what n8n throws if an expression cannot be evaluated
   */
  get(name: string, itemIndex: number, fallback?: unknown): unknown {
    let read = this.reads.get(name);
    if (read === undefined) this.reads.set(name, (read = this.createRead(name, fallback)));
    return read(itemIndex);
  }

  /** Returns a function that reads the parameters for one item. */
  forItem(itemIndex: number): ItemParameter {
    return (name, fallback) => this.get(name, itemIndex, fallback);
  }

  /**
   * Like `get`, with the parts of a text that has expressions in it. n8n replaces a missing value by an
   * empty text, so the value alone does not show that a part is missing.
   */
  getParts(
    name: string,
    itemIndex: number,
    fallback?: unknown,
  ): { value: unknown; parts: TextPart[] } {
    const value = this.get(name, itemIndex, fallback);
    const raw = this.readRaw(name, fallback);
    const parts = readTextParts(raw, value, this.json(itemIndex), (expression) =>
      this.context.evaluateExpression(expression, itemIndex),
    );
    return { value, parts };
  }

  /** Whether the parameter is an expression, has one in it, or is in a collection that is one. */
  isExpression(name: string, fallback?: unknown): boolean {
    return this.isInExpression(name) || hasExpression(this.readRaw(name, fallback));
  }

  /** Whether an expression gives the parameter for this item. If the parameter is empty then, its value is missing. */
  isFilled(name: string, itemIndex: number, fallback?: unknown): boolean {
    if (!this.isInExpression(name)) return hasExpression(this.readRaw(name, fallback));
    const { collection, entry } = divide(name);
    return Object.hasOwn(this.readCollection(collection, itemIndex), entry);
  }

  /** Returns the item's own fields. */
  json(itemIndex: number): IDataObject {
    return this.items[itemIndex]?.json ?? {};
  }

  private createRead(name: string, fallback: unknown): Read {
    if (this.isInExpression(name)) {
      const { collection, entry } = divide(name);
      return (itemIndex) => {
        const values = this.readCollection(collection, itemIndex);
        return Object.hasOwn(values, entry) ? values[entry] : fallback;
      };
    }
    const evaluate: Read = (itemIndex) => this.evaluate(name, itemIndex, fallback);
    const raw = this.readRaw(name, fallback);
    if (!hasExpression(raw)) {
      const value = evaluate(0);
      return () => value;
    }
    // n8n converts the values of a resource mapper only if it reads its value alone.
    const isConverted =
      name.endsWith('.value') && isMapper(this.readRaw(name.slice(0, -'.value'.length)));
    const read = isConverted ? evaluate : compile(raw, name, this.source);
    return (itemIndex) => {
      const value = read(itemIndex);
      return value === NOT_PLAIN ? evaluate(itemIndex) : value;
    };
  }

  private evaluate(name: string, itemIndex: number, fallback?: unknown): unknown {
    return this.context.getNodeParameter(name, itemIndex, fallback);
  }

  /** Reads the parameter as it is saved. getNode() would not do: its copy leaves out some parameters. */
  private readRaw(name: string, fallback?: unknown): unknown {
    if (!this.raws.has(name)) {
      const raw: unknown = this.context.getNodeParameter(name, 0, fallback, {
        rawExpressions: true,
      });
      this.raws.set(name, raw);
    }
    return this.raws.get(name);
  }

  /** Whether the parameter is in a collection that is itself an expression. n8n finds no entry in it. */
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
    if (value === undefined || value === null) throw collectionMissing(displayName);
    const collection = requireJsonObject(displayName, value);
    this.latest = { name, itemIndex, collection };
    return collection;
  }
}

function collectionMissing(displayName: string): UserError {
  return new UserError(`'${displayName}' has no value`, {
    description: `Check the expression that fills '${displayName}': it must give an object.`,
  });
}

/** Divides the name of a parameter in a collection (`options.timeout`). */
function divide(name: string): { collection: string; entry: string } {
  const dot = name.lastIndexOf('.');
  return { collection: name.slice(0, Math.max(dot, 0)), entry: name.slice(dot + 1) };
}

function isMapper(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && 'mappingMode' in raw;
}
