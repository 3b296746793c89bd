/** Opens the dashboard, without n8n. */
import { DateTime, Settings } from 'luxon';

import type { Shown } from '../../desk/src/code/delivery-dashboard/Count and judge';
import { MOST } from '../../desk/src/code/most';
import { evaluate, parametersOf } from './expression';
import { runDesk, type Nodes, type Row } from './workflow';

export type { Row };

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
  const { 'Count and judge': counted, Page: page } = nodesOf(opened);
  return { ...(counted?.[0] as unknown as Shown), html: String(page?.[0]?.html) };
}

/** Opens the page of one message, or a search. */
export function openMessage(opened: Opened): string {
  return String(nodesOf(opened)['Message page']?.[0]?.html);
}

/** Downloads the file. */
export function download(opened: Opened): { fileName: string; text: string } {
  const [file] = nodesOf(opened)['Rows as CSV'] ?? [];
  if (!file) throw new Error('The dashboard gives no file.');
  return { fileName: String(file.fileName), text: String(file.text) };
}

/** Whether the answer is the file, or the status of the page. */
export function answers(opened: Opened): { isFile: boolean; status?: unknown } {
  const nodes = nodesOf(opened);
  const [$json] = nodes['Show the page'] ?? [];
  const { options } = parametersOf('delivery-dashboard', 'Show the page') as { options: Row };
  const status = evaluate(String(options.responseCode), { $json, nodes });
  return 'Rows as CSV' in nodes ? { isFile: true } : { isFile: false, status };
}

/** What the nodes put out. A row with an error stands for a table that cannot be read. */
function nodesOf(opened: Opened): Nodes {
  const { query = {}, headers = {}, events = [], sends = [], now, zone = 'Asia/Shanghai' } = opened;
  Settings.defaultZone = zone;
  /** A row is stored when it comes, if nothing else is said. */
  const stored = (rows: Row[]) =>
    rows.map((row) => {
      const time = String(row.time ?? row.sent_at ?? now);
      return { ...row, createdAt: row.createdAt ?? (time < now ? time : now) };
    });
  const failed = Object.entries({ 'Inbox records': events, Messages: sends }).filter(
    ([, [row]]) => row && 'error' in row,
  );
  const tables = {
    sms_inbox: stored(events),
    sms_outbox: stored(sends),
    sms_templates: opened.templates ?? [],
    sms_days: opened.days ?? [],
    sms_subscribers: opened.subscribers ?? [],
    sms_opt_outs: opened.optOuts ?? [],
  };
  const given = {
    Balance: [opened.balance ?? { balance: 1_000_000 }],
    ...Object.fromEntries(failed),
  };
  const world = { tables, given, now: DateTime.fromISO(now, { zone }) };
  return runDesk('delivery-dashboard', 'Page is opened', { query, headers }, world);
}
