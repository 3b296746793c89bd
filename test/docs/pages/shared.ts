import type { Row } from './fields';
import { linkTo, listed } from './markdown';

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

/** Fields of a collection that stand with another operation too, as one row that names it. */
export function withReference(rows: Row[], other: { heading: string; rows: Row[] }): Row[] {
  const isIn = (list: Row[]) => (row: Row) => list.some((each) => nameOf(each) === nameOf(row));
  const repeated = rows.filter(({ collection }) => collection !== '').filter(isIn(other.rows));
  const [first] = repeated;
  if (!first) return rows;
  const missing = other.rows.filter((row) => !isIn(repeated)(row)).map(labelOf);
  const without = missing.length > 0 ? `, without ${listed(missing)}` : '';
  const reference = {
    ...first,
    label: first.collection,
    parameter: first.parameter.replace(/\..*/, '.…'),
    place: '',
    initial: '',
    about: `The fields of ${linkTo(other.heading)}${without}; none is required`,
  };
  return [...rows.filter((row) => !repeated.includes(row)), reference];
}

/**
 * What makes a field the same one in several operations. Its name in the request may differ, and so may the
 * fields of a record that it lists.
 */
const keyOf = ({ label, parameter, initial, about }: Row) =>
  JSON.stringify([label, parameter, initial, about]);

const labelOf = ({ label }: Row) => label.replace(' (required)', '');

/** A field whether or not it is in a collection. */
const nameOf = ({ parameter, about }: Row) => `${parameter.replace(/.*\./, '')}: ${about}`;

/** A row for all operations that have the field. */
function merged(row: Row, operations: Operation[]): Row {
  const same = operations.flatMap(({ rows }) => rows.filter((each) => keyOf(each) === keyOf(row)));
  const all = (part: 'place' | 'choices') =>
    [...new Set(same.map((each) => each[part]))].join(' or ');
  return { ...row, place: all('place'), choices: all('choices') };
}
