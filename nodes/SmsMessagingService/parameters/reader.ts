import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { isSamePlain, NOT_PLAIN, parseItemExpression, readItemExpression } from './itemPath';

/** Reads a parameter of the node for the item at hand. */
export type ItemParameter = (name: string, fallback?: unknown) => unknown;

/** Gives a value for an item, or NOT_PLAIN where only n8n's expression engine can. */
type Read = (itemIndex: number) => unknown;

/**
 * Reads the node's parameters for many items. In n8n's production engine one expression costs about
 * as much as sending a message, so as few as possible go through it: a parameter without expression
 * is read once per run, and paths such as `{{ $json.phone }}`, with text around them or without,
 * straight from the item.
 *
 * The value is the one that n8n would give. That is assumed, not proven: what a form of expression
 * means is known here, and the engine is asked at the first and the last item, and at the 2nd, 4th, 8th
 * and so on. Where it once says something else, it has the word for that parameter from then on.
 */
export class ParameterReader {
  private readonly items: INodeExecutionData[];

  private readonly reads = new Map<string, Read>();

  constructor(private readonly context: IExecuteFunctions) {
    this.items = context.getInputData();
  }

  /**
   * The value for one item; `name` may lead into a collection (`options.timeout`). The caller must
   * not change it. Throws what n8n throws when an expression cannot be evaluated.
   */
  get(name: string, itemIndex: number, fallback?: unknown): unknown {
    let read = this.reads.get(name);
    if (read === undefined) this.reads.set(name, (read = this.createRead(name, fallback)));
    return read(itemIndex);
  }

  /** Whether an expression gives the value, or a part of it. */
  isExpression(name: string, fallback?: unknown): boolean {
    return hasExpression(this.readRaw(name, fallback));
  }

  /** The item's own fields. */
  json(itemIndex: number): IDataObject {
    return this.items[itemIndex]?.json ?? {};
  }

  /** The id in a resource locator, whatever way it was written. */
  getLocatorValue(name: string, itemIndex: number): unknown {
    return locatorValue(this.get(name, itemIndex));
  }

  private createRead(name: string, fallback: unknown): Read {
    const raw = this.readRaw(name, fallback);
    const evaluate = this.evaluation(name, fallback);
    if (!hasExpression(raw)) {
      const value = evaluate(0);
      return () => value;
    }
    // n8n converts the fields of a resource mapper when its value is read by itself.
    const isConverted =
      name.endsWith('.value') && isMapper(this.readRaw(name.slice(0, -'.value'.length)));
    const read = isConverted ? evaluate : this.compile(raw, name);
    return (itemIndex) => {
      const value = read(itemIndex);
      return value === NOT_PLAIN ? evaluate(itemIndex) : value;
    };
  }

  /** As it is saved. Not from getNode(), whose copy leaves out what could do harm elsewhere. */
  private readRaw(name: string, fallback?: unknown): unknown {
    return this.context.getNodeParameter(name, 0, fallback, { rawExpressions: true });
  }

  private evaluation(name: string, fallback?: unknown): Read {
    return (itemIndex) => this.context.getNodeParameter(name, itemIndex, fallback) as unknown;
  }

  /** How to read a raw parameter part by part, so that each part is read the cheapest way. */
  private compile(raw: unknown, name: string): Read {
    if (!hasExpression(raw)) return () => raw;
    if (typeof raw === 'string') return this.compileExpression(raw, name);
    const entries = Object.entries(raw as IDataObject);
    // The engine is asked for a part by its path, and knows the parts beside it only in the whole.
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

  /** Like `compile`, for a part of a whole: n8n makes text of, say, a DateTime only in the whole. */
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

/** The id in a resource locator; any other value is itself. */
export function locatorValue(value: unknown): unknown {
  return isLocator(value) ? value.value : value;
}

function isLocator(value: unknown): value is IDataObject & { value: unknown } {
  return typeof value === 'object' && value !== null && '__rl' in value && 'value' in value;
}
