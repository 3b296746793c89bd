import { languageOf, sayIn, type Lang, type Request } from '../../../builder/code/lang';
import { addressOf } from '../../../builder/code/look';
import type { Fields, N8n } from '../../../builder/code/n8n';
import type { Alike } from '../common/messages/unsent';
import { thresholdsIn } from '../common/messages/thresholds';
import { errorsIn, rowsOf, type DayRow } from '../common/records/rows';
import type { TableSize } from '../common/records/retention';
import { withoutNumbers } from '../common/text/clean';
import { clock } from '../common/text/clock';
import { LIGHTS_ZH } from './light-texts';
import { failedPullsIn } from './pulls';
import { statusOf, type Light, type Sentence } from './status';

/** A light, and the status, in the reader's language. */
export type SaidLight = ReturnType<ReturnType<typeof sayer>>;
export type SaidStatus = ReturnType<typeof lights>;

/** The ID of the workflow that a node calls. */
function calledBy(params: Fields): unknown {
  return (params.workflowId as { value?: unknown } | undefined)?.value;
}

/** What PostgreSQL says of a table that is not there. */
const MISSING = /relation "([\w.]+)" does not exist/;

/** Says lights in a language. */
function sayer({ lang, kept }: { lang: Lang; kept: string }) {
  const say = sayIn(lang, LIGHTS_ZH);
  const words = ([text, values = {}]: Sentence): string => {
    const said = Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? words(value) : value,
    ]);
    return say(text, Object.fromEntries(said) as Record<string, string | number>);
  };
  const linksTo = ({ opens: place, page }: Light) => {
    if (page) return [{ text: say('The list'), href: addressOf(page, { lang: kept }) }];
    if (place === undefined) return [];
    const href = `../workflow/${encodeURIComponent(String(place.workflow))}`;
    return [
      { text: say('Workflow'), href },
      { text: say('Executions'), href: `${href}/executions` },
    ];
  };
  return (light: Light) => ({
    level: light.level,
    name: light.workflow ?? say(light.name),
    text: light.says.map(words).join(lang === 'zh' ? '' : ' '),
    reason: withoutNumbers(light.reason),
    links: linksTo(light),
  });
}

/** Decides which lights are green, and says them in the language of the reader. */
export default function lights({ $, $now, $workflow, DateTime, $getWorkflowStaticData }: N8n) {
  const request = $('Status page is opened').first<Request & { executionMode?: string }>().json;
  const { lang, kept } = languageOf(request);
  const zone = $now.zoneName ?? 'utc';
  const timeOf = (at: unknown) =>
    typeof at === 'number'
      ? DateTime.fromMillis(at, { zone })
      : DateTime.fromISO(String(at), { zone });
  const dayOf = (at: unknown) => timeOf(at).toFormat('yyyy-MM-dd');
  const day = dayOf($now.toMillis());
  const read = {
    subscribers: $('Who has subscribed').all(),
    rules: $('Rules').all(),
    heartbeats: $('Heartbeats').all(),
    days: $('Days').all(),
    tables: $('Sizes').all(),
    optOuts: $('Opt-outs in all').all(),
  };
  const days = rowsOf<DayRow>(read.days);
  const thresholds = $('Thresholds of the status').all();
  const unsent = $('Not sent').all();
  const unsentRows = rowsOf<Alike & Fields>(unsent, 'kind');
  const errors = errorsIn([...Object.values(read), thresholds, unsent].flat());
  const missing = errors.flatMap((error) => MISSING.exec(error)?.[1] ?? []);
  const status = statusOf({
    now: $now.toMillis(),
    clock: (at) => clock(timeOf(at), $now),
    today: days.find((each) => each.day === day),
    refusesToday: unsentRows.some(
      (row) => row.reason_code === 'days_limit' && dayOf(row.createdAt) === day,
    ),
    isTest: request.executionMode !== 'production',
    inbox: $('Does the inbox answer?').first().json,
    balance: $('Does the service answer?').first().json,
    failedPulls: failedPullsIn($getWorkflowStaticData('global')),
    ids: {
      page: $workflow.id,
      inbox: calledBy($('Does the inbox answer?').params),
    },
    subscribers: rowsOf(read.subscribers),
    rules: rowsOf(read.rules, 'class'),
    heartbeats: rowsOf(read.heartbeats),
    days,
    tables: rowsOf<TableSize>(read.tables, 'name'),
    optOuts: Number(read.optOuts[0]?.json.count ?? 0),
    unsentRows,
    areHeartbeatsRead: errorsIn(read.heartbeats).length === 0,
    isUnsentRead: errorsIn(unsent).length === 0,
    thresholds: thresholdsIn(thresholds),
    missing: [...new Set(missing)],
    unreadable: errors.find((error) => !MISSING.test(error)),
  });
  const said = sayer({ lang, kept });
  const shown = { lights: status.lights.map(said), subscribers: status.subscribers.map(said) };
  return { ...status, lang, ...shown };
}
