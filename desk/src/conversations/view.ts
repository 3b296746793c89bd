/** What the parts of the page of conversations share. */
import type { Asked } from './what-was-asked';
import { safe, type Markup } from '../../../builder/code/html';
import type { Names } from './threads';

export interface View {
  asked: Asked;
  names: Names;
  /** In Unix milliseconds. */
  now: number;
  /** A time, as short as it can be. */
  at: (millis: number) => string;
}

type Values = Record<string, string | number | false | undefined>;
type Kept = Pick<Asked, 'lang' | 'keepsLang'> & Partial<Asked>;

/** Values, and the language of the address that was opened, and no reload if it has none. Empty ones are left out. */
function withKept({ lang, keepsLang, reloads = true }: Kept, values: Values): [string, string][] {
  return Object.entries({ ...values, refresh: !reloads && 'off', lang: keepsLang && lang })
    .filter(([, value]) => value)
    .map(([name, value]) => [name, String(value)]);
}

export function addressOf(kept: Kept, values: Values = {}): string {
  const all = withKept(kept, values).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return all.length > 0 ? `sms-conversations?${all.join('&')}` : 'sms-conversations';
}

/** What a form tells the page besides its fields, as the address would. */
export const hidden = (kept: Kept, values: Values): Markup[] =>
  withKept(kept, values).map(
    ([name, value]) => safe`<input type="hidden" name="${name}" value="${value}">`,
  );

/** What the address of the list says about which part of it is shown. */
export function partIn({ isOlder, sendsBelow, recordsBelow }: Asked): Values {
  return isOlder ? { o: sendsBelow, i: recordsBelow } : {};
}
