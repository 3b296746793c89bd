import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

/**
 * Reads the node's parameters for many items. A parameter without an expression is the same for
 * every item, so it is read once per run: in n8n's production engine one read costs about as much as
 * sending a message.
 */
export class ParameterReader {
  private readonly raw: INodeParameters;

  private readonly constants = new Map<string, unknown>();

  constructor(private readonly context: IExecuteFunctions) {
    this.raw = context.getNode().parameters;
  }

  /** The value for one item. Throws what n8n throws when an expression cannot be evaluated. */
  get(name: string, itemIndex: number, fallback?: unknown): unknown {
    if (this.constants.has(name)) return this.constants.get(name);
    const isConstant = !hasExpression(this.raw[name.split('.')[0] ?? name]);
    const value = this.context.getNodeParameter(name, isConstant ? 0 : itemIndex, fallback);
    if (isConstant) this.constants.set(name, value);
    return value;
  }

  /** The id in a resource locator, whatever way it was written. */
  getLocatorValue(name: string, itemIndex: number): unknown {
    const value = this.get(name, itemIndex);
    return isLocator(value) ? value.value : value;
  }
}

/** Whether a raw parameter, or anything in it, is an expression. */
export function hasExpression(raw: unknown): boolean {
  if (typeof raw === 'string') return raw.startsWith('=');
  if (typeof raw !== 'object' || raw === null) return false;
  return Object.values(raw).some(hasExpression);
}

function isLocator(value: unknown): value is IDataObject & { value: unknown } {
  return typeof value === 'object' && value !== null && '__rl' in value && 'value' in value;
}
