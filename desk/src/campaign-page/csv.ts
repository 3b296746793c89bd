import { parametersOf, type Recipient } from '../common/messages/campaigns';
import { cell } from '../common/text/csv';

/** Rows of a campaign as a CSV file, with the columns that they were loaded with. */
export function csvOf(rows: Recipient[]): string {
  const parameters = rows.map(parametersOf);
  const columns = new Set(parameters.flatMap((each) => Object.keys(each)));
  const head = ['line', 'phone', ...columns, 'status', 'reason'];
  const lines = rows.map((row, index) => {
    const others = [...columns].map((name) => parameters[index]?.[name]);
    return [row.line, row.phone_number, ...others, row.status, row.reason];
  });
  // The first sign tells Excel that the file is in UTF-8.
  return `\uFEFF${[head, ...lines].map((line) => `${line.map(cell).join(',')}\r\n`).join('')}`;
}
