import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020';
import { parse } from 'yaml';

/** The parts of a schema in openapi.yaml that code here reads. */
export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  items?: Schema;
  anyOf?: Schema[];
}

/** A header in openapi.yaml. */
export interface Header {
  name: string;
  required?: boolean;
  schema: Schema;
}

interface Content {
  content: { 'application/json': { schema: Schema } };
}

interface Described {
  operationId: string;
  summary: string;
  parameters?: { $ref: string }[];
  requestBody: Content;
  responses: { '200': Content };
  'x-inferred'?: true;
}

interface Document {
  paths: Record<string, { parameters: { $ref: string }[]; post: Described }>;
  components: { schemas: Record<string, Schema> };
}

/** An operation of the API. */
export interface ContractOperation {
  operationId: string;
  path: string;
  /** Whether the specification only names it. */
  inferred: boolean;
  /** Its `summary`. */
  heading: string;
  headers: Header[];
  request: Schema;
  answer: Schema;
}

/** The contract: openapi.yaml. */
const text = readFileSync(join(__dirname, 'openapi.yaml'), 'utf8');
// To count what its aliases repeat would take most of the time.
const document = parse(text, { maxAliasCount: -1 }) as Document;

/** Returns the part of the contract that a reference such as `#/components/schemas/Lead` points to. */
export function resolve(reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], document);
}

const OPERATIONS = Object.entries(document.paths).map(([path, { parameters, post }]) => ({
  operationId: post.operationId,
  path,
  inferred: post['x-inferred'] === true,
  heading: post.summary,
  headers: [...parameters, ...(post.parameters ?? [])].map(({ $ref }) => resolve($ref) as Header),
  request: post.requestBody.content['application/json'].schema,
  answer: post.responses['200'].content['application/json'].schema.anyOf?.[0] ?? {},
}));

/** All operations in openapi.yaml. */
export const contractOperations = (): ContractOperation[] => [...OPERATIONS];

/** All schemas in openapi.yaml that have a name. */
export const contractSchemas = () => document.components.schemas;

const OTHER_KEYWORDS = ['openapi', 'info', 'servers', 'security', 'paths', 'components'];
// A schema with a $ref adds to the one that it refers to, and does not repeat its type.
const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
ajv.addVocabulary(OTHER_KEYWORDS);
ajv.addSchema(closed(document), 'contract', undefined, false);
for (const { path, headers } of OPERATIONS) {
  ajv.addSchema(headersSchema(headers), `headers ${path}`, undefined, false);
}

/**
 * Forbids other fields in every schema that lists fields. The specification does not forbid them. The
 * sandbox does, so that a misspelled field is found.
 */
function closed<T>(part: T): T {
  if (Array.isArray(part)) return part.map(closed) as T;
  if (typeof part !== 'object' || part === null) return part;
  const inside = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, closed<unknown>(value)]),
  );
  const listsFields = inside.type === 'object' && 'properties' in part;
  return (listsFields ? { additionalProperties: false, ...inside } : inside) as T;
}

/** The schema of a request's headers as Node.js gives them, with names in lower case. */
function headersSchema(headers: Header[]): object {
  return {
    type: 'object',
    required: headers.flatMap(({ name, required }) => (required ? name.toLowerCase() : [])),
    properties: Object.fromEntries(headers.map(({ name, schema }) => [name.toLowerCase(), schema])),
  };
}

/** Returns what is wrong with a value, one sentence each. A schema is compiled when it is first needed. */
function violations(schema: string, value: unknown, subject: 'body' | 'headers'): string[] {
  const validate = ajv.getSchema(schema) as ValidateFunction;
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params, keyword }) => {
    const isUnknown = keyword === 'additionalProperties';
    const problem = isUnknown ? `unknown field "${params.additionalProperty}"` : message;
    return `${subject}${instancePath}: ${problem ?? keyword}`;
  });
}

/** Validates a body against the schema at a place below a path of openapi.yaml. */
function bodyViolations(path: string, place: string, body: unknown, branch = ''): string[] {
  const schema = `${place}/content/application~1json/schema${branch}`;
  return violations(`contract#/paths/${path.replaceAll('/', '~1')}/post/${schema}`, body, 'body');
}

/** Returns violations of the contract in the headers of a request, one sentence each. */
export function headerViolations(path: string, headers: IncomingHttpHeaders): string[] {
  return violations(`headers ${path}`, headers, 'headers');
}

/** Returns violations of the contract in a request body, one sentence each; none for a correct body. */
export function requestViolations(path: string, body: unknown): string[] {
  return bodyViolations(path, 'requestBody', body);
}

/** Returns violations of the contract in an answer, success or error; none for a correct answer. */
export function answerViolations(path: string, body: unknown): string[] {
  const { code = 0 } = body as { code?: unknown };
  // Validates one branch of the `anyOf`. Otherwise the violations of both branches are reported.
  return bodyViolations(path, 'responses/200', body, code === 0 ? '/anyOf/0' : '/anyOf/1');
}
