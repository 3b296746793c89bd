import fs from 'node:fs';
import path from 'node:path';
import { OUTPUT_FIELDS } from './outputFields';

/**
 * The output schemas of the package (`__schema__`). From them, the editor offers the fields of a node's
 * output before its first run, in this order. They are made from the real output of the nodes, and say what
 * each field means.
 */

interface Schema {
  type: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}

const FOLDER = path.resolve(__dirname, '../../../nodes/SmsMessagingService/__schema__/v1.0.0');

const OF_TRIGGER = `${FOLDER}.json`;

/** Returns the text of all output schemas of a resource, or of the trigger. */
export function outputSchemasOf(resource: string): string {
  const folder = path.join(FOLDER, resource);
  const files =
    resource === 'trigger'
      ? [OF_TRIGGER]
      : fs.readdirSync(folder).map((file) => path.join(folder, file));
  return files.map((file) => fs.readFileSync(file, 'utf8')).join('');
}

/**
 * Compares the schema of a node's output with the one in the package. `npm run docs` writes it instead.
 *
 * @param name resource and operation, such as `lead.create`; `trigger` for the trigger
 */
export function expectOutputSchema(name: string, output: unknown[]): void {
  const [resource = '', operation] = name.split('.');
  // n8n stores the output as JSON, without undefined values.
  const values = JSON.parse(JSON.stringify(output)) as unknown[];
  const text = JSON.stringify(schemaOf(values, OUTPUT_FIELDS[resource] ?? {}), undefined, 2);
  const file = operation ? path.join(FOLDER, resource, `${operation}.json`) : OF_TRIGGER;
  if (process.env.WRITE_DOCS) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${text}\n`);
  }
  // As text: the order of the fields counts.
  expect(fs.readFileSync(file, 'utf8')).toBe(`${text}\n`);
}

/**
 * Returns one schema for all values: objects with the fields of any of them, lists with all entries.
 *
 * @param about what each field means
 * @throws Error if a field has no text
 */
function schemaOf(values: unknown[], about: Record<string, string>): Schema {
  const [value] = values;
  if (Array.isArray(value)) {
    const entries = values.flat();
    return { type: 'array', ...(entries.length > 0 && { items: schemaOf(entries, about) }) };
  }
  if (typeof value !== 'object' || value === null) {
    return { type: value === null ? 'null' : typeof value };
  }
  const objects = values as Record<string, unknown>[];
  const names = [...new Set(objects.flatMap(Object.keys))];
  const properties = names.map((name) => {
    const description = about[name];
    if (!description) throw new TypeError(`outputFields.ts does not say what '${name}' means`);
    const present = objects.flatMap((each) => (name in each ? [each[name]] : []));
    const { type, ...inner } = schemaOf(present, about);
    return [name, { type, description, ...inner }] as const;
  });
  return { type: 'object', properties: Object.fromEntries(properties) };
}
