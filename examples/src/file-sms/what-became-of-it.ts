import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import { lineOf, listed } from './page';
import type { Question } from './page';

interface Outcome extends Fields {
  status?: string;
  msg?: string;
}

/** The last page, and the file with a status in each row. Without an outcome, nothing was sent. */
export default function tell({ $, $input }: N8n): Item[] {
  const { count, rows } = $('Read the rows').first<Question>().json;
  const outcomes = new Map<unknown, Outcome>();
  if ($('Rows to be sent').isExecuted) {
    for (const [index, { json }] of $input.all<Outcome>().entries()) {
      const { row_number } = $('Rows to be sent').itemMatching(index).json;
      outcomes.set(row_number, (json.details ?? json) as Outcome);
    }
  }
  const isAsked = count > 0 && outcomes.size === 0;
  const told = rows.map((each) => {
    const notSent = each.problem ?? 'You chose to send nothing.';
    const { status = 'rejected', msg = notSent } = outcomes.get(each.number) ?? {};
    const had = String(each.row.status ?? '');
    return {
      ...each,
      status: each.problem !== undefined && had !== '' ? had : status,
      problem: status === 'accepted' ? '' : msg,
    };
  });
  const sent = told.filter(({ problem }) => problem === '').length;
  const isUnknown = told.some(({ number, status }) => outcomes.has(number) && status === 'unknown');
  const title =
    sent > 0 || isUnknown
      ? `Sent: ${sent} of ${rows.length} rows${isUnknown ? ', or more' : ''}`
      : 'Nothing was sent';
  const lines = told
    .filter(({ problem }) => problem !== '')
    .map(({ number, status, problem }) =>
      lineOf({ number, problem: number > 0 ? `${status}. ${problem}` : problem }),
    );
  const text = [
    ...(isAsked ? ['You chose to send nothing.'] : listed(lines)),
    'The file says it for each row.',
  ];
  const csv = csvOf(told.map(({ row, status, problem }) => ({ ...row, status, reason: problem })));
  const data = {
    data: Buffer.from(`\ufeff${csv}`).toString('base64'),
    mimeType: 'text/csv',
    fileName: 'sent.csv',
  };
  return [{ json: { title, text: text.join('\n') }, binary: { data } }];
}

function csvOf(rows: Fields[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cellOf = (value: unknown) =>
    String(value ?? '').replace(/^.*[",\r\n].*$/s, (cell) => `"${cell.replaceAll('"', '""')}"`);
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => cells.map(cellOf).join(','))
    .join('\r\n');
}
