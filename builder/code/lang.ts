/** The languages of the web pages: English, and Chinese for who asks for it. */
import type { Fields } from './n8n';

export type Lang = 'en' | 'zh';

/** What a Webhook node knows of a request. */
export interface Request {
  query?: Fields;
  headers?: Fields;
  body?: Fields;
}

/**
 * A parameter of an address or a form, at most 200 characters. One that is there twice counts once. What is
 * no text, such as the object of `name[toString]=x`, is not given.
 */
export function given(from: Fields | undefined, name: string): string {
  const [value] = [(from ?? {})[name]].flat();
  if (value === null || typeof value === 'object') return '';
  return String(value ?? '')
    .trim()
    .slice(0, 200);
}

/** The language of `?lang=`, or else the first that the browser asks for. */
export function langOf({ query, headers }: Request): Lang {
  const wanted = given(query, 'lang') || given(headers, 'accept-language');
  return /^zh/i.test(wanted) ? 'zh' : 'en';
}

/** The language of a page, and the same again if its address names it: then its links do so, too. */
export function languageOf(request: Request): { lang: Lang; kept: Lang | '' } {
  const lang = langOf(request);
  return { lang, kept: given(request.query, 'lang') && lang };
}

/** The texts of a page in English, each with its Chinese. */
export type Words = Record<string, string>;

/** Says a text of the page, with values at the places in braces, as `fill` does. */
export type Say<Text> = (text: Text, values?: Record<string, string | number>) => string;

/** A place in a text: `{n}`, or `{n|message|messages}`. */
export const PLACE = /\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g;

/** Puts values at the places of a text. `{n|message|messages}` is the first word for 1, and the second for others. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(PLACE, (place, name: string, one?: string, more?: string) => {
    const value = String(values[name] ?? place);
    if (one === undefined) return value;
    return value === '1' ? one : String(more);
  });
}

/** Gives the function that says the texts in a language. */
export function sayIn<Texts extends Words>(lang: Lang, texts: Texts): Say<keyof Texts & string> {
  return (text, values = {}) => fill(String(lang === 'zh' ? texts[text] : text), values);
}
