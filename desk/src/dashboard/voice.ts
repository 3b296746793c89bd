import { safe, type Markup } from '../../../builder/code/html';
import { sayIn, type Say, type Words } from '../../../builder/code/lang';
import { addressOf, quote } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import type { Asked } from './what-was-asked';

/** What an address can name, besides what it shows. */
type Change = Partial<
  Pick<Asked, 'window' | 'from' | 'to' | 'template' | 'batch' | 'status' | 'refresh' | 'numbers'>
> & { format?: string };

/** The address of this page with changes. It never has a whole phone number. */
export function address(asked: Asked, { format, ...change }: Change): string {
  const { window, from, to, template, batch, status, refresh, numbers, kept } = {
    ...asked,
    ...change,
  };
  return addressOf('?', {
    ...{ window, from, to, template, batch, status },
    ...{ refresh: !refresh && 'off', numbers: numbers && '1', format, lang: kept },
  });
}

/** The address of a message: its language, and nothing else of the page that leads there. */
export const messageAddress = ({ kept }: Asked, row: string): string =>
  addressOf('?', { row, lang: kept });

export const statusPage = ({ kept }: Asked): string => addressOf('sms-status', { lang: kept });

/** The words of stretches of time. */
const LENGTHS_ZH = {
  '{n} s': '{n} 秒',
  '{n} min': '{n} 分钟',
  '{n} h': '{n} 小时',
  '{n} d': '{n} 天',
} as const;

/** The names of templates by their IDs, if there are some. */
export type Names = Record<string, string> | null;

/** How a page speaks, with these texts. */
export interface Voice<Text = never> {
  asked: Asked;
  say: Say<Text>;
  /** A stretch of time in the largest unit of which there are at least two. */
  lengthOf: (millis: number) => string;
  /** A moment, in Unix milliseconds or as PostgreSQL says it: without the year, in the time zone of the workflow. */
  clock: (at: number | string) => string;
  /** The name of a template, with its ID beside it. */
  templateOf: (id: string) => Markup;
  nameOf: (id: string) => string;
}

/** How a page speaks, in the language and time zone that it is asked for. */
export function voiceOf<Texts extends Words>(
  asked: Asked,
  texts: Texts,
  names: Names | undefined,
  DateTime: N8n['DateTime'],
): Voice<keyof Texts & string> {
  const known = new Map(Object.entries(names ?? {}));
  const nameOf = (id: string) => known.get(id) ?? '';
  const local = (at: number | string) =>
    DateTime.fromMillis(new Date(at).getTime(), { zone: asked.zone });
  const sayLength = sayIn(asked.lang, LENGTHS_ZH);
  const lengthOf = (millis: number) => {
    const seconds = Math.round(millis / 1000);
    if (seconds < 100) return sayLength('{n} s', { n: seconds });
    const minutes = Math.round(seconds / 60);
    if (minutes < 100 && minutes !== 60) return sayLength('{n} min', { n: minutes });
    const hours = Math.round(minutes / 60);
    if (hours < 48) return sayLength('{n} h', { n: hours });
    return sayLength('{n} d', { n: Math.round(hours / 24) });
  };
  const thisYear = DateTime.fromISO(asked.now, { zone: asked.zone }).year;
  return {
    ...{ asked, say: sayIn(asked.lang, texts), nameOf, lengthOf },
    clock: (at) =>
      local(at).toFormat(local(at).year === thisYear ? 'MM-dd HH:mm' : 'yyyy-MM-dd HH:mm'),
    templateOf: (id) =>
      nameOf(id) ? safe`${quote(nameOf(id))} <small class="id">${id}</small>` : quote(id),
  };
}
