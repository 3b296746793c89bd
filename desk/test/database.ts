/**
 * A PostgreSQL for the tests of the desk, with its tables. All calls are synchronous, as a test reads them: psql reads
 * from one pipe and writes to another.
 */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';

import { DateTime, type Zone } from 'luxon';

import { SYSTEM, TABLES, type Table } from '../src/tables';
import { MAKE_SCHEMA } from '../kit/statements';
import { startTestDatabase, type TestDatabase } from '../../test/kit/n8n/testDatabase';

export type Row = Record<string, unknown>;

/** Between the rows that psql prints, and behind all of them. */
const [RECORD, END] = ['\u001e', '\u0002'];

const CLOCK = `CREATE SCHEMA IF NOT EXISTS test;
CREATE OR REPLACE FUNCTION test.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT coalesce(nullif(current_setting('test.now', true), '')::timestamptz, pg_catalog.clock_timestamp()) $$;
CREATE OR REPLACE FUNCTION test.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT coalesce(nullif(current_setting('test.now', true), '')::timestamptz, pg_catalog.statement_timestamp()) $$;
SET search_path = test, pg_catalog, public;`;

const STORED = Object.keys(TABLES) as Table[];

const EMPTY = `CREATE FUNCTION test.empty() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
${STORED.map((table) => `DELETE FROM ${table}; PERFORM setval('${table}_id_seq', 1, false);`).join('\n')}
DELETE FROM sms.counts;
RETURN true; END $$`;

class Database {
  private readonly input: number;
  private readonly output: number;

  constructor(readonly server: TestDatabase) {
    const pipes = ['in', 'out'].map((name) => path.join(server.folder, name));
    execFileSync('mkfifo', pipes);
    const [input = '', output = ''] = pipes;
    // Open for both, it waits for nobody.
    const both = pipes.map((each) => openSync(each, constants.O_RDWR));
    const reads = openSync(input, 'r');
    const writes = openSync(output, 'w');
    const stdio = [reads, writes, writes];
    spawn('psql', [...server.address, '-XqAt', '-R', RECORD], { env: server.env, stdio }).unref();
    [this.input, this.output] = [openSync(input, 'w'), openSync(output, 'r')];
    for (const each of [...both, reads, writes]) closeSync(each);
    this.run(CLOCK);
    this.run(MAKE_SCHEMA);
    this.run(EMPTY);
  }

  /** Runs a text of psql, and returns what it prints. */
  private ask(text: string): string {
    writeSync(this.input, `${text}\n\\echo ${END}\n`);
    const chunks: Buffer[] = [];
    const buffer = Buffer.alloc(1 << 16);
    for (;;) {
      const length = readSync(this.output, buffer);
      chunks.push(Buffer.from(buffer.subarray(0, length)));
      const last = chunks.at(-1)?.subarray(-2).toString();
      if (length === 0 || last === `${END}\n`) break;
    }
    return Buffer.concat(chunks).toString().slice(0, -2);
  }

  /** Runs statements, and returns what they print. */
  run(statements: string): string {
    const said = this.ask(`${statements}\n;`);
    const error = /^ERROR: .*$/m.exec(said)?.[0];
    if (error) throw new Error(error.slice('ERROR:  '.length));
    return said;
  }

  /** Runs a statement, and gives its rows, as n8n's node of PostgreSQL does. What changes rows gives them by a SELECT. */
  rows(statement: string): Row[] {
    const [, before = '', select] = /^(WITH \w+ AS \(.*\) )?(SELECT\b.*)$/s.exec(statement) ?? [];
    const query = `${before}SELECT row_to_json(q) FROM (${select}) AS q`;
    const found = this.run(select ? query : statement);
    const rows = found.split(RECORD).filter(Boolean);
    return rows.map((row) =>
      Object.fromEntries(
        Object.entries(JSON.parse(row) as Row).map(([name, value]) => [name, asN8n(value)]),
      ),
    );
  }

  /** Empties the tables, and fills them. A row without an ID gets its place in the table. */
  fill(tables: Record<string, Row[]>, now: string): void {
    // Reports come behind their messages, as the tables do.
    const inserts = STORED.filter((table) => tables[table]?.length).map((table) => {
      const rows = tables[table] ?? [];
      let last = Math.max(0, ...rows.map(({ id }) => Number(id ?? 0)));
      for (const row of rows) row.id ??= last += 1;
      // Where a column is only in some of the rows, the others have its default.
      const whole = rows.map(({ createdAt, updatedAt, ...row }) => ({
        ...{ createdAt: createdAt ?? now, updatedAt: updatedAt ?? now, ...row },
        ...(table === 'sms.outbox' && { sent_at: row.sent_at ?? createdAt ?? now }),
      }));
      const names = Object.keys({ ...SYSTEM, ...TABLES[table] }).filter((name) =>
        whole.some((row) => (row as Row)[name] !== undefined),
      );
      const columns = names.map((name) => `"${name}"`).join(', ');
      const all = quoted(JSON.stringify(whole));
      return `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ${all})\\;
SELECT FROM setval('${table}_id_seq', (SELECT greatest(max(id), 1) FROM ${table})) AS next WHERE next = 0\\;`;
    });
    // All in one message of psql: to wait for each takes half of the time.
    this.run(`SELECT FROM test.empty() AS done WHERE NOT done\\;
SELECT FROM set_config('test.now', ${quoted(now)}, false) AS now WHERE now = ''\\;
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

  end(): Promise<void> {
    closeSync(this.input);
    closeSync(this.output);
    return this.server.stop();
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

/** PostgreSQL writes the offset of a time, and n8n a Z. */
const asN8n = (value: unknown): unknown =>
  isTime(value) && value.endsWith('+00:00') ? new Date(value).toISOString() : value;

let started: Database;
beforeAll(async () => void (started = new Database(await startTestDatabase())));
afterAll(() => started.end());

/** The database of this file of tests. */
export const database = (): Database => started;

/** The same, for statements that run beside others. */
export const server = (): TestDatabase => started.server;
