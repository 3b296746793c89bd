import { isObject, readDigits, textOf } from '../json';
import { canonicalCode, meaningOfCode, USUAL_CODES } from './resultCodes';
import type { ResultCodes } from './resultCodes';
import { isDenial, isOtherThanZero, OUTER, readStatement, STATE } from './statement';
import { visit } from './visit';
import type { Visitor } from './visit';
import { isFailedWord, isSuccessWord } from './words';

/*
 * What the answer to a send shows beside its code, anywhere in it. More names are known than those of the
 * specification, because messages that may have been accepted must not be sent again. Counts are digits
 * only: a doubtful number does not prove that messages were accepted.
 */

/** Fields that repeat the request. */
const ECHO =
  /^(?:(?:original|your)_?)?(?:request|req|params?|parameters?|input|payload|query|args)$/i;

/** An entry of an array, in a path. */
const ENTRY = '[]';

interface Field {
  name: string;
  value: unknown;
  /** Names of the fields around it, the outermost first. An entry of an inner array is `[]`. */
  path: string[];
}

/** Every field of an answer, except in what repeats the request. */
function fieldsIn(body: unknown): Field[] {
  return visit<Field[], string[]>(body, FIELDS, []);
}

const FIELDS: Visitor<Field[], string[]> = {
  object: (value, inside, path) =>
    Object.entries(value).flatMap(([name, field]) =>
      ECHO.test(name) ? [] : [{ name, value: field, path }, ...inside(field, [...path, name])],
    ),
  list: (values, inside, path) => {
    const inner = path.length > 0 ? [...path, ENTRY] : path;
    return values.flatMap((value) => inside(value, inner));
  },
  leaf: () => [],
};

// --- IDs ---

const BATCH_ID = /^batch_?id$/i;

/** Names that an SMS provider may give to a batch. */
const BATCH = /^batch_?(?:ids?|nos?|nums?|numbers?|codes?|sn)$/i;

/** Names that an SMS provider may give to what it has accepted. */
const OTHER_ID =
  /^(?:(?:task|msg|message|sms|sm|mt|biz|send|submit|submission)_?(?:id|uuid|sn)s?|(?:task|send|submit|sms)_?nos?|sids?)$/i;

/** Texts that mean no ID. `isId` knows fewer: the ID of a record is data, but this one is evidence. */
const NO_ID =
  /^(?:[-0]+|-1|n\/?a|nil|null|none|undefined|unknown|empty|false|fail(?:ed|ure)?|error|invalid|无|暂无|失败)$/i;

/** An ID as text, or undefined if the value is not one. */
function readId(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  return text.trim() === '' || NO_ID.test(text.trim()) ? undefined : text;
}

/** Whether a value is an ID, or has one in it. Text with a space or a Chinese character is words. */
function hasId(value: unknown, pattern = /^[!-~]+$/): boolean {
  const isOne = (text: unknown) => pattern.test(readId(text)?.trim() ?? '');
  const visitor: Visitor<boolean, null> = {
    object: (part, inside) => Object.values(part).some((one) => inside(one, null)),
    list: (part, inside) => part.some((one) => inside(one, null)),
    leaf: (part) => {
      if (typeof part === 'string') return part.split(/[,;]\s*/).some(isOne);
      // What is nested too deep may be one.
      return isOne(part) || (typeof part === 'object' && part !== null);
    },
  };
  return visit(value, visitor, null);
}

const MAX_ID_LENGTH = 200;

/** The ID of a receipt. A long text is not one, and is not cut: a part would match no delivery report. */
function readBatchId(value: unknown): string | undefined {
  const id = readId(value);
  return id && (id.length > MAX_ID_LENGTH || /\p{Script=Han}/u.test(id)) ? undefined : id;
}

/** An ID under any other name than that of a batch has a digit. A word has none. */
const WITH_DIGIT = /^(?=.*\d)[!-~]+$/;

// --- Numbers of messages ---

/** The words of a name, in lower case. */
function partsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}

/** Beside these, a number does not count messages. */
const OTHER_NUMBER =
  /^(?:not|un|non|max|min|limit|rate|fee|cost|price|url|code|type|kind|index|idx|pos|position|row|line|level|at|on|today|daily|day|month|interval|quota)$|(?:time|date|rate|code)$/;

const TEXT = /^(?:msg|message|desc|description|reason|text|info)$/;

function isNumberOf(name: string, what: RegExp): boolean {
  const parts = partsOf(name);
  const isOther = TEXT.test(parts.at(-1) ?? '') || parts.some((part) => OTHER_NUMBER.test(part));
  return !isOther && parts.some((part) => what.test(part));
}

const DONE = /^(?:is)?(?:succ|accept|submit|sent)/;

