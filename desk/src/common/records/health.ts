/** What pages and mails know of the parts of the desk: which workflows run, take their records, and how full tables are. */
import type { Fields } from '../../../../builder/code/n8n';
import type { Thresholds } from '../messages/thresholds';

const MINUTE_MS = 60_000;

/** The workflows that a desk has in any case, by their names in sms.heartbeats. */
const NEEDED = ['SMS · Inbox: serve', 'SMS · Outbox', 'SMS · Upkeep', 'SMS · Watchdog'];

/** A workflow with a schedule that does not run. */
export interface Silent {
  name: string;
  id?: unknown;
  /** When it has run last, in Unix milliseconds. Without one, it never has. */
  since?: number;
}

/** Those that have not run for twice their time, and three minutes more, or not yet. */
export function silentIn(rows: Fields[], now: number): Silent[] {
  const known = new Set(rows.map(({ name }) => name));
  const late = rows.filter(
    ({ minutes, updatedAt }) =>
      !(now - Date.parse(String(updatedAt)) <= (2 * Number(minutes) + 3) * MINUTE_MS),
  );
  return [
    ...late.map(({ name, workflow_id: id, updatedAt }) => ({
      ...{ name: String(name), id, since: Date.parse(String(updatedAt)) },
    })),
    ...NEEDED.filter((name) => !known.has(name)).map((name) => ({ name })),
  ];
}

/** A try that has neither succeeded nor failed for so long hangs. */
const HANGING_MS = 5 * MINUTE_MS;

/** Each subscriber that does not hang is looked at every minute. */
const FORGOTTEN_MS = 15 * MINUTE_MS;

/** Since when a subscriber does not take its records (in Unix milliseconds), and what its last try said. */
export interface Failing {
  since: number;
  reason: string;
  /** It has an execution that has not ended, and gets no other one before this. */
  until?: number;
}

/** What a row of sms.subscribers says of a subscriber that fails or hangs, or that nobody serves. */
export function failingIn(row: Fields, now: number): Failing | undefined {
  const reason = String(row.reason ?? '');
  const since = Date.parse(String(row.since ?? ''));
  const served = Date.parse(String(row.updatedAt ?? ''));
  const free = Date.parse(String(row.free_at ?? ''));
  if (free > now && now - served > HANGING_MS) return { since, reason: '', until: free };
  if (reason !== '' || now - since > HANGING_MS) return { since, reason };
  return now - served > FORGOTTEN_MS ? { since: served, reason } : undefined;
}

/** A row of *sms.sizes()*. */
export interface TableSize {
  name: string;
  rows: number;
  bytes: number;
  newest: string;
  /** Of the rows that may go, if there are some. */
  oldest: string;
}

/** The megabytes of all tables together. */
export const megabytesOf = (tables: TableSize[]): number =>
  tables.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;

/** What can be wrong with the room that the tables take, with its Chinese. */
export const ROOM_PROBLEM = {
  'The SMS tables take about {megabytes} MB, and may take {allowed}. No more rows may go: they are of the last two days, not sent yet, or waited for by a workflow. When the disk is full, nothing can be stored or sent. Delete campaigns, or raise “keep_megabytes” in sms.thresholds.':
    '短信相关的表约占 {megabytes} MB，允许 {allowed} MB。剩下的行是最近两天的、还没发的，或者有工作流还没取走，不能再删。磁盘写满后将无法保存，也无法发送。请删除群发，或调高 sms.thresholds 的 “keep_megabytes”。',
} as const;

type Text = keyof typeof ROOM_PROBLEM;

/** What is wrong with the room that the tables take, if something is: what comes within some minutes goes with the next upkeep. */
export function roomProblem(
  tables: TableSize[],
  { keep_megabytes: allowed }: Thresholds,
): [Text, Record<string, number>] | undefined {
  const megabytes = Math.round(megabytesOf(tables));
  const [text] = Object.keys(ROOM_PROBLEM) as [Text];
  return megabytes > allowed * 1.1 ? [text, { megabytes, allowed }] : undefined;
}
