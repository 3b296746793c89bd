/**
 * How many rows of a campaign are alike. PostgreSQL keeps that (counts.ts). In data tables, a look counts the parts of
 * the table in which rows have changed since the last look, and keeps the counts of all parts with the campaign.
 */
import type { Recipient } from '../common/messages/campaigns';
import type { N8n } from '../../../builder/code/n8n';
import type { Asked } from './what-is-asked';

/** Rows that are alike. */
export interface Cell {
  status: string;
  reason: string;
  /** Whether the service has named a batch. */
  taken: boolean;
  /** To the minute. */
  sent_at: string | null;
  segments: number | null;
  /** The parameters that they have nothing for, a line each. */
  blank: string;
  rows: number;
  /** When the latest of them became what they are, and one of them. */
  changed: string | null;
  row_id: number;
  /** They are counted once more, among the others: who has opted out of those that a draft would send to. */
  out?: boolean;
}

/** What data tables keep of earlier looks. */
export interface Kept {
  parts: Record<number, Cell[]>;
  /** When the last look began, and the last that counted all parts, in milliseconds. */
  at: number;
  whole: number;
  /** The latest opt-out that a draft was compared with. */
  optOut: number;
}

/** So many IDs are a part: n8n reads them by the key of the table. */
export const PART = 1_000;

/** After so long all parts are counted again: of rows that the upkeep has deleted, nothing tells. */
const DAY_MS = 86_400_000;

/** If so many rows have changed, all parts are counted. */
export const MANY = 10_000;

/** The counts of earlier looks that still hold, but for parts that have changed. */
export function keptIn({ $ }: Pick<N8n, '$'>): Kept {
  const { counts: kept, isDraft, at } = $('What is asked').first<Asked>().json;
  const optOut = $('Opt-outs')
    .all<{ id?: number }>()
    .reduce((last, { json: { id = 0 } }) => Math.max(last, id), 0);
  const isFresh = kept && at - kept.whole < DAY_MS && (!isDraft || kept.optOut === optOut);
  if (isFresh && $('Counts, or changed rows').all().length < MANY) return { ...kept, at };
  return { parts: {}, at, whole: at, optOut: isDraft ? optOut : -1 };
}

/** Adds rows up. */
function cellsOf(rows: Recipient[], optOuts: Set<unknown>): Cell[] {
  const cells = new Map<string, Cell>();
  for (const row of rows) {
    const { id, status, segments, changed } = row;
    const sent = Date.parse(row.sent_at ?? '');
    const alike = {
      ...{ status, reason: row.reason || '', taken: Boolean(row.batch_id), segments },
      sent_at: sent > 0 ? new Date(sent - (sent % 60_000)).toISOString() : null,
      blank: row.blank || '',
    };
    const isOut = status === 'pending' && optOuts.has(row.phone_number);
    for (const each of isOut ? [alike, { ...alike, out: true }] : [alike]) {
      const key = JSON.stringify(each);
      const cell = cells.get(key) ?? { ...each, rows: 0, changed, row_id: id };
      cells.set(key, cell);
      cell.rows += 1;
      if (Date.parse(changed) > (Date.parse(cell.changed ?? '') || 0)) cell.changed = changed;
    }
  }
  return [...cells.values()];
}

/** The counts of the campaign, and what data tables keep of them. */
export function countsIn({ $ }: Pick<N8n, '$'>): { cells: Cell[]; kept?: Kept } {
  const counts = $('Counts, or changed rows')
    .all<Partial<Cell>>()
    .filter(({ json }) => json.rows);
  const optOuts = $('Opt-outs').all<{ phone_number?: string; rows?: number }>();
  if (counts.length > 0) {
    const out = optOuts.filter(({ json }) => json.rows);
    const cells = [...counts, ...out.map(({ json }) => ({ json: { ...json, out: true } }))];
    return { cells: cells.map(({ json }) => json as Cell) };
  }
  const numbers = new Set<unknown>(optOuts.map(({ json }) => json.phone_number));
  const { parts, ...kept } = keptIn({ $ });
  const due = $('Parts to count').all<{ part: number }>();
  const read = new Map(due.map(({ json }) => [json.part, [] as Recipient[]]));
  for (const { json } of $('Recipients').all<Recipient>()) {
    read.get(Math.floor(json.id / PART))?.push(json);
  }
  const all = { ...parts };
  for (const [part, rows] of read) all[part] = cellsOf(rows, numbers);
  return { cells: Object.values(all).flat(), kept: { ...kept, parts: all } };
}

/** How many rows of these statuses there are. */
export function rowsIn(cells: Cell[], ...statuses: string[]): number {
  const found = cells.filter(({ status, out }) => !out && statuses.includes(status));
  return found.reduce((sum, { rows }) => sum + rows, 0);
}
