import { isObject } from './json';

const HIDDEN = '[hidden]';

/** A shorter secret may be part of any word, so it is masked only as a word of its own. */
const MIN_LENGTH_INSIDE_WORDS = 4;

/** In records, shorter secrets and secrets of digits only are not masked: a record may hold the same value. */
const MIN_LENGTH_IN_RECORDS = 8;

/** Fields in which the service speaks. All others hold data. */
const WORDS = new Set(['code', 'msg', 'message', 'error', 'request_id']);

/**
 * Masks the secrets of a credential in answers. A service that complains about a request signature may
 * quote it, with everything that it was made of.
 */
export class SecretMask {
  private readonly words: RegExp | undefined;

  private readonly records: RegExp | undefined;

  /** X-Sign of one request. */
  private signature = '';

  /** @param secrets empty ones are left out */
  constructor(secrets: string[]) {
    const known = secrets.filter(Boolean);
    this.words = anyOf(known);
    this.records = anyOf(
      known.filter((secret) => secret.length >= MIN_LENGTH_IN_RECORDS && !/^\d+$/.test(secret)),
    );
  }

  /** The same mask, with the request signature of one request. Cheap: the secrets are compiled once. */
  with(signature: string): SecretMask {
    return Object.assign(Object.create(SecretMask.prototype) as SecretMask, this, { signature });
  }

  /**
   * A copy of an answer's parsed body, with the secrets masked.
   *
   * @param isWords whether the service speaks in this value; otherwise it is data
   */
  hide(value: unknown, isWords = false): unknown {
    if (isNumeric(value)) return isWords ? this.hideNumber(value) : value;
    if (typeof value === 'string') return this.hideText(value, isWords);
    if (Array.isArray(value)) return value.map((entry) => this.hide(entry, isWords));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        this.hideText(name, false),
        this.hide(field, WORDS.has(name)),
      ]),
    );
  }

  /** Whether the text of an answer may hold a secret. Most answers do not, and need no copy. */
  mayBeIn(text: string): boolean {
    // An escape sequence may stand for any character.
    if (text.includes('\\')) return true;
    return this.hideText(text, true) !== text;
  }

  private hideText(text: string, isWords: boolean): string {
    const secrets = isWords ? this.words : this.records;
    const masked = secrets ? text.replace(secrets, HIDDEN) : text;
    return this.signature ? masked.replace(new RegExp(this.signature, 'gi'), HIDDEN) : masked;
  }

  /** A short number is never masked: it is a code. */
  private hideNumber(value: number | string): unknown {
    const text = String(value);
    const isLong = text.length >= MIN_LENGTH_IN_RECORDS;
    return isLong && this.hideText(text, true) !== text ? HIDDEN : value;
  }
}

function isNumeric(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value));
}

/** Matches each secret as it is, and as it looks in JSON or in a web address. */
function anyOf(secrets: string[]): RegExp | undefined {
  const forms = secrets.flatMap((secret) =>
    [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(Buffer.from(secret).toString()),
    ].map((form) => {
      const escaped = form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
      return form.length < MIN_LENGTH_INSIDE_WORDS
        ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`
        : escaped;
    }),
  );
  // The longest first, because one secret may begin with another.
  const alternatives = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return alternatives.length > 0 ? new RegExp(alternatives.join('|'), 'giu') : undefined;
}
