/** What the parts of the page of conversations share. */
import type { Asked } from './what-was-asked';
import { clock } from '../common/text/clock';
import type { N8n } from '../../../builder/code/n8n';
import { safe, type Markup } from '../../../builder/code/html';
import { rowName, type Names } from './threads';

/** What a part of the page needs to be written. */
export interface View {
  asked: Asked;
  names: Names;
  /** In Unix milliseconds. */
  now: number;
  /** A time, as short as it can be. */
  at: (millis: number) => string;
}

/** An address of the page, in the language of the address that was opened, and without reload if it has none. Empty values are left out. */
export function addressOf(
  { lang, keepsLang, reloads = true }: Pick<Asked, 'lang' | 'keepsLang'> & Partial<Asked>,
  values: Record<string, string | number | false | undefined>,
): string {
  const all = Object.entries({ ...values, refresh: !reloads && 'off', lang: keepsLang && lang })
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return all.length > 0 ? `sms-conversations?${all.join('&')}` : 'sms-conversations';
}

/** What a form tells the page besides its fields, as the address would. */
export const hidden = (values: Record<string, string | number | false>): Markup[] =>
  Object.entries(values)
    .filter(([, value]) => value !== false)
    .map(([name, value]) => safe`<input type="hidden" name="${name}" value="${value}">`);

/** What the address of the list says about which part of it is shown. */
export function partIn({ isOlder, sendsBelow, recordsBelow }: Asked): { o?: number; i?: number } {
  return isOlder ? { o: sendsBelow, i: recordsBelow } : {};
}

/** What the address of the open conversation says about it. */
export function openedIn({ opened }: Asked): { row: string } {
  return { row: rowName(opened) };
}

/** Writes times of the time zone: only the hour if it is today. */
export function timesOf({ $now, DateTime }: Pick<N8n, '$now' | 'DateTime'>): View['at'] {
  const zone = $now.zoneName ?? 'utc';
  return (millis) => clock(DateTime.fromMillis(millis, { zone }), $now);
}
