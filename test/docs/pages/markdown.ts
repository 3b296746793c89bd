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
