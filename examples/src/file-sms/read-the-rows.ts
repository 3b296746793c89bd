import { textOf } from '../../../builder/code/html';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import { isFilled, nameOf, problemOfColumns, readRow, takenBy } from '../rowsOfTable';
import type { Taken } from '../rowsOfTable';
import { lineOf, listed } from './page';
import type { Question, Row } from './page';
import { tableOf } from './table';

/** The columns that it reads, whatever the send uses. The reason came back with the status. */
const READ = ['phone', 'order', 'status', 'reason'];

/** The statuses of a row of which nothing was sent. */
const NOT_SENT = ['', 'rejected'];

/** The rows of the file, and what is asked about them. A file that is refused has one, which says why. */
export default async function read({ $input, $, helpers }: N8n): Promise<Item<Question>[]> {
  const given = $input.all<{ row?: unknown[] }>().map(({ json }) => json.row ?? []);
  const file = $('A file').first().binary?.file;
  const start = await helpers.getBinaryDataBuffer(0, file);
  const taken = takenBy($('Send the SMS').params);
  const table = tableOf(given, start.toString('hex', 0, 2));
  const rows = typeof table === 'string' ? [refused(table)] : rowsOf(table, taken);
  return [{ json: questionOf(rows, taken) }];
}

const refused = (problem: string): Row => ({ number: 0, row: {}, fields: {}, problem });

function rowsOf(table: unknown[][], taken: Taken): Row[] {
  const top = table.findIndex((cells) => cells.some((cell) => nameOf(cell) === 'phone'));
  const names = Array.from(table[top] ?? [], nameOf);
  if (top === -1) {
    const first = (table[0] ?? []).join(', ').slice(0, 200);
    return [refused(`No column is called phone, 手机号 or 电话. Row 1: ${first}`)];
  }
  const twoColumns = problemOfColumns(Array.from(table[top] ?? []));
  if (twoColumns !== undefined) return [refused(twoColumns)];
  /** Key of a row → the first row with it. */
  const first = new Map<string, number>();
  const rows = table.slice(top + 1).flatMap((cells, index): Row[] => {
    const number = top + index + 2;
    const row: Fields = Object.fromEntries(
      cells
        .map((cell, column) => [names[column], cell])
        .filter(([name, cell]) => name && isFilled(cell)),
    );
    const isLonger = cells.slice(names.length).some(isFilled);
    if (Object.keys(row).length === 0 && !isLonger) return [];
    const { fields, problem = isLonger ? 'It has more cells than the header.' : undefined } =
      readRow(row, taken);
    const status = String(row.status ?? '').trim();
    if (!NOT_SENT.includes(status))
      return [
        {
          ...{ number, row, fields },
          problem: `Its status is ${status}, and only a row without a status is sent, or with the status rejected.`,
        },
      ];
    const key = JSON.stringify([fields.phone, fields.order]);
    const same = first.get(key);
    if (problem === undefined && same === undefined) first.set(key, number);
    const twice = same === undefined ? undefined : `It has the phone and the order of row ${same}.`;
    return [{ number, row, fields, problem: problem ?? twice }];
  });
  return rows.length > 0 ? rows : [refused('There is no row below the header.')];
}

/** Says what would be sent, and what would not: the file can have rows that its owner does not see. */
function questionOf(rows: Row[], { used }: Taken): Question {
  const sent = rows.filter(({ problem }) => problem === undefined);
  const others = rows.filter(({ problem }) => problem !== undefined);
  const shown = (row?: Row) =>
    row &&
    [`row ${row.number}`, ...used.map((name) => `${name} ${String(row.fields[name] ?? '')}`)].join(
      ', ',
    );
  const digits = used.flatMap((name) => {
    const row =
      name === 'phone' ? undefined : sent.find((each) => typeof each.row[name] === 'number');
    return row ? [`${name} ${String(row.fields[name])}`] : [];
  });
  const columns = new Set(rows.flatMap(({ row }) => Object.keys(row)));
  const unused = [...columns].filter((name) => ![...READ, ...used].includes(name));
  const lines = [
    sent.length > 0 && `First: ${shown(sent[0])}`,
    sent.length > 1 && `Last: ${shown(sent.at(-1))}`,
    sent.length > 0 && 'Rows that Excel hides are among them.',
    unused.length > 0 &&
      `Columns that are not used · 没用到的列: ${unused.join(', ').slice(0, 300)}`,
    digits.length > 0 &&
      `Numbers of Excel are read as digits: ${digits.join(', ')}. If Excel shows them otherwise, such as 0007, send nothing, and save the sheet as CSV UTF-8.`,
    others.length > 0 && `Not sent: ${others.length}`,
    ...listed(others.map(lineOf)),
  ];
  return {
    count: sent.length,
    title: sent.length === 1 ? 'Send 1 SMS?' : `Send ${sent.length} SMS?`,
    text: lines.filter(Boolean).map(textOf).join('\n'),
    rows,
  };
}
