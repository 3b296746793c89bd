/** The figures of a campaign, on its page and in the list. */
import { STATES, type State } from '../common/messages/states';
import type { Thresholds } from '../common/messages/thresholds';
import { sendable, unsentOf, type Line } from '../common/messages/unsent';

/** Rows that are alike, as far as figures need them. */
export interface Counted {
  status: string;
  state: State;
  rows: number;
  /** When the last of them and the first were sent. Without the first, all were sent then. */
  sent_at: string | null;
  first?: string | null;
}

/** Times are in milliseconds. */
export interface Figures {
  people: number;
  sent: number;
  /** Not delivered. */
  failed: number;
  pending: number;
  unsent: Line[];
  /** When the first and the last of them were sent. */
  first: number | undefined;
  last: number | undefined;
}

/** The rows that the file of failed ones has. */
export const NOT_SENT = ['failed', 'refused', 'rejected', 'unknown'];

/** Adds up what is counted of a campaign. */
export function figuresOf(cells: Counted[], thresholds: Thresholds): Figures {
  const now = Date.now();
  const messages = cells.map((cell) => ({ ...sendable({ ...cell }), rows: cell.rows }));
  const rowsOf = (is: (state: State) => boolean) =>
    messages.reduce((sum, { state, rows }) => sum + (is(state) ? rows : 0), 0);
  const times = cells
    .flatMap(({ sent_at, first }) => [sent_at, first])
    .map((at) => Date.parse(at ?? ''))
    .filter((at) => at > 0)
    .sort((a, b) => a - b);
  return {
    people: rowsOf((state) => !['invalid', 'duplicate'].includes(state)),
    sent: rowsOf((state) => STATES[state].isSent),
    failed: rowsOf((state) => state === 'failed'),
    pending: rowsOf((state) => state === 'pending'),
    unsent: unsentOf(messages, now, thresholds),
    first: times[0],
    last: times.at(-1),
  };
}