const isAccepted = (name: string) =>
  isNumberOf(name, /^(?:is)?(?:succ|accept|submit|sent|deliver|queued)/) ||
  /^send_?(?:count|num|number|total)$/i.test(name);

const isFailed = (name: string) =>
  isNumberOf(name, /^(?:fail|reject)/) || /^error_?(?:count|num|list)$/i.test(name);

/** How many messages a field is about: a number, a list, or phone numbers in a text or as names. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).filter((name) => PHONE.test(name)).length;
  const phones = typeof value === 'string' ? (value.match(/\d{7,}/g) ?? []) : [];
  return phones.length > 0 ? phones.length : (readDigits(value) ?? 0);
}

const PHONE = /^\+?\d{7,15}$/;

/** The largest number of failed messages that a field gives. */
function failuresIn(fields: Field[], isTheirs = isFailed): number {
  return fields.reduce(
    (most, { name, value }) => (isTheirs(name) ? Math.max(most, sizeOf(value)) : most),
    0,
  );
}

/** In an acceptance, invalid numbers count as failed. A refusal may name them as its reason. */
const isLeftOut = (name: string) => isFailed(name) || isNumberOf(name, /^invalid/);

// --- A result for each number ---

const NUMBER_NAME =
  /phone|mobile|msisdn|recipient|receiver|^(?:tel|to|da|dest|number|num|index|idx|seq|no)$/i;

const RESULT_NAME =
  /^(?:(?:send|submit)_?)?(?:status|state|result|ret)$|^(?:is_?)?(?:success|ok)$|^(?:(?:err|error|status|result|ret)_?)?(?:code|msg|message|desc)$|^errno$/i;

type Result = 'done' | 'failed';

const IS_FLAG = /success|ok$/i;
const IS_CODE = /code|errno/i;

/** What a field says about its message. The first that applies counts. A status of 1 may mean either. */
const RESULTS: [Result, (text: string, name: string, codes: ResultCodes) => boolean][] = [
  ['done', (text) => isSuccessWord(text) || ACCEPTED_WORD.test(text)],
  ['done', (text, _, codes) => isSuccessCode(text, codes)],
  ['done', (text, name) => IS_FLAG.test(name) && text === '1'],
  ['failed', (_, name) => IS_FLAG.test(name)],
  ['done', (text) => /^0+$/.test(text)],
  ['failed', isFailedWord],
  ['done', (text, name) => IS_CODE.test(name) && text === '200'],
  ['failed', (text, name) => IS_CODE.test(name) && text !== ''],
];

const ACCEPTED_WORD = /^(?:accepted|submitted|queued|sent|delivrd|delivered|pass(?:ed)?)$/i;

/** One result, or none if it is not known. */
function resultOf(name: string, value: unknown, codes: ResultCodes): Result[] {
  const rule = RESULTS.find(([, applies]) => applies(textOf(value), name, codes));
  return rule ? [rule[0]] : [];
}

function isSuccessCode(code: unknown, codes: ResultCodes): boolean {
  return meaningOfCode(textOf(code), codes) === 'success';
}

/** The results of the numbers that a field names: in the entries of a list, or as its own name. */
function resultsIn({ name, value }: Field, codes: ResultCodes): Result[] {
  if (Array.isArray(value)) return value.flatMap((entry) => entryResult(entry, codes));
  return PHONE.test(name) ? resultOf('status', value, codes) : [];
}

function entryResult(entry: unknown, codes: ResultCodes): Result[] {
  const fields = isObject(entry) ? Object.entries(entry) : [];
  if (!fields.some(([name]) => NUMBER_NAME.test(name))) return [];
  const results = fields.flatMap(([name, value]) =>
    RESULT_NAME.test(name) ? resultOf(name, value, codes) : [],
  );
  return results.includes('failed') ? ['failed'] : results.slice(0, 1);
}

/** A phone number and its result, in a text. */
const RESULT_TEXT = /\d{7,15}\s*[:=,|]\s*(?:success|ok\b|accepted|成功|0(?!\d))/i;

function namesSuccess(value: unknown): boolean {
  return [value].flat().some((text) => typeof text === 'string' && RESULT_TEXT.test(text));
}

// --- Conclusions ---

/** The batch IDs of an answer, each once, and the number of messages that it says it accepted. */
export function findReceipt(body: unknown): { batchIds: string[]; count?: number } {
  const fields = fieldsIn(body);
  const batchIds = fields.flatMap(({ name, value }) =>
    BATCH_ID.test(name) ? (readBatchId(value) ?? []) : [],
  );
  const top = isObject(body) ? readDigits(body.count) : undefined;
  const counts = fields.flatMap(({ name, value }) =>
    name === 'count' ? (readDigits(value) ?? []) : [],
  );
  const sum = counts.reduce((one, other) => one + other, 0);
  return { batchIds: [...new Set(batchIds)], count: top ?? (counts.length > 0 ? sum : undefined) };
}

