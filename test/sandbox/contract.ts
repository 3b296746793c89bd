import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { closed, resolve, withoutMarks } from './readings';

interface Parameter {
  name: string;
  required?: boolean;
  schema: object;
}

interface Document {
  paths: Record<
    string,
    { post: { operationId: string; parameters: { $ref: string }[] }; 'x-inferred'?: boolean }
  >;
}

/** An operation of the API. */
export interface ContractOperation {
  operationId: string;
  path: string;
  /** True for the eight operations that the specification only names. */
  inferred: boolean;
}

/** The contract: openapi.yaml. */
const document = parse(readFileSync(join(__dirname, 'openapi.yaml'), 'utf8')) as Document;

const OPEN_API_KEYWORDS = ['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components'];
const ajv = new Ajv2020({ allErrors: true });
addFormats(ajv);
ajv.addVocabulary([...OPEN_API_KEYWORDS, 'x-inferred']);

type Reading = 'contract' | 'specification';

const readings: Record<Reading, Document> = {
  contract: closed(document),
  specification: withoutMarks(document),
};
for (const [name, reading] of Object.entries(readings)) {
  ajv.addSchema(reading, name, undefined, false);
}

const validators = new Map<string, ValidateFunction>();

/** Validates a value against a schema, which is compiled once for each key. */
function violations(key: string, schema: () => object, value: unknown): ErrorObject[] {
  let validate = validators.get(key);
  if (!validate) {
    validate = ajv.compile(schema());
    validators.set(key, validate);
  }
  return validate(value) ? [] : [...(validate.errors ?? [])];
}

/** Validates a value against the schema at a JSON pointer into openapi.yaml. */
function violationsAt(pointer: string, value: unknown, leniency: Leniency): ErrorObject[] {
  const $ref = `${readingOf(leniency)}#${pointer}`;
  return violations($ref, () => ({ $ref }), value);
}

function readingOf({ specificationOnly }: Leniency): Reading {
  return specificationOnly ? 'specification' : 'contract';
}

/** The schema of a request's headers, as Node has them: by their names in lower case. */
function headersSchema(path: string, reading: Document): object {
  const parameters = (reading.paths[path]?.post.parameters ?? []).map(
    ({ $ref }) => resolve(reading, $ref) as Parameter,
  );
  const required = parameters.filter((parameter) => parameter.required);
  return {
    type: 'object',
    required: required.map(({ name }) => name.toLowerCase()),
    properties: Object.fromEntries(
      parameters.map(({ name, schema }) => [name.toLowerCase(), schema]),
    ),
  };
}

function pointerTo(path: string, ...rest: string[]): string {
  const segments = ['paths', path, 'post', ...rest, 'content', 'application/json', 'schema'];
  return segments
    .map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

function readable(
  { instancePath, message, params, keyword }: ErrorObject,
  subject: 'body' | 'headers',
): string {
  const field = params.additionalProperty as string | undefined;
  const where = `${subject}${instancePath}`;
  return keyword === 'additionalProperties' && field !== undefined
    ? `${where}: unknown field "${field}"`
    : `${where}: ${message ?? keyword}`;
}

/** All operations in openapi.yaml. */
export function contractOperations(): ContractOperation[] {
  return Object.entries(document.paths).map(([path, { post, 'x-inferred': inferred = false }]) => ({
    operationId: post.operationId,
    path,
    inferred,
  }));
}

/** What is accepted beyond the contract. */
export interface Leniency {
  /** True: the SMS provider accepts fields that are not in the contract. */
  unknownFieldsAllowed?: boolean;
  /**
   * True: only what the specification shows is in force: no marked part, and no object is closed. Not
   * for the operations that the specification only names, of which nothing would be left.
   */
  specificationOnly?: boolean;
}

function report(errors: ErrorObject[], { unknownFieldsAllowed }: Leniency): string[] {
  return errors
    .filter(({ keyword }) => !(unknownFieldsAllowed && keyword === 'additionalProperties'))
    .map((error) => readable(error, 'body'));
}

/** Violations of the contract in the headers of a request, one sentence each. */
export function headerViolations(
  path: string,
  headers: IncomingHttpHeaders,
  leniency: Leniency = {},
): string[] {
  const reading = readingOf(leniency);
  const schema = () => headersSchema(path, readings[reading]);
  return violations(`${reading} headers ${path}`, schema, headers).map((error) =>
    readable(error, 'headers'),
  );
}

/** Violations of the contract in a request body, one sentence each. Empty for a correct body. */
export function requestViolations(path: string, body: unknown, leniency: Leniency = {}): string[] {
  return report(violationsAt(pointerTo(path, 'requestBody'), body, leniency), leniency);
}

/** Violations of the contract in an answer, success or error. Empty for a correct answer. */
export function answerViolations(path: string, body: unknown, leniency: Leniency = {}): string[] {
  const code = (body as { code?: unknown }).code;
  const isError = code !== undefined && code !== 0;
  // Validates one branch of the `anyOf`. Otherwise the violations of both branches are reported.
  const branch = isError ? '/anyOf/1' : '/anyOf/0';
  const pointer = pointerTo(path, 'responses', '200') + branch;
  return report(violationsAt(pointer, body, leniency), leniency);
}
