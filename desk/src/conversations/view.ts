/** What the parts of the page of conversations share. */
import type { Asked } from './what-was-asked';
import { addressOf as pageAddress, type Values } from '../../../builder/code/look';
import type { Say } from '../../../builder/code/lang';
import type { Names } from './threads';
import type { ZH } from './words';

export interface View {
  asked: Asked;
  say: Say<keyof typeof ZH>;
  names: Names;
  /** A time, as short as it can be. */
  at: (time: string) => string;
}

type Kept = Pick<Asked, 'kept'> & Partial<Asked>;

/** Values, the language of the address that was opened, and no reload if it has none. */
export const keeping = ({ kept, reloads = true }: Kept, values: Values): Values => ({
  ...values,
  ...{ refresh: !reloads && 'off', lang: kept },
});

export const addressOf = (kept: Kept, values: Values = {}): string =>
  pageAddress('sms-conversations', keeping(kept, values));

/** What the address of the list says about which part of it is shown. */
export function partIn({ isOlder, sendsBelow, recordsBelow }: Asked): Values {
  return isOlder ? { o: sendsBelow, i: recordsBelow } : {};
}
