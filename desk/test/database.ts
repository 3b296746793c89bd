/**
 * A PostgreSQL for the tests of the desk, with its tables. All calls are synchronous, as a test reads them: psql reads
 * from one pipe and writes to another.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { DateTime, type Zone } from 'luxon';
import type { INode } from 'n8n-workflow';

import { SYSTEM, TABLES, type Table } from '../src/tables';
import { MAKE_SCHEMA, statementOf } from '../../test/kit/desk/statements';
import type { Sight } from '../../test/kit/workflows/expression';

export type Row = Record<string, unknown>;

const INSTALLED = '/usr/lib/postgresql';
const IS_ROOT = process.getuid?.() === 0;

/** Between the fields and the rows that psql prints, for null, behind all of it, and behind the columns. */
const [FIELD, RECORD, NULL, END, HEAD_END] = ['\u001f', '\u001e', '\u0001', '\u0002', '\u0003'];

const CLOCK = `CREATE SCHEMA IF NOT EXISTS test;
CREATE OR REPLACE FUNCTION test.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT coalesce(nullif(current_setting('test.now', true), '')::timestamptz, pg_catalog.clock_timestamp()) $$;
CREATE OR REPLACE FUNCTION test.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT coalesce(nullif(current_setting('test.now', true), '')::timestamptz, pg_catalog.statement_timestamp()) $$;
SET search_path = test, pg_catalog, public;`;

const STORED = Object.keys(TABLES);

const EMPTY = `CREATE FUNCTION test.empty() RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE name text; BEGIN
FOREACH name IN ARRAY '{${STORED.join()}}'::text[] LOOP
EXECUTE 'DELETE FROM ' || name;
PERFORM setval(pg_get_serial_sequence(name, 'id'), 1, false);
END LOOP;
DELETE FROM sms.counts;
RETURN true; END $$`;

class Database {
  private readonly folder = mkdtempSync(path.join(os.tmpdir(), 'desk-postgres-'));
  private readonly psql: { input: number; output: number; end: () => void };

