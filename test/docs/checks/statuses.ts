import { read } from '../files';
import { codesOf, parse, prose, tablesOf } from '../markdown';
import type { Part } from '../markdown';
import { GUIDES } from '../pages';

/** The outcomes of a message, as the code names them. */
const STATUSES = [
  ...(/type Status = ([^;]+);/
    .exec(read('nodes/SmsMessagingService/sending/outcome.ts'))?.[1]
    ?.matchAll(/'(\w+)'/g) ?? []),
].map(([, name = '']) => name);

/** The statuses in a page's tables of them. */
const statusTables = (page: Part): string[][] =>
  tablesOf(page)
    .filter(({ header: [first] }) => first === 'status')
    .map(({ rows }) => rows.flatMap(([first]) => (first ? codesOf(first) : [])));

const tables = GUIDES.flatMap(({ file, tree }) =>
  statusTables(tree).map((statuses) => [file, statuses] as const),
);

test('a page has a table of what can become of a message', () => {
  expect(tables.map(([file]) => file)).toContain('README.md');
  expect(STATUSES).toContain('accepted');
});

test.each(tables)('the table in %s has every status, and no other', (_, statuses) => {
  // Nothing becomes of a message with Check Only.
  const ofSends = statuses.filter((status) => status !== 'checked');
  expect(ofSends.sort()).toEqual([...STATUSES].sort());
});

test('the status of Check Only is named beside it', () => {
  expect(read('nodes/SmsMessagingService/sending/check.ts')).toContain("'checked'");
  const isNamed = (text: string) => /Check Only/.test(text) && /\bchecked\b/.test(text);
  expect(GUIDES.some(({ tree }) => prose(tree).some(isNamed))).toBe(true);
});

test('the check of statuses reads a table and no other', () => {
  const table = '| `status` | Meaning |\n|--|--|\n| `accepted` | `x` |\n| `lost` | |';
  const page = parse(`${table}\n\n| Field | |\n|--|--|\n| \`code\` | |`);
  expect(statusTables(page)).toEqual([['accepted', 'lost']]);
});
