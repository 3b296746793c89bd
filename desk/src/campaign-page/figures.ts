/** The figures of a campaign in the list. They are stored with it. */
import type { Campaign } from '../common/messages/campaigns';
import { STATES, type State } from '../common/messages/states';
import type { Thresholds } from '../common/messages/thresholds';
import { sendable, unsentOf, type Line } from '../common/messages/unsent';
import type { Cell, Kept } from './cells';

/** Times are in milliseconds. */
export interface Figures {
  /** When its rows were counted. */
  at: number;
  people: number;
  sent: number;
  /** Not delivered. */
  failed: number;
  pending: number;
  unsent: Line[];
  /** When the first and the last of them were sent. */
  first: number | null;
  last: number | null;
  kept?: Kept;
}

/** The rows that the file of failed ones has. */
export const NOT_SENT = ['failed', 'refused', 'rejected', 'unknown'];

/** Adds up what is counted of a campaign. */
export function figuresOf(
  counted: { cells: Cell[]; kept?: Kept },
  thresholds: Thresholds,
): Figures {
  const now = Date.now();
  const cells = counted.cells.filter(({ out }) => !out);
  const messages = cells.map((cell) => ({ ...sendable({ ...cell }, now), rows: cell.rows }));
  const rowsOf = (is: (state: State) => boolean) =>
    messages.reduce((sum, { state, rows }) => sum + (is(state) ? rows : 0), 0);
  const times = cells.map(({ sent_at }) => Date.parse(sent_at ?? '')).filter((at) => at > 0);
  return {
    at: now,
    people: rowsOf((state) => state !== 'invalid' && state !== 'duplicate'),
    sent: rowsOf((state) => STATES[state].isSent),
    failed: rowsOf((state) => state === 'failed'),
    pending: rowsOf((state) => state === 'pending'),
    unsent: unsentOf(messages, now, thresholds),
    first: times.length > 0 ? times.reduce((a, b) => Math.min(a, b)) : null,
    last: times.length > 0 ? times.reduce((a, b) => Math.max(a, b)) : null,
    kept: counted.kept,
  };
}

/** The figures that are stored with a campaign, unless an earlier version has stored them. */
export function figuresIn({ figures }: Campaign): Figures | undefined {
  const stored = JSON.parse(figures ?? '{}') as Partial<Figures>;
  return stored.unsent && (stored as Figures);
}

/**
 * The campaign whose rows are counted next: one without figures, or else that with the oldest. While a campaign
 * does not run, its figures are good for a tenth of the time that they were made after its last message or list:
 * reports come soon, or hardly any more.
 */
export function dueOf(campaigns: Campaign[]): Campaign | undefined {
  const overdue = (campaign: Campaign): number => {
    const figures = figuresIn(campaign);
    if (!figures) return Infinity;
    const { at, last } = figures;
    const changed = Math.max(last ?? 0, Date.parse(campaign.loaded_at ?? '') || 0);
    return Date.now() - at - (campaign.state === 'running' ? 0 : (at - changed) / 10);
  };
  let due: { campaign?: Campaign; time: number } = { time: 0 };
  for (const campaign of campaigns) {
    const time = overdue(campaign);
    if (time > due.time) due = { campaign, time };
  }
  return due.campaign;
}
