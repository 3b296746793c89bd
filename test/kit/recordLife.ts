import { newLife, next, TABLE } from '../../nodes/SmsMessagingService/receiving/recordLife';
import type { Happening, State } from '../../nodes/SmsMessagingService/receiving/recordLife';

export const STATES = Object.keys(TABLE) as State[];

export const HAPPENINGS = [
  ...new Set(STATES.flatMap((state) => Object.keys(TABLE[state]) as Happening[])),
];

/** The life of a record as a table: what happens, and by state the state after it. */
export function recordLife(): string {
  const after = (state: State, happening: Happening) =>
    happening in TABLE[state] ? next({ ...newLife(0), state }, happening, 0).state : '';
  const rows = HAPPENINGS.map((happening) => [
    `\`${happening}\``,
    ...STATES.map((state) => after(state, happening)),
  ]);
  const header = ['', ...STATES.map((state) => `\`${state}\``)];
  const table = [header, ...rows];
  // As Prettier writes it.
  const widths = header.map((_, column) =>
    Math.max(...table.map((cells) => cells[column]?.length ?? 0)),
  );
  const lineOf = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [header, rule, ...rows].map(lineOf).join('\n');
}
