import type { Item, N8n } from '../../../builder/code/n8n';

/** What was asked about a phone number: for a code, with the hash of it, or whether one is right. */
interface Row {
  id: number;
  phone: string;
  kind: 'wish' | 'try' | '';
  hash: string;
  at: string;
}

/** A number gets a code in this time. It is valid for so long, and the number has so many tries in that time. */
const BETWEEN_MS = 60_000;
const VALID_MS = 5 * 60_000;
const MAX_TRIES = 5;

/** Whether a code is to be sent; otherwise the answer to the backend. */
type Verdict =
  { send: true; phone: string; at: string } | { send: false; http: number; say: object };

const no = (http: number, say: object): Verdict => ({ send: false, http, say });

const momentOf = ({ at }: Row) => Date.parse(at);

/** The wishes that got a code: each at least a minute after the one before. */
function granted(rows: Row[]): Row[] {
  const all: Row[] = [];
  for (const row of rows.filter(({ kind }) => kind === 'wish')) {
    const last = all.at(-1);
    if (!last || momentOf(row) - momentOf(last) >= BETWEEN_MS) all.push(row);
  }
  return all;
}

/** Of many tries at once, each is a row before it is judged, and sees those before it. */
function judgeTry(asked: Row, rows: Row[]): Verdict {
  const tries = rows.filter(({ kind }) => kind === 'try');
  const isWithin = (row: Row, later: Row) =>
    row.id <= later.id && momentOf(later) - momentOf(row) < VALID_MS;
  const isJudged = (row: Row) => tries.filter((each) => isWithin(each, row)).length <= MAX_TRIES;
  if (!isJudged(asked)) {
    return no(429, { valid: false, reason: 'This number had five tries in five minutes.' });
  }
  const right = ({ hash }: Row) => hash === asked.hash;
  const code = granted(rows)
    .filter(right)
    .findLast((row) => isWithin(row, asked));
  const isUsed = tries
    .filter(right)
    .some((row) => row.id > (code?.id ?? 0) && row.id < asked.id && isJudged(row));
  return no(200, { valid: code !== undefined && !isUsed });
}

/** What is asked of this number now, by what was asked of it before. */
function judge(asked: Row, all: Row[]): Verdict {
  const rows = all.filter(({ id }) => id <= asked.id).sort((one, other) => one.id - other.id);
  const { phone, at, kind } = asked;
  if (phone === '') return no(400, { reason: 'This is not a mobile number.' });
  if (kind === 'try') return judgeTry(asked, rows);
  if (kind !== 'wish') return no(400, { reason: 'Post "do": "send", or "do": "check".' });
  if (granted(rows).at(-1)?.id === asked.id) return { send: true, phone, at };
  return no(429, { sent: false, reason: 'A code was asked for less than a minute ago.' });
}

export default function verdict({ $, $input }: N8n): Item[] {
  const asked = $('Note what is asked').first<Row>().json;
  const rows = $input.all<Row>().map(({ json }) => json);
  return [{ json: { ...judge(asked, rows) } }];
}
