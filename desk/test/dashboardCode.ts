/** Opens the dashboard, without n8n. */
import { DateTime, Settings } from 'luxon';

import type { Shown } from '../src/dashboard/count-and-judge';
import type { Figures } from '../src/dashboard/counted';
import { n8n, runDesk, type Row, type World } from './workflow';

export type { Row };

/** The rows in the data tables, and what the service says. */
export interface Opened {
  query?: Row;
  headers?: Row;
  events?: Row[];
  sends?: Row[];
  templates?: Row[];
  days?: Row[];
  thresholds?: Row[];
  balance?: Row;
  given?: World['given'];
  now: string;
}

type Judged = NonNullable<Shown['shown']>;

/** What the page has counted, and what the browser gets: a page with its status, or a file. */
interface Answer extends Omit<Judged, 'figures'> {
  figures: Figures;
  before: Figures;
  /** Of the last 24 and 2 hours. */
  lately: Record<'day' | 'recent', Figures>;
  html: string;
  status: unknown;
  file: { fileName: string; text: string } | undefined;
}

/** Opens the page, that of a message, or the file. */
export async function open(opened: Opened): Promise<Answer> {
  const { query = {}, headers = {}, events = [], sends = [], now } = opened;
  const zone = 'Asia/Shanghai';
  Settings.defaultZone = zone;
  /** A row is stored when it comes, if nothing else is said. */
  const stored = (rows: Row[]) =>
    rows.map((row) => {
      const time = String(row.time ?? row.sent_at ?? now);
      return { ...row, createdAt: row.createdAt ?? (time < now ? time : now) };
    });
  const tables = {
    'sms.inbox': stored(events),
    'sms.outbox': stored(sends),
    'sms.templates': opened.templates ?? [],
    'sms.days': opened.days ?? [],
    'sms.thresholds': opened.thresholds ?? [],
    'sms.service': [
      { what: 'balance', asked: '2999-01-01', balance: 1_000_000, ...opened.balance },
    ],
  };
  const world = { tables, given: opened.given, now: DateTime.fromISO(now, { zone }) };
  const nodes = await runDesk('dashboard', 'Page is opened', { query, headers }, world);
  const { 'Count and judge': judged, 'Rows as CSV': files, 'Show the page': answered } = nodes;
  const { shown } = (judged?.[0] ?? {}) as unknown as Partial<Shown>;
  const [page] = nodes['Message page'] ?? nodes.Page ?? [];
  const { here, before, ...lately } = shown?.figures ?? ({} as Judged['figures']);
  return {
    ...(shown as Judged),
    ...{ figures: here, before, lately },
    html: String(page?.html),
    status: answered && n8n.answers.at(-1)?.code,
    file: files?.[0] as unknown as Answer['file'],
  };
}
