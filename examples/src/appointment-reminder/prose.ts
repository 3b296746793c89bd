import { MOBILE_FORM, mobileIn } from '../../../nodes/SmsMessagingService/parameters/mobile';
import { plain } from '../plain';
import { nameOf } from '../rowsOfTable';

/** A mobile number, and what stands before and behind it. */
const NUMBER = new RegExp(`^(.*?)(?<!\\d)(${MOBILE_FORM})(?!\\d)(.*)$`, 'i');

/** Prose or HTML as lines and sentences, without addresses of pages. Behind a colon, a line goes on. */
export const linesOf = (prose: unknown): string[] =>
  plain(
    String(prose ?? '')
      .replace(/<(?:br|\/?(?:p|li|div))\b[^>]*>/gi, '\n')
      .replace(/<[^>]*>/g, '')
      .replace(/\w+:\/\/\S+/g, '-')
      .replace(/&#?\w+;/g, ' '),
  )
    .replace(/:\s+/g, ':')
    .split(/[\n。]/);

/** Whether there is anything that looks like a mobile number. */
export const hasDigits = (prose: unknown): boolean =>
  linesOf(prose).some((line) => new RegExp(MOBILE_FORM).test(line));

/**
 * The mobile numbers in prose or HTML, 11 digits each. So that no stranger gets a message: only one that stands
 * alone between commas or ends of lines, but for the name, or right behind a word for phone, and has no digits after it.
 */
export function numbersIn(prose: unknown, name = ''): string[] {
  const found = linesOf(prose).flatMap((line) => {
    const clauses = line.split(/[,、;]/);
    const numbers = clauses.map((clause) => numberOf(clause, name));
    // 转8001, ext. 12: it is a part of that number.
    const isPart = (_: unknown, at: number) =>
      numbers[at + 1] === undefined && /^\D*\d{1,7}\s*$/.test(clauses[at + 1] ?? '');
    return numbers.filter((number, at) => number !== undefined && !isPart(number, at));
  });
  return [...new Set(found.flatMap((number) => number ?? []))];
}

function numberOf(clause: string, name: string): string | undefined {
  const [, before = '', number = '', behind = ''] = NUMBER.exec(clause) ?? [];
  const [start, end] = [before, behind].map((text) =>
    text.replace(name, '').replace(/[\s:=.()【】-]/g, ''),
  );
  const isAlone = start === '' && end === '';
  const isPhone = nameOf(start) === 'phone' && /^(?![\w@#])\D*$/.test(behind);
  return isAlone || isPhone ? mobileIn(number) : undefined;
}
