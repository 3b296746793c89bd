import { execFileSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import type {
  SignatureAlgorithm,
  SigningInput,
} from '../../nodes/SmsMessagingService/service/signing';
import { computeSignature } from '../../nodes/SmsMessagingService/service/signing';
import { codeLines } from './commands';
import { blocksOf, codesOf, tablesOf, textOf } from './markdown';
import type { Part } from './markdown';
import type { Page } from './pages';

const HASH = /\b[\da-f]{64}\b/g;

/** Arguments of a command, in which only variables are replaced. */
const ARGUMENTS = String.raw`(?: +(?:'[^']*'|"(?:[^"$\x60]|\$\w)*"|[\w%./-]+))*`;

/** A line that hashes a fixed text, or sets a variable for such a line. */
const HASHING = new RegExp(`^printf${ARGUMENTS} *\\| *(?:sha256sum|openssl dgst)${ARGUMENTS} *$`);
const ASSIGNMENT = /^\w+=(?:'[^']*'|"[^"$`]*"|[\w-]*)$/;

/** What a page tells readers to run to see a hash: lines of words, and whole blocks. */
export function hashingCommands(page: Part): string[] {
  const lines = codesOf(page).filter((code) => HASHING.test(code));
  const blocks = blocksOf(page).map((block) =>
    block.split('\n').filter((line) => HASHING.test(line) || ASSIGNMENT.test(line)),
  );
  return [
    ...lines,
    ...blocks.filter((block) => block.some(isHashing)).map((block) => block.join('\n')),
  ];
}

const isHashing = (line: string) => HASHING.test(line);

/** The commands of a page whose hash, as bash and its programs compute it, is not on the page. */
export const wrongHashes = ({ text, tree }: Page): string[] => [
  ...hashingCommands(tree).filter((command) => {
    const shown: string[] = text.match(HASH) ?? [];
    const hashes = execFileSync('bash', ['-c', command], { encoding: 'utf8' }).match(HASH) ?? [];
    return hashes.length === 0 || hashes.some((hash) => !shown.includes(hash));
  }),
  // Not run, and so not known to be right. What asks for the time has another hash each time.
  ...codeLines(tree).filter(
    (line) =>
      /\| *(?:sha256sum|openssl dgst)\b/.test(line) && !HASHING.test(line) && !line.includes('$('),
  ),
];

interface Vector {
  algorithm: SignatureAlgorithm;
  template: string;
  input: SigningInput;
  sign: string;
}

const ALGORITHMS: Record<string, SignatureAlgorithm> = {
  'SHA-256': 'sha256',
  'HMAC-SHA-256': 'hmacSha256',
  HMAC: 'hmacSha256',
};

/** By the word that a value stands behind in the table. */
const NAMES: Record<string, keyof SigningInput> = {
  key: 'apiKey',
  secret: 'apiSecret',
  timestamp: 'timestamp',
  nonce: 'nonce',
  method: 'method',
  path: 'path',
  body: 'body',
};

/** The rows of the tables that have a request signature for each template. */
export const vectorsOf = (page: Part): Vector[] =>
  tablesOf(page)
    .filter(({ header }) => header.join() === 'Algorithm,Request Signing Template,Values,X-Sign')
    .flatMap(({ rows }) => rows.map(vectorOf));

/** @throws for a row that cannot be read */
function vectorOf([algorithm, template, values, sign]: Part[]): Vector {
  if (!algorithm || !template || !values || !sign) throw new TypeError('A row without its cells');
  const input = {
    apiKey: '',
    apiSecret: '',
    timestamp: '',
    nonce: '',
    method: '',
    path: '',
    body: '',
  };
  let before = '';
  for (const part of values.children ?? []) {
    if (part.type === 'inlineCode') input[nameOf(before, part.value ?? '')] = part.value ?? '';
    before = textOf(part);
  }
  return {
    algorithm: ALGORITHMS[textOf(algorithm)] ?? missing(textOf(algorithm)),
    template: textOf(template),
    input,
    sign: textOf(sign),
  };
}

/** Which value it is. Method and path stand without a word. */
function nameOf(before: string, value: string): keyof SigningInput {
  const word = /(\w+) $/.exec(before)?.[1];
  if (word) return NAMES[word] ?? missing(word);
  return value.startsWith('/') ? 'path' : 'method';
}

function missing(word: string): never {
  throw new TypeError(`What is ${word}?`);
}

/** The request signature by the package, and by this test alone. */
export function signaturesOf({ algorithm, template, input }: Vector): string[] {
  const text = Object.entries(input).reduce(
    (filled, [name, value]) => filled.split(`{${name}}`).join(value),
    template.split('\\n').join('\n'),
  );
  const hash =
    algorithm === 'sha256' ? createHash('sha256') : createHmac('sha256', input.apiSecret);
  return [computeSignature(template, algorithm, input), hash.update(text).digest('hex')];
}
