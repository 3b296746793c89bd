import type { IDataObject } from 'n8n-workflow';
import { encodings, MAX_LAYERS, readings, unescapeOnce } from './escapes';
import { isObject } from './json';

const HIDDEN = '[hidden]';

/** In characters. A shorter secret may be part of any word, so it is masked only as a word of its own. */
const MIN_LENGTH_INSIDE_WORDS = 4;

/** In characters. In data, shorter secrets and those of digits only are not masked: a record may have the same value. */
export const MIN_LENGTH_IN_RECORDS = 8;

/** Fields of an answer with words of the service, which errors quote. All other fields hold data. */
const WORDS = new Set(['code', 'msg', 'message', 'error', 'request_id']);

/** Names under which a service may repeat the header with the API key. */
const KEY_HEADER = /api[-_]?key$/i;

/**
 * Masks the secrets of a credential in answers. A service that refuses a request signature may quote it
 * with everything that it was computed from, escaped or encoded. A text that has a secret under escapes is
 * shown without the escapes.
 *
 * The API key is masked in texts for errors. Data keep it: it may be a word of a reply, and signs nothing
 * without the secret.
 */
export class SecretMask {
  private readonly words: Forms;

  private readonly data: Forms;

  /** X-Sign of one request. */
  private signature: RegExp = NOTHING;

  /**
   * @param secrets empty ones are ignored
   * @param key the API key, or an empty text
   */
  constructor(secrets: string[], key = '') {
    const known = secrets.filter(Boolean);
    this.words = formsOf(key ? [...known, key] : known);
    this.data = formsOf(
      known.filter((secret) => secret.length >= MIN_LENGTH_IN_RECORDS && !/^\d+$/.test(secret)),
      key,
    );
  }

  /** Returns a copy that also masks the signature of one request. Cheap: the secrets are compiled once. */
  with(signature: string): SecretMask {
    return Object.assign(Object.create(SecretMask.prototype) as SecretMask, this, {
      signature: signature ? new RegExp(formsOfSignature(signature).join('|'), 'gi') : NOTHING,
    });
  }

  /** Returns a copy of an answer's parsed body, with the secrets masked. All below its top level is data. */
  hide(answer: unknown, isInArray = false): unknown {
    if (Array.isArray(answer) && answer.length === 1) return [this.hide(answer[0], true)];
    if (!isObject(answer) || (isInArray && !hasStatement(answer))) return this.hideData(answer);
    return this.hideFields(answer, (name) => (WORDS.has(name) ? this.words : this.data));
  }

  /** Returns a copy of a value for errors, with the secrets and the key masked. */
  hideWords(value: unknown): unknown {
    return this.hideIn(value, this.words);
  }

  /** Returns a copy of data, with the secrets masked. The key is masked only if it is quoted as a header. */
  hideData(value: unknown): unknown {
    return this.hideIn(value, this.data);
  }

  /** Whether the text of an answer may contain a secret. Most do not, and need no copy. */
  mayBeIn(text: string): boolean {
    // An escape may mean any character.
    return /[\\%&]/.test(text) || this.replace(text, this.words) !== text;
  }

  private hideIn(value: unknown, forms: Forms): unknown {
    if (isNumeric(value)) return forms === this.words ? this.hideNumber(value) : value;
    if (typeof value === 'string') return this.hideText(value, forms);
    if (Array.isArray(value)) return value.map((entry) => this.hideIn(entry, forms));
    return isObject(value) ? this.hideFields(value, () => forms) : value;
  }

  private hideFields(fields: IDataObject, formsIn: (name: string) => Forms): IDataObject {
    return Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        this.hideText(name, this.data),
        this.hideIn(field, KEY_HEADER.test(name) ? this.words : formsIn(name)) as IDataObject,
      ]),
    );
  }

  private hideText(text: string, forms: Forms): string {
    if (text.length < forms.shortest) return text;
    let shown = this.replace(text, forms);
    for (let layer = 0, last = shown; layer < MAX_LAYERS; layer++) {
      const plain = unescapeOnce(last);
      if (plain === last) break;
      last = this.replace(plain, forms);
      if (last !== plain) shown = last;
    }
    return shown;
  }

  private replace(text: string, { pattern }: Forms): string {
    return text.replace(pattern, HIDDEN).replace(this.signature, HIDDEN);
  }

  /** A short number is never masked: it is a code. */
  private hideNumber(value: number | string): unknown {
    const text = String(value);
    const isLong = text.length >= MIN_LENGTH_IN_RECORDS;
    return isLong && this.hideText(text, this.words) !== text ? HIDDEN : value;
  }
}

/** Whether the only object of an array is the answer itself, not a record. */
function hasStatement(entry: IDataObject): boolean {
  return 'code' in entry && ('msg' in entry || 'message' in entry);
}

function isNumeric(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value));
}

/** Matches no text. */
const NOTHING = /(?!)/g;

/** In characters. A request signature has 32 bytes, and no way to write them is shorter. */
const MIN_SIGNATURE_LENGTH = 40;

/** How secrets may be written in a text without escapes. */
interface Forms {
  pattern: RegExp;
  /** Length of the shortest form, a request signature included, in characters. */
  shortest: number;
}

/** @param quotedKey masked only after a name such as X-Api-Key */
function formsOf(secrets: string[], quotedKey = ''): Forms {
  const plain = secrets.flatMap(plainForms);
  const encoded = secrets.filter(({ length }) => length >= MIN_LENGTH_INSIDE_WORDS);
  // Longest first, because one secret may begin with another.
  const alternatives = [
    ...new Set([
      ...plain.map(patternOf),
      ...encoded.flatMap((secret) => encodings(Buffer.from(secret))),
    ]),
  ].sort((one, other) => other.length - one.length);
  if (quotedKey) alternatives.push(`(?<=api[-_]?key[^\\p{L}\\p{N}]{1,12})${patternOf(quotedKey)}`);
  return {
    pattern: alternatives.length > 0 ? new RegExp(alternatives.join('|'), 'giu') : NOTHING,
    // Encoded or quoted, a secret is longer.
    shortest: Math.min(
      MIN_SIGNATURE_LENGTH,
      quotedKey.length || MIN_SIGNATURE_LENGTH,
      ...plain.map(({ length }) => length),
    ),
  };
}

/** Encodings of X-Sign: of the bytes that it gives in hexadecimal, and of its text. */
function formsOfSignature(signature: string): string[] {
  return [Buffer.from(signature, 'hex'), Buffer.from(signature)].flatMap(encodings);
}

/** Returns a secret as it is, and as it reads if parts of it are taken for escapes. */
function plainForms(secret: string): string[] {
  const [, ...unescaped] = readings(secret);
  return [secret, ...unescaped.filter(({ length }) => length >= MIN_LENGTH_IN_RECORDS)];
}

/** Returns a regular expression, as text, for a form of a secret. A web form writes a space as a plus. */
function patternOf(form: string): string {
  const escaped = form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll(' ', '[ +]');
  return form.length < MIN_LENGTH_INSIDE_WORDS
    ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`
    : escaped;
}
