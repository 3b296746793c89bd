/** What each node of a table is: a statement. */
import { SCHEMA } from '../src/declare';
import { runs } from '../src/parts';
import { database } from './database';
import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';
import { evaluate } from '../../test/kit/workflows/expression';

test.each(deskNames())(
  'the statements of %s name tables, columns and functions that there are, with their types',
  (name) => {
    const statements = readDesk(name).nodes.flatMap(({ parameters: { query } }) => query ?? []);
    for (const each of statements.map(String).filter((query) => query !== SCHEMA)) {
      const values = [...new Set(each.match(/\$\d+/g))].map(() => 'NULL').join();
      const types = database().run(`PREPARE one AS ${each};
EXECUTE one ${values && `(${values})`} \\gdesc
DEALLOCATE one`);
      // n8n would give them as texts.
      expect(types).not.toMatch(/bigint|numeric/);
    }
  },
);

test('values are given as texts and rows as JSON that PostgreSQL takes', () => {
  const at = new Date('2026-06-03T04:00:00.000Z');
  const $json = { key: 'a\0b', at, number: NaN, row: { phone: '1\0\ud800', none: null } };
  const values = ['key', 'at', 'number', 'none', 'row'].map((name) => `$json.${name}`);
  const { options } = runs('Rows', { query: '', values }).config?.parameters as unknown as {
    options: { queryReplacement: string };
  };
  expect(evaluate(options.queryReplacement, { $json })).toEqual([
    ...['ab', at.toISOString(), null, null, '{"phone":"1\ufffd","none":null}'],
  ]);
});
