import { FILES, read } from './files';
import { parse } from './markdown';
import type { Part } from './markdown';

export interface Page {
  file: string;
  text: string;
  tree: Part;
}

export const pageOf = (file: string, text: string): Page => ({ file, text, tree: parse(text) });

/** Pages are found by listing, because facts move between them. */
export const PAGES: Page[] = FILES.filter((file) => file.endsWith('.md')).map((file) =>
  pageOf(file, read(file)),
);

/** Written by `npm run docs` and `npm run bench`: their words are those of the editor, or of the report. */
const GENERATED = ['docs/operations.md', 'docs/personalities.md', 'docs/bench.md'];

/** About the service's interface, with its names and words. */
const ABOUT_THE_SERVICE = ['docs/interface.md', 'docs/not-shown.md'];

const HISTORY = 'CHANGELOG.md';

const without = (...files: string[]) => PAGES.filter(({ file }) => !files.includes(file));

export const HAND_WRITTEN = without(...GENERATED);

/** What people read who use the package or work on it today. */
export const GUIDES = without(...GENERATED, ...ABOUT_THE_SERVICE, HISTORY, 'SECURITY.md').filter(
  ({ file }) => !file.startsWith('.github/'),
);

/** All that states facts about the package of today. */
export const FACTS = without(HISTORY);

/** @throws when there is no such page */
export function pageNamed(file: string): Page {
  const page = PAGES.find((each) => each.file === file);
  if (!page) throw new TypeError(`No page ${file}`);
  return page;
}

/** The pages with what is wrong on them, and nothing of the others. To be compared with `{}`. */
export const faultsIn = (pages: Page[], check: (page: Page) => string[]) =>
  Object.fromEntries(
    pages
      .map((page) => [page.file, [...new Set(check(page))]] as const)
      .filter(([, found]) => found.length > 0),
  );
