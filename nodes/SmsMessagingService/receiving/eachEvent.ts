import type { INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import type { EventDescription } from './events';

/**
 * Works on the events side by side, so that a failure of one does not hold back the other.
 *
 * @returns one error that says for each event what stopped it; undefined if nothing failed. n8n's
 * back-off follows the first failure.
 */
export async function forEachEvent(
  node: INode,
  events: EventDescription[],
  work: (event: EventDescription) => Promise<void>,
): Promise<NodeApiError | NodeOperationError | undefined> {
  const results = await Promise.allSettled(events.map(work));
  const failures = events.flatMap(({ plural }, index) => {
    const result = results[index];
    return result?.status === 'rejected'
      ? [{ plural, error: toNodeError(node, result.reason) }]
      : [];
  });
  const [first] = failures;
  if (first === undefined) return undefined;
  const pluralsByReason = new Map<string, string[]>();
  for (const { plural, error } of failures) {
    pluralsByReason.set(error.message, [...(pluralsByReason.get(error.message) ?? []), plural]);
  }
  first.error.message = Array.from(
    pluralsByReason,
    ([reason, plurals]) => `${reason}, while pulling ${plurals.join(' and ')}`,
  ).join('. ');
  return first.error;
}
