import { MOBILE_FORM, mobileIn } from '../../../nodes/SmsMessagingService/parameters/mobile';
import { plain } from '../plain';
import { nameOf } from '../rowsOfTable';

/** A mobile number, and what stands before and behind it: "tel" is before it. */
const NUMBER = new RegExp(`^(.*?)(?<!\\d)(?!tel)(${MOBILE_FORM})(?!\\d)(.*)$`, 'i');

/** What a text ends with that names a number of another kind: what is behind it is no phone's. "6月3号" is a day. */
const LABEL =
  /(?:(?<!\d)[号號码碼单單卡]|会议|病历|qq群?|微信群|(?<![a-z])(?:number|no|u?id|code|ref(?:erence)?|reservation|booking|policy|invoice|ticket|order)|#)[^\p{L}\p{N}↗]*$/iu;

/** What makes the number before it a longer one: 转8001, ext. 12, or digits alone. */
const PART = /^\s*(?:(?:转接?|分机号?|ext(?:ension)?|x)[\s.:]*)?\d{1,7}\s*$/i;

/** That an appointment is off, once that has happened. */
const HAPPENED =
  /已[经經]?(?:取消|改期|改[约約]|推[迟遲]|延[期迟遲]|作[废廢]|退[约約])|(?:取消|改期|改[约約]|推[迟遲]|延[期迟遲]|不[来來])了|改到|推[迟遲]到|延期到|(?:cancell?ed|postponed|rescheduled|called off)(?! (?:appointment|booking|visit|session)s\b)/i;

/** Before it: it may happen, or has not: 如已取消, 自动改到, "will be cancelled", "a cancelled visit". */
const IF =
  /[如若未将]|要是|不会|[视視]为|自[动動]|可[以在改推]|不可|\b(?:if|when|once|unless|be|can|could|may|must|will|would|are|not|policy|fee)\b|\ban? $/i;

/** A short statement: 预约取消, 客户申请改期. */
const STATEMENT =
  /^[\p{L}\p{N}]{0,6}(?:取消|改期|改[约約]|改[时時][间間]|推[迟遲]|延[期迟遲]|退[约約]|不[来來])[\p{L}\p{N}]{0,6}$/u;

/** In it: how to do so, and what it costs. 申请 and 请求 are none, nor is 需要改期. */
const HOW_TO =
  /[如若可未须須费費扣限超逾]|不(?![来來])|(?<!申)[请請](?![假求])|需(?!要?[取改])|提前|小时|分钟|自[动動]|[视視]为|最多|政策|[规規]|收取|[链鏈]接|点[击此]/;

/** What stands between two clauses: a number is none of their words. */
const BETWEEN = new RegExp(`${MOBILE_FORM}| - |[,;.!?]`, 'i');

/** Prose or HTML as lines and sentences. Behind a colon, a line goes on. "↗" stands for the address of a page. */
const linesOf = (prose: unknown): string[] =>
  plain(
    String(prose ?? '')
      .replace(/<(?:br|\/?(?:p|li|div))\b[^>]*>/gi, '\n')
      .replace(/<a\b[^>]*\bhttps?:[^>]*>/gi, '↗')
      .replace(/<[^>]*>/g, '')
      .replace(/\w+:\/\/[^\s,;、，；。]+/g, '↗')
      .replace(/&#?\w+;/g, ' '),
  )
    .replace(/:\s+/g, ':')
    .split(/[\n。]/);

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
    (text) =>
      (isLabel(name) ? text : text.replace(name, '')).replace(/[\s:=.()【】↗-]/g, '') === '',
  );
  const isPhone = endsWithPhone(before) && /^(?![\w@#])\D*$/.test(behind);
  return (isAlone && !isLabel(clauseBefore)) || isPhone ? mobileIn(number) : undefined;
}

const isLabel = (text: string): boolean => LABEL.test(text) && !endsWithPhone(text);

/** 预留电话, Guest tel, Phone #; not Hotel. A text may be long: no word for phone is. */
function endsWithPhone(text: string): boolean {
  const words = text.slice(-30).replace(/[=()【】#↗]/g, '');
  return [...words.matchAll(/(?<![a-z])\S/gi)].some(
    ({ index }) => nameOf(words.slice(index)) === 'phone',
  );
}

/** Whether a description says that the appointment does not take place. */
export const saysOff = (description: unknown): boolean =>
  linesOf(description)
    .flatMap((line) => line.split(BETWEEN))
    .some((clause) => isStatement(clause) || clause.split(':').some(hasHappened));

function hasHappened(text: string): boolean {
  const at = text.search(HAPPENED);
  return at >= 0 && !IF.test(text.slice(0, at));
}

/** Beside the address of a page, it is none. */
const isStatement = (clause: string): boolean =>
  STATEMENT.test(clause.replace(/[^\p{L}\p{N}↗]/gu, '')) && !HOW_TO.test(clause);
