import path from 'node:path';
import { exists, read } from './files';
import { anchorsOf, linksOf } from './markdown';
import type { Page } from './pages';
import { PAGES } from './pages';

const { homepage } = JSON.parse(read('package.json')) as { homepage: string };

/** The address of the repository on GitHub. */
export const REPOSITORY = homepage.replace(/#.*/, '');

/** Pages of GitHub that belong to no file. */
const OF_GITHUB =
  /^(?:\.git|\/(?:issues|pulls|actions|releases|discussions|security\/advisories))\b/;

/** The links of a page that lead to no file or heading of the repository. */
export const brokenLinks = (page: Page): string[] =>
  linksOf(page.tree)
    .filter((link) => !/^(?:https?|mailto):/.test(link))
    .filter((link) => !leadsSomewhere(targetOf(page.file, link), page));

/** The addresses of this repository in a text of any kind that lead to no file or heading. */
export const brokenAddresses = (text: string): string[] =>
  [...text.matchAll(new RegExp(`${REPOSITORY}([^\\s"'<>)\\]\`]*)`, 'g'))]
    .map(([, rest = '']) => rest.replace(/[.,:;]$/, ''))
    .filter((rest) => !OF_GITHUB.test(rest) && !leadsSomewhere(fileAt(rest)));

interface Target {
  file: string;
  anchor?: string;
}

/** Where a link on a page leads. */
export function targetOf(file: string, link: string): Target {
  const [target = '', anchor] = decodeURI(link).split('#', 2);
  return { file: target === '' ? file : path.join(path.dirname(file), target), anchor };
}

/** The file at an address after that of the repository, which itself shows the README. */
function fileAt(rest: string): Target {
  const [place = '', anchor] = decodeURI(rest).split('#', 2);
  const file = place.replace(/^\/(?:blob|tree|raw)\/main\//, '');
  // GitHub puts the README under this name, whatever its headings.
  if (/^\/?$/.test(place))
    return { file: 'README.md', anchor: anchor === 'readme' ? undefined : anchor };
  return { file: file === place ? `nowhere${place}` : file, anchor };
}

/** @param self the page itself, which need not be in the repository */
function leadsSomewhere({ file, anchor }: Target, self?: Page): boolean {
  const page = self?.file === file ? self : PAGES.find((each) => each.file === file);
  if (!page && !exists(file)) return false;
  return !anchor || (page !== undefined && anchorsOf(page.tree).includes(anchor));
}

/** The links of a page to itself by its file name: such a link breaks when the page gets another name. */
export const linksToItself = ({ file, tree }: Page): string[] =>
  linksOf(tree).filter((link) => link.replace(/#.*/, '') === path.basename(file));

/** The pages that can be reached from one over links. */
export function reachableFrom(start: string, pages: Page[]): Set<string> {
  const reached = new Set([start]);
  // A set takes new members while it is read.
  for (const file of reached) {
    const page = pages.find((each) => each.file === file);
    const links = page ? linksOf(page.tree).filter((link) => !/^https?:/.test(link)) : [];
    for (const link of links) reached.add(targetOf(file, link).file);
  }
  return reached;
}
