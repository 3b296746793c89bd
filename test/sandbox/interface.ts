/**
 * What docs/interface.md shows, in the form of openapi.yaml. The page says in words what the
 * specification shows, so that the contract can be compared with it.
 */

export type Schema = Record<string, unknown>;

interface Field {
  name: string;
  schema: Schema;
  required: boolean;
}

/** The page's words for the value of a header. */
const HEADER_VALUES: Record<string, Schema> = {
  '`application/json`': {
    type: 'string',
    pattern: String.raw`^application/json\s*(;\s*charset="?[Uu][Tt][Ff]-8"?)?$`,
  },
  'key of the account': { type: 'string' },
  'Unix timestamp': { type: 'string', pattern: String.raw`^\d+$` },
  'random string': { type: 'string' },
  'SHA-256 in hexadecimal, see #request-signature': {
    type: 'string',
    pattern: '^[0-9A-Fa-f]{64}$',
  },
};

/** The page's words for the type of a field, apart from `object`. */
const TYPES: Record<string, Schema> = {
  integer: { type: 'integer' },
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  array: { type: 'array' },
  'array of strings': { type: 'array', items: { type: 'string' } },
  'object: name of the parameter to its text': {
    type: 'object',
    additionalProperties: { type: 'string' },
  },
};

/** docs/interface.md. Each method throws an Error when the page has other words than it expects. */
export class InterfacePage {
  /** Anchor of a heading → the text below it, in which a link is `#` and its anchor. */
  private readonly sections: Map<string, string>;

