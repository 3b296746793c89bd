import { read } from './files';
import { prose } from './markdown';
import type { Page } from './pages';

/** A number that pages state. */
export interface Fact {
  /** How they state it, with the number in brackets. Each of these is on a page. */
  says: RegExp[];
  is: number | string;
}

/** The only number that a pattern finds in a file. Constants are read, not exported: they are nobody else's. */
export function numberIn(file: string, pattern: RegExp): number {
  const [, found] = pattern.exec(read(file)) ?? [];
  if (found === undefined) throw new TypeError(`${file} has no ${pattern}`);
  return Number(found.replaceAll('_', ''));
}

export const constant = (file: string, name: string) =>
  numberIn(file, new RegExp(`const ${name} = ([\\d_]+);`));

const WORDS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen';

/** A number in digits, however it is written. `1.100` is the name of a version. */
export function digitsOf(text: string): string {
  const word = WORDS.split(' ').indexOf(text.toLowerCase());
  if (word >= 0) return String(word);
  return text === 'a minute' ? '60' : text.replaceAll(',', '');
}

/** What the pages state wrongly, and what none of them states any more. */
export function wrongFacts(facts: Record<string, Fact>, pages: Page[]): string[] {
  const lines = pages.flatMap(({ file, tree }) => prose(tree).map((text) => ({ file, text })));
  return Object.entries(facts).flatMap(([name, { says, is }]) =>
    says.flatMap((pattern) => {
      const found = lines.flatMap(({ file, text }) =>
        [...text.matchAll(new RegExp(pattern, 'g'))].map((match) => ({
          file,
          said: match[1] ?? '',
        })),
      );
      if (found.length === 0) return [`${name}: no page says ${pattern}`];
      return found
        .filter(({ said }) => digitsOf(said) !== String(is))
        .map(({ file, said }) => `${name}: ${file} says ${said} instead of ${is}`);
    }),
  );
}
