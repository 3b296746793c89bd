import { given, langOf, type Lang, type Request } from '../../../builder/code/lang';
import type { Item, N8n } from '../../../builder/code/n8n';
import { phoneIn } from '../common/messages/phone';
import { ANY_ID, LIST, rowIn, THREAD, type RowName } from './threads';

/** What the address asks for, and how the two tables are read for it. */
export interface Asked {
  lang: Lang;
  /** Whether the address names the language. */
  keepsLang: boolean;
  /** The message whose conversation is open. Without an ID, the list is open. */
  opened: RowName;
  /** The last four digits that the list is searched for. */
  digits: string;
  /** A whole number that was typed in. */
  number: string;
  /** What was searched for before the search that is not understood. */
  was: string;
  /** Whether this search is not understood: the answer is the page as it was, with a notice. */
  isBad: boolean;
  /** What was wrong with the search before. */
  bad: '' | 'search' | 'number';
  /** Only older rows than these are shown. */
  sendsBelow: number;
  recordsBelow: number;
  /** Whether the newest rows are left out. */
  isOlder: boolean;
  /** Whether only those are listed who need a reply. */
  waits: '' | '1';
  reply: boolean;
  /** Whether the page loads itself anew. */
  reloads: boolean;
  template: string;
  signature: string;
  /** The row of the message that was just sent. */
  sent: number;
  /** How the phone number is compared, if no conversation is open. */
  condition: 'eq' | 'like' | 'neq';
  phone: string;
  limits: { sends: number; records: number };
}

/** Reads the address. What it does not know counts as not given. */
export default function whatWasAsked({ $input }: N8n): Item<Asked>[] {
  const request = $input.first<Request>().json;
  const { query } = request;
  const typed = given(query, 'digits');
  const digits = /^\d{4}$/.test(typed) ? typed : '';
  const opened = rowIn(given(query, 'row'));
  const number = digits || opened.id > 0 ? '' : phoneIn(typed);
  const bad = given(query, 'bad');
  return [
    {
      json: {
        lang: langOf(request),
        keepsLang: given(query, 'lang') !== '',
        opened,
        digits,
        number,
        was: idIn(given(query, 'was'), 4),
        isBad: typed !== '' && digits === '' && number === '',
        bad: bad === 'search' || bad === 'number' ? bad : '',
        sendsBelow: Number(idIn(given(query, 'o'))) || ANY_ID,
        recordsBelow: Number(idIn(given(query, 'i'))) || ANY_ID,
        isOlder: given(query, 'o') !== '' || given(query, 'i') !== '',
        waits: given(query, 'waits') && '1',
        reply: given(query, 'reply') !== '',
        reloads: given(query, 'refresh') !== 'off',
        template: idIn(given(query, 'template'), 19),
        signature: idIn(given(query, 'signature'), 19),
        sent: Number(idIn(given(query, 'sent'))),
        ...comparison(opened.id > 0, digits, number),
        limits: opened.id > 0 ? THREAD : LIST,
      },
    },
  ];
}

function comparison(
  isOpen: boolean,
  digits: string,
  number: string,
): Pick<Asked, 'condition' | 'phone'> {
  if (isOpen || number !== '') return { condition: 'eq', phone: number || 'none' };
  return digits ? { condition: 'like', phone: `%${digits}` } : { condition: 'neq', phone: 'none' };
}

/** A text that is digits only, or empty. */
function idIn(text: string, max = 9): string {
  return /^\d+$/.test(text) && text.length <= max ? text : '';
}
