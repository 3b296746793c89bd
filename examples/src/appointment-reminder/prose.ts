import { MOBILE_FORM } from '../../../nodes/SmsMessagingService/parameters/mobile';
import { parsePhoneNumbers } from '../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import { plain } from '../plain';

/** What may not stand before it: a longer word, a few digits that may belong to it, the name of another number. */
const BEFORE = [
  String.raw`[\w.+#@¥$]|\w-`,
  String.raw`(?<!\d[:/.,-]|[\d¥$])\d{1,7}\)?[ \t/)]+\(?`,
  String.raw`(?:[订运票]单|会议|[单编账卡证]号码|(?<!号)码|(?<![\d一二三四五六七八九十机话系动同]|^)号|(?<![a-z])(?:order|booking|invoice|ticket|tracking|account|card|code|serial|ref|reference|u?id|qq|pin)(?:[ _](?:no|number|ref|id))?)(?:[^\p{L}\d,、;。/]|[为是]|\bis\b)*`,
];

/** Nor behind it: the same, or an amount's unit. Digits that are a quantity, a time or a date are no part of it. */
const BEHIND = String.raw`[\w@#]|-\w|\.\d| ?元|\)?[ \t/(]+\d{1,7}(?![\d\p{L}:/-]|[.,]\d)`;

const WHOLE = new RegExp(`(?<!${BEFORE.join('|')})${MOBILE_FORM}(?!${BEHIND})`, 'giu');

/** The mobile numbers in prose or HTML, 11 digits each. So that no stranger gets a message, only whole ones. */
export function numbersIn(prose: unknown): string[] {
  const text = plain(
    String(prose ?? '')
      .replace(/<(?:br|\/?(?:p|li|div))\b[^>]*>/gi, '\n')
      .replace(/<[^>]*>|\w+:\/\/[^\s<]+/g, '')
      .replaceAll('&nbsp;', ' '),
  );
  const found = parsePhoneNumbers(text.match(WHOLE), 'mainlandMobile');
  return [...new Set(found.valid)];
}
