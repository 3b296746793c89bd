/** Joins sentences, and adds a full stop to those without an end. Leaves out empty parts. */
export function sentences(...parts: (string | false | undefined)[]): string {
  return parts
    .flatMap((part) => part || [])
    .map((part) => (/[.!?…。！？]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

/** Words of the service for the middle of our sentence: without the punctuation at their end. */
export function insideSentence(words: string): string {
  return words.replace(/(?<![\s.,;:。，；：])[\s.,;:。，；：]+$/, '');
}
