/** How many rows of a campaign are alike: PostgreSQL keeps that (counts.ts). */
import type { State } from '../common/messages/states';
import type { N8n } from '../../../builder/code/n8n';

/** Rows that are alike. */
export interface Cell {
  status: string;
  reason: string;
  state: State;
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

/** The counts of a campaign. */
export function countsIn({ $ }: Pick<N8n, '$'>): Cell[] {
  const outs = $('Opt-outs').all<Cell>();
  const cells = [
    ...$('Counts').all<Cell>(),
    ...outs.map(({ json }) => ({ json: { ...json, out: true } })),
  ];
  return cells.map(({ json }) => json).filter(({ rows }) => rows);
}

/** How many rows of these statuses there are. */
export function rowsIn(cells: Cell[], ...statuses: string[]): number {
  const found = cells.filter(({ status, out }) => !out && statuses.includes(status));
  return found.reduce((sum, { rows }) => sum + rows, 0);
}
