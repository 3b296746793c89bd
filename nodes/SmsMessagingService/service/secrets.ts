import { isObject } from './json';
import { HIDDEN, STATEMENT_FIELDS } from './statement';

/** In characters. A shorter value is a part of many words and numbers, so it is never masked. */
const MIN_LENGTH = 4;

/** In characters. In data, a shorter value is not masked: a record may have the same. */
export const MIN_LENGTH_IN_RECORDS = 8;

/**
 * Masks the secrets of a credential in answers, as they are. A service that refuses a request signature may
 * quote it with everything that it was computed from.
 */
export class SecretMask {
  private readonly words: string[];

  private readonly names: string[];

  private readonly data: string[];

  /**
   * @param secrets empty ones are ignored
   * @param key the API key. It stays in data: an account name is part of batch IDs
   * @param signature X-Sign of the request
   */
  constructor(secrets: string[], key = '', signature = '') {
    // Longest first, because one may begin with another.
    this.words = [...secrets, key, signature, signature.toUpperCase()]
      .filter(({ length }) => length >= MIN_LENGTH)
      .sort((one, other) => other.length - one.length);
    this.names = this.words.filter(({ length }) => length >= MIN_LENGTH_IN_RECORDS);
    this.data = this.names.filter((value) => value !== key && !/^\d+$/.test(value));
  }

  /** Returns an answer with the secrets masked in its words and in its data: a copy only if it has any. */
  hide(answer: unknown): unknown {
    const text = JSON.stringify(answer) ?? '';
    const isIn = (value: string) => text.includes(JSON.stringify(value).slice(1, -1));
    if (!this.words.some(isIn)) return answer;
    return hideIn(answer, (text, name) =>
      hideAll(
        text,
        name === NAME ? this.names : STATEMENT_FIELDS.includes(name) ? this.words : this.data,
      ),
    );
  }

  /** Returns a copy of a value for errors, or of an answer that was not understood, with the secrets masked. */
  hideWords<T>(value: T): T {
    return hideIn(value, (text) => hideAll(text, this.words)) as T;
  }
}

/** Stands for the name of a field itself. */
const NAME = '';

/** @param hide masks a text that stands in a field of this name */
function hideIn(
  value: unknown,
  hide: (text: string, name: string) => string,
  name = 'data',
): unknown {
  if (typeof value === 'string') return hide(value, name);
  if (Array.isArray(value)) return value.map((entry) => hideIn(entry, hide, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([own, field]) => [
      hide(own, NAME),
      isCode(own, field) ? field : hideIn(field, hide, own),
    ]),
  );
}

/** Whether a field is a code in digits. Masked, it would mean something else. */
function isCode(name: string, field: unknown): boolean {
  return name === 'code' && typeof field === 'string' && /^-?\d+$/.test(field.trim());
}

function hideAll(text: string, values: string[]): string {
  return values.reduce((shown, value) => shown.replaceAll(value, HIDDEN), text);
}
