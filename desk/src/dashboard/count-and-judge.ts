import { rowsOf } from '../common/records/days';
import { MOST } from './most';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import { barsOf, type Bar, type Unit } from './bars';
import { figuresOf, narrowed, type Figures, type Span } from './figures';
import { findingsOf, perDay, type Finding } from './health';
import { listsOf, type Lists } from './lists';
import { readRows, templateNames } from './rows';
import type { Asked } from './what-was-asked';

/** What the page shows. */
export interface Shown {
  asked: Asked;
  figures: Figures;
  /** Of the period before, if all of it was read. */
  before?: Figures;
  bars: Bar[];
  unit: Unit;
  /** The failure rate of the period before, if it has enough reports. */
  usual?: number;
  lists: Lists;
  /** Whether the page is about now, and looks for what is wrong. */
  isNow: boolean;
  findings: Finding[];
  account: Account;
  /** Nothing before this time was read. */
  cutAt?: number;
  problems: string[];
  /** How many reports have a time in the future. */
  ahead: number;
}

/** What does not depend on a template, a batch or a status. */
export interface Account {
  balance: unknown;
  perDay: number;
  lastStored?: number;
  optOuts: number;
  optOutsBefore?: number;
}

/** Counts and judges, in one node: every Code node gets all its items handed over. */
export default function countAndJudge({ $, DateTime }: N8n): Item<Shown>[] {
  const asked = $('What was asked').first<Asked>().json;
  const { zone } = asked;
  const now = Date.parse(asked.now);
  const packed = $('Only what is counted').first<{ inbox: string; outbox: string }>().json;
  const { idOf } = templateNames(rowsOf($('Names of templates').all()));
  const rows = readRows(packed, { most: MOST, now, idOf });
  const { cutAt, problems, messages } = rows;
  const start = Math.max(Date.parse(asked.start), cutAt ?? 0);
  const first = messages.reduce(
    (min, { send, report }) => Math.min(min, send?.at ?? report?.at ?? min),
    now,
  );
  const isAll = asked.before === null;
  // What is later than now is in the last bar of a page about now.
  const isNow = asked.from === '' || asked.end === asked.now;
  const span: Span = {
    from: isAll ? Math.min(first, now - 3_600_000) : start,
    to: isNow ? Infinity : Date.parse(asked.end),
  };
  const earlier: Span | undefined =
    asked.before === null || (cutAt ?? 0) > Date.parse(asked.before)
      ? undefined
      : { from: Date.parse(asked.before), to: start - 1 };
  const shownRows = narrowed(rows, asked);
  const counted = figuresOf(shownRows.messages, shownRows.replies, span, now);
  const past = earlier && figuresOf(shownRows.messages, shownRows.replies, earlier, now);
  const before = past && past.sent + past.reported > 0 ? past : undefined;
  const charted = { from: span.from, to: Math.min(span.to, now) };

  const lastStored = rows.lastStored ?? lastOf(rowsOf($('Newest record').all()));
  const balance: Fields = $('Balance').first().json;
  const optOuts = rowsOf($('Opt-outs').all()).map(({ since, createdAt }) =>
    Date.parse(String(since || createdAt)),
  );
  const within = ({ from, to }: Span) => optOuts.filter((at) => at >= from && at <= to).length;
  const seen = {
    rows: { ...rows, lastStored },
    days: rowsOf($('Figures by day').all()),
    subscribers: rowsOf($('Subscribers').all()),
    ...{ balance, now },
    segments: counted.sent > 0 ? counted.segments / counted.sent : 1,
    dayOf: (at: number) => DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd'),
  };
  const shown: Shown = {
    ...{ asked, figures: counted, before, isNow, cutAt, problems },
    ...barsOf(shownRows.messages, charted, { zone, now, DateTime }),
    usual: before && before.reported >= 200 ? before.failed / before.reported : undefined,
    lists: listsOf({ ...shownRows, span, now }, asked),
    findings: isNow ? findingsOf(seen) : [],
    account: {
      ...{ balance: balance.balance, perDay: perDay(seen), lastStored },
      optOuts: within(span),
      optOutsBefore: earlier && within(earlier),
    },
    ahead: messages.filter(({ report }) => report && report.at - now > 600_000).length,
  };
  return [{ json: shown }];
}

function lastOf([newest]: Fields[]): number | undefined {
  return newest && Date.parse(String(newest.createdAt));
}
