import type { DateTime } from 'luxon';

import { openingOf } from '../common/messages/hours';
import type { Row } from '../common/messages/outbox';
import { why, whyOf } from '../common/messages/reasons';
import type { Rule } from '../common/messages/rules';
import type { Outcome } from './sent';

const MINUTE_MS = 60_000;

/** When a message may go first: at once, or in the next hours of its class. */
export function hourOf({ createdAt }: Row, rule: Rule, now: DateTime): DateTime {
  const taken = now.plus(Date.parse(createdAt) - now.toMillis());
  return openingOf(rule, taken) ?? taken;
}

/**
 * The outcome of a message that had waited and was certainly not sent. It waits again, as long as it is late: at
 * least a minute, at most an hour, and for the hours of its class. A day after its hour, it is refused.
 */
export function again(found: Outcome, row: Row, rule: Rule, now: DateTime): Outcome {
  const reason = whyOf(found);
  const hour = hourOf(row, rule, now);
  const late = now.toMillis() - hour.toMillis();
  const soon = now.plus(Math.min(Math.max(late, MINUTE_MS), 60 * MINUTE_MS));
  const next = openingOf(rule, soon) ?? soon;
  if (next > hour.plus({ days: 1 })) {
    return { ...found, status: 'refused', ...why('too_late', { reason }), sent_at: row.sent_at };
  }
  const time = next.toFormat('yyyy-MM-dd HH:mm');
  const later = why('tried_again', { time, reason });
  return { ...found, status: 'waiting', ...later, sent_at: next.toISO() ?? '' };
}
