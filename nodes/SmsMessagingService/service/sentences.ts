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

/** Joins texts with commas. Beyond `max` it only says how many more there are. */
export function listed(texts: string[], max: number): string {
  const more = texts.length - max;
  return texts.slice(0, max).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const MAX_SHOWN_LENGTH = 60;

/** A text as an error quotes it. */
export function shortened(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
