import type { Asked } from './what-was-asked';

/** What an address can name, besides what it shows. */
type Change = Partial<
  Pick<Asked, 'window' | 'from' | 'to' | 'template' | 'batch' | 'status' | 'refresh' | 'numbers'>
> & { format?: string; row?: string; digits?: string; lang?: string };

/** The address of this page with changes. It never has a whole phone number. */
export function address(asked: Asked, change: Change): string {
  const { window, from, to, template, batch, status, refresh, numbers, ...more } = {
    ...asked,
    row: '',
    lang: asked.keepsLang ? asked.lang : '',
    ...change,
  };
  const query = {
    window,
    ...{ from, to, template, batch, status },
    refresh: refresh ? '' : 'off',
    numbers: numbers ? '1' : '',
    ...{ format: change.format, row: more.row, digits: change.digits, lang: more.lang },
  };
  const named = Object.entries(query).filter(([, value]) => value);
  return `?${named.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
}

/** The address of a message: its language, and nothing else of the page that leads there. */
export function messageAddress(asked: Asked, row: string): string {
  return asked.keepsLang ? `?row=${row}&lang=${asked.lang}` : `?row=${row}`;
}
