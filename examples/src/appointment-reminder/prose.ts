import { MOBILE_FORM, mobileIn } from '../../../nodes/SmsMessagingService/parameters/mobile';
import { plain } from '../plain';
import { nameOf } from '../rowsOfTable';

/** A mobile number, and what stands before and behind it: "tel" is before it. */
const NUMBER = new RegExp(`^(.*?)(?<!\\d)(?!tel)(${MOBILE_FORM})(?!\\d)(.*)$`, 'i');

/** What a text ends with that names a number of another kind: what is behind it is no phone's. "6月3号" is a day. */
const LABEL =
  /(?:(?<!\d)[号號码碼单單卡]|会议|病历|qq群?|微信群|(?<![a-z])(?:number|no|u?id|code|ref(?:erence)?|reservation|booking|policy|invoice|ticket|order)|#)[^\p{L}\p{N}-]*$/iu;

/** What makes the number before it a longer one: 转8001, ext. 12, or digits alone. */
const PART = /^\s*(?:(?:转接?|分机号?|ext(?:ension)?|x)[\s.:]*)?\d{1,7}\s*$/i;

/** Prose or HTML as lines and sentences. Behind a colon, a line goes on. "-" stands for the address of a page. */
export const linesOf = (prose: unknown): string[] =>
  plain(
    String(prose ?? '')
      .replace(/<(?:br|\/?(?:p|li|div))\b[^>]*>/gi, '\n')
      .replace(/<[^>]*>/g, '')
      .replace(/\w+:\/\/[^\s,;、，；。]+/g, '-')
      .replace(/&#?\w+;/g, ' '),
  )
    .replace(/:\s+/g, ':')
    .split(/[\n。]/);

/** Whether there is anything that looks like a mobile number. */
export const hasDigits = (prose: unknown): boolean =>
  linesOf(prose).some((line) => new RegExp(MOBILE_FORM).test(line));

/**
 * The mobile numbers in prose or HTML, 11 digits each. So that no stranger gets a message: only one that stands
 * alone between commas or ends of lines, but for the name, and behind nothing that names another number; or right
 * behind a word for phone. None has digits after it.
 */
export function numbersIn(prose: unknown, name = ''): string[] {
  const clauses = linesOf(prose)
    .flatMap((line) => line.split(/[,、;]/).map((text, at) => ({ text, isFirst: at === 0 })))
    .filter(({ text }) => text.trim() !== '');
  const found = clauses.flatMap(({ text }, at) => {
    const next = clauses[at + 1];
    if (next && !next.isFirst && PART.test(next.text)) return [];
    return numberOf(text, name, clauses[at - 1]?.text ?? '') ?? [];
  });
  return [...new Set(found)];
}

function numberOf(clause: string, name: string, clauseBefore: string): string | undefined {
  const [, before = '', number = '', behind = ''] = NUMBER.exec(clause) ?? [];
  const isAlone = [before, behind].every(
    (text) => (isLabel(name) ? text : text.replace(name, '')).replace(/[\s:=.()【】-]/g, '') === '',
  );
  const isPhone = endsWithPhone(before) && /^(?![\w@#])\D*$/.test(behind);
  return (isAlone && !isLabel(clauseBefore)) || isPhone ? mobileIn(number) : undefined;
}

const isLabel = (text: string): boolean => LABEL.test(text) && !endsWithPhone(text);

/** 预留电话, Guest tel, Phone #; not Hotel. */
function endsWithPhone(text: string): boolean {
  const words = text.replace(/[=()【】#]/g, '');
  return [...words.matchAll(/(?<![a-z])\S/gi)].some(
    ({ index }) => nameOf(words.slice(index)) === 'phone',
  );
}
