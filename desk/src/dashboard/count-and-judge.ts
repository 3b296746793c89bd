import { errorsIn } from '../common/records/rows';
import type { State } from '../common/messages/states';
import { thresholdsIn } from '../common/messages/thresholds';
import { unsentOf, type Alike } from '../common/messages/unsent';
import type { Why } from '../common/messages/reasons';
import { safe } from '../../../builder/code/html';
import type { Fields, N8n } from '../../../builder/code/n8n';
import { alertsOf, ALERTS_ZH, perDay, type Failures } from './alerts';
import { chartPanel, CHARTS_ZH } from './charts';
import { tables, TABLES_ZH } from './tables';
import { voiceOf, type Names } from './voice';
import type { Asked } from './what-was-asked';

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

export type Shown = ReturnType<typeof countAndJudge>;

/** Judges what PostgreSQL has counted, and draws what stands below the figures of the page. */
export default function countAndJudge({ $, DateTime }: N8n) {
  const asked = $('What was asked').first<Asked>().json;
  const problems = errorsIn($('Count them').all());
  const { shown } = $('Count them').first<{ shown?: Counted }>().json;
  if (!shown) return { asked, problems, shown, drawn: '' };
  const thresholds = thresholdsIn((shown.thresholds ?? []).map((json) => ({ json })));
  const sends = (shown.unsent ?? []).map(({ why, ...each }) => ({ ...each, ...why }));
  const zh = { ...ALERTS_ZH, ...CHARTS_ZH, ...TABLES_ZH };
  const voice = voiceOf(asked, zh, shown.names, DateTime);
  const { text: drawn } =
    safe`<div class="grid">${chartPanel(shown, voice, DateTime)}${tables(shown, voice)}</div>`;
  return {
    ...{ asked, problems, drawn },
    shown: {
      ...{ ...shown, thresholds, perDay: perDay(shown) },
      unsent: unsentOf(sends, thresholds),
      alerts: shown.isNow ? alertsOf(shown, thresholds, voice) : [],
    },
  };
}
