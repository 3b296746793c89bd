/** Loading of a campaign on a real PostgreSQL: each number once, whatever the lists, the parts and the moment. */
import fc from 'fast-check';

import { listOf } from '../src/campaign-load/list';
import newRows from '../src/campaign-load/new-rows';
import type { Recipient } from '../src/common/messages/campaigns';
import { statementsOf } from '../../test/kit/desk/statements';
import { onPostgres } from '../../test/kit/desk/onPostgres';
import { items, runCode } from '../../test/kit/workflows/codeNode';
import type { Sight } from '../../test/kit/workflows/expression';
import { readDesk } from '../../test/kit/workflows/workflowFiles';

type Row = Record<string, unknown>;
interface Loaded extends Row {
  added: number;
}
interface Load {
  recipients: Row[];
  size: number;
}
type Kept = Pick<Recipient, 'phone_number' | 'parameters' | 'line' | 'status'>;

const RUNS = { numRuns: 6 };

const NAMES = ['name', '订单'];
const CONTENT = NAMES.map((name) => `\${${name}}`).join();

const parametersOf = (node: string) =>
  readDesk('campaign-load').nodes.find(({ name }) => name === node)?.parameters ?? {};

/** What *New rows* hands on. */
const handedOn = (recipients: Row[], state: unknown = null, load = 1) =>
  runCode(newRows, [], {
    nodes: {
      'Recipients arrive': items({ body: { campaign: 'Spring', recipients } }),
      'Store the campaign': items({ campaign: 'Spring', state }),
      'Campaign to store': items({ content: CONTENT }),
    },
    $execution: { id: String(load) },
  }).map(({ json }) => ({ ...json, rows: JSON.parse(String(json.rows)) as Recipient[] }));

test('a list is handed to PostgreSQL in parts of 5,000 rows', () => {
  const phones = Array.from({ length: 10_001 }, (_, index) => String(13_800_000_000 + index));
  const parts = handedOn(phones.map((phone) => ({ phone }))).map(({ rows }) => rows);
  expect(parts.map(({ length }) => length)).toEqual([5_000, 5_000, 1]);
  expect(parts.flat().map(({ phone_number }) => phone_number)).toEqual(phones);
  // Each is a transaction: another load, or a send, has its turn between two.
  expect(parametersOf('Add the rows')).toMatchObject({
    options: { queryBatching: 'independently' },
  });
});

const cell = fc.constantFrom('', 'Li', '"订单":', "it's \\ 😀 \ud800", undefined);
const recipient = fc
  .record({
    phone: fc.constantFrom('13800000001', '+86 138 0000 0002', '13800000003', 'ask', '', '\ud83d'),
    ...{ name: cell, 订单: cell },
  })
  .map((each) => Object.fromEntries(Object.entries(each).filter(([, value]) => value != null)));
const load = fc.record({
  recipients: fc.array(recipient, { minLength: 1, maxLength: 8 }),
  size: fc.integer({ min: 2, max: 6 }),
});
const loads = fc.array(load, { minLength: 1, maxLength: 3 });
const state = fc.constantFrom(null, 'draft', 'incomplete', 'running');

