/** The figures of a campaign in the list. They are stored with it, because its rows are many. */
import type { Campaign, Recipient } from '../common/messages/campaigns';

/** Times are in milliseconds. */
export interface Figures {
  /** When its rows were counted. */
  at: number;
  people: number;
  sent: number;
  /** Not delivered, or refused. */
  failed: number;
  unknown: number;
  pending: number;
  /** When the first and the last of them were sent. */
  first: number | null;
  last: number | null;
}

const SENT = ['sending', 'accepted', 'delivered', 'failed'];
const FAILED = ['failed', 'refused'];

/** The rows that the file of failed ones has. */
export const NOT_SENT = [...FAILED, 'unknown'];

/** Counts the rows of a campaign. */
export function figuresOf(rows: Pick<Recipient, 'status' | 'sent_at'>[]): Figures {
  const count = (...statuses: string[]) =>
    rows.filter(({ status }) => statuses.includes(status)).length;
  const times = rows.map(({ sent_at }) => Date.parse(sent_at ?? '')).filter((at) => at > 0);
  return {
    at: Date.now(),
    people: rows.length - count('invalid', 'duplicate'),
    sent: count(...SENT),
    failed: count(...FAILED),
    unknown: count('unknown'),
    pending: count('pending'),
    first: times.length > 0 ? times.reduce((a, b) => Math.min(a, b)) : null,
    last: times.length > 0 ? times.reduce((a, b) => Math.max(a, b)) : null,
  };
}

/** The figures that are stored with a campaign. */
export function figuresIn({ figures }: Campaign): Figures | undefined {
  return figures ? (JSON.parse(figures) as Figures) : undefined;
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
