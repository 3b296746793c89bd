import type { Item, N8n } from '../n8n';

/** A request for a code, as it is stored. */
export interface Row {
  id: number;
  phone_number: string;
  asked_by: string;
  at: number;
  state: 'asked' | 'taken' | 'refused';
}

/** The fields of the node "Limits". */
export interface Limits {
  pause_seconds: number;
  phone_per_hour: number;
  phone_per_day: number;
  caller_per_hour: number;
  all_per_hour: number;
}

/** `take`: the request gets a place, and asks again. */
export type Verdict = 'send' | 'take' | 'pause' | 'limit';

const HOUR = 60 * 60 * 1000;

/** Whether a request gets a code. */
export default function withinLimits({ $input, $ }: N8n): Item<{ verdict: Verdict }>[] {
  const limits = $('Limits').first<Limits>().json;
  const request = $('Read the request').first<Row>().json;
  const { id } = $('Count this request').first<Row>().json;
  const rows = $input.all<Row>().map(({ json }) => json);
  const hasPlace = rows.some((row) => row.id === id && row.state === 'taken');

  // First, the request counts all that were stored before it: of several at the same moment, the one
  // with the lowest id goes on. A database may show rows in another order than their ids say. So it
  // counts again once it has its place, and then all that have one: the last of them sees the others.
  const others = rows.filter((row) =>
    hasPlace
      ? row.id !== id && row.state !== 'asked'
      : row.id < id || (row.id > id && row.state !== 'asked'),
  );
  const countOf = (milliseconds: number, matches: (row: Row) => boolean = () => true) =>
    others.filter((row) => row.at > request.at - milliseconds && matches(row)).length;
  const samePhone = (row: Row) => row.phone_number === request.phone_number;
  const sameCaller = (row: Row) => row.asked_by === request.asked_by;
  // The SMS provider has refused the send of such a row. The user may try again at once.
  const isOnItsWay = (row: Row) => samePhone(row) && row.state !== 'refused';

  const isOver =
    countOf(HOUR, samePhone) >= limits.phone_per_hour ||
    countOf(24 * HOUR, samePhone) >= limits.phone_per_day ||
    countOf(HOUR, sameCaller) >= limits.caller_per_hour ||
    countOf(HOUR) >= limits.all_per_hour;
  let verdict: Verdict = hasPlace ? 'send' : 'take';
  if (countOf(limits.pause_seconds * 1000, isOnItsWay) > 0) verdict = 'pause';
  else if (isOver) verdict = 'limit';
  return [{ json: { verdict } }];
}
