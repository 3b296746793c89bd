import fs from 'node:fs';
import path from 'node:path';

/**
 * The output schemas of the package (`__schema__`). The editor offers the fields of a node's output from
 * them before the first run. They are made from the real output of the nodes.
 */

interface Schema {
  type: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}

const FOLDER = path.resolve(__dirname, '../../../nodes/SmsMessagingService/__schema__');

/**
 * Compares the schema of a node's output with the one in the package. `npm run docs` writes it anew.
 *
 * @param name resource and operation, such as `lead.create`; none for the trigger
 */
export function expectOutputSchema(name: string | undefined, output: unknown[]): void {
  // n8n stores the output as JSON, without undefined values.
  const schema = schemaOf(JSON.parse(JSON.stringify(output)) as unknown[]);
  const file = path.join(FOLDER, `${['v1.0.0', ...(name?.split('.') ?? [])].join('/')}.json`);
  if (process.env.WRITE_DOCS) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${JSON.stringify(schema, undefined, 2)}\n`);
  }
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual(schema);
}

/** The schema of all values together: objects with the fields of any of them, lists with all entries. */
function schemaOf(values: unknown[]): Schema {
  const [value] = values;
  if (Array.isArray(value)) {
    const entries = values.flat();
    return { type: 'array', ...(entries.length > 0 && { items: schemaOf(entries) }) };
  }
  if (typeof value !== 'object' || value === null) {
    return { type: value === null ? 'null' : typeof value };
  }
  const objects = values as Record<string, unknown>[];
  const names = [...new Set(objects.flatMap(Object.keys))].sort();
  const properties = names.map((name) => {
    const present = objects.flatMap((each) => (name in each ? [each[name]] : []));
    return [name, schemaOf(present)] as const;
  });
  return { type: 'object', properties: Object.fromEntries(properties) };
}
