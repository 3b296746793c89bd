import { parametersOf, type Recipient } from '../common/messages/campaigns';
import { cell } from '../common/text/format';
import type { Lang } from '../../../builder/code/lang';
import { reasonIn } from '../common/messages/reasons';
import { guarded, OWN, PHONE } from '../common/text/own-list';

/** Rows of a campaign as a CSV file, with the columns that they were loaded with. */
export function csvOf(rows: Recipient[], lang: Lang = 'en'): string {
  const parameters = rows.map(parametersOf);
  const columns = [...new Set(parameters.flatMap((each) => Object.keys(each)))];
  const head = [OWN.line, PHONE, ...columns.map(guarded), OWN.status, OWN.reason];
  const lines = rows.map((row, index) => {
    const others = columns.map((name) => parameters[index]?.[name] ?? '');
    const given = [row.phone_number, ...others].map((each) => guarded(String(each)));
    return [row.line, ...given, row.status, reasonIn(lang, row)];
  });
  // The first sign tells Excel that the file is in UTF-8.
  return `\uFEFF${[head, ...lines].map((line) => `${line.map(cell).join(',')}\r\n`).join('')}`;
}
