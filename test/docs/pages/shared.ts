import type { Row } from './fields';

/** As much of an operation as its fields need. */
interface Operation {
  heading: string;
  rows: Row[];
}

/** Fields that the same operations have, under a heading of their own. */
export interface Shared<T> {
  heading: string;
  rows: Row[];
  operations: T[];
}

/** The heading of what every operation has. */
export const OF_ALL = 'Fields of all operations';

/**
 * The headings of what several operations share, by one of the fields that they share. The other fields are
 * found by comparison. What is shared without having a heading here stays with each operation.
 */
const HEADINGS: Record<string, string> = {
  'options.batchSize': 'Options of sends',
  returnAll: 'Options of lists',
  simplify: 'Options of output',
  'options.pullUntilEmpty': 'Options of pulls',
  'options.endpointPath': OF_ALL,
};

/** For each heading, the fields that the same operations have as the one that is named. */
export function findShared<T extends Operation>(operations: T[]): Shared<T>[] {
  const having = (row: Row) =>
    operations.filter(({ rows }) => rows.some((each) => keyOf(each) === keyOf(row)));
  const namesOf = (row: Row) => String(having(row).map(({ heading }) => heading));
  return Object.entries(HEADINGS).map(([parameter, heading]) => {
    const all = operations.flatMap(({ rows }) => rows);
    const named = all.find((row) => row.parameter === parameter);
    if (!named) throw new Error(`No operation has '${parameter}'`);
    const sharing = having(named);
    // A required field stays with its operation, where it has to be seen.
    const rows = (sharing[0]?.rows ?? []).filter(
      (row) => !/\(required\)$/.test(row.label) && namesOf(row) === namesOf(named),
    );
    return { heading, operations: sharing, rows: rows.map((row) => merged(row, sharing)) };
  });
}

/** The fields of an operation without those that it shares. */
export function ownRows<T extends Operation>({ rows }: Operation, shared: Shared<T>[]): Row[] {
  const keys = shared.flatMap((each) => each.rows.map(keyOf));
  return rows.filter((row) => !keys.includes(keyOf(row)));
}

/**
 * What makes a field the same one in several operations. Its name in the request may differ, and so may the
 * fields of a record that it lists.
 */
const keyOf = ({ label, parameter, initial, about }: Row) =>
  JSON.stringify([label, parameter, initial, about]);

/** A row for all operations that have the field. */
function merged(row: Row, operations: Operation[]): Row {
  const same = operations.flatMap(({ rows }) => rows.filter((each) => keyOf(each) === keyOf(row)));
  const all = (part: 'place' | 'choices') =>
    [...new Set(same.map((each) => each[part]))].join(' or ');
  return { ...row, place: all('place'), choices: all('choices') };
}
