/** What `sms.dashboard` has counted, as PostgreSQL gives it. */
import type { Fields } from '../../../builder/code/n8n';
import type { Why } from '../common/messages/reasons';
import type { State } from '../common/messages/states';
import type { Alike } from '../common/messages/unsent';
import type { Names } from './voice';

/** How many messages have a report, and of how many it says that they failed. */
export interface Failures {
  reported: number;
  failed: number;
}

/** What `sms.dashboard` counts in a stretch of time. Its times are in seconds. */
export interface Figures extends Failures {
  /** Neither sent nor left out: refused, rejected, waiting, or nobody knows. */
  unsent: number;
  sent: number;
  delivered: number;
  /** Sent, and without a report. */
  missing: number;
  /** Of those, the late ones. */
  late: number;
  /** Reports of messages of senders without rows. */
  unknown: number;
  segments: number;
  /** The segments among them that no report has said. */
  estimated: number;
  replies: number;
  /** Between send and report, of half and of 95 % of the delivered. */
  p50: number | null;
  p95: number | null;
}

/** What became of the messages that were sent, or should have gone, from a time on. */
export interface Bar extends Pick<Figures, 'delivered' | 'failed' | 'missing' | 'unsent'> {
  from: string;
}

/** What messages of a template or a batch have come to. */
export type Line = Pick<Figures, 'unsent' | 'sent' | 'reported' | 'failed' | 'missing'> &
  Record<'template' | 'batch' | 'of_one' | 'at', string>;

/** A message of a list. Without a report, it has no `status`. */
interface Listed extends Why {
  row: string;
  at: string;
  phone: string;
  template: string | null;
  batch: string;
  state: State;
  status: string | null;
  text: string | null;
}

/** What `sms.dashboard` gives. A list is null if nothing is in it. */
export interface Counted {
  isNow: boolean;
  unit: string;
  figures: Record<'here' | 'before' | 'day' | 'recent', Figures>;
  bars: Bar[];
  templates: Line[] | null;
  batches: Line[] | null;
  reasons: { status: string; text: string; count: number }[] | null;
  listed: Listed[] | null;
  replies: { row: string; at: string; phone: string; content: string }[] | null;
  unsent: (Alike & { why: Why | null })[] | null;
  failures: { template: string; figures: Partial<Record<'day' | 'recent', Failures>> }[] | null;
  thresholds: Fields[] | null;
  sentPerDay: number | null;
  /** As the service said it in the last minutes. */
  balance: number | null;
  names: Names;
  optOuts: number;
  lastStored: string | null;
  isNew: boolean;
}