/** What may show that messages were accepted. The first that does counts. */
const SIGNS: [evidence: string, isSign: (field: Field, codes: ResultCodes) => boolean][] = [
  ['names a batch', ({ name, value }) => BATCH.test(name) && hasId(value)],
  [
    'has the ID of a message or task',
    ({ name, value }) => OTHER_ID.test(name) && hasId(value, WITH_DIGIT),
  ],
  ['says that messages were accepted', (field) => countsAccepted(field) || isCount(field)],
  [
    'says of a message that it was accepted',
    (field, codes) =>
      resultsIn(field, codes).includes('done') ||
      namesSuccess(field.value) ||
      isInnerSuccess(field, codes),
  ],
];

/**
 * Finds evidence in a refusal that messages were accepted. The text continues "its answer …".
 *
 * @param sent number of messages
 * @param codes what the credential says about codes
 * @returns undefined if nothing says so
 */
export function findAcceptance(
  body: unknown,
  sent: number,
  codes: ResultCodes = USUAL_CODES,
): string | undefined {
  const fields = fieldsIn(body);
  const sign = SIGNS.find(([, isSign]) => fields.some((field) => isSign(field, codes)));
  if (sign) return sign[0];
  const failures = failuresIn(fields);
  return failures > 0 && failures < sent
    ? `speaks of ${failures} failed out of ${sent} messages`
    : undefined;
}

/** Whether a field is a number of accepted messages, or says that there are some. */
function countsAccepted({ name, value }: Field): boolean {
  return isAccepted(name) && (sizeOf(value) > 0 || value === true || value === 'true');
}

/** `count` at the top or under `data`, as in a receipt. */
function isCount({ name, value, path }: Field): boolean {
  const isOuter = path.every((outer) => outer === 'data' || outer === ENTRY);
  return name === 'count' && isOuter && (readDigits(value) ?? 0) > 0;
}

/** A code of success inside an answer with another code, or a word of success. */
function isInnerSuccess({ name, value, path }: Field, codes: ResultCodes): boolean {
  if (name === 'code') {
    return path.length > 0 && (readDigits(value) === 0 || isSuccessCode(value, codes));
  }
  return STATE.test(name) && isSuccessWord(value);
}

/**
 * Finds what an acceptance says against itself. The text continues "answered …".
 *
 * @param sent number of messages
 * @param codes what the credential says about codes
 * @returns undefined if nothing does
 */
export function findDenial(body: unknown, sent: number, codes?: ResultCodes): string | undefined {
  const fields = fieldsIn(body);
  const known = withOwnCode(body, codes);
  const outer = fields.filter(({ path }) => path.every((name) => OUTER.test(name)));
  if (outer.some(({ name, value }) => isDenial(name, value, known))) {
    return 'that it accepted the messages, but also that it did not';
  }
  const accepted = fields.flatMap(acceptedIn);
  if (accepted.length > 0 && accepted.every((count) => count === 0)) {
    return 'that it accepted 0 messages';
  }
  const results = fields.flatMap((field) => resultsIn(field, known));
  const isAllFailed = results.length >= sent && results.every((result) => result === 'failed');
  return isAllFailed || failuresIn(fields, isLeftOut) === sent
    ? 'that all messages failed'
    : undefined;
}

/** The codes of the credential, and the code of an acceptance as one of success. */
function withOwnCode(body: unknown, codes: ResultCodes = USUAL_CODES): ResultCodes {
  const { code } = readStatement(body);
  return code === undefined ? codes : new Map([...codes, [canonicalCode(String(code)), 'success']]);
}

/** The number of messages that a field says were accepted. */
function acceptedIn({ name, value }: Field): number[] {
  if (Array.isArray(value)) return /^accepted/i.test(name) ? [value.length] : [];
  return isNumberOf(name, DONE) && !NO_NUMBER.test(name) ? [readDigits(value) ?? []].flat() : [];
}

/** In these, 0 may mean success. */
const NO_NUMBER = /(?:status|state|result|ret|flag|mode|id)$/i;

/** Whether an acceptance also mentions messages that have failed. */
export function showsFailure(body: unknown, codes?: ResultCodes): boolean {
  const fields = fieldsIn(body);
  const known = withOwnCode(body, codes);
  const isCodeOfFailure = ({ name, value }: Field) =>
    name === 'code' && isOtherThanZero(value) && !isSuccessCode(value, known);
  return (
    failuresIn(fields, isLeftOut) > 0 ||
    fields.some((field) => resultsIn(field, known).includes('failed')) ||
    fields.some(isCodeOfFailure)
  );
}