  constructor() {
    const [version] = readdirSync(INSTALLED).sort().reverse();
    const asItself = (...command: string[]) => {
      const [file = '', ...args] = [
        ...(IS_ROOT ? ['runuser', '-u', 'postgres', '--'] : []),
        ...command,
      ];
      execFileSync(file, args, { cwd: this.folder, stdio: 'ignore' });
    };
    const tool = (name: string, ...args: string[]) =>
      asItself(path.join(INSTALLED, String(version), 'bin', name), ...args);
    const give = (folder: string) => {
      if (IS_ROOT) chownSync(folder, Number(execFileSync('id', ['-u', 'postgres'])), -1);
    };
    give(this.folder);
    // To make one takes a second: each worker makes one, and its files of tests copy it.
    const empty = `${process.env.N8N_USER_FOLDER}-postgres`;
    if (!existsSync(path.join(empty, 'PG_VERSION'))) {
      mkdirSync(empty);
      give(empty);
      const as = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'];
      tool('initdb', '-D', empty, ...as);
    }
    const data = path.join(this.folder, 'db');
    asItself('cp', '-r', empty, data);
    const settings = `-k ${this.folder} -c listen_addresses= -c fsync=off -c autovacuum=off`;
    tool('pg_ctl', '-D', data, '-o', settings, '-w', '-l', path.join(this.folder, 'log'), 'start');
    const [input, output] = ['in', 'out'].map((name) => path.join(this.folder, name));
    execFileSync('mkfifo', [String(input), String(output)]);
    // Open for both, it waits for nobody.
    const both = [input, output].map((each) => openSync(String(each), constants.O_RDWR));
    const reads = openSync(String(input), 'r');
    const writes = openSync(String(output), 'w');
    const env = { ...process.env, PGOPTIONS: '-c client_min_messages=warning -c timezone=UTC' };
    const child = spawn(
      'psql',
      [
        ...['-h', this.folder, '-U', 'postgres', '-XqAt', '-F', FIELD, '-R', RECORD],
        ...['-P', `null=${NULL}`],
      ],
      { env, stdio: [reads, writes, writes] },
    );
    child.unref();
    const [own = 0, answers = 0] = [openSync(String(input), 'w'), openSync(String(output), 'r')];
    for (const each of [...both, reads, writes]) closeSync(each);
    this.psql = {
      input: own,
      output: answers,
      end: () => {
        closeSync(own);
        closeSync(answers);
        child.kill('SIGKILL');
        tool('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
        rmSync(this.folder, { recursive: true, force: true });
      },
    };
    this.run(CLOCK);
    this.run(MAKE_SCHEMA);
    this.run(EMPTY);
  }

  /** Runs a text of psql, and returns what it prints. */
  private ask(text: string): string {
    writeSync(this.psql.input, `${text}\n\\echo ${END}\n`);
    const chunks: Buffer[] = [];
    const buffer = Buffer.alloc(1 << 16);
    for (;;) {
      const length = readSync(this.psql.output, buffer);
      chunks.push(Buffer.from(buffer.subarray(0, length)));
      const last = chunks.at(-1)?.subarray(-2).toString();
      if (length === 0 || last === `${END}\n`) break;
    }
    return Buffer.concat(chunks).toString().slice(0, -2);
  }

  /** Runs statements. */
  run(statements: string): void {
    const said = this.ask(`${statements}\n;`);
    const error = /^ERROR: .*$/m.exec(said)?.[0];
    if (error) throw new Error(error.slice('ERROR:  '.length));
  }

  /** Runs statements, and gives the rows of the last one, as n8n's node of PostgreSQL does. */
  rows(statements: string): Row[] {
    const said = this.ask(`${statements}\n\\gdesc\n\\echo ${HEAD_END}\n\\g`);
    const [head = '', body = ''] = said.split(`${HEAD_END}\n`);
    const error = /^ERROR: .*$/m.exec(head)?.[0] ?? /^ERROR: .*$/m.exec(body)?.[0];
    if (error) throw new Error(error.slice('ERROR:  '.length));
    const columns = head
      .trim()
      .split(RECORD)
      .map((each) => each.split(FIELD));
    if (body === '') return [];
    return body
      .slice(0, -1)
      .split(RECORD)
      .map((record) =>
        Object.fromEntries(
          record.split(FIELD).map((value, index) => {
            const [name = '', type = ''] = columns[index] ?? [];
            return [name, value === NULL ? null : valueOf(value, type)];
          }),
        ),
      );
  }

  /** Empties the tables, and fills them. A row without an ID gets its place in the table. */
  fill(tables: Record<string, Row[]>, now: string): void {
    // Reports come behind their messages.
    const isInbox = ([table]: [string, unknown]) => Number(table === 'sms.inbox');
    const filled = Object.entries(tables)
      .filter(([, rows]) => rows.length > 0)
      .sort((a, b) => isInbox(a) - isInbox(b));
    const inserts = filled.map(([table, rows]) => {
      let last = Math.max(0, ...rows.map(({ id }) => Number(id ?? 0)));
      for (const row of rows) row.id ??= last += 1;
      const known = Object.keys({ ...SYSTEM, ...TABLES[table as Table] });
      const isSent = (name: string) => table === 'sms.outbox' && name === 'sent_at';
      const names = known.filter(
        (name) => isSent(name) || rows.some((row) => row[name] !== undefined),
      );
      const columns = names.map((name) => `"${name}"`).join(', ');
      const all = quoted(JSON.stringify(rows));
      // Where a column is only in some of the rows, the others have its default.
      const values = names.map((name) =>
        name.endsWith('At') || isSent(name)
          ? `coalesce("${name}", "createdAt", clock_timestamp())`
          : `"${name}"`,
      );
      return `INSERT INTO ${table} (${columns}) SELECT ${values.join(', ')} FROM json_populate_recordset(NULL::${table}, ${all});
SELECT FROM setval(pg_get_serial_sequence('${table}', 'id'), (SELECT greatest(max(id), 1) FROM ${table})) AS next WHERE next = 0;`;
    });
    this.run(`SELECT FROM test.empty() AS done WHERE NOT done;
SELECT FROM set_config('test.now', ${quoted(now)}, false) AS now WHERE now = '';
${inserts.join('\n')}`);
  }

  /** Changes rows to what the tables have now, and keeps the objects of those that are the same. */
  read(tables: Record<string, Row[]>, zone: Zone): void {
    const all = STORED.map(
      (name) => `'${name}', (SELECT json_agg(t ORDER BY id) FROM ${name} AS t)`,
    );
    const [{ found }] = this.rows(`SELECT json_build_object(${all.join(', ')}) AS found`) as [
      { found: Record<string, Row[] | null> },
    ];
    for (const [table, rows] of Object.entries(found)) {
      const before = tables[table] ?? [];
      if (!rows && before.length === 0) continue;
      const known = new Map(before.map((row) => [row.id, row]));
      const now = (rows ?? []).map((row) => {
        const own = known.get(row.id) ?? {};
        for (const [name, value] of Object.entries(row)) {
          if (!isSame(own[name], value))
            own[name] = isTime(value) ? DateTime.fromISO(value, { zone }).toISO() : value;
        }
        return own;
      });
      before.splice(0, before.length, ...now);
      tables[table] = before;
    }
  }

  end(): void {
    this.psql.end();
  }
}

/** As the statements of the desk clean what they get. */
export const quoted = (text: string) =>
  `'${text.replaceAll('\\u0000', '').toWellFormed().replaceAll("'", "''")}'`;
const isTime = (value: unknown): value is string => /^\d{4}-\d\d-\d\dT\S+$/.test(String(value));
const isSame = (a: unknown = null, b: unknown) =>
  a === b ||
  (b === null && a === undefined) ||
  (isTime(a) && isTime(b) && Date.parse(a) === Date.parse(b));

/** What n8n gives for a value. */
function valueOf(text: string, type: string): unknown {
  if (/^(integer|double precision|real)$/.test(type)) return Number(text);
  if (type === 'boolean') return text === 't';
  if (type.startsWith('timestamp'))
    return new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z')).toISOString();
  if (/^jsonb?$/.test(type)) return JSON.parse(text);
  if (type.endsWith('[]')) {
    const items = text.slice(1, -1).match(/"(?:[^"\\]|\\.)*"|[^,]+/g) ?? [];
    return items.map((each) => (each.startsWith('"') ? JSON.parse(each) : each) as string);
  }
  return text;
}

let started: Database | undefined;

/** The database of this file of tests. */
export function database(): Database {
  started ??= new Database();
  return started;
}

afterAll(() => started?.end());

/** What a node of a table puts out for an item: also why it fails, if the workflow goes on then. */
export function run(node: INode, sight: Sight): Row[] {
  try {
    return database().rows(statementOf(node, sight));
  } catch (error) {
    const { message } = error as Error;
    if (node.onError === 'continueRegularOutput') return [{ message, error: { message } }];
    throw error;
  }
}
