import { parsers } from 'prettier/plugins/markdown';

/** A part of a page, as prettier reads it. */
export interface Part {
  type: string;
  /** Of text and code. */
  value?: string;
  /** Of a link or image. */
  url?: string;
  /** Of a heading. */
  depth?: number;
  children?: Part[];
}

/** Prettier formats these pages, so its parser is there already. Its type wants the options of a whole run. */
export const parse = (text: string) =>
  parsers.markdown.parse(text, { originalText: text } as never) as Part;

/** The parts of a type, in their order, however deep. */
export const partsOf = (part: Part, ...types: string[]): Part[] => [
  ...(types.includes(part.type) ? [part] : []),
  ...(part.children ?? []).flatMap((child) => partsOf(child, ...types)),
];

/** What a reader reads: a line for each paragraph, heading, cell and block. */
export function textOf(part: Part, { code = true } = {}): string {
  if (part.type === 'html' || (part.type === 'inlineCode' && !code)) return '';
  // A long line may be broken anywhere.
  if (part.type === 'text') return (part.value ?? '').replaceAll('\n', ' ');
  if (part.type === 'break') return ' ';
  const texts = (part.children ?? []).map((child) => textOf(child, { code }));
  return part.value ?? texts.join(HAS_BLOCKS.has(part.type) ? '\n' : '');
}

const HAS_BLOCKS = new Set(['root', 'blockquote', 'list', 'listItem', 'table', 'tableRow']);

/** The texts of a page's paragraphs, headings and cells, without blocks of code. */
export const prose = (part: Part, options?: { code: boolean }) =>
  partsOf(part, 'paragraph', 'heading', 'tableCell').map((block) => textOf(block, options));

/** The texts in backticks. */
export const codesOf = (part: Part) => partsOf(part, 'inlineCode').map(({ value = '' }) => value);

/** The texts of the blocks of code. */
export const blocksOf = (part: Part) => partsOf(part, 'code').map(({ value = '' }) => value);

export interface Table {
  header: string[];
  rows: Part[][];
}

export const tablesOf = (part: Part): Table[] =>
  partsOf(part, 'table').map(({ children = [] }) => {
    const [header = [], ...rows] = children.map((row) => row.children ?? []);
    return { header: header.map((cell) => textOf(cell)), rows };
  });

/** Where links can lead to, as GitHub names it: headings, and elements with an ID. */
export function anchorsOf(page: Part): string[] {
  const anchors: string[] = [];
  for (const heading of partsOf(page, 'heading')) {
    const anchor = textOf(heading)
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    // The second heading with the same words gets a number.
    for (let count = 1; anchors.includes(unique); count++) unique = `${anchor}-${count}`;
    anchors.push(unique);
  }
  return [...anchors, ...htmlValues(page, 'id|name')];
}

/** The addresses of links and images. */
export const linksOf = (page: Part): string[] => [
  ...partsOf(page, 'link', 'image', 'definition').map(({ url = '' }) => url),
  ...htmlValues(page, 'href|src'),
];

const htmlValues = (page: Part, names: string) =>
  partsOf(page, 'html').flatMap(({ value = '' }) =>
    [...value.matchAll(new RegExp(`\\s(?:${names})="([^"]*)"`, 'g'))].map(([, text = '']) => text),
  );

/** What stands under the headings of this name, up to the next heading that is not smaller. */
export function sectionsOf({ children = [] }: Part, name: RegExp): Part {
  const found: Part[] = [];
  let depth = 0;
  for (const part of children) {
    const { type, depth: own = 0 } = part;
    if (type === 'heading' && (depth === 0 || own <= depth)) {
      depth = name.test(textOf(part)) ? own : 0;
    } else if (depth > 0) found.push(part);
  }
  return { type: 'root', children: found };
}
