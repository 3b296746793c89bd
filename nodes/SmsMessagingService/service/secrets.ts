import { isObject } from './json';

const HIDDEN = '[hidden]';

/** A shorter secret may be part of any word, so it is masked only where it stands alone. */
const MIN_LENGTH_INSIDE_WORDS = 4;

/** A record keeps what only looks like a short secret, or like one that is a number. */
const MIN_LENGTH_IN_RECORDS = 8;

/** Fields in which the service speaks; all others hold data. */
const WORDS = new Set(['code', 'msg', 'message', 'error', 'request_id']);

/**
 * Hides the secrets of a credential in what the service says: a service that complains about a
 * signature may quote it, together with all that it was made of.
 */
export class SecretMask {
  private readonly words: RegExp | undefined;

  private readonly records: RegExp | undefined;

  /** X-Sign of the request at hand. */
  private signature = '';

  /** @param secrets empty ones are left out */
  constructor(secrets: string[]) {
    const known = secrets.filter(Boolean);
    this.words = anyOf(known);
    this.records = anyOf(
      known.filter((secret) => secret.length >= MIN_LENGTH_IN_RECORDS && !/^\d+$/.test(secret)),
    );
  }

  /** The same, and the signature of one request. To make a new mask would cost more than a request. */
  with(signature: string): SecretMask {
    return Object.assign(Object.create(SecretMask.prototype) as SecretMask, this, { signature });
  }

  /**
   * A copy of an answer's parsed body without secrets.
   *
   * @param isWords whether the value is something that the service says, and not data
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

  /** Whether the text of an answer may hold a secret. Most do not, and need no copy. */
  mayBeIn(text: string): boolean {
    // A backslash may stand for any character.
    if (text.includes('\\')) return true;
    return this.hideText(text, true) !== text;
  }

  private hideText(text: string, isWords: boolean): string {
    const secrets = isWords ? this.words : this.records;
    const masked = secrets ? text.replace(secrets, HIDDEN) : text;
    return this.signature ? masked.replaceAll(this.signature, HIDDEN) : masked;
  }

  /** A short number is a code, whatever the secrets are. */
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
  // The longest first: one secret may begin with another.
  const alternatives = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return alternatives.length > 0 ? new RegExp(alternatives.join('|'), 'giu') : undefined;
}
