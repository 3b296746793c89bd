/** Joins what there is to say. Each part ends with a full stop, or with an end of its own. */
export function sentences(...parts: (string | false | undefined)[]): string {
  return parts
    .flatMap((part) => part || [])
    .map((part) => (/[.!?…。！？]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

/** Words of others, to stand inside a sentence: without what ends their own. */
export function insideSentence(words: string): string {
  return words.replace(/(?<![\s.,;:。，；：])[\s.,;:。，；：]+$/, '');
}
