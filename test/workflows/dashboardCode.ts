/** Runs the Code nodes of the dashboard one after the other, without n8n. */
import { DateTime, Settings } from 'luxon';

import charts from '../../examples/code/delivery-dashboard/Charts';
import countFigures, {
  type Shown as Figures,
} from '../../examples/code/delivery-dashboard/Figures';
import looks from '../../examples/code/delivery-dashboard/Looks';
import page from '../../examples/code/delivery-dashboard/Page';
import rowsAsCsv from '../../examples/code/delivery-dashboard/Rows as CSV';
import tables from '../../examples/code/delivery-dashboard/Tables';
import whatWasAsked, { type Asked } from '../../examples/code/delivery-dashboard/What was asked';
import { MOST } from '../../examples/code/most';
import { items, runCode, type Item, type Surroundings } from './node';

export type Row = Record<string, unknown>;

export interface Opened {
  query?: Row;
  events?: Row[];
  sends?: Row[];
  now: string;
  zone?: string;
}

/** The limit of the two reading nodes: one more than the page counts. */
export const LIMIT = MOST + 1;

/** Opens the page, with the given rows in the data tables. */
export function open(opened: Opened): { figures: Figures; html: string } {
  const surroundings = asked(opened);
  const [figures] = runCode(countFigures, [], surroundings);
  if (!figures) throw new Error('The dashboard counts nothing.');
  let shown: Item[] = items(figures.json);
  for (const node of [charts, looks, tables])
    shown = items(...fields(runCode(node, shown, surroundings)));
  return { figures: figures.json, html: String(runCode(page, shown, surroundings)[0]?.json.html) };
}

/** Downloads the file. */
export function download(opened: Opened): { fileName: string; text: string } {
  const [file] = runCode(rowsAsCsv, [], asked(opened));
  if (!file) throw new Error('The dashboard gives no file.');
  return file.json;
}

/** What the nodes see that show something. */
function asked({ query = {}, events, sends, now, zone = 'Asia/Shanghai' }: Opened): Surroundings {
  Settings.defaultZone = zone;
  const globals = { $now: DateTime.fromISO(now, { zone }), DateTime };
  const question = fields(runCode(whatWasAsked, items({ query }), globals));
  const [wanted] = question;
  if (!wanted) throw new Error('The dashboard was asked nothing.');
  const nodes = {
    'What was asked': items(...question),
    'Events of the window': items(...read(events, 'time', wanted)),
    'Sends of the window': items(...read(sends, 'sent_at', wanted)),
  };
  return { ...globals, nodes };
}

function fields<Json>(output: { json: Json }[]): Json[] {
  return output.map(({ json }) => json);
}

/** What the conditions of the reading nodes let through. No row is one empty item. */
function read(rows: Row[] = [], column: string, { window, since, typed, phone }: Asked): Row[] {
  const timeOf = (row: Row) => Date.parse(String(row[column] ?? ''));
  const found = rows
    .filter((row) => 'error' in row || window === 'all' || timeOf(row) >= Date.parse(String(since)))
    .filter((row) => 'error' in row || typed === '' || row.phone_number === (phone || 'none'))
    .sort((a, b) => timeOf(b) - timeOf(a))
    .slice(0, LIMIT);
  return found.length === 0 ? [{}] : found;
}
