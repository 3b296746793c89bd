import { clean } from '../clean';
import type { Item, N8n } from '../n8n';
import { sourceOf } from '../paired';

interface Outcome {
  status?: string;
  batch_id?: string;
  msg?: string;
  phone_number?: string;
}

/** An item of the error output has its outcome in "details". */
type Sent = Outcome & { details?: Outcome; message?: string };

const STATUSES: Record<string, string> = { accepted: 'accepted', rejected: 'failed' };

/** One list for one statement. */
export default function outcomesAsOneList({ $input, $ }: N8n): Item<{
  portion: string | undefined;
  outcomes: string;
}>[] {
  const claimed = $('Claim a portion').all<{ portion: string; phone_number: string }>();
  const outcomes = $input.all<Sent>().map((item) => {
    const { details, message, ...rest } = item.json;
    const outcome = details ?? rest;
    return {
      phone_number: outcome.phone_number ?? sourceOf(item, claimed)?.phone_number,
      // Without a clear outcome the message may have been sent.
      status: STATUSES[outcome.status ?? ''] ?? 'unknown',
      batch_id: clean(outcome.batch_id),
      reason: clean(outcome.msg ?? message).slice(0, 300),
    };
  });
  return [{ json: { portion: claimed[0]?.json.portion, outcomes: JSON.stringify(outcomes) } }];
}
