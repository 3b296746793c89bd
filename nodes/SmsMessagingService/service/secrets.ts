import { encodings, MOST_LAYERS, readings, unescapeOnce } from './escapes';
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
 * quote it, with everything that it was made of, in the escapes of its language or encoded. A text that
 * hides a secret under escapes is shown without them.
 */
export class SecretMask {
  private readonly words: Forms;

  private readonly records: Forms;

  /** X-Sign of one request. */
  private signature: RegExp = NOTHING;

  /** @param secrets empty ones are left out */
  constructor(secrets: string[]) {
    const known = secrets.filter(Boolean);
    this.words = formsOf(known);
    this.records = formsOf(
      known.filter((secret) => secret.length >= MIN_LENGTH_IN_RECORDS && !/^\d+$/.test(secret)),
    );
  }

  /** The same mask, with the request signature of one request. Cheap: the secrets are compiled once. */
  with(signature: string): SecretMask {
    return Object.assign(Object.create(SecretMask.prototype) as SecretMask, this, {
      signature: signature ? new RegExp(signature, 'gi') : NOTHING,
    });
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
    // An escape may stand for any character.
    return /[\\%&]/.test(text) || this.replace(text, this.words) !== text;
  }

  private hideText(text: string, isWords: boolean): string {
    const forms = isWords ? this.words : this.records;
    if (text.length < forms.shortest) return text;
    let shown = this.replace(text, forms);
    for (let layer = 0, last = shown; layer < MOST_LAYERS; layer++) {
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
    return isLong && this.hideText(text, true) !== text ? HIDDEN : value;
  }
}

function isNumeric(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value));
}

/** Matches no text. */
const NOTHING = /(?!)/g;

/** How secrets may look in a text without escapes. */
interface Forms {
  pattern: RegExp;
  /** The length of the shortest. A request signature is never shorter than 64. */
  shortest: number;
}

function formsOf(secrets: string[]): Forms {
  const plain = secrets.flatMap(plainForms);
  const encoded = secrets.filter(({ length }) => length >= MIN_LENGTH_INSIDE_WORDS);
  // The longest first, because one secret may begin with another.
  const alternatives = [...new Set([...plain.map(patternOf), ...encoded.flatMap(encodings)])].sort(
    (one, other) => other.length - one.length,
  );
  return {
    pattern: alternatives.length > 0 ? new RegExp(alternatives.join('|'), 'giu') : NOTHING,
    // Encoded, a secret is longer.
    shortest: Math.min(64, ...plain.map(({ length }) => length)),
  };
}

/** A secret as it is, and as it becomes if a part of it is taken for an escape. */
function plainForms(secret: string): string[] {
  const [, ...unescaped] = readings(secret);
  return [secret, ...unescaped.filter(({ length }) => length >= MIN_LENGTH_IN_RECORDS)];
}

/** A space is a plus in forms of the web. */
function patternOf(form: string): string {
  const escaped = form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll(' ', '[ +]');
  return form.length < MIN_LENGTH_INSIDE_WORDS
    ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`
    : escaped;
}
