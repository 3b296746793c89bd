import { newLife, next, TABLE } from '../../nodes/SmsMessagingService/receiving/recordLife';
import type { Happening, State } from '../../nodes/SmsMessagingService/receiving/recordLife';
import { TABLE as MESSAGE_TABLE } from '../../nodes/SmsMessagingService/sending/messageLife';
import type * as message from '../../nodes/SmsMessagingService/sending/messageLife';

/** The lives of records and of messages as tables: what happens, and by state the state after it. */

const rowsIn = <S extends string, H extends string>(
  table: Record<S, Partial<Record<H, unknown>>>,
) => {
  const states = Object.keys(table) as S[];
  return { states, happenings: [...new Set(states.flatMap((s) => Object.keys(table[s]) as H[]))] };
};

export const { states: STATES, happenings: HAPPENINGS } = rowsIn<State, Happening>(TABLE);

export const { states: MESSAGE_STATES, happenings: MESSAGE_HAPPENINGS } = rowsIn<
  message.State,
  message.Happening
>(MESSAGE_TABLE);

export const recordLife = () =>
  tableOf(STATES, HAPPENINGS, (state, happening) =>
    happening in TABLE[state] ? next({ ...newLife(0), state }, happening, 0).state : '',
  );

export const messageLife = () =>
  tableOf(
    ...[MESSAGE_STATES, MESSAGE_HAPPENINGS],
    (state, happening) => MESSAGE_TABLE[state][happening] ?? '',
  );

function tableOf<S extends string, H extends string>(
  states: S[],
  happenings: H[],
  after: (state: S, happening: H) => string,
): string {
  const rows = happenings.map((happening) => [
    `\`${happening}\``,
    ...states.map((state) => after(state, happening)),
  ]);
  const header = ['', ...states.map((state) => `\`${state}\``)];
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
