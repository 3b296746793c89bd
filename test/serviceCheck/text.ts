import type { Report } from './load';

const WIDTH = 100;

/** A report for a terminal. */
export function textOf({ summary, rows, settings, texts }: Report): string {
  const widths = [
    Math.max(...rows.map(({ verdict }) => verdict.length)),
    Math.max(...rows.map(({ about }) => about.length)),
  ] as const;
  const table = rows.map(({ about, found, verdict }) => {
    const start = `  ${verdict.padEnd(widths[0])}   ${about.padEnd(widths[1])}   `;
    return start + wrapped(found, start.length);
  });
  const list = settings.map(
    ({ setting, where, why }, index) =>
      `${String(index + 1).padStart(3)}. ${setting}   (${wrapped(where, 5)})\n     ${wrapped(why, 5)}`,
  );
  return [
    'What was seen',
    ...table,
    '',
    'What to set',
    ...(list.length > 0 ? list : [`     ${summary}`]),
    '',
    'What else to know',
    ...texts.map((text) => `     ${wrapped(text, 5)}`),
  ].join('\n');
}

/** Breaks a text into lines. All but the first are indented. */
function wrapped(text: string, indent: number): string {
  const room = WIDTH - indent;
  const lines = text.match(new RegExp(`.{1,${room}}(?:\\s|$)|\\S+`, 'gu')) ?? [];
  return lines.map((line) => line.trimEnd()).join(`\n${' '.repeat(indent)}`);
}
