import type { Fields, Item, N8n } from '../n8n';
import { knownIn, keyOf, withKnown, type Kind, type Known } from '../reviews';

/** What somebody has to know. */
type News = { change: 'changed'; line: string; now: Known } | { change: 'problem'; line: string };

/** `quiet`: to remember, and nobody has to know. */
type Change = News | { change: 'quiet'; now: Known };

const ENABLED: Record<string, string> = {
  true: 'enabled',
  1: 'enabled',
  false: 'disabled',
  0: 'disabled',
};

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** What the numbers of the review mean: "1 = under review, 2 = approved". */
function wordsIn(setting: unknown): Map<string, string> {
  const pairs = String(setting ?? '')
    .split(/[,;\n]/)
    .map((pair) => pair.split('=').map((part) => part.trim()));
  return new Map(pairs.map(([number = '', word = '']) => [number, word]));
}

/** The reason of a refusal, if the service gives one. How the field is called is not documented. */
function reasonOf(record: Fields): string {
  const isReason = (name: string) =>
    /reason|reject|refus|(audit|review)_(remark|msg|desc|note)/i.test(name);
  const found = Object.entries(record).filter(
    ([name, value]) => isReason(name) && text(value).trim(),
  );
  return found.map(([name, value]) => `${name}: ${text(value)}`).join('; ');
}

/** The news in a record, for example "disabled → enabled". */
function newsOf(before: Known, now: Known, words: Map<string, string>): string[] {
  const sayEnabled = (value: string) => ENABLED[value] ?? value;
  const sayReview = (value: string) => words.get(value) || `review status ${value}`;
  const fields = [
    [before.enabled, now.enabled, sayEnabled],
    [before.review, now.review, sayReview],
  ] as const;
  return fields
    .filter(([was, is, say]) => text(was) !== '' && say(text(was)) !== say(is))
    .map(([was, is, say]) => `${say(text(was))} → ${say(is)}`);
}

/** One record. Nothing, if it is as it was. */
function compare(
  record: Fields,
  kind: Kind,
  known: Map<string, Known>,
  words: Map<string, string>,
): Change[] {
  const now: Known = {
    kind,
    record_id: text(record.id),
    name: text(record.name),
    enabled: text(record.status),
    review: text(record.audit_status),
  };
  const before = known.get(keyOf(now));
  if (!before) return [{ change: 'quiet', now }];
  // An answer without the field says nothing. What was known stays.
  now.enabled ||= text(before.enabled);
  now.review ||= text(before.review);
  const news = newsOf(before, now, words);
  if (news.length > 0) {
    const reason = reasonOf(record);
    const line = `${kind} “${now.name}” (ID ${now.record_id}): ${news.join(', ')}`;
    return [{ change: 'changed', now, line: reason ? `${line}. ${reason}` : line }];
  }
  const isSame = (['name', 'enabled', 'review'] as const).every(
    (field) => text(before[field]) === now[field],
  );
  return isSame ? [] : [{ change: 'quiet', now }];
}

/**
 * Compares what the lists say with what was known. What is in no list is left alone: a list that came
 * back empty, or not at all, does not mean that everything was deleted.
 */
export default function whatHasChanged({ $, $getWorkflowStaticData }: N8n): Item<News>[] {
  const memory = $getWorkflowStaticData('global');
  const known = new Map(knownIn(memory).map((each) => [keyOf(each), each]));
  const words = wordsIn($('Settings').first().json.review_words);
  const changesIn = (kind: Kind, list: Item[]): Change[] => {
    const records = list.map(({ json }) => json);
    const failed = records.find(({ error }) => error);
    if (failed) {
      const reason = text(failed.message ?? failed.error);
      return [{ change: 'problem', line: `The ${kind}s could not be listed: ${reason}` }];
    }
    return records
      .filter(({ id }) => text(id) !== '')
      .flatMap((record) => compare(record, kind, known, words));
  };
  const found = [
    ...changesIn('template', $('List the templates').all()),
    ...changesIn('signature', $('List the signatures').all()),
  ];
  const quiet = found.flatMap((each) => (each.change === 'quiet' ? [each.now] : []));
  memory.known = withKnown(knownIn(memory), quiet);
  return found.flatMap((json) => (json.change === 'quiet' ? [] : [{ json }]));
}
