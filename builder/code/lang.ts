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
  const [value] = [from?.[name]].flat();
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

/** The texts of a page in English, each with its Chinese. */
export type Words = Record<string, string>;

/** Says a text of the page, with values at the places in braces. */
export type Say<Text> = (text: Text, values?: Record<string, string | number>) => string;

/** Gives the function that says the texts in a language. */
export function sayIn<Texts extends Words>(lang: Lang, texts: Texts): Say<keyof Texts & string> {
  return (text, values = {}) =>
    String(lang === 'zh' ? texts[text] : text).replace(/\{(\w+)\}/g, (place, name: string) =>
      String(values[name] ?? place),
    );
}
