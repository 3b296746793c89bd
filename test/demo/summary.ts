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
interface OnPhones {
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

/** So few different records are printed one by one. */
const FEW = 5;

/** What n8n has, and what it should have. With `labelOf`, what the records are is always printed. */
type Finding = [
  what: string,
  found: string[],
  wanted: string[],
  labelOf?: (found: string) => string,
];

/** The records that n8n has, and those of the phones. */
export function recordFindings(
  reports: readonly IDataObject[],
  replies: readonly IDataObject[],
  { delivered, replied }: OnPhones,
): Finding[] {
  return [
    [
      'delivery reports',
      reports.map((each) => [each.phone_number, each.batch_id, each.status].join(' ')),
      delivered.map((each) => [each.phone, each.batch_id, each.status].join(' ')),
      (report) => report.split(' ')[2] ?? '',
    ],
    [
      'replies',
      replies.map((each) => [each.phone_number, each.content].join(' ')),
      replied.map((each) => [each.phone, each.content].join(' ')),
      (reply) => `"${reply.replace(/^\d+ /, '')}"`,
    ],
  ];
}

/** Prints what a demo has found in n8n, and what of it is wrong, and returns whether all is right. */
export function conclude(findings: Finding[], { violations }: Gateway): boolean {
  console.log('\n  Read back from n8n:\n');
  for (const finding of findings) printCounts(finding);
  const problems = [
    ...findings.flatMap(problemsOf),
    ...violations.map((violation) => `The contract was broken: ${violation}`),
  ];
  console.log(
    problems.length === 0
      ? '\n  Everything that the sandbox has accepted, delivered and received as a reply is there, once.\n'
      : `\n  Not right:\n${problems.map((problem) => `  - ${problem}`).join('\n')}\n`,
  );
  return problems.length === 0;
}

/** Prints how many records there are, and how many have the same label. */
function printCounts([what, found, , labelOf]: Finding): void {
  console.log(`  ${found.length} ${what}`);
  const counts = countsOf(labelOf ? found.map(labelOf) : found);
  if (!labelOf && counts.length > FEW) return;
  for (const [label, count] of counts) console.log(`    ${String(count).padStart(4)}  ${label}`);
}

/** How often each text is there. */
export function countsOf(texts: string[]): [text: string, count: number][] {
  return [...new Set(texts)].map((each) => [each, texts.filter((text) => text === each).length]);
}

/** Compares the two in any order. A missing record is a problem, and so is one that came twice. */
function problemsOf([what, found, wanted]: Finding): string[] {
  const rest = [...found];
  const missing = wanted.filter((each) => {
    const index = rest.indexOf(each);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
  if (missing.length === 0 && rest.length === 0) return [];
  return [`${what}: ${missing.length} missing, ${rest.length} too many`];
}
