import type { IDataObject } from 'n8n-workflow';

import type { Gateway } from '../sandbox/gateway';

export interface Outcome {
  expected: { sent: number; asked: number; notSent: number; replies: number };
  /** Items from n8n's executions. */
  accepted: IDataObject[];
  notSent: IDataObject[];
  confirmed: IDataObject[];
  /** Rows that the inbox has stored. */
  reports: IDataObject[];
  replies: IDataObject[];
  /** Under way while the rest is counted. */
  campaign: { recipients: ReadonlySet<string>; state: string };
  /** It knows what it has accepted and delivered, and which replies it has received. */
  gateway: Gateway;
}

/** Prints what n8n has, and returns whether the sandbox knows the same. */
export function conclude(outcome: Outcome): boolean {
  const { expected, accepted, notSent, confirmed, reports, replies, campaign, gateway } = outcome;
  const entries = [...gateway.state.messages]
    .filter(([phone]) => !campaign.recipients.has(phone))
    .flatMap(([phone, list]) => list.map((entry) => ({ phone, ...entry })));
  const phones = [...gateway.deliveries().keys()].filter(
    (phone) => !campaign.recipients.has(phone),
  );
  const delivered = entries.filter(({ direction }) => direction === 'received');
  const replied = entries.filter(({ direction }) => direction === 'sent');

  console.log('\n  Read back from n8n:\n');
  console.log(`  ${accepted.length} messages sent`);
  printCounts(accepted, ({ batch_id }) => `in batch ${String(batch_id)}`);
  console.log(`  ${notSent.length} not sent`);
  printCounts(notSent, ({ reason }) => String(reason));
  console.log(`  ${reports.length} delivery reports`);
  printCounts(reports, ({ status, status_desc }) => `${String(status)} (${String(status_desc)})`);
  console.log(`  ${confirmed.length} question answered`);
  printCounts(confirmed, ({ phone, outcome: what }) => `${String(phone)} ${String(what)}`);
  console.log(`  ${replies.length} replies`);
  printCounts(replies, ({ content }) => `"${String(content)}"`);
  console.log(`  a campaign to ${campaign.recipients.size} under way: ${campaign.state}`);

  const problems = [
    differs('messages sent', accepted.length, expected.sent),
    differs(
      'sent messages with status accepted and a batch_id',
      accepted.filter(({ status, batch_id }) => status === 'accepted' && batch_id).length,
      expected.sent,
    ),
    differs('items on the error branch', notSent.length, expected.notSent),
    differs('answers to the question', confirmed.length, expected.asked),
    differs('messages on the virtual phones', delivered.length, expected.sent + expected.asked),
    differs('phones that got a message', phones.length, expected.sent + expected.asked),
    differs('replies', replies.length, expected.replies),
    unequal(
      'delivery reports (number, batch, status)',
      reports.map((each) => [each.phone_number, each.batch_id, each.status].join(' ')),
      delivered.map((each) => [each.phone, each.batch_id, each.status].join(' ')),
    ),
    unequal(
      'replies (number, text)',
      replies.map((each) => [each.phone_number, each.content].join(' ')),
      replied.map((each) => [each.phone, each.content].join(' ')),
    ),
    ...gateway.violations.map((violation) => `The contract was broken: ${violation}`),
  ].filter((problem) => problem !== undefined);

  console.log(
    problems.length === 0
      ? '\n  Everything that the sandbox has accepted, delivered and received as a reply is there, once.\n'
      : `\n  Not right:\n${problems.map((problem) => `  - ${problem}`).join('\n')}\n`,
  );
  return problems.length === 0;
}

function printCounts(records: IDataObject[], labelOf: (record: IDataObject) => string): void {
  const counts = new Map<string, number>();
  for (const record of records) {
    const label = labelOf(record);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  for (const [label, count] of counts) console.log(`    ${String(count).padStart(4)}  ${label}`);
}

function differs(what: string, found: number, wanted: number): string | undefined {
  return found === wanted ? undefined : `${what}: ${found} instead of ${wanted}`;
}

/** Compares two lists in any order. A missing record is a problem, and so is one that came twice. */
function unequal(what: string, found: string[], wanted: string[]): string | undefined {
  const rest = [...found];
  const missing = wanted.filter((each) => {
    const index = rest.indexOf(each);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
  if (missing.length === 0 && rest.length === 0) return undefined;
  return `${what}: ${missing.length} missing, ${rest.length} too many`;
}
