import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

interface Operation {
  operationId: string;
  'x-inferred'?: boolean;
}

interface Document {
  paths: Record<string, { post: Operation }>;
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
ajv.addSchema(document, 'contract', undefined, false);

const validators = new Map<string, ValidateFunction>();

/** Validates a value against the schema at a JSON pointer into openapi.yaml. */
function violations(pointer: string, value: unknown): ErrorObject[] {
  let validate = validators.get(pointer);
  if (!validate) {
    validate = ajv.compile({ $ref: `contract#${pointer}` });
    validators.set(pointer, validate);
  }
  return validate(value) ? [] : [...(validate.errors ?? [])];
}

function pointerTo(path: string, ...rest: string[]): string {
  const segments = ['paths', path, 'post', ...rest, 'content', 'application/json', 'schema'];
  return segments
    .map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

function readable({ instancePath, message, params, keyword }: ErrorObject): string {
  const field = params.additionalProperty as string | undefined;
  const where = instancePath === '' ? 'body' : `body${instancePath}`;
  return keyword === 'additionalProperties' && field !== undefined
    ? `${where}: unknown field "${field}"`
    : `${where}: ${message ?? keyword}`;
}

/** All operations in openapi.yaml. */
export function contractOperations(): ContractOperation[] {
  return Object.entries(document.paths).map(([path, { post }]) => ({
    operationId: post.operationId,
    path,
    inferred: post['x-inferred'] === true,
  }));
}

/** What is accepted beyond the contract. */
export interface Leniency {
  /** True: the SMS provider accepts fields that are not in the contract. */
  unknownFieldsAllowed?: boolean;
}

function report(errors: ErrorObject[], { unknownFieldsAllowed }: Leniency): string[] {
  return errors
    .filter(({ keyword }) => !(unknownFieldsAllowed && keyword === 'additionalProperties'))
    .map(readable);
}

/** Violations of the contract in a request body, one sentence each. Empty for a correct body. */
export function requestViolations(path: string, body: unknown, leniency: Leniency = {}): string[] {
  return report(violations(pointerTo(path, 'requestBody'), body), leniency);
}

/** Violations of the contract in an answer, success or error. Empty for a correct answer. */
export function answerViolations(path: string, body: unknown, leniency: Leniency = {}): string[] {
  const code = (body as { code?: unknown }).code;
  const isError = code !== undefined && code !== 0;
  // Validates one branch of the `anyOf`. Otherwise the violations of both branches are reported.
  const branch = isError ? '/anyOf/1' : '/anyOf/0';
  return report(violations(pointerTo(path, 'responses', '200') + branch, body), leniency);
}
