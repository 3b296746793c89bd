/** What counts as a name: no space or quote, and none of the signs that placeholders are written with. */
const NAME = '([^\\s"{}#$]+)';

/** The ways to write a placeholder, the most explicit first. What one of them takes is not in the next. */
const SYNTAXES = [
  `\\$\\{\\s*${NAME}\\s*\\}`,
  `\\{\\{\\s*${NAME}\\s*\\}\\}`,
  `\\{\\s*${NAME}\\s*\\}`,
  `#${NAME}#`,
];

const PLACEHOLDER = new RegExp(SYNTAXES.join('|'), 'g');

/** What a text's placeholders are taken to be. */
export interface Placeholders {
  /** Each name once, in order of appearance. */
  names: string[];
  /** Whether they are as many as the service states. */
  agrees: boolean;
}

/**
 * Finds the names of a template's parameters in its text: `${name}`, `{{name}}`, `{name}`, `{1}` or
 * `#name#`. The specification shows neither which of them the platform uses nor whether `param_count`
 * counts a name that stands twice once (§2.6), and a text may have such signs for other reasons. So
 * the number that the service states decides: of the readings "only the first syntax, only the
 * second …, all together" the first one that has so many names, or so many placeholders, is taken.
 * If none has, or no number is stated, it is the first one that has any.
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
