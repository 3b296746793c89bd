/** How much room the tables take, and which of their rows go. */
import type { Fields } from '../../../../builder/code/n8n';

const DAY_MS = 86_400_000;

/** What the database adds to the values of a row, in bytes. Rounded up from 1 to 30. */
const ROW_OVERHEAD_BYTES = 44;

/** So many rows of a table go at once. */
export const MAX_ROWS_AT_ONCE = 5000;

/** From this share of the room on, somebody has to look. */
const WARN_SHARE = 0.8;

/** What the user has chosen. */
export interface Limits {
  days: number;
  /** For the tables of these workflows. */
  megabytes: number;
  /** What the database has for them. */
  megabytes_of_disk: number;
}

/** A table and how much it holds. The times are in Unix milliseconds. */
export interface TableSize {
  name: string;
  newestAt: number;
  oldestAt: number;
  /** About: IDs that the database skipped count too. */
  rows: number;
  bytes: number;
  /** The oldest row that may go, if there is one. */
  free?: { id: number; at: number };
}

/** Rows of a table that go: below the ID and older than the time. */
export interface Cut {
  name: string;
  below: number;
  before: number;
}

/** The bytes that a row takes, about. */
export function bytesOf(row: Fields): number {
  const bytes = Object.values(row).map((value) => {
    if (typeof value === 'string') return Buffer.byteLength(value);
    return value === null ? 0 : 8;
  });
  return bytes.reduce((sum, each) => sum + each, ROW_OVERHEAD_BYTES);
}

/** The bytes of all tables together. */
export function totalOf(tables: TableSize[]): number {
  return tables.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * The rows that go now. Rows older than the days go, except those that are still needed. When the tables
 * take too much room, rows go from the table whose oldest row is the oldest, so that all tables go back
 * equally far; needed ones go only if nothing else can, or if their table alone takes half of the room.
 * @param needed Table → the first row that a subscriber waits for, or that the figures by day do not have.
 */
export function cutsOf(
  tables: TableSize[],
  { days, megabytes }: Limits,
  { needed, now }: { needed: Record<string, number | undefined>; now: number },
): Cut[] {
  const room = megabytes * 1e6;
  const excess = totalOf(tables) - room;
  const candidates = tables.flatMap(({ free, ...table }) => {
    if (!free) return [];
    const isTooBig = table.bytes > room / 2;
    const end = isTooBig && excess > 0 ? Infinity : (needed[table.name] ?? Infinity);
    return [{ ...table, free, end }];
  });
  const unneeded = candidates.filter(({ free, end }) => free.id < end);
  const oldest = [...(unneeded.length > 0 ? unneeded : candidates)].sort(
    (a, b) => a.free.at - b.free.at,
  )[0];
  return candidates.flatMap((table) => {
    const { name, free, end } = table;
    const isOldest = excess > 0 && table === oldest;
    const rows = isOldest ? Math.ceil(excess / (table.bytes / table.rows)) : Infinity;
    const stop = isOldest && unneeded.length === 0 ? Infinity : end;
    const before = isOldest ? now : now - days * DAY_MS;
    if (free.at >= before || free.id >= stop) return [];
    return [{ name, below: Math.min(free.id + Math.min(rows, MAX_ROWS_AT_ONCE), stop), before }];
  });
}

/** What can be wrong with the room that the tables take, with its Chinese. */
export const ROOM_PROBLEMS = {
  'The SMS tables take about {megabytes} MB of the {all} MB that there are for tables. When they are full, nothing can be stored or sent. Delete finished campaigns, or give them more room: see “How long to keep” of the upkeep.':
    '短信相关的表约占 {megabytes} MB，共可用 {all} MB。写满后将无法保存，也无法发送。请删除已结束的群发，或增加空间：见维护工作流的 “How long to keep”。',
  'There is room for less than a day in {table}, so limits per day do not see all messages. Give them more room: see “How long to keep” of the upkeep.':
    '{table} 的空间不足一天，每日限额看不到全部短信。请增加空间：见维护工作流的 “How long to keep”。',
} as const;

type Text = keyof typeof ROOM_PROBLEMS;

const [FULL, SHORT] = Object.keys(ROOM_PROBLEMS) as [Text, Text];

/** A sentence about the room, and its values. */
export type RoomProblem = [text: Text, values: Record<string, string | number>];

/** What is wrong with the room that the tables take, if something is. */
export function roomProblem(
  tables: TableSize[],
  { megabytes, megabytes_of_disk: all }: Limits,
  now: number,
): RoomProblem | undefined {
  const total = totalOf(tables);
  if (total >= WARN_SHARE * all * 1e6) return [FULL, { megabytes: Math.round(total / 1e6), all }];
  const isCut = total >= 0.95 * megabytes * 1e6;
  const short = tables.find(({ oldestAt }) => isCut && now - oldestAt < DAY_MS);
  return short && [SHORT, { table: short.name }];
}
