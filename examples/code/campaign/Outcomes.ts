import type { Item, N8n } from '../n8n';
import { sourceOf } from '../paired';
import type { Range } from '../row';

/** An item of the send: an outcome, or that of the error output, which has it in "details". */
interface Sent {
  id?: number;
  status?: string;
  batch_id?: string;
  msg?: string;
  message?: string;
  error?: unknown;
  details?: Pick<Sent, 'status' | 'batch_id' | 'msg'>;
}

interface Outcome {
  status: string;
  batch_id: string;
  reason: string;
}

const STATUSES: Record<string, string> = {
  accepted: 'accepted',
  rejected: 'refused',
  skipped: 'refused',
};

function outcomeOf(json: Sent): Outcome {
  const { status = '', batch_id, msg } = json.details ?? json;
  // A status that is none of these proves nothing: the message may have been sent.
  const known = STATUSES[status] ?? 'unknown';
  const reason = known === 'accepted' ? '' : String(msg ?? json.message ?? json.error ?? '');
  return { status: known, batch_id: batch_id ?? '', reason: reason.slice(0, 200) };
}

function areSame(a: Outcome, b: Outcome): boolean {
  return a.status === b.status && a.batch_id === b.batch_id && a.reason === b.reason;
}

/** Neighbouring rows with the same outcome become one range: a few updates settle a portion. */
export default function outcomes({ $input, $ }: N8n): Item<Range & Outcome>[] {
  // Neighbours in the claimed portion. An opted-out row between two others parts their ranges.
  const claimed = $('Claim the portion')
    .all<{ id: number }>()
    .map(({ json }) => json.id)
    .sort((a, b) => a - b);
  const place = new Map(claimed.map((id, index) => [id, index]));
  const sent = $('Not opted out?').all<{ id: number }>();
  const idOf = (item: Item<Sent>) => {
    const { id } = item.json.details || item.json.error ? item.json : (sourceOf(item, sent) ?? {});
    if (id === undefined) throw new Error('n8n does not say which row an outcome belongs to.');
    return id;
  };

  const ranges: (Range & Outcome)[] = [];
  const settled = $input
    .all<Sent>()
    .map((item) => ({ id: idOf(item), outcome: outcomeOf(item.json) }));
  for (const { id, outcome } of settled.sort((a, b) => a.id - b.id)) {
    const last = ranges.at(-1);
    const isNext = last !== undefined && place.get(id) === Number(place.get(last.to)) + 1;
    if (isNext && areSame(outcome, last)) last.to = id;
    else ranges.push({ from: id, to: id, ...outcome });
  }
  return ranges.map((json) => ({ json }));
}
