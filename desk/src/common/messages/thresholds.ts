/** From when on the pages and the watchdog say that something is wrong. A row of sms.thresholds changes one. */
import type { Item } from '../../../../builder/code/n8n';

export const DEFAULTS = {
  /** So many messages that were not sent are red. */
  not_sent: 10,
  /** An accepted message without a report is late after so long, and red if more than this share of these is late. */
  late_minutes: 60,
  late_percent: 20,
  late_of: 5,
  /** More failed than this share of at least so many reports. */
  failed_percent: 10,
  failed_of: 50,
  /** Half of the delivered messages took longer. */
  slow_minutes: 10,
  /** A workflow has not taken its records for so long. */
  behind_minutes: 10,
  /** The balance lasts for fewer days. */
  balance_days: 7,
  /** Rows are kept for so long, and the oldest of them only while all take no more than that. */
  keep_days: 90,
  keep_megabytes: 20_000,
};

export type Thresholds = typeof DEFAULTS;

/** The thresholds that hold: those of the rows, and the default for each other. */
export function thresholdsIn(rows: Item[]): Thresholds {
  const set = rows.filter(
    ({ json }) => Object.hasOwn(DEFAULTS, String(json.name)) && typeof json.value === 'number',
  );
  return { ...DEFAULTS, ...Object.fromEntries(set.map(({ json }) => [json.name, json.value])) };
}
