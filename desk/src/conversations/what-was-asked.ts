import { given, languageOf, type Request } from '../../../builder/code/lang';
import type { N8n } from '../../../builder/code/n8n';
import { phoneIn } from '../common/messages/outbox';
import { ANY_ID, rowIn } from './threads';

/** What the address asks for. */
export type Asked = ReturnType<typeof whatWasAsked>;

/** Reads the address. What it does not know counts as not given. */
export default function whatWasAsked({ $input }: N8n) {
  const request = $input.first<Request>().json;
  const field = (name: string) => given(request.query, name);
  const typed = field('digits');
  const digits = /^\d{4}$/.test(typed) ? typed : '';
  const opened = rowIn(field('row'));
  const isOpen = opened.id > 0;
  const number = digits || isOpen ? '' : phoneIn(typed);
  return {
    ...languageOf(request),
    /** The message whose conversation is open. Without an ID, the list is open. */
    opened,
    row: opened.name,
    /** The last four digits that the list is searched for. */
    digits,
    /** A whole number that was typed in. */
    number,
    /** What was searched for before the search that is not understood. */
    was: idIn(field('was'), 4),
    /** Whether this search is not understood: the answer is the page as it was, with a notice. */
    isBad: typed !== '' && digits === '' && number === '',
    /** What was wrong with the search before: `search` or `number`. */
    bad: field('bad'),
    /** Only older rows than these are shown. */
    sendsBelow: Number(idIn(field('o'))) || ANY_ID,
    recordsBelow: Number(idIn(field('i'))) || ANY_ID,
    /** Of an open conversation, rows before this one. */
    before: rowIn(field('before')).name,
    /** Whether the newest rows are left out. */
    isOlder: field('o') + field('i') + field('before') !== '',
    /** Whether only those are listed who need a reply. */
    waits: field('waits') && '1',
    reply: field('reply') !== '',
    /** Whether the page loads itself anew. */
    reloads: field('refresh') !== 'off',
    template: idIn(field('template'), 19),
    signature: idIn(field('signature'), 19),
    /** The row of the message that was just sent. */
    sent: Number(idIn(field('sent'))),
  };
}

/** A text that is digits only, or empty. */
function idIn(text: string, max = 9): string {
  return /^\d+$/.test(text) && text.length <= max ? text : '';
}
