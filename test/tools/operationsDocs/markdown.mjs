// The little Markdown that the page needs.

/**
 * A table. A column that is empty in all rows is left out.
 *
 * @param {string[]} head
 * @param {string[][]} rows
 * @returns {string[]} lines
 */
export function table(head, rows) {
  const isUsed = (_, column) => rows.some((cells) => cells[column] !== '');
  const line = (cells) => `| ${cells.filter(isUsed).map(escaped).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}

/** A link to a heading of the page, or of another one. */
export function linkTo(heading, { text = heading, page = '' } = {}) {
  return `[${text}](${page}#${anchorOf(heading)})`;
}

/** As code, such as a name in JSON. Nothing stays nothing. */
export const code = (text) => (text === '' ? '' : `\`${text}\``);

/** A list in a sentence: `A, B and C`. */
export function listed(texts) {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}

function escaped(cell) {
  return cell.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
