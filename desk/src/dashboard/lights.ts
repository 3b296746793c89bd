import { clock } from '../common/text/clock';
import { daysIn, errorOf, rowsOf } from '../common/records/days';
import { failedPullsIn } from './pulls';
import { statusOf, type Facts, type Status } from './status';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';

/** The ID of the workflow that a node calls. */
function calledBy({ params }: { params: Fields }): unknown {
  return (params.workflowId as { value?: unknown } | undefined)?.value;
}

/** What n8n's data tables say, and PostgreSQL. */
const MISSING = /(?:Data table with name|relation) "(\w+)" (?:not found|does not exist)/;

/** The tables that are not there. */
function missingIn(items: Item[]): string[] {
  return items.flatMap(({ json }) => {
    const [, table] = MISSING.exec(errorOf(json)) ?? [];
    return table ?? [];
  });
}

/** Decides which lights are green. */
export default function lights({
  $,
  $now,
  $workflow,
  DateTime,
  $getWorkflowStaticData,
}: N8n): Item<Status>[] {
  const zone = $now.zoneName ?? 'utc';
  const timeOf = (at: unknown) =>
    typeof at === 'number'
      ? DateTime.fromMillis(at, { zone })
      : DateTime.fromISO(String(at), { zone });
  const status = statusOf({
    now: $now.toMillis(),
    clock: (at) => clock(timeOf(at), $now),
    dayOf: daysIn({ $now, DateTime }),
    isTest: $('Status page is opened').first().json.executionMode !== 'production',
    inbox: $('Does the inbox answer?').first().json,
    upkeep: $('Sizes from the upkeep').first<Facts['upkeep']>().json,
    balance: $('Does the service answer?').first().json,
    failedPulls: failedPullsIn($getWorkflowStaticData('global')),
    ids: {
      page: $workflow.id,
      inbox: calledBy($('Does the inbox answer?')),
      upkeep: calledBy($('Sizes from the upkeep')),
    },
    stored: rowsOf($('Latest figures by day').all()),
    inboxRows: rowsOf($('Inbox, not counted yet').all()).reverse(),
    outboxRows: rowsOf($('Outbox, not counted yet').all()).reverse(),
    optedOut: rowsOf($('Who has opted out').all()),
    subscribers: rowsOf($('Who has subscribed').all()),
    rules: rowsOf($('Rules').all()),
    claimed: rowsOf($('Claimed too long').all()),
    missing: missingIn([
      ...[...$('Who has subscribed').all(), ...$('Rules').all(), ...$('Who has opted out').all()],
      ...[...$('Latest figures by day').all(), ...$('Inbox, not counted yet').all()],
      ...$('Outbox, not counted yet').all(),
    ]),
  });
  return [{ json: status }];
}
