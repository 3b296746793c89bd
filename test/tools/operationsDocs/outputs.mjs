// The outputs, from the output schemas of the package. What the page has said before becomes a link.
import fs from 'node:fs';
import path from 'node:path';
import { code, linkTo, listed, table } from './markdown.mjs';
import { ROOT } from './package.mjs';

/**
 * An output with the heading where the page describes it. The schema is such as `v1.0.0/balance/get`.
 *
 * @typedef {{ schema: string, heading: string }} Output
 */

/** By the fields of its output, the heading that has them first on the page. */
const headings = new Map();

/**
 * The fields of an output, as a table or as a link to a heading before with the same ones.
 *
 * @param {Output} output
 * @returns {string[]} lines
 */
export function outputOf(output) {
  const rows = readRows(output);
  return sameAsBefore(rows, output) ?? tableOf(rows);
}

/**
 * A simplified output: the names of its fields, and where all fields are described.
 *
 * @param {Output} output
 * @param {Output} raw the output without Simplify
 * @returns {string[]} lines
 */
export function simplifiedOutput(output, raw) {
  const rows = readRows(output);
  const before = sameAsBefore(rows, output);
  if (before) return before;
  // Simplify puts nested fields beside the others.
  const known = readRows(raw).map(([name, ...rest]) => String([name.replace(/.*\./, ''), ...rest]));
  const all = rows.filter((row) => !known.includes(String(row)));
  if (all.length > 0)
    throw new Error(`${raw.heading} does not have all fields of the simplified output`);
  const names = listed(rows.map(([name]) => code(name)));
  return [
    `The output has ${names}. With Simplify off, it has all fields of ${linkTo(raw.heading)}.`,
    '',
  ];
}

/**
 * An output of several kinds of records, and a table of the fields that differ from theirs.
 *
 * @param {Output} output
 * @param {Output[]} kinds
 * @returns {string[]} lines
 */
export function combinedOutput(output, kinds) {
  const known = kinds.flatMap(readRows).map(String);
  const others = readRows(output).filter((row) => !known.includes(String(row)));
  const links = listed(kinds.map(({ heading }) => linkTo(heading)));
  return [
    `The output has the fields of ${links}${others.length > 0 ? '. These differ:' : '.'}`,
    '',
    ...(others.length > 0 ? tableOf(others) : []),
  ];
}

function sameAsBefore(rows, { heading }) {
  const key = JSON.stringify(rows);
  const before = headings.get(key);
  headings.set(key, before ?? heading);
  return before && [`The output has the fields of ${linkTo(before)}.`, ''];
}

function tableOf(rows) {
  return table(
    ['Output', 'Type', 'What it is'],
    rows.map(([name, ...rest]) => [code(name), ...rest]),
  );
}

function readRows({ schema }) {
  const file = path.join(ROOT, 'nodes/SmsMessagingService/__schema__', `${schema}.json`);
  return rowsOf(JSON.parse(fs.readFileSync(file, 'utf8')).properties);
}

/** Name, type and meaning of each field. */
function rowsOf(properties, parent = '', known = properties) {
  return Object.entries(properties).flatMap(([name, field]) => {
    const inner = field.properties ?? field.items?.properties ?? {};
    // The parts of a send have the fields of the send itself.
    const own = Object.fromEntries(Object.entries(inner).filter(([each]) => !(each in known)));
    const type = field.items ? `${field.type} of ${field.items.type}s` : field.type;
    return [
      [`${parent}${name}`, type, field.description],
      ...rowsOf(own, `${parent}${name}.`, { ...known, ...own }),
    ];
  });
}
