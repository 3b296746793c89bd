import type { Row } from './fields';
import { code, linkTo, listed } from './markdown';

/** As much of an operation as its fields need. */
interface Operation {
  heading: string;
  rows: Row[];
}

/** The fields of an operation that the page has not described yet, and sentences that lead to the others. */
export function tellOnce(own: Row[], before: Operation[]): { rows: Row[]; sentences: string[] } {
  const sentences: string[] = [];
  let rows = own;
  for (const earlier of before) {
    const told = rows.filter((row) => earlier.rows.some((each) => isSame(each, row)));
    if (told.length === 0) continue;
    rows = rows.filter((row) => !told.includes(row));
    sentences.push(`${namesOf(told, earlier)}: as in ${linkTo(earlier.heading)}.`);
  }
  return { rows, sentences };
}

/** The labels, or of many those that are missing. */
function namesOf(told: Row[], { rows }: Operation): string {
  const collections = new Set(
    told.map(({ parameter }) => parameter.split('.').slice(0, -1).join()),
  );
  const at = told.length > 2 ? `, as ${code(`${[...collections].join()}.…`)}` : '';
  const missing = rows.filter((row) => !told.some((each) => isSame(each, row)));
  if (told.length <= 2) return listed(told.map(({ label }) => `**${label}**`));
  const but = missing.length > 0 ? ` but ${listed(missing.map(({ label }) => label))}` : '';
  return `All fields${but}${at}`;
}

const nameOf = ({ parameter }: Row) => parameter.split('.').at(-1);

const isSame = (a: Row, b: Row) =>
  nameOf(a) === nameOf(b) && a.place === b.place && a.initial === b.initial && a.about === b.about;
