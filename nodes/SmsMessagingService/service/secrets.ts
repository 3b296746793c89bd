import { isObject } from './json';

/** Takes the place of a secret. */
export const HIDDEN = '[hidden]';

/** In characters. A shorter value is a part of many words and numbers, so it is never masked. */
const MIN_LENGTH = 4;

/** In characters. In data, a shorter value is not masked: a record may have the same. */
export const MIN_LENGTH_IN_RECORDS = 8;

/** Fields with words of the service, which errors quote. All other fields hold data. */
const WORDS = new Set(['code', 'msg', 'message', 'request_id']);

/**
 * Masks the secrets of a credential in answers, as they are. A service that refuses a request signature may
 * quote it with everything that it was computed from.
 */
export class SecretMask {
  private readonly words: string[];

  private readonly data: string[];

  /**
   * @param secrets empty ones are ignored
   * @param key the API key. Of letters only, it may be a word in a record, so it is masked in words only
   * @param signature X-Sign of the request
   */
  constructor(secrets: string[], key = '', signature = '') {
    // Longest first, because one may begin with another.
    this.words = [...secrets, key, signature, signature.toUpperCase()]
      .filter(({ length }) => length >= MIN_LENGTH)
      .sort((one, other) => other.length - one.length);
    this.data = this.words.filter(
      (value) =>
        value.length >= MIN_LENGTH_IN_RECORDS &&
        !/^\d+$/.test(value) &&
        !(value === key && /^[a-z]+$/i.test(key)),
    );
  }

  /** Returns an answer with the secrets masked in its words and in its data: a copy only if it has any. */
  hide(answer: unknown): unknown {
    const text = JSON.stringify(answer) ?? '';
    const isIn = (value: string) => text.includes(JSON.stringify(value).slice(1, -1));
    if (!this.words.some(isIn)) return answer;
    return hideIn(answer, this.inData, (name) => (WORDS.has(name) ? this.inWords : this.inData));
  }

  /** Returns a copy of a value for errors, with the secrets masked. */
  hideWords(value: unknown): unknown {
    return hideIn(value, this.inWords);
  }

  /** Returns a copy of data, with the secrets masked. */
  hideData<T>(value: T): T {
    return hideIn(value, this.inData) as T;
  }

  private readonly inWords = (text: string) => hideAll(text, this.words);

  private readonly inData = (text: string) => hideAll(text, this.data);
}

type Hide = (text: string) => string;

/** @param hideField says what masks a field */
function hideIn(
  value: unknown,
  hide: Hide,
  hideField: (name: string) => Hide = () => hide,
): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((entry) => hideIn(entry, hide, hideField));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      hide(name),
      isCode(name, field) ? field : hideIn(field, hideField(name), hideField),
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
