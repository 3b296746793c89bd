import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

/** The contract: openapi.yaml, loaded once, and what it says about a request or an answer. */

interface Operation {
  operationId: string;
  'x-inferred'?: boolean;
}

interface Document {
  paths: Record<string, { post: Operation }>;
}

export interface ContractOperation {
  operationId: string;
  path: string;
  /** True for the operations of §4.14, of which the specification shows only the name. */
  inferred: boolean;
}

const document = parse(readFileSync(join(__dirname, 'openapi.yaml'), 'utf8')) as Document;

const OPEN_API_KEYWORDS = ['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components'];
const ajv = new Ajv2020({ allErrors: true });
addFormats(ajv);
ajv.addVocabulary([...OPEN_API_KEYWORDS, 'x-inferred']);
ajv.addSchema(document, 'contract', undefined, false);

const validators = new Map<string, ValidateFunction>();

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

/** All operations of the document. */
export function contractOperations(): ContractOperation[] {
  return Object.entries(document.paths).map(([path, { post }]) => ({
    operationId: post.operationId,
    path,
    inferred: post['x-inferred'] === true,
  }));
}

export interface Leniency {
  /** An operator may know more fields than the specification. */
  unknownFieldsAllowed?: boolean;
}

function report(errors: ErrorObject[], { unknownFieldsAllowed }: Leniency): string[] {
  return errors
    .filter(({ keyword }) => !(unknownFieldsAllowed && keyword === 'additionalProperties'))
    .map(readable);
}

/** What is wrong with a request body, in words; empty when nothing is. */
export function requestViolations(path: string, body: unknown, leniency: Leniency = {}): string[] {
  return report(violations(pointerTo(path, 'requestBody'), body), leniency);
}

/** What is wrong with an answer to the operation, success or error; empty when nothing is. */
export function answerViolations(path: string, body: unknown, leniency: Leniency = {}): string[] {
  const code = (body as { code?: unknown }).code;
  const isError = code !== undefined && code !== 0;
  // Asked of one branch of the `anyOf`, so that the violations speak of that branch only.
  const branch = isError ? '/anyOf/1' : '/anyOf/0';
  return report(violations(pointerTo(path, 'responses', '200') + branch, body), leniency);
}
