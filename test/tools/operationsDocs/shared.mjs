// What several operations share, so that the page says it once. It is found by comparing the fields.
import { linkTo, listed } from './markdown.mjs';
import { SHARED } from './order.mjs';

/** @typedef {import('./operations.mjs').Operation} Operation */
/** @typedef {import('./fields.mjs').Row} Row */

/**
 * Fields that the same operations have, under a heading of their own.
 *
 * @typedef {object} Shared
 * @property {string} heading
 * @property {Row[]} rows
 * @property {Operation[]} operations
 */

/**
 * For each heading of the page's order, the fields that go with the one that is named there: those that
 * the same operations have.
 *
 * @param {Operation[]} operations
 * @returns {Shared[]}
 * @throws for a heading whose field is not shared any more
 */
export function findShared(operations) {
  const sharing = new Map();
  for (const operation of operations) {
    for (const key of operation.rows.map(keyOf)) {
      sharing.set(key, [...(sharing.get(key) ?? []), operation]);
    }
  }
  const namesOfSharing = (row) => sharing.get(keyOf(row)).map(({ heading }) => heading);
  return Object.entries(SHARED).map(([parameter, heading]) => {
    const named = (row) => row.parameter === parameter;
    const [row] = operations.flatMap(({ rows }) => rows.filter(named));
    const having = row ? sharing.get(keyOf(row)) : [];
    if (having.length < 2) throw new Error(`No operations share '${parameter}', as order.mjs says`);
    const names = String(namesOfSharing(row));
    // A required field stays with its operation, where it has to be seen.
    const rows = having[0].rows.filter(
      (each) => !each.isRequired && String(namesOfSharing(each)) === names,
    );
    return { heading, operations: having, rows: rows.map((each) => merged(each, having)) };
  });
}

/**
 * The fields of an operation without those that it shares. Where several fields of a collection are with
 * an operation before too, as those of Update are with Create, one row names that operation.
 *
 * @param {Operation} operation
 * @param {Operation[]} operations all, in the order of the page
 * @param {Shared[]} shared
 * @returns {Row[]}
 */
export function ownRows(operation, operations, shared) {
  const rows = unshared(operation, shared);
  const added = rows.filter(({ collection }) => collection !== '');
  const again = (others) => added.filter((row) => others.some((each) => isSameField(row, each)));
  const other = operations
    .slice(0, operations.indexOf(operation))
    .filter(({ resource }) => resource === operation.resource)
    .find((each) => again(unshared(each, shared)).length > 1);
  if (!other) return rows;
  const others = unshared(other, shared);
  const repeated = again(others);
  const missing = others.filter((each) => !repeated.some((row) => isSameField(row, each)));
  return [
    ...rows.filter((row) => !repeated.includes(row)),
    referenceRow(repeated[0], other, missing),
  ];
}

/** A row for the fields of a collection that stand with another operation. */
function referenceRow(first, other, missing) {
  const names = missing.map((row) => fieldOf(row).label);
  const without = names.length > 0 ? `, without ${listed(names)}` : '';
  return {
    ...first,
    label: first.collection,
    parameter: first.parameter.replace(/\..*/, '.…'),
    place: '',
    initial: '',
    about: `The fields of ${linkTo(other.heading)}${without}; none is required`,
  };
}

function unshared({ rows }, shared) {
  const keys = shared.flatMap((each) => each.rows.map(keyOf));
  return rows.filter((row) => !keys.includes(keyOf(row)));
}

/**
 * What makes a field the same one in several operations. Its name in the request may differ, and so may
 * the fields of a record that it lists.
 */
function keyOf({ label, parameter, initial, about }) {
  return JSON.stringify([label, parameter, initial, about]);
}

/** Whether it is the same field in another collection, or in none. */
function isSameField(one, other) {
  return JSON.stringify(fieldOf(one)) === JSON.stringify(fieldOf(other));
}

function fieldOf({ label, parameter, place, initial, about, choices }) {
  const [own] = label.split(' (required)');
  return { label: own, name: parameter.replace(/.*\./, ''), place, initial, about, choices };
}

/** A row for all operations that have the field. */
function merged(row, operations) {
  const sameRowOf = ({ rows }) => rows.find((each) => keyOf(each) === keyOf(row));
  const all = (part) => {
    const values = [...new Set(operations.map((each) => sameRowOf(each)[part]))];
    if (values.length === 1) return values[0];
    const having = (value) => operations.filter((each) => sameRowOf(each)[part] === value);
    return values.map((value) => `${nameOf(having(value), operations)}: ${value}`).join('. ');
  };
  return { ...row, place: all('place'), choices: all('choices') };
}

/** Names some of the operations: by their resources, where these have no other ones among all. */
function nameOf(some, all) {
  const resources = [...new Set(some.map(({ resource }) => resource.name))];
  const isWhole = all.every(
    (each) => some.includes(each) || !resources.includes(each.resource.name),
  );
  return listed(isWhole ? resources : some.map(({ name }) => name));
}
