import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Row } from './fields';
import { code, linkTo, listed } from './markdown';

const FOLDER = path.resolve(__dirname, '../../../nodes/SmsMessagingService/__schema__');

/** An output, and the heading under which the page describes it. */
export interface Output {
  /** Such as `v1.0.0/balance/get`. */
  schema: string;
  heading: string;
}

interface About {
  raw?: Output;
  fields?: Row[];
}

interface Field {
  type: string;
  description: string;
  properties?: Record<string, Field>;
  items?: Field;
}

/** Describes outputs by their schemas. What the page has said before becomes a link. */
export class Outputs {
  /** By the fields of an output, the heading that has them first on the page. */
  private readonly headings = new Map<string, string>();

  /**
   * @param raw the output without Simplify, if this one is simplified
   * @param fields those of the request: an output of the same name and meaning is not described again
   */
  describe({ schema, heading }: Output, { raw, fields = [] }: About = {}): string[] {
    const rows = rowsOf(schema);
    const key = JSON.stringify(rows);
    const before = this.headings.get(key);
    if (before) return [`The output has the fields of ${linkTo(before)}.`, ''];
    this.headings.set(key, heading);
    if (!raw) return listOf(rows, fields);
    const names = listed(rows.map(([name = '']) => code(name)));
    const all = linkTo(raw.heading);
    return [`The output has ${names}. With Simplify off, it has all fields of ${all}.`, ''];
  }
}

function listOf(rows: string[][], fields: Row[]): string[] {
  const places = new Set(fields.map(({ place }) => place));
  const isTold = ([name = '', , about = '']: string[]) =>
    places.has(code(name)) && !about.includes('expires');
  const told = rows.filter(isTold).map(([name = '']) => code(name));
  const fresh = rows.filter((row) => !isTold(row));
  const names = told.length > 0 ? ` these API fields: ${listed(told)}. And` : '';
  return [`The output has${names}:`, '', ...fresh.map(lineOf), ''];
}

const lineOf = ([name = '', type = '', about = '']: string[]) =>
  `- ${code(name)} (${type}): ${about}`;

/** Name, type and meaning of each field. */
function rowsOf(schema: string): string[][] {
  const text = readFileSync(path.join(FOLDER, `${schema}.json`), 'utf8');
  const { properties = {} } = JSON.parse(text) as Field;
  return rowsIn(properties, '', properties);
}

/** @param known fields that an inner object may have too, without being described again */
function rowsIn(
  properties: Record<string, Field>,
  parent: string,
  known: Record<string, Field>,
): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const inner = field.properties ?? field.items?.properties ?? {};
    const own = Object.fromEntries(Object.entries(inner).filter(([each]) => !(each in known)));
    const type = field.items ? `${field.type} of ${field.items.type}s` : field.type;
    return [
      [`${parent}${name}`, type, field.description],
      ...rowsIn(own, `${parent}${name}.`, { ...known, ...own }),
    ];
  });
}
