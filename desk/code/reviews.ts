import type { Fields } from './n8n';

export type Kind = 'template' | 'signature';

/** What is known of a template or a signature, as texts. */
export interface Known {
  kind: Kind;
  record_id: string;
  name: string;
  enabled: string;
  review: string;
}

/** What tells a record from all others. */
export function keyOf({ kind, record_id }: Pick<Known, 'kind' | 'record_id'>): string {
  return JSON.stringify([kind, record_id]);
}

/** What n8n's static data of the workflow has. A full data table does not concern it. */
export function knownIn(staticData: Fields): Known[] {
  return (staticData.known ?? []) as Known[];
}

/** What is known, with news about some records. */
export function withKnown(known: Known[], news: Known[]): Known[] {
  const all = [...known, ...news];
  return [...new Map(all.map((each) => [keyOf(each), each])).values()];
}
