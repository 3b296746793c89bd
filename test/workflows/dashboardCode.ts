/** Runs the Code nodes of the dashboard as n8n would, without n8n. */
import { DateTime, Settings } from 'luxon';

import { items, runCode } from './node';

export type Row = Record<string, unknown>;

export interface Opened {
  query?: Row;
  events?: Row[];
  sends?: Row[];
  now: string;
  zone?: string;
}

/** What Figures gives out, as far as the tests look at it. */
export interface Figures {
  asked: { window: string; phone: string; since: string; now: string; format: string };
  problems: string[];
  cutAt?: number;
  tiles: Record<string, number>;
  unit: string;
  bars: {
    from: number;
    to: number;
    sent: number;
    reported: number;
    delivered: number;
    failed: number;
  }[];
  templates: (Row & Record<'sent' | 'reported' | 'delivered' | 'failed' | 'missing', number>)[];
  batches: Row[];
  reasons: { status: string; amount: number }[];
  failures: Row[];
  replies: Row[];
  found: Row[];
}

/** A page, or a file, and what the nodes before it gave out. */
export interface Shown {
  figures: Figures;
  html: string;
}

/** The limit of the two reading nodes: one more than the page counts. */
export const LIMIT = 20_001;

/** Opens the page, with the given rows in the data tables. */
export function open(opened: Opened): Shown {
  const outputs = ran(opened, ['What was asked', 'Figures', 'Charts', 'Looks', 'Tables', 'Page']);
  return {
    figures: outputs.get('Figures')?.[0] as unknown as Figures,
    html: String(outputs.get('Page')?.[0]?.html),
  };
}

/** Downloads the file. */
export function download(opened: Opened): { fileName: string; text: string } {
  const [file] = ran(opened, ['What was asked', 'Rows as CSV']).get('Rows as CSV') ?? [];
  return file as unknown as { fileName: string; text: string };
}

function ran(
  { query = {}, events = [], sends = [], now, zone = 'Asia/Shanghai' }: Opened,
  names: string[],
) {
  const outputs = new Map<string, Row[]>([['webhook', [{ query }]]]);
  let before = 'webhook';
  for (const name of names) {
    Settings.defaultZone = zone;
    const nodes = Object.fromEntries([...outputs].map(([node, rows]) => [node, items(...rows)]));
    const globals = { $now: DateTime.fromISO(now, { zone }), DateTime };
    const result = runCode('delivery-dashboard', name, nodes[before] ?? [], { nodes, globals });
    outputs.set(
      name,
      result.map(({ json }) => json),
    );
    before = name;
    if (name === 'What was asked') {
      const asked = outputs.get(name)?.[0] as unknown as Figures['asked'] & { typed: string };
      outputs.set('Events of the window', read(events, 'time', asked));
      outputs.set('Sends of the window', read(sends, 'sent_at', asked));
    }
  }
  return outputs;
}

/** What the conditions of the reading nodes let through. No row is one empty item. */
function read(rows: Row[], column: string, asked: Figures['asked'] & { typed: string }): Row[] {
  const { window, since, typed, phone } = asked;
  const timeOf = (row: Row) => Date.parse(String(row[column] ?? ''));
  const found = rows
    .filter((row) => 'error' in row || window === 'all' || timeOf(row) >= Date.parse(since))
    .filter((row) => 'error' in row || typed === '' || row.phone_number === (phone || 'none'))
    .sort((a, b) => timeOf(b) - timeOf(a))
    .slice(0, LIMIT);
  return found.length === 0 ? [{}] : found;
}
