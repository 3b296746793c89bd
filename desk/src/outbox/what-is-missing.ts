import type { N8n } from '../../../builder/code/n8n';
import { classOf, ID, text, type NamedRecord, type Wanted } from '../common/messages/outbox';
import { CODE } from '../common/messages/rules';

/** A template that was looked up longer ago is looked up again. */
const FRESH_MS = 3_600_000;

/** The templates and signatures to get before the messages take their place. */
export default function whatIsMissing({ $, $now }: N8n): Wanted[] {
  const looked = new Map(
    $('Known templates')
      .all<Partial<NamedRecord>>()
      .map(({ json }) => [`${json.kind} ${json.record_id}`, Date.parse(json.updatedAt ?? '')]),
  );
  const wanted = new Map<string, Wanted>();
  for (const { json: message } of $('Messages').all()) {
    for (const want of ['template', 'signature'] as const) {
      const record_id = text(message[`${want}_id`]);
      const name = `${want} ${record_id}`;
      const at = looked.get(name);
      if (!ID.test(record_id) || Number(at) > $now.toMillis() - FRESH_MS) continue;
      // Nobody waits for a name that is only old, nor a code, whose text is not stored.
      const waits = at === undefined && classOf(message) !== CODE;
      wanted.set(name, { want, record_id, waits: waits || wanted.get(name)?.waits === true });
    }
  }
  return [...wanted.values()];
}
