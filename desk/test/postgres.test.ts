/** What each node of a table is: a statement. */
import { SCHEMA } from '../src/declare';
import { runs } from '../src/parts';
import { database } from './database';
import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';
import { evaluate } from '../../test/kit/workflows/expression';

const POSTGRES = 'n8n-nodes-base.postgres';

interface Running {
  query: string;
  options: { queryReplacement?: string };
}

describe.each(deskNames())('%s', (name) => {
  const all = readDesk(name).nodes.filter(({ type }) => type === POSTGRES);

  it('ends each expression where n8n does, and runs once where a statement takes all items', () => {
    for (const { parameters, executeOnce } of all) {
      const { options } = parameters as unknown as Running;
      expect(options.queryReplacement?.slice(3, -2) ?? '').not.toMatch(/\{\{|\}\}/);
      if (options.queryReplacement?.includes('.map(({ json }) => json)'))
        expect(executeOnce).toBe(true);
    }
  });

  it('names tables, columns and functions that there are, with their types', () => {
    const statements = all.map(({ parameters }) => String(parameters.query));
    for (const each of statements.filter((query) => query !== SCHEMA)) {
      const values = [...new Set(each.match(/\$\d+/g))].map(() => 'NULL').join();
      const types = database().run(`PREPARE one AS ${each};
EXECUTE one ${values && `(${values})`} \\gdesc
DEALLOCATE one`);
      // n8n would give them as texts.
      expect(types).not.toMatch(/bigint|numeric/);
    }
  });
});

it('tries again to add rows only where rows that are there already do no harm: an answer may be lost', () => {
  const again = deskNames()
    .flatMap((name) => readDesk(name).nodes)
    .filter(({ retryOnFail }) => retryOnFail)
    .map(({ parameters }) => String(parameters.query))
    .filter((query) => !/DO UPDATE SET/.test(query));
  const tables = again.flatMap((query) => /INSERT INTO (sms\.\w+)/.exec(query)?.[1] ?? []);
  // What is remembered by a key has one row, or the same in two.
  expect([...new Set(tables)].sort()).toEqual(['sms.tokens']);
});

it('gives values as texts and rows as JSON that PostgreSQL takes', () => {
  const at = new Date('2026-06-03T04:00:00.000Z');
  const $json = { key: 'a\0b', at, number: NaN, row: { phone: '1\0\ud800', none: null } };
  const values = ['key', 'at', 'number', 'none', 'row'].map((name) => `$json.${name}`);
  const { options } = runs('Rows', { query: '', values }).config?.parameters as unknown as Running;
  expect(evaluate(options.queryReplacement ?? '', { $json })).toEqual([
    ...['ab', at.toISOString(), null, null, '{"phone":"1\ufffd","none":null}'],
  ]);
});
