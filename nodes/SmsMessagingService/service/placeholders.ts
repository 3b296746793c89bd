/** A name of a parameter. It has no space, quote, or character that marks a placeholder. */
const NAME = '([^\\s"{}#$]+)';

/** The ways to write a placeholder, the most explicit first. The first that matches counts. */
const SYNTAXES = [
  `\\$\\{\\s*${NAME}\\s*\\}`,
  `\\{\\{\\s*${NAME}\\s*\\}\\}`,
  `\\{\\s*${NAME}\\s*\\}`,
  `#${NAME}#`,
];

const PLACEHOLDER = new RegExp(SYNTAXES.join('|'), 'g');

/**
 * Finds the names of a template's parameters in its text: `${name}`, `{{name}}`, `{name}`, `{1}` or
 * `#name#`. The specification does not show which syntax the platform uses, nor whether `param_count`
 * counts a repeated name once; and a text may contain such characters for other reasons.
 *
 * So the stated number decides. The readings are: only the first syntax, only the second, and so on,
 * then all together. The first reading with that number of names, or of placeholders, is taken. If no
 * reading has it, or no number is stated, the first reading that finds anything is taken.
 *
 * @param paramCount the template's `param_count`, if it is known
 * @returns each name once, in order of appearance, and whether there are as many as the service states
 */
export function findPlaceholders(text: string, paramCount?: number) {
  const { found, agrees } = readPlaceholders(text, paramCount);
  return { names: namesOf(found), agrees };
}

/**
 * A template's text with values for its parameters. A placeholder without a value stays.
 *
 * @param paramCount as for `findPlaceholders`
 */
export function fillPlaceholders(
  text: string,
  values: Record<string, string>,
  paramCount?: number,
): string {
  let filled = '';
  let end = 0;
  for (const { name, match, index } of readPlaceholders(text, paramCount).found) {
    filled += text.slice(end, index) + (Object.hasOwn(values, name) ? values[name] : match);
    end = index + match.length;
  }
  return filled + text.slice(end);
}

function readPlaceholders(text: string, paramCount?: number) {
  const all = [...text.matchAll(PLACEHOLDER)].map(({ 0: match, index, ...groups }) => {
    const names = SYNTAXES.map((_, syntax) => groups[syntax + 1]);
    const syntax = names.findIndex((name) => name !== undefined);
    return { name: names[syntax] ?? '', syntax, match, index };
  });
  const readings = [
    ...SYNTAXES.map((_, index) => all.filter(({ syntax }) => syntax === index)),
    all,
  ];
  const agreeing = readings.find(
    (found) => namesOf(found).length === paramCount || found.length === paramCount,
  );
  return {
    found: agreeing ?? readings.find((found) => found.length > 0) ?? [],
    agrees: paramCount === undefined || agreeing !== undefined,
  };
}

function namesOf(found: { name: string }[]): string[] {
  return [...new Set(found.map(({ name }) => name))];
}
