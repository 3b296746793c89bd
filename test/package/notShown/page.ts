/** A row of docs/not-shown.md. */
export interface Row {
  title: string;
  /** Anchor of the heading of docs/interface.md. Empty where there is none. */
  heading: string;
  notShown: string;
  /** What the nodes do. */
  guess: string;
  toSet: string;
  /** The file of the test that shows it, relative to docs/. */
  file: string;
  /** The title of that test. */
  test: string;
}

/**
 * The rows of docs/not-shown.md.
 *
 * @throws Error for a row that has other cells than the others
 */
export function rowsOf(markdown: string): Row[] {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|'));
  return lines.filter((line) => !/^\| (?:Guess|---) \|/.test(line)).map(rowOf);
}

function rowOf(line: string): Row {
  const cells = line.split('|').slice(1, -1);
  const [first = '', notShown = '', guess = '', , toSet = '', last = ''] = cells.map((cell) =>
    cell.trim(),
  );
  const [, linked, heading = ''] = /^\[(.*)\]\(interface\.md#(.*)\)$/.exec(first) ?? [];
  const [, file = '', test = ''] = /^\[[^\]]*\]\(([^)]+)\): (.+)$/.exec(last) ?? [];
  if (cells.length !== 6 || file === '') throw new Error(`A row without test: ${line}`);
  return { title: linked ?? first, heading, notShown, guess, toSet, file, test };
}

/** The texts in inline code. */
export const codesIn = (cell: string) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

/** The texts in bold. */
export const boldIn = (cell: string) =>
  [...cell.matchAll(/\*\*([^*]+)\*\*/g)].map(([, text = '']) => text);

/** What docs/interface.md calls not shown. */
export interface Gap {
  /** Anchor of the heading that it stands under. */
  heading: string;
  text: string;
}

/**
 * The gaps in docs/interface.md: all between "Not shown:" and "Here:".
 *
 * @throws Error for a gap without "Here:". Only "as for" another heading needs none.
 */
export function gapsOf(markdown: string): Gap[] {
  return markdown.split(/^#+ /m).flatMap((section) => {
    const heading = section.split('\n')[0]?.toLowerCase().replaceAll(' ', '-') ?? '';
    const parts = section.split('**Not shown:** ').slice(1);
    return parts.flatMap((part) => {
      if (part.startsWith('as for [')) return [];
      const text = /^([^\n]*?)\. _Here:_/.exec(part)?.[1];
      if (text === undefined) throw new Error(`A gap without "Here:": ${part}`);
      return [{ heading, text }];
    });
  });
}

/** Whether a row is about a gap: the same heading, and the same words. */
export const isAbout = (row: Row, { heading, text }: Gap) =>
  row.heading === heading && row.notShown.toLowerCase() === text.toLowerCase();
