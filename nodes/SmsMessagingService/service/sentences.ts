/** Joins sentences, and adds a full stop to those without an end. Leaves out empty parts. */
export function sentences(...parts: (string | false | undefined)[]): string {
  return parts
    .flatMap((part) => part || [])
    .map((part) => (/[.!?…。！？]$/.test(part) ? part : `${part}.`))
    .join(' ');
}

/** The words of others for the middle of a sentence: without the punctuation that ends their own. */
export function insideSentence(words: string): string {
  return words.replace(/(?<![\s.,;:。，；：])[\s.,;:。，；：]+$/, '');
}
