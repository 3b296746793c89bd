import type { Answer } from './scriptedService';

/** The table of "Business result: declared, never guessed", written again from the design. */

/** What the credential says about codes while its switch is on. The defaults hold while it is off. */
export const DEFAULTS = {
  successCodes: '0',
  emptyCodes: '10004, 10005',
  throttledCodes: '10007, 10008',
  unclearCodes: '100',
  otherCodes: 'refused',
};

export type Codes = typeof DEFAULTS;

type Fields = Record<string, unknown>;

/** What an answer means: the first row that fits. 'done' is said of status and code, not of the shape. */
export function meaningOf(what: 'send' | 'pull' | 'other', given: Answer, codes: Codes) {
  const { status } = given;
  const body = bodyOf(given);
  const code = codeOf(body);
  const isOf = (list: string) => list.split(',').some((each) => each.trim() === code);
  const [success, empty, tooFast, unclear] = [
    ...[codes.successCodes, codes.emptyCodes, codes.throttledCodes, codes.unclearCodes].map(isOf),
  ];
  const isOther = code !== undefined && !(success || empty || tooFast || unclear);
  const isDone = success || code === undefined;
  const is2xx = status >= 200 && status < 300;
  const no = what === 'pull' && empty ? 'nothing there' : 'refused';

  if (what === 'send' && hasEvidence(body) && !(is2xx && isDone)) return 'may have been done';
  if ([0, 408, 409, 499].includes(status) || status >= 500) return 'may have been done';
  if (status === 429 || tooFast) return 'slow down';
  if (unclear || (success && !is2xx)) return 'may have been done';
  if (is2xx && isOther && codes.otherCodes === 'unclear') return 'may have been done';
  if (status >= 400 || [301, 307, 308].includes(status)) return no;
  if (!is2xx || body === undefined) return 'may have been done';
  return isDone ? 'done' : no;
}

/** What becomes of the messages of a request. One that must slow down is made again, and accepted. */
export function statusOf(given: Answer, codes: Codes): 'accepted' | 'rejected' | 'unknown' {
  const meaning = meaningOf('send', given, codes);
  if (meaning === 'may have been done') return 'unknown';
  if (meaning !== 'done') return meaning === 'refused' ? 'rejected' : 'accepted';
  const receipts = receiptsIn(bodyOf(given));
  if (receipts.some(({ count }) => String(count) === '0')) return 'unknown';
  const isAccepted = codeOf(bodyOf(given)) !== undefined || receipts.some(hasBatch);
  return isAccepted ? 'accepted' : 'unknown';
}

/** @returns undefined for anything but an object or an array */
function bodyOf({ status, text }: Answer): object | undefined {
  if (status === 204 || text === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    const inner = [parsed].flat(Infinity) as (Fields | null)[];
    const [first = {}] = inner;
    if (typeof first !== 'object' || first === null) return undefined;
    const isAnswer = inner.length === 1 && 'code' in first && 'msg' in first;
    return isAnswer || inner.length === 0 ? first : (parsed as object);
  } catch {
    return undefined;
  }
}

function codeOf(body: object = {}): string | undefined {
  const { code } = body as Fields;
  return ['number', 'string'].includes(typeof code) ? String(code).trim() || undefined : undefined;
}

/** Whether the answer to a pull has neither a code nor `data`: it does not say that nothing is there. */
export function isSilent(given: Answer): boolean {
  const body = bodyOf(given) ?? {};
  return given.status !== 204 && codeOf(body) === undefined && !('data' in body);
}

/** Where `batch_id` and `count` may stand. */
const receiptsIn = (body: object = {}) =>
  [body, (body as Fields).data].filter((part) => part instanceof Object) as Fields[];

const hasBatch = ({ batch_id: id }: Fields) => id !== undefined && id !== '';

const hasEvidence = (body?: object) =>
  receiptsIn(body)
    .flat()
    .some((part: Fields | null) => part && (hasBatch(part) || Number(part.count) > 0));
