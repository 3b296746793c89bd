import fs from 'node:fs';
import path from 'node:path';
import { contractSchemas } from '../../sandbox/contract';

/**
 * The output schemas of the package (`__schema__`). From them, the editor offers the fields of a node's
 * output before its first run. `npm run docs` learns their fields from the real output of the nodes. What a
 * field means is taken from the contract, or written in them by hand, once for each resource.
 */

interface Schema {
  type: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}

const FOLDER = path.resolve(__dirname, '../../../nodes/SmsMessagingService/__schema__');

/**
 * Compares the schema of a node's output with the one in the package. `npm run docs` writes it instead.
 *
 * @param name resource and operation, such as `lead.create`; `trigger` for the trigger
 */
export function expectOutputSchema(name: string, output: unknown[]): void {
  const place = name === 'trigger' ? [] : name.split('.');
  const file = `${path.join(FOLDER, 'v1.0.0', ...place)}.json`;
  // n8n stores the output as JSON, without undefined values.
  const values = JSON.parse(JSON.stringify(output)) as unknown[];
  const schema = schemaOf(values, new Map([...meaningsIn(place), ...meaningsBeside(file)]));
  if (process.env.WRITE_DOCS) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${JSON.stringify(schema, undefined, 2)}\n`);
  }
  const shown = `__schema__/${path.relative(FOLDER, file)}`;
  if (!fs.existsSync(file)) throw new Error(`There is no ${shown}. Run npm run docs.`);
  const text = fs.readFileSync(file, 'utf8');
  expect(JSON.parse(text)).toEqual(schema);
  const unsaid = text.match(/"\w+"(?=: \{\n *"type": "\w+",\n *"description": "")/g) ?? [];
  const where = `the description in test/sandbox/openapi.yaml, or in ${shown}`;
  expect({ where, unsaid }).toEqual({ where, unsaid: [] });
}

/** What each field of a resource's record means, by the contract. */
function meaningsIn([resource = '']: string[]): [string, string][] {
  const name = resource.replace(/^./, (letter) => letter.toUpperCase());
  const { properties = {} } = contractSchemas()[name] ?? {};
  return Object.entries(properties).map(([field, { description = '' }]) => [field, description]);
}

/** What each field means, from all schemas of the resource. */
function meaningsBeside(file: string): Map<string, string> {
  const folder = path.dirname(file);
  const files = fs.existsSync(folder) ? fs.readdirSync(folder, { withFileTypes: true }) : [];
  const text = files
    .filter((each) => each.isFile())
    .map(({ name }) => fs.readFileSync(path.join(folder, name), 'utf8'))
    .join('\n');
  const described = text.matchAll(/"(\w+)": \{\n *"type": "\w+",\n *"description": (".+")/g);
  return new Map([...described].map(([, name = '', about = '']) => [name, JSON.parse(about)]));
}

/** Returns one schema for all values: objects with the fields of any of them, lists with all entries. */
function schemaOf(values: unknown[], meanings: Map<string, string>): Schema {
  const [value] = values;
  if (Array.isArray(value)) {
    const entries = values.flat();
    return { type: 'array', ...(entries.length > 0 && { items: schemaOf(entries, meanings) }) };
  }
  if (typeof value !== 'object' || value === null) {
    return { type: value === null ? 'null' : typeof value };
  }
  const objects = values as Record<string, unknown>[];
  const names = [...new Set(objects.flatMap(Object.keys))];
  const properties = names.map((name) => {
    const present = objects.flatMap((each) => (name in each ? [each[name]] : []));
    const { type, ...inner } = schemaOf(present, meanings);
    return [name, { type, description: meanings.get(name) ?? '', ...inner }] as const;
  });
  return { type: 'object', properties: Object.fromEntries(properties) };
}
