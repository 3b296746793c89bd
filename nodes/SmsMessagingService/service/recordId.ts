import type { IDataObject } from 'n8n-workflow';

/** Other names of a record's own ID, by what the record is. Its other IDs are those of other records. */
const OTHER_NAMES: Record<string, string[]> = {
  qualification: ['cert_id', 'certification_id', 'qualification_id'],
  signature: ['sign_id', 'signature_id'],
  template: ['template_id'],
  lead: ['lead_id'],
};

/**
 * The ID of a record, as text: the only place that says what counts as one. An empty text and 0 are none.
 *
 * @param noun what the record is, such as "template". Left out: only a field `id` is its ID
 */
export function idOf(record: IDataObject, noun = ''): string | undefined {
  const names = ['id', ...(OTHER_NAMES[noun] ?? [])];
  return names.map((name) => asId(record[name])).find((id) => id !== undefined);
}

function asId(value: unknown): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const text = String(value).trim();
  return /^0*$/.test(text) ? undefined : text;
}
