/** Runs the Code nodes of the dashboard, without n8n. */
import { DateTime, Settings } from 'luxon';

import messagePage from '../../desk/src/code/delivery-dashboard/Message page';
import countAndJudge, { type Shown } from '../../desk/src/code/delivery-dashboard/Count and judge';
import page from '../../desk/src/code/delivery-dashboard/Page';
import warningsAndCharts from '../../desk/src/code/delivery-dashboard/Warnings and charts';
import rowsAsCsv from '../../desk/src/code/delivery-dashboard/Rows as CSV';
import whatWasAsked, { type Asked } from '../../desk/src/code/delivery-dashboard/What was asked';
import { MOST } from '../../desk/src/code/most';
import { evaluate, fieldsOf, holds, parametersOf } from './expression';
import { items, runCode, type Item, type Surroundings } from './node';

export type Row = Record<string, unknown>;

/** The rows in the data tables, and what the service says. */
export interface Opened {
  query?: Row;
  headers?: Row;
  events?: Row[];
  sends?: Row[];
  templates?: Row[];
  days?: Row[];
  subscribers?: Row[];
  optOuts?: Row[];
  balance?: Row;
  now: string;
  zone?: string;
}

/** The limit of the two reading nodes: one more than the page counts. */
export const LIMIT = MOST + 1;

/** Opens the page, with the given rows in the data tables. */
export function open(opened: Opened): Shown & { html: string } {
  const seen = asked(opened);
  // Between two nodes, n8n keeps what JSON can say.
  const counted = JSON.parse(JSON.stringify(runCode(countAndJudge, [], seen))) as Item<Shown>[];
  const nodes = { ...seen.nodes, 'Count and judge': counted as unknown as Item[] };
  const parts = runCode(warningsAndCharts, nodes['Count and judge'], { ...seen, nodes });
  const [shown] = runCode(page, parts as unknown as Item[], { ...seen, nodes });
  if (!counted[0] || !shown) throw new Error('The dashboard shows nothing.');
  return { ...counted[0].json, html: shown.json.html };
}

/** Opens the page of one message, or a search. */
export function openMessage(opened: Opened): string {
  return String(runCode(messagePage, [], asked(opened))[0]?.json.html);
}

/** Downloads the file. */
export function download(opened: Opened): { fileName: string; text: string } {
  const [file] = runCode(rowsAsCsv, [], asked(opened));
  if (!file) throw new Error('The dashboard gives no file.');
  return file.json;
}

/** Whether the answer is the file, or the status of the page. */
export function answers(opened: Opened): { isFile: boolean; status?: unknown } {
  const { nodes = {} } = asked(opened);
  const [$json] = jsonOf(nodes['Only what is counted']);
  const sight = { $json, nodes: { 'What was asked': jsonOf(nodes['What was asked']) } };
  if (holds('delivery-dashboard', 'As a file?', sight)) return { isFile: true };
  const { options } = parametersOf('delivery-dashboard', 'Show the page') as { options: Row };
  return { isFile: false, status: evaluate(String(options.responseCode), sight) };
}

/** What the nodes see that show something. */
function asked(opened: Opened): Surroundings {
  const { query = {}, headers = {}, events = [], sends = [], now, zone = 'Asia/Shanghai' } = opened;
  Settings.defaultZone = zone;
  const globals = { $now: DateTime.fromISO(now, { zone }), DateTime };
  const question = runCode(whatWasAsked, items({ query, headers }), globals);
  const wanted = question[0]?.json;
  if (!wanted) throw new Error('The dashboard was asked nothing.');
  const inbox = orNone(read(events, 'time', wanted));
  const outbox = orNone(read(sends, 'sent_at', wanted));
  const [kind, id] = [wanted.row[0], Number(wanted.row.slice(1))];
  const row = (kind === 'i' ? events : sends).find((each) => each.id === id);
  const phone = wanted.pattern || String(row?.phone_number ?? 'none');
  const ofNumber = (rows: Row[]) =>
    orNone(
      rows.filter(({ phone_number }) => String(phone_number).endsWith(phone.replace('%', ''))),
    );
  const nodes = {
    'What was asked': items(wanted),
    'Inbox records': inbox,
    Messages: outbox,
    'Only what is counted': items(
      fieldsOf('delivery-dashboard', 'Only what is counted', {
        nodes: { 'Inbox records': jsonOf(inbox), Messages: jsonOf(outbox) },
      }),
    ),
    'Names of templates': orNone(opened.templates),
    'Figures by day': orNone(opened.days),
    'Newest record': orNone(events.slice(-1)),
    'Opt-outs': orNone(opened.optOuts),
    Subscribers: orNone(opened.subscribers),
    Balance: items(opened.balance ?? { balance: 1_000_000 }),
    'The row of the address': orNone(row && [row]),
    'Messages to the number': ofNumber(sends),
    'Records of the number': ofNumber(events),
  };
  return { ...globals, nodes };
}

const jsonOf = (all: readonly Item[] = []) => all.map(({ json }) => json);

/** No row is one empty item. */
function orNone(rows: Row[] = []): Item[] {
  return items(...(rows.length === 0 ? [{}] : rows));
}

/** What the conditions of the reading nodes let through, the newest rows first. */
function read(rows: Row[], column: string, { window, readFrom, sendsTo, recordsTo }: Asked): Row[] {
  const from = Date.parse(readFrom);
  const to = Date.parse(column === 'time' ? recordsTo : sendsTo);
  return rows
    .map((row) => ({ row, at: Date.parse(String(row[column] ?? '')) }))
    .filter(({ row, at }) => 'error' in row || window === 'all' || (at >= from && at <= to))
    .sort((a, b) => b.at - a.at)
    .slice(0, LIMIT)
    .map(({ row }) => row);
}
