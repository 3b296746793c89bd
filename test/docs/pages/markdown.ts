/** The little Markdown that generated pages need. */

/** A table. A column that is empty in all rows is left out. */
export function table(head: string[], rows: string[][]): string {
  const isUsed = (_: string, column: number) => rows.some((cells) => cells[column] !== '');
  const line = (cells: string[]) =>
    `| ${cells
      .filter(isUsed)
      .map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' '))
      .join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A link to a heading of the page, or of another one. */
export function linkTo(heading: string, { text = heading, page = '' } = {}): string {
  return `[${text}](${page}#${anchorOf(heading)})`;
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}

/** As code, such as a name in JSON. Nothing stays nothing. */
export const code = (text: string) => (text === '' ? '' : `\`${text}\``);

/** A list in a sentence: `A, B and C`. */
export function listed(texts: string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}

/** Text with a full stop. */
export const ended = (text: string) => (text.endsWith('.') ? text : `${text}.`);

/** Sentences, of which the last one stays as it is. */
export function joined(texts: (string | undefined)[]): string {
  const filled = texts.filter((text): text is string => Boolean(text));
  return [...filled.slice(0, -1).map(ended), ...filled.slice(-1)].join(' ');
}
