import { errorsIn, rowsOf } from '../common/records/days';
import type { N8n } from '../../../builder/code/n8n';
import { barsOf } from './bars';
import { countOf, figuresOf, isSentIn, narrowed } from './figures';
import { alertsOf, ALERTS_ZH, perDay } from './alerts';
import { listsOf } from './lists';
import { thresholdsIn } from '../common/messages/thresholds';
import { unsentOf } from '../common/messages/unsent';
import { readRows, templateNames, type Read, type Rows } from './rows';
import { voiceOf } from './voice';
import type { Asked } from './what-was-asked';

/** What the page shows. */
export type Shown = ReturnType<typeof countAndJudge>;

/** The stretch of time that is shown, and the one before it, if all of that was read. */
function spansOf(asked: Asked, { messages, cutAt = 0 }: Rows) {
  const now = Date.parse(asked.now);
  // What is later than now is in the last bar of a page about now.
  const isNow = asked.from === '' || asked.end === asked.now;
  const to = isNow ? Infinity : Date.parse(asked.end);
  if (asked.before === null) {
    const times = messages.map(({ send, report }) => send?.at ?? report?.at ?? now);
    const first = times.reduce((a, b) => Math.min(a, b), now - 3_600_000);
    return { isNow, span: { from: first, to }, earlier: undefined };
  }
  const from = Math.max(Date.parse(asked.start), cutAt);
  const before = Date.parse(asked.before);
  const earlier = cutAt > before ? undefined : { from: before, to: from - 1 };
  return { isNow, span: { from, to }, earlier };
}

/** Counts and judges, in one node: every Code node gets all its items handed over. */
export default function countAndJudge({ $, DateTime }: N8n) {
  const asked = $('What was asked').first<Asked>().json;
  const { zone } = asked;
  const now = Date.parse(asked.now);
  const read = $('Count them').first<Read>().json;
  const templates = rowsOf($('Names of templates').all());
  const thresholds = thresholdsIn($('Thresholds').all());
  const { idOf } = templateNames(templates);
  const rows = readRows(read, { now, idOf, thresholds });
  const { cutAt, messages } = rows;
  const others = [
    ...[...$('Thresholds').all(), ...$('Opt-outs').all()],
    ...[...$('Figures by day').all(), ...$('Names of templates').all()],
  ];
  const problems = [...new Set([...rows.problems, ...errorsIn(others)])];
  const { isNow, span, earlier } = spansOf(asked, rows);
  const shownRows = narrowed(rows, asked);
  const counted = figuresOf(shownRows.messages, shownRows.replies, span);
  const past = earlier && figuresOf(shownRows.messages, shownRows.replies, earlier);
  const before = past && past.sent + past.reported > 0 ? past : undefined;
  const sends = shownRows.messages
    .filter((message) => isSentIn(message, span))
    .map(({ state, send, rows: count }) => ({ at: 0, ...send, state, rows: count }));
  const charted = { from: span.from, to: Math.min(span.to, now) };

  const [newest] = rowsOf($('Newest record').all());
  const { balance } = $('Balance').first().json;
  const optOuts = rowsOf($('Opt-outs').all()).map(({ since, createdAt }) =>
    Date.parse(String(since || createdAt)),
  );
  const seen = {
    messages,
    days: rowsOf($('Figures by day').all()),
    ...{ balance, now, thresholds },
    segments: counted.sent > 0 ? counted.segments / counted.sent : 1,
    dayOf: (at: number) => DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd'),
  };
  return {
    ...{ asked, figures: counted, before, isNow, cutAt, problems, thresholds },
    ...barsOf(shownRows.messages, charted, { zone, DateTime }),
    lists: listsOf({ ...shownRows, span }, asked),
    unsent: unsentOf(sends, now, thresholds),
    alerts: isNow ? alertsOf(seen, voiceOf(asked, ALERTS_ZH, templates, DateTime)) : [],
    // What does not depend on a template, a batch or a status.
    account: {
      ...{ balance, perDay: perDay(seen) },
      isNew: !newest && seen.days.length === 0,
      lastStored: newest && Date.parse(String(newest.createdAt)),
      optOuts: optOuts.filter((at) => at >= span.from && at <= span.to).length,
    },
    // Reports with a time in the future.
    ahead: countOf(messages.filter(({ report }) => report && report.at - now > 600_000)),
  };
}
