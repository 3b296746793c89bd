import { addressOf } from '../../../builder/code/look';
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

/** The address of the status page. */
export const statusPage = ({ kept }: Asked): string => addressOf('sms-status', { lang: kept });
