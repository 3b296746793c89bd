/** How much room the tables take whose rows go. */
import type { Thresholds } from '../messages/thresholds';

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