onPostgres('on PostgreSQL', (database) => {
  const begin = (is: string | null) =>
    database.run(`TRUNCATE sms.campaigns, sms.recipients RESTART IDENTITY;
INSERT INTO sms.campaigns (campaign, state) VALUES ('Spring', ${is ? `'${is}'` : 'null'})`);

  const textsOf = (node: string, rows: Row[] = [{}], sight: Sight = {}) =>
    statementsOf('campaign-load', node, rows, sight);
  const textOf = (...what: Parameters<typeof textsOf>) => textsOf(...what).join(';\n');

  /** Loads a list as the workflow does, from its rows on, and gives what it has added. */
  async function loaded({ recipients, size }: Load, is: unknown, id: number, isAlone = true) {
    const [whole] = handedOn(recipients, is, id);
    const rows = whole?.rows ?? [];
    const parts = Array.from({ length: Math.ceil(rows.length / size) }, (_, index) => {
      const part = rows.slice(index * size, (index + 1) * size);
      return { ...whole, rows: JSON.stringify(part) };
    });
    const sums = [0, 0, 0];
    const texts = textsOf('Add the rows', parts);
    // Alone, they need no transaction of their own: that is faster.
    for (const text of isAlone ? [texts.join(';\n')] : texts) {
      for (const line of (await database.run(text)).split('\n')) {
        line
          .split('|')
          .forEach((count, index) => (sums[index] = Number(count) + (sums[index] ?? 0)));
      }
    }
    const [added, not_a_number, better] = sums;
    const nodes = {
      ...{ 'New rows': parts, 'Add the rows': [{ added, not_a_number }] },
      'Store the campaign': [{ id: 1 }],
      'Read the request': [{ campaign: 'Spring', numbers: listOf({ recipients }, '').numbers }],
    };
    const sight = { nodes, $execution: { id: String(id) } };
    const [found] = await database.rows<Loaded>(textOf('All rows', [{}], sight));
    await database.run(
      textOf('Note that its rows are in', [{}], {
        nodes: { ...nodes, 'All rows': [found ?? {}] },
      }),
    );
    return { ...found, better };
  }

  const rowsNow = () =>
    database.rows<Recipient>(
      'SELECT phone_number, parameters, line, status FROM sms.recipients ORDER BY id',
    );
  const duplicatesNow = async () =>
    (await database.rows<{ duplicates: number }>('SELECT duplicates FROM sms.campaigns'))[0]
      ?.duplicates;

  const keyOf = ({ status, phone_number, parameters }: Kept) =>
    status === 'invalid' ? phone_number + parameters : phone_number;
  const lackOf = ({ parameters }: Kept) => {
    const values = JSON.parse(parameters) as Row;
    return NAMES.map((name) => (name in values ? Number(values[name] === '') : 2)).reduce(
      (a, b) => a + b,
    );
  };

  it('adds what is not there, in its order, and takes better values as long as nobody has started it', () =>
    fc.assert(
      fc.asyncProperty(loads, state, async (all, is) => {
        await begin(is);
        const kept = new Map<string, Kept>();
        let duplicates = 0;
        for (const [index, each] of all.entries()) {
          const { rows, numbers } = listOf({ recipients: each.recipients }, '');
          const counts = { added: 0, not_a_number: 0, better: 0 };
          for (const row of rows) {
            const known = kept.get(keyOf(row));
            const isBetter = is !== 'running' && known && lackOf(row) < lackOf(known);
            if (known && !isBetter) continue;
            if (isBetter) counts.better += 1;
            counts[row.status === 'invalid' ? 'not_a_number' : 'added'] += 1;
            kept.set(keyOf(row), row);
          }
          duplicates += numbers - counts.added;
          const people = [...kept.values()].filter(({ status }) => status !== 'invalid');
          const missing = NAMES.filter((name) =>
            people.some(({ parameters }) => !(name in (JSON.parse(parameters) as Row))),
          );
          expect(await loaded(each, is, index + 1)).toEqual({ ...counts, missing });
        }
        const rows = [...kept.values()].map(({ phone_number, parameters, line, status }) => ({
          phone_number,
          parameters,
          line,
          status,
        }));
        expect(await rowsNow()).toEqual(rows);
        expect(await duplicatesNow()).toBe(duplicates);
      }),
      RUNS,
    ));

  it('adds each once, and of a draft the best, if lists are loaded at the same moment', () =>
    fc.assert(
      fc.asyncProperty(loads, state, async (all, is) => {
        await begin(is);
        const results = await Promise.all(
          all.map((each, index) => loaded(each, is, index + 1, false)),
        );
        const given = all.flatMap(({ recipients }) => listOf({ recipients }, '').rows);
        const best = new Map<string, number>();
        for (const row of given)
          best.set(keyOf(row), Math.min(lackOf(row), best.get(keyOf(row)) ?? Infinity));
        const rows = await rowsNow();
        expect(rows.map(keyOf).sort()).toEqual([...best.keys()].sort());
        if (is !== 'running')
          for (const row of rows) expect(lackOf(row)).toBe(best.get(keyOf(row)));
        const numbers = all.flatMap(({ recipients }) => listOf({ recipients }, '').numbers);
        const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
        const added = sum(results.map((each) => Number(each.added)));
        expect(await duplicatesNow()).toBe(sum(numbers) - added);
        const people = rows.filter(({ status }) => status !== 'invalid');
        expect(added - sum(results.map(({ better }) => Number(better)))).toBe(people.length);
      }),
      RUNS,
    ));

  it('completes a load that broke off', async () => {
    await begin(null);
    const recipients = ['1', '2', '3'].map((end) => ({ phone: `1380000000${end}` }));
    const [part] = handedOn(recipients.slice(0, 2));
    await database.run(textOf('Add the rows', [{ ...part, rows: JSON.stringify(part?.rows) }]));
    expect(await loaded({ recipients, size: 2 }, null, 2)).toMatchObject({ added: 1 });
    expect((await rowsNow()).map(({ line }) => line)).toEqual([1, 2, 3]);
  });

  it.each([null, 'running'])('counts what was added before an answer was lost (%s)', async (is) => {
    await begin(is);
    const list = { recipients: [{ phone: '13800000001' }, { phone: 'ask' }], size: 1 };
    await loaded({ ...list, recipients: [{ phone: '13800000002' }] }, is, 1);
    const [part] = handedOn(list.recipients, is, 2);
    await database.run(textOf('Add the rows', [{ ...part, rows: JSON.stringify(part?.rows) }]));
    expect(await loaded(list, is, 2)).toMatchObject({ added: 1, not_a_number: 1 });
    expect(await duplicatesNow()).toBe(0);
  });

  it('changes no row that is being sent, also of a draft', async () => {
    await begin('draft');
    const phone = '13800000001';
    await loaded({ recipients: [{ phone }], size: 1 }, 'draft', 1);
    await database.run("UPDATE sms.recipients SET sent_at = now(), portion = '9'");
    const recipients = [{ phone, name: 'Li', 订单: 'A' }];
    expect(await loaded({ recipients, size: 1 }, 'draft', 2)).toMatchObject({ added: 0 });
    expect(await rowsNow()).toMatchObject([{ parameters: '{}' }]);
  });
});
