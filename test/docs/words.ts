import { partsOf, prose, textOf } from './markdown';
import type { Page } from './pages';

/** What hand-written pages do without, each with the reason. Code is the service's or n8n's, so it is free. */
const BANNED: [RegExp, string][] = [
  [/\boperators?\b/i, 'the house word is SMS provider, or carrier'],
  [/\bvendors?\b/i, 'the house word is SMS provider'],
  [
    /\b(?:simply|easy|easily|easier|obviously|of course|effortless(?:ly)?)\b/i,
    'is not for us to say',
  ],
  [
    /\bjust (?:add|choose|click|import|install|open|press|run|set|type|use|write|works?)\b/i,
    'is not for us to say',
  ],
  [
    /\b(?:leverag\w+|seamless\w*|robust\w*|powerful\w*|blazing\w*|cutting-edge|world-class|state-of-the-art|comprehensive|hassle\w*)\b/i,
    'praises',
  ],
  [
    /\b(?:utili[sz]\w+|in order to|note that|keep in mind|etc\b|e\.g\.|i\.e\.)/i,
    'has a plainer word',
  ],
  [/§|\bsections? \d/i, 'leads nowhere: the specification is not here'],
  [/registry\.npmjs\.org|npmmirror/i, 'is one of many registries'],
];

const POLITE: [RegExp, string] = [/\bplease\b/i, 'is not needed'];

/** Also wrong in code: paths of one machine, and of code that was moved. `/home/node` is n8n's in Docker. */
const BANNED_EVERYWHERE: [RegExp, string][] = [
  [/(?<![\w.)\]/-])\/(?:work|root|tmp|home(?!\/node))\/[^\s`]*/, 'is on one machine'],
  [/\.\.\/shared\b/, 'is no longer there'],
];

/** The words on a page that it should do without. */
export function bannedWords({ file, text, tree }: Page): string[] {
  const words = prose(tree, { code: false }).join('\n');
  // A person who reports something is asked for it.
  const isRequest = file === 'SECURITY.md' || file.startsWith('.github/');
  return [
    ...(isRequest ? BANNED : [...BANNED, POLITE]).map((rule) => [rule, words] as const),
    ...BANNED_EVERYWHERE.map((rule) => [rule, text] as const),
  ].flatMap(([[pattern, reason], where]) =>
    (where.match(new RegExp(pattern, 'gi')) ?? []).map((found) => `${found}: ${reason}`),
  );
}

/** As `wc -w` counts them. */
export const wordCount = (text: string) => text.split(/\s+/).filter(Boolean).length;

/** The sentences of a page that have more words than this. */
export const longSentences = ({ tree }: Page, most: number): string[] =>
  partsOf(tree, 'paragraph', 'tableCell')
    .flatMap((part) => textOf(part).split(/(?<=[.!?:])\s+/))
    .filter((sentence) => wordCount(sentence) > most);
