import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { isTool } from '../n8n/node';
import { compile, partOf } from './expression';
import type { Part, ReadParts } from './expression';
import { locatorValue } from './values';
import type { Option, ParameterSource } from './options';
import { codesOf, likelyAdvice, readText, requireGiven, requireNoCode, textField } from './texts';
import type { TextField } from './texts';

/** What a code that may differ between items has in it. */
const OF_ITEM =
  /\$(?:json|input|item|binary|data|position|node|fromAI)|\.item\b|itemMatching|pairedItem/;

/** A parameter as it is saved, and its parts for each item. */
interface Parameter {
  isExpression: boolean;
  /** Whether an expression may give each item another value. */
  mayDiffer: boolean;
  read: ReadParts;
  /** The latest value, and what it was parsed to. */
  latest?: { value: unknown; parsed: unknown };
}

/**
 * The node's parameters for many items. In n8n's production engine one expression costs about as much as sending a
 * message, so few go through it (`expression.ts`), and what is constant is read once.
 */
export class ParameterReader {
  private readonly items: INodeExecutionData[];

  private readonly made = new Map<string, unknown>();

  constructor(private readonly context: IExecuteFunctions) {
    this.items = context.getInputData();
  }

  /**
   * @param name may lead into a collection: `options.timeout`
   * @param isText whether white space beside a code counts
   * @throws UserError if the collection is an expression
   */
  parameter(name: string, fallback?: unknown, isText = false): Parameter {
    return this.once(name, () => {
      const [collection = '', entry = ''] = name.split('.');
      if (entry !== '') requireCollection(collection, this.readRaw(collection, {}));
      const raw = locatorValue(this.readRaw(name, fallback));
      const isExpression = typeof raw === 'string' && raw.startsWith('=');
      const read = this.compile(isExpression && !isText ? `=${raw.slice(1).trim()}` : raw);
      return { isExpression, mayDiffer: isExpression && OF_ITEM.test(raw), read };
    });
  }

  /** Compiles a field, given as it is saved. No part: nothing was entered. */
  compile(raw: unknown): ReadParts {
    if (typeof raw === 'string' && raw.startsWith('=')) {
      return compile(raw, {
        evaluate: (expression, itemIndex) => this.context.evaluateExpression(expression, itemIndex),
        // For a tool of an AI agent, `$json` is the item of the agent.
        json: isTool(this.context) ? undefined : (itemIndex) => this.json(itemIndex),
      });
    }
    const parts = raw === '' ? [] : [partOf(raw)];
    return () => parts;
  }

  /** Makes what is the same for all items, once. The key stands for it. */
  once<T>(key: string, make: () => T): T {
    if (!this.made.has(key)) this.made.set(key, make());
    return this.made.get(key) as T;
  }

  json(itemIndex: number): IDataObject {
    return this.items[itemIndex]?.json ?? {};
  }

  /** Reads the parameter as it is saved. getNode() would not do: its copy leaves out some parameters. */
  readRaw(name: string, fallback?: unknown): unknown {
    return this.context.getNodeParameter(name, 0, fallback, { rawExpressions: true });
  }
}

/**
 * The entries of a collection, as they are saved.
 *
 * @throws UserError for an expression in its place, which the editor does not offer: nothing in it must be lost
 */
export function requireCollection(name: string, raw: unknown): IDataObject {
  if (typeof raw !== 'string') return (raw ?? {}) as IDataObject;
  const label = name.replace(/[A-Z]/g, ' $&').replace(/^./, (letter) => letter.toUpperCase());
  throw new UserError(`'${label}' must not be an expression`, {
    description: `Add what is needed under '${label}', and switch the fields in it to Expression.`,
  });
}

/** Reads the parameters for one item. What its methods throw is a UserError that names field and code. */
export class ItemReader implements ParameterSource {
  /** What somebody should look at, but is sent all the same: sentences without a full stop. */
  readonly warnings: string[] = [];

  constructor(
    readonly parameters: ParameterReader,
    readonly itemIndex: number,
  ) {}

  get json(): IDataObject {
    return this.parameters.json(this.itemIndex);
  }

  warn = (warning: string): void => {
    this.warnings.push(warning);
  };

  /**
   * The value of a field that is no text. The caller must not change it. A value that is the same as for the item
   * before, such as a constant, is parsed once.
   */
  value<T>(name: string, { label, default: absent, read, place = 'value' }: ValueField<T>): T {
    const parameter = this.parameters.parameter(name, absent);
    const field = textField(label, place);
    const parts = evaluated(field, () => parameter.read(this.itemIndex));
    const [only = partOf(''), ...more] = parts;
    const isOne = more.length === 0;
    if (isOne) requireGiven(field, only, true);
    // With text or code beside it, n8n gives text.
    const value = isOne ? only.value : readText(field, parts, this);
    if (parameter.latest === undefined || !Object.is(parameter.latest.value, value)) {
      if (isOne && only.code === undefined) requireNoCode(field, value);
      parameter.latest = { value, parsed: naming(parts, () => read(value)) };
    }
    return parameter.latest.parsed as T;
  }

  /** A text. Empty if nothing was entered in a field that needs none, or if it is meant to be. */
  text(name: string, label: string, place: TextField['place']): string {
    return readText(textField(label, place), this.parts(name, label), this);
  }

  parts(name: string, label: string): Part[] {
    const { read } = this.parameters.parameter(name, '', true);
    return evaluated(textField(label, 'value'), () => read(this.itemIndex));
  }
}

/** How a field that is no text is read. */
type ValueField<T> = Pick<Option<T>, 'label' | 'read'> &
  Partial<Pick<Option<T>, 'default'> & Pick<TextField, 'place'>>;

/** @throws UserError with what n8n says if an expression cannot be evaluated */
export function evaluated<T>({ name }: Pick<TextField, 'name'>, read: () => T): T {
  return naming(undefined, read, `${name} cannot be evaluated: `);
}

/** @throws UserError that names the codes of these parts, or the one that the error is about */
export function naming<T>(parts: Pick<Part, 'code'>[] | undefined, read: () => T, before = ''): T {
  try {
    return read();
  } catch (error) {
    throw withCodes(error as UserError, before, parts);
  }
}

function withCodes(
  { message, description, extra }: UserError,
  before: string,
  codes: Pick<Part, 'code'>[] = [{ ...extra }],
): UserError {
  const advice = likelyAdvice(codes) ?? 'Check the code in the editor, which shows what it gives.';
  return new UserError(before + message + codesOf(codes), { description: description ?? advice });
}
