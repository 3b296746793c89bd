import type { N8n } from '../../../builder/code/n8n';
import { said, why, whyOf, type Why } from '../common/messages/reasons';
import { rangesOf, rowOf, type Range } from '../common/records/row';

/** What the outbox says about a message, or that it could not be asked. */
interface Answer extends Partial<Why> {
  phone_data?: string;
  status?: string;
  batch_id?: string;
  error?: string;
}

interface Outcome extends Why {
  status: string;
  batch_id: string;
}

/** `until`: in ISO 8601, past without a pause. `tries` are the portions in a row that had a fault. */
interface Pause {
  tries: number;
  until: string;
  cause: string;
  cause_code: string;
  cause_values: string;
}

const MAX_MINUTES = 16;

/** The status of a message at the outbox → that of its row. */
const STATUSES: Record<string, string> = {
  accepted: 'accepted',
  rejected: 'rejected',
  refused: 'refused',
  skipped: 'duplicate',
};

/** Why it was refused → the status of its row. What is refused to everybody, not to one number, is sent later. */
const REFUSED: Partial<Record<string, string>> = {
  days_limit: 'pending',
  hours: 'pending',
  opted_out: 'opted_out',
};

/** A status that is none of these proves nothing: the message may have been sent. */
function outcomeOf(answer: Answer, wasTried: boolean): Outcome {
  const { status = '', batch_id = '', reason_code } = answer;
  const refused = status === 'refused' && reason_code ? REFUSED[reason_code] : undefined;
  const becomes = refused ?? STATUSES[status] ?? 'unknown';
  const outcome = { status: becomes, batch_id, ...whyOf(answer) };
  // The key is that of its own earlier try, of which nobody knows how far it came.
  if (status === 'skipped' && wasTried) {
    return { ...outcome, status: 'unknown', ...why('earlier_try') };
  }
  return outcome;
}

function isFault({ status }: Answer, outcome: Outcome): boolean {
  return status === 'rejected' || status === 'unknown' || outcome.status === 'pending';
}

/**
 * Settles a portion, and decides about a pause: if no message was accepted, and not because of the recipients,
 * 1 minute, then 2, 4, 8 and 16, or until tomorrow if the limit of the day is reached.
 */
export default function outcomesOfPortion({ $input, $, $now }: N8n): (Range & Outcome & Pause)[] {
  const claimed = $('Claim the portion')
    .all<{ id: number; tried: boolean }>()
    .map(({ json }) => json);
  const ids = claimed.map(({ id }) => id);
  const tried = new Set(claimed.filter((row) => row.tried).map(({ id }) => id));
  const answers = $input.all<Answer>().map(({ json }) => json);
  const outcomes = new Map<number, Outcome>();
  const full = answers.find(({ reason_code }) => reason_code === 'days_limit');
  let cause = full && whyOf(full);

  const failure = answers.find(({ status, error }) => error && !status)?.error;
  if (failure) {
    // The outbox fails as a whole only if nothing was sent. Otherwise it knows the key at the next try.
    for (const id of ids) outcomes.set(id, { status: 'pending', batch_id: '', ...said() });
    cause = why('outbox_away', { reason: failure });
  }
  for (const answer of answers) {
    const id = rowOf(answer);
    const outcome = outcomeOf(answer, tried.has(id));
    if (isFault(answer, outcome)) cause ??= outcome.reason ? whyOf(outcome) : why('none_accepted');
    if (!outcomes.has(id)) outcomes.set(id, outcome);
  }

  const isPause = cause !== undefined && !answers.some(({ status }) => status === 'accepted');
  const before = $('Choose the campaign').first<{ tries?: number }>().json.tries ?? 0;
  // A full day is no fault: it waits for the next.
  const tries = isPause && !full ? before + 1 : 0;
  const minutes = isPause ? Math.min(2 ** before, MAX_MINUTES) : 0;
  const until = isPause && full ? $now.plus({ days: 1 }).startOf('day') : $now.plus({ minutes });
  const { reason, reason_code, reason_values } = (isPause && cause) || said();
  const pause = {
    ...{ tries, until: until.toISO() ?? '' },
    ...{ cause: reason.slice(0, 300), cause_code: reason_code, cause_values: reason_values },
  };
  return rangesOf(ids, outcomes).map((range) => ({ ...range, ...pause }));
}
