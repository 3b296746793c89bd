/** The schema on real databases: of any collation, dumped and restored, updated, and of a newer desk. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { declared, SCHEMA } from '../src/declare';
import { TABLES } from '../src/tables';
import { HAS_POSTGRES, startTestDatabase } from '../../test/kit/n8n/testDatabase';
import type { TestDatabase } from '../../test/kit/n8n/testDatabase';

test('what TypeScript knows of tables is written from the schema: npm run templates', () => {
  const file = path.join(__dirname, '../src/declared.ts');
  expect(readFileSync(file, 'utf8')).toBe(declared());
});

/** What a new desk has of rules, as the README says. */
const RULES = `code f 0 24 refuse 5 10
alarm f 0 24 refuse 20 100
notice t 8 21 wait 5 20
marketing t 9 20 refuse 1 2
all f 0 24 refuse 0 10000
reserved f 0 24 refuse 0 1000`;

const OPTED_OUT = 'SELECT string_agg(phone_number, $$,$$ ORDER BY id) FROM sms.opt_outs';

(HAS_POSTGRES ? describe : describe.skip)('the schema', () => {
  let server: TestDatabase;

  beforeAll(async () => {
    server = await startTestDatabase();
  });
  afterAll(() => server.stop());

  const structureOf = async (name: string) =>
    (await server.dump(name)).replace(
      /^(--|\\(un)?restrict |SET |SELECT |COPY sms\.versions)[^]*?$/gm,
      '',
    );

  test.each([
    ['plain', "LC_COLLATE 'C' LC_CTYPE 'C'"],
    ['american', "LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"],
  ])(
    'a database whose collation is %s gets it, and nothing more when it is run again',
    async (name, how) => {
      await server.make(name, how);
      await server.run(SCHEMA, name);
      const rules = `SELECT concat_ws(' ', class, check_opt_outs, from_hour, to_hour, outside_hours, per_hour, per_day) FROM sms.rules ORDER BY id`;
      expect(await server.run(rules, name)).toBe(RULES);
      const made = await structureOf(name);
      await server.run(`DELETE FROM sms.rules WHERE class = 'code'; ${SCHEMA}`, name);
      expect(await server.run("SELECT id FROM sms.rules WHERE class = 'code'", name)).toBe('');
      expect((await structureOf(name)).length).toBeLessThanOrEqual(made.length);
    },
  );

  test('a dump restores, and works', async () => {
    await server.make('before', '');
    await server.make('restored', '');
    const rows = `INSERT INTO sms.opt_outs (phone_number) VALUES ('+86 136 0000 0001');
INSERT INTO sms.recipients (campaign, phone_number, status) VALUES ('Spring', '13600000001', 'pending');`;
    await server.run(`${SCHEMA}\n${rows}`, 'before');
    await server.run(await server.dump('before'), 'restored');
    await server.run(`${SCHEMA}\n${rows.replaceAll('0001', '0002')}`, 'restored');
    expect(await server.run(OPTED_OUT, 'restored')).toBe('13600000001,13600000002');
    expect(await server.run('SELECT sum(rows) FROM sms.counts', 'restored')).toBe('2');
  });

  test('a desk is made again beside the opt-outs of one that was removed', async () => {
    await server.make('removed', '');
    const spare = (phone: string) => `INSERT INTO sms.opt_outs (phone_number) VALUES ('${phone}')`;
    await server.run(`${SCHEMA}\n${spare('13600000001')}`, 'removed');
    const gone = ['sms.versions', 'sms.counts', ...Object.keys(TABLES)].filter(
      (name) => name !== 'sms.opt_outs',
    );
    await server.run(`DROP TABLE ${gone.join()} CASCADE`, 'removed');
    await server.run(`${SCHEMA}\n${spare('+86 136 0000 0002')}`, 'removed');
    expect(await server.run(OPTED_OUT, 'removed')).toBe('13600000001,13600000002');
  });

  test('an update makes its step once, and keeps the rows', async () => {
    await server.make('step', '');
    const step = `DO $step$ BEGIN
IF EXISTS (SELECT FROM sms.versions WHERE version = 7) THEN RETURN; END IF;
ALTER TABLE sms.outbox ADD COLUMN more text;
INSERT INTO sms.versions (version) VALUES (7);
END $step$;`;
    const next = SCHEMA.replace('own CONSTANT integer := 6', 'own CONSTANT integer := 7').replace(
      '-- The rules that hold.',
      `${step}\n$&`,
    );
    const row = "INSERT INTO sms.outbox (status, report) VALUES ('accepted', 'DELIVRD');";
    await server.run(
      `${SCHEMA}\nINSERT INTO sms.opt_outs (phone_number) VALUES ('13600000001');\n${row}`,
      'step',
    );
    await server.run(next, 'step');
    await server.run(next, 'step');
    expect(await server.run(OPTED_OUT, 'step')).toBe('13600000001');
    expect(await server.run('SELECT state, more FROM sms.messages', 'step')).toBe('delivered|');
  });

  test('a row of several numbers that an older desk has listed becomes a row of each', async () => {
    await server.make('several', '');
    const since = '2026-06-01T02:00:00.000Z';
    await server.run(
      `${SCHEMA}\nALTER TABLE sms.opt_outs DISABLE TRIGGER spare;
INSERT INTO sms.opt_outs (phone_number, word, since) VALUES ('13600000001,+86 136-0000-0002', 'TD', '${since}'),
('13600000002', 'by hand', ''), ('852 9123 4567', '', ''), ('13600000003,+16502530000', '', '');
ALTER TABLE sms.opt_outs ENABLE TRIGGER spare`,
      'several',
    );
    const all = 'SELECT phone_number, word, since FROM sms.opt_outs ORDER BY 1';
    for (const each of [SCHEMA, SCHEMA]) {
      await server.run(each, 'several');
      expect((await server.run(all, 'several')).split('\n')).toEqual([
        `13600000001|TD|${since}`,
        '13600000002|by hand|',
        '13600000003,+16502530000||',
        '852 9123 4567||',
      ]);
    }
  });

  const SPARES = /copy whom that desk spares/;
  const NEWER = /The tables of the desk are of version 99, and this is version \d+\. Use the newer/;
  const ASCII = "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'";
  test.each([
    ['without versions', '', 'CREATE TABLE sms_opt_outs (phone_number text);', SPARES],
    ['of version 5', '', `${SCHEMA}\nUPDATE sms.versions SET version = 5;`, SPARES],
    ['of version 99', '', `${SCHEMA}\nINSERT INTO sms.versions (version) VALUES (99);`, NEWER],
    ['not in UTF8', ASCII, 'SELECT 1', /needs a database in UTF8/],
  ])('tables %s are left as they are, and it says why', async (name, how, tables, why) => {
    const own = name.replaceAll(' ', '_').toLowerCase();
    await server.make(own, how);
    await server.run(tables, own);
    const before = await structureOf(own);
    await expect(server.run(SCHEMA, own)).rejects.toThrow(why);
    expect(await structureOf(own)).toBe(before);
  });
});
