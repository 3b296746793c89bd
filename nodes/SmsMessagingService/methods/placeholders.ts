/** A name has no space, no quote, and none of the characters that mark a placeholder. */
const NAME = '([^\\s"{}#$]+)';

/** The ways to write a placeholder, the most explicit first. The first that matches is taken. */
const SYNTAXES = [
  `\\$\\{\\s*${NAME}\\s*\\}`,
  `\\{\\{\\s*${NAME}\\s*\\}\\}`,
  `\\{\\s*${NAME}\\s*\\}`,
  `#${NAME}#`,
];

const PLACEHOLDER = new RegExp(SYNTAXES.join('|'), 'g');

/** The placeholders that were found in a text. */
export interface Placeholders {
  /** Each name once, in order of appearance. */
  names: string[];
  /** Whether their number is the one that the service states. */
  agrees: boolean;
}

/**
 * Finds the names of a template's parameters in its text: `${name}`, `{{name}}`, `{name}`, `{1}` or
 * `#name#`. The specification does not show which syntax the platform uses, nor whether `param_count`
 * counts a repeated name once; and a text may contain such characters for other reasons.
 *
 * So the stated number decides. The readings are: only the first syntax, only the second, and so on,
 * then all together. The first reading with that number of names, or of placeholders, is taken. If no
 * reading has it, or no number is stated, the first reading that finds anything is taken.
 *
 * @param paramCount the template's `param_count`, where it is known
 */
export function findPlaceholders(text: string, paramCount?: number): Placeholders {
  const found = [...text.matchAll(PLACEHOLDER)].map(([, ...groups]) => {
    const syntax = groups.findIndex((name) => name !== undefined);
    return { syntax, name: groups[syntax] ?? '' };
  });
  const readings = [
    ...SYNTAXES.map((_, index) => found.filter(({ syntax }) => syntax === index)),
    found,
  ].map((placeholders) => placeholders.map(({ name }) => name));
  const agreeing = readings.find(
    (names) => new Set(names).size === paramCount || names.length === paramCount,
  );
  const reading = agreeing ?? readings.find((names) => names.length > 0) ?? [];
  return {
    names: [...new Set(reading)],
    agrees: paramCount === undefined || agreeing !== undefined,
  };
}
