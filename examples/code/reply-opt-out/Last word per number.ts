import type { Item, N8n } from '../n8n';

/** A stored event, and the words of the settings. */
interface Stored {
  event?: string;
  phone_number?: string;
  content?: string | null;
  time?: string | null;
  createdAt?: string | null;
  stop_words?: string | null;
  start_words?: string | null;
}

/** The stop or start word of a number. */
export interface Word {
  phone_number: string;
  word: unknown;
  since: string;
  opted_out: boolean;
}

/** A word is compared without spaces, punctuation, emoji and invisible characters, "ｔｄ。" as "TD". */
function plain(text: unknown): string {
  return String(text ?? '')
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\p{P}\p{S}\p{M}\p{Z}\p{C}]/gu, '');
}

function words(list: unknown): Set<string> {
  const all = String(list ?? '').split(/[,，、]/);
  return new Set(all.map(plain).filter(Boolean));
}

/** In UTC and always as long, so that two of them compare as texts. */
function time(value: string | null | undefined): string | undefined {
  const date = new Date(value || NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The stop or start word of each number. Of several in one call, the latest counts. */
export default function lastWords({ $input }: N8n): Item<Word>[] {
  const latest = new Map<string, Word>();
  for (const { json } of $input.all<Stored>()) {
    const { phone_number } = json;
    const word = plain(json.content);
    const opted_out = words(json.stop_words).has(word);
    if (json.event !== 'reply' || !phone_number) continue;
    if (!opted_out && !words(json.start_words).has(word)) continue;
    const since = time(json.time) ?? time(json.createdAt) ?? new Date().toISOString();
    const before = latest.get(phone_number);
    if (before && before.since > since) continue;
    latest.set(phone_number, { phone_number, word: json.content, since, opted_out });
  }
  return [...latest.values()].map((json) => ({ json }));
}
