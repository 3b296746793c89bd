import type { IDataObject } from 'n8n-workflow';

import type { Gateway } from '../sandbox/gateway';

/** A message on a virtual phone, or a reply from it. */
interface Entry {
  phone: string;
  content: string;
  batch_id: string;
  status?: string;
}

/** What the sandbox has delivered to the phones of a demo, and got from them. */
export interface OnPhones {
  delivered: Entry[];
  replied: Entry[];
}

/** What is on the virtual phones, without those that are left out. */
export function onPhones(
  { state }: Gateway,
  leftOut: { has(phone: string): boolean } = new Set(),
): OnPhones {
  const entries = [...state.messages]
    .filter(([phone]) => !leftOut.has(phone))
    .flatMap(([phone, list]) => list.map((entry) => ({ phone, ...entry })));
  return {
    delivered: entries.filter(({ direction }) => direction === 'received'),
    replied: entries.filter(({ direction }) => direction === 'sent'),
  };
}

/** Begins what a demo has found in n8n. */
export function printHeading(): void {
  console.log('\n  Read back from n8n:\n');
}

/** Prints how many records there are, and how many have the same label. */
export function printCounts<Item>(
  what: string,
  records: readonly Item[],
  labelOf: (record: Item) => string,
): void {
  console.log(`  ${records.length} ${what}`);
  const counts = new Map<string, number>();
  for (const record of records) {
    const label = labelOf(record);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  for (const [label, count] of counts) console.log(`    ${String(count).padStart(4)}  ${label}`);
}

/** What a delivery report says. */
export const labelOfReport = ({ status, status_desc }: IDataObject) =>
  `${String(status)} (${String(status_desc)})`;

export const labelOfReply = ({ content }: IDataObject) => `"${String(content)}"`;

/** A sentence on what is wrong. */
export type Problem = string | undefined;

/** Compares the records that n8n has with those that the phones have. */
export function recordProblems(
  reports: readonly IDataObject[],
  replies: readonly IDataObject[],
  { delivered, replied }: OnPhones,
): Problem[] {
  return [
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
  ];
}

/** Prints the problems, or that there are none, and returns whether all is right. */
export function conclude(found: Problem[], { violations }: Gateway): boolean {
  const problems = [
    ...found.filter((problem) => problem !== undefined),
    ...violations.map((violation) => `The contract was broken: ${violation}`),
  ];
  console.log(
    problems.length === 0
      ? '\n  Everything that the sandbox has accepted, delivered and received as a reply is there, once.\n'
      : `\n  Not right:\n${problems.map((problem) => `  - ${problem}`).join('\n')}\n`,
  );
  return problems.length === 0;
}

export function differs(what: string, found: number, wanted: number): Problem {
  return found === wanted ? undefined : `${what}: ${found} instead of ${wanted}`;
}

/** Compares two lists in any order. A missing record is a problem, and so is one that came twice. */
export function unequal(what: string, found: string[], wanted: string[]): Problem {
  const rest = [...found];
  const missing = wanted.filter((each) => {
    const index = rest.indexOf(each);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
  if (missing.length === 0 && rest.length === 0) return undefined;
  return `${what}: ${missing.length} missing, ${rest.length} too many`;
}