  constructor(markdown: string) {
    this.sections = new Map(
      markdown.split(/^#+ /m).map((section) => {
        const [heading = '', ...lines] = section.split('\n');
        const anchor = heading.toLowerCase().replaceAll(' ', '-');
        return [anchor, lines.join('\n').replaceAll(/\[[^\]]*\]\([^)#]*(#[\w-]+)\)/g, '$1')];
      }),
    );
  }

  /** Path → what the page shows of its operation. Lists are sorted: their order says nothing. */
  operations(): Record<string, Schema> {
    const found = [...this.sections].flatMap(([anchor, text]): [string, Schema][] => {
      const path = /`POST (\/\S+)`/.exec(text)?.[1];
      return path === undefined ? [] : [[path, this.operation(anchor)]];
    });
    return Object.fromEntries(found);
  }

  /** The paths of the operations that the specification only names. */
  inferredPaths(): string[] {
    return this.rows('operations-known-by-name-only').flatMap(([, path = '']) => namesIn(path));
  }

  private operation(anchor: string): Schema {
    const [status = ''] = this.find('answers', /A success has HTTP status (\d+)/);
    return {
      parameters: this.headers(anchor),
      requestBody: this.request(anchor),
      responses: {
        [status]: json({ anyOf: [this.answer(anchor), this.refusal()] }),
      },
    };
  }

  private headers(anchor: string): Schema[] {
    const everywhere = this.rows('requests').map(([name = '', value = '']) => ({
      name: namesIn(name)[0],
      in: 'header',
      required: true,
      schema: known(HEADER_VALUES, value),
    }));
    const [where, name] = this.find(
      'authorization-header',
      /one more header with #([\w-]+): `(\w+)`, with a token/,
    );
    const here = { name, in: 'header', schema: { type: 'string' } };
    return byName(where === anchor ? [...everywhere, here] : everywhere);
  }

  private request(anchor: string): Schema {
    const shown = /Request(?: \((.*?)\))?: (.*?)\.(?: Answer:|$)/m.exec(this.section(anchor));
    if (!shown) {
      this.find(anchor, /\*\*Not shown:\*\* a body\./);
      return json({});
    }
    const [, note, list = ''] = shown;
    const fields = this.fields(list);
    const required = note === 'a body is required' || fields.some((field) => field.required);
    return { ...(required ? { required } : {}), ...json(objectOf(fields)) };
  }

  private answer(anchor: string): Schema {
    const [words = ''] = this.find(anchor, /Answer: (.*?)\.(?: |$)/m);
    if (words === 'an empty object') return { type: 'object', maxProperties: 0 };
    if (words.startsWith('`')) return this.answerOf(this.fields(words));
    const [record = ''] = match(words, /#([\w-]+)$/);
    const wrapping = words.replaceAll(/ ?#[\w-]+/g, '').trim();
    switch (wrapping) {
      case 'a':
      case 'the':
        return this.answerOf(this.recordFields(record));
      case '':
        return this.pulled(record);
      case 'a bare of':
        return this.pageOf(record);
      case 'an array with an array of of':
        return {
          type: 'array',
          minItems: 1,
          items: { type: 'array', items: this.pageOf(record) },
        };
      default:
        throw new Error(`What answer is "${words}"?`);
    }
  }

  /** The answer to a pull. */
  private pulled(record: string): Schema {
    const [list = ''] = this.find('pulls', /answers with (.*), an array of records/);
    const fields = this.fields(list).map((field) =>
      field.name === 'data'
        ? { ...field, schema: { type: 'array', items: answered(this.recordFields(record)) } }
        : field,
    );
    return this.answerOf(fields);
  }

  /** An answer with all its fields. A `code` in it is the one of a success. */
  private answerOf(fields: Field[]): Schema {
    return answered(
      fields.map((field) =>
        field.name === 'code' ? { ...field, schema: { type: 'integer', const: this.ok() } } : field,
      ),
    );
  }

  /** What a refused request is answered with. */
  private refusal(): Schema {
    const code = { type: 'integer', not: { const: this.ok() } };
    return objectOf([{ name: 'code', schema: code, required: true }]);
  }

  /** The `code` of a success. */
  private ok(): number {
    const shown = /^`code` \(integer\) in the body .* `(\d)` is what successes show/m;
    return Number(this.find('result-code', shown)[0]);
  }

  private pageOf(record: string): Schema {
    const items = answered(this.recordFields(record));
    return answered(
      this.recordFields('page-of-a-list').map((field) =>
        field.name === 'list' ? { ...field, schema: { type: 'array', items } } : field,
      ),
    );
  }

  /** The fields in the table of a record. A row can have several, with one type or one for each. */
  private recordFields(anchor: string): Field[] {
    return this.rows(anchor).flatMap(([names = '', types = '', meaning = '']) =>
      namesIn(names).map((name, index) => {
        const each = types.split(', ');
        return { name, schema: typeOf(each[index] ?? types, meaning), required: true };
      }),
    );
  }

  /** The fields in a list such as: `id` (integer), `name`, `more_data` (array of strings). */
  private fields(list: string): Field[] {
    const [own = '', other = '', without = ''] = list.split(/,? and as in #([\w-]+) without /);
    if (other !== '') {
      const [fields = ''] = this.find(other, /Request: (.*)\.$/m);
      const left = this.fields(fields).filter(({ name }) => !namesIn(without).includes(name));
      return [...this.fields(own), ...left];
    }
    const [before = '', inner] = list.split(': for each recipient an object of ');
    const fields = [...before.matchAll(/`(\w+)`(?: \((.*?)\))?/g)].map(
      ([, name = '', words = 'string']) => this.field(name, words),
    );
    const last = fields.at(-1);
    if (inner === undefined || !last) return fields;
    const each = { type: 'array', items: objectOf(this.fields(inner)) };
    return [...fields.slice(0, -1), { ...last, schema: each }];
  }

  private field(name: string, words: string): Field {
    const page = /^a #page-of-a-list of #([\w-]+)$/.exec(words)?.[1];
    const [type = ''] = words.split(', ');
    const schema = page === undefined ? typeOf(type) : this.pageOf(page);
    return { name, schema, required: words.endsWith(', required') };
  }

  private rows(anchor: string): string[][] {
    const lines = this.section(anchor).split('\n');
    const table = lines.filter((line) => line.startsWith('|')).slice(2);
    return table.map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  }

  private section(anchor: string): string {
    const text = this.sections.get(anchor);
    if (text === undefined) throw new Error(`There is no heading #${anchor}`);
    return text;
  }

  /** What the groups of the pattern match in a section. */
  private find(anchor: string, pattern: RegExp): string[] {
    return match(this.section(anchor), pattern);
  }
}

/** A schema of an object that has all of the fields. */
function answered(fields: Field[]): Schema {
  return objectOf(fields.map((field) => ({ ...field, required: true })));
}

function objectOf(fields: Field[]): Schema {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: 'object',
    ...(required.length > 0 ? { required: required.sort() } : {}),
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
  };
}

function typeOf(words: string, meaning = ''): Schema {
  if (words === 'object') {
    const [booleans = ''] = match(meaning, /^booleans (.*), one for each/);
    const schema = { type: 'boolean' };
    return answered(namesIn(booleans).map((name) => ({ name, schema, required: true })));
  }
  const format = /^`([YMDHS :-]+)`$/.exec(meaning)?.[1];
  const type = known(TYPES, words);
  return format === undefined ? type : { ...type, pattern: patternOf(format) };
}

/** The pattern of a format such as YYYY-MM-DD. */
function patternOf(format: string): string {
  const digits = format.replaceAll(/([A-Z])\1*/g, (letters) => `\\d{${letters.length}}`);
  return `^${digits}$`;
}

function json(schema: Schema): Schema {
  return { content: { 'application/json': { schema } } };
}

function byName(parameters: Schema[]): Schema[] {
  return parameters.sort((a, b) => String(a.name).localeCompare(String(b.name)));
}

/** The names that stand in backticks. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

function known(meanings: Record<string, Schema>, words: string): Schema {
  const meaning = meanings[words];
  if (!meaning) throw new Error(`What does "${words}" mean?`);
  return meaning;
}

function match(text: string, pattern: RegExp): string[] {
  const found = pattern.exec(text);
  if (!found) throw new Error(`The page does not say ${String(pattern)}`);
  return found.slice(1);
}
