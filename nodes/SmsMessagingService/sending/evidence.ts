import { isObject } from '../service/json';

/*
 * What the answer to a send shows beside its code, wherever it stands. The names are not those of the
 * specification only: a sign that messages were accepted forbids to send them again.
 */

/** Deeper than any receipt. */
const MAX_NESTING = 10;

/** Name and value of every field of an answer. */
function* fieldsIn(
  value: unknown,
  nesting = MAX_NESTING,
): Generator<[name: string, value: unknown]> {
  if (typeof value !== 'object' || value === null || nesting === 0) return;
  for (const [name, field] of Object.entries(value)) {
    if (isObject(value)) yield [name, field];
    yield* fieldsIn(field, nesting - 1);
  }
}

const BATCH_ID = /^batch_?id$/i;

/** Names that an SMS provider may give to what it has accepted. */
const OTHER_ID = /^(?:(?:task|msg|message|sms|biz|send)_?id|sid)$/i;

const ACCEPTED = /success|accept|submit|^sent$/i;

const FAILED = /fail|reject|invalid|^error_?(?:count|list)$/i;

/** The batch IDs of an answer, each once, and the number of messages that it says it accepted. */
export function findReceipt(body: unknown): { batchIds: string[]; count?: number } {
  const fields = [...fieldsIn(body)];
  const batchIds = fields.flatMap(([name, id]) => (BATCH_ID.test(name) ? (readId(id) ?? []) : []));
  const top = isObject(body) ? readCount(body.count) : undefined;
  const counts = fields.flatMap(([name, count]) =>
    name === 'count' ? (readCount(count) ?? []) : [],
  );
  const sum = counts.reduce((one, other) => one + other, 0);
  return { batchIds: [...new Set(batchIds)], count: top ?? (counts.length > 0 ? sum : undefined) };
}

/**
 * Whether an answer that refuses has a sign that messages were accepted.
 *
 * @param sent number of messages
 */
export function showsAcceptance(body: unknown, sent: number): boolean {
  for (const [name, value] of fieldsIn(body)) {
    if ((BATCH_ID.test(name) || OTHER_ID.test(name)) && readId(value) !== undefined) return true;
    if (ACCEPTED.test(name) && sizeOf(value) > 0) return true;
    if (name === 'count' && (readCount(value) ?? 0) > 0) return true;
    // Where some have failed, the others have not.
    if (FAILED.test(name) && sizeOf(value) > 0 && sizeOf(value) < sent) return true;
    if (name === 'code' && value !== (body as { code?: unknown }).code && readCount(value) === 0) {
      return true;
    }
  }
  return false;
}

/** Whether an answer that accepts speaks of messages that have failed. */
export function showsFailure(body: unknown, sent: number): boolean {
  for (const [name, value] of fieldsIn(body)) {
    if (FAILED.test(name) && sizeOf(value) > 0 && sizeOf(value) <= sent) return true;
    if (name === 'code' && /^-?0*[1-9]\d*$/.test(String(value))) return true;
  }
  return false;
}

/** How many a field speaks of: a number, a list, or one for true. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return value === true ? 1 : (readCount(value) ?? 0);
}

/** An ID as text. Undefined for what stands for none. */
function readId(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  return /^\s*(?:|0|-1?|null|none|undefined)\s*$/i.test(text) ? undefined : text;
}

function readCount(value: unknown): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
