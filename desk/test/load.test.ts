/** Loading of a campaign on a real PostgreSQL: each number once, whatever the lists, the parts and the moment. */
import fc from 'fast-check';

import { VERSION } from '../src/declared';
import { listOf } from '../src/campaign-load/list';
import newRows from '../src/campaign-load/new-rows';
import type { Recipient } from '../src/common/messages/campaigns';
import { statementsOf } from '../kit/statements';
import { server } from './database';
import { codeSees } from '../../test/kit/workflows/codeNode';
import { readDesk } from '../../test/kit/workflows/workflowFiles';

type Row = Record<string, unknown>;
interface Load {
  recipients: Row[];
  size: number;
}
type Kept = Pick<Recipient, 'phone_number' | 'parameters' | 'line' | 'status'>;

const RUNS = { numRuns: 6 };

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

const NAMES = ['name', '订单'];
const CHOICE = {
  template_id: '1',
  content: NAMES.map((name) => `\${${name}}`).join(),
  signature: '',
};

/** What *New rows* hands on. */
const handedOn = (recipients: Row[]) =>
  newRows(
    codeSees({
      'Recipients arrive': { body: { recipients } },
      'Read the request': { campaign: 'Spring', start: false },
      'What it is sent with': CHOICE,
    }),
  ).map(({ list, rows }) => ({
    list: list as Row,
    rows: JSON.parse(String(rows)) as Recipient[],
  }));

test('a list is handed to PostgreSQL in parts of 5,000 rows, all of one transaction', () => {
  const phonesOf = (length: number) =>
    Array.from({ length }, (_, index) => String(13_800_000_000 + index));
  const partsOf = (length: number) => handedOn(phonesOf(length).map((phone) => ({ phone })));
  const sizesOf = (length: number) =>
    partsOf(length).map(({ rows, list }) => [rows.length, list.isLast]);
  expect(sizesOf(5_000)).toEqual([[5_000, true]]);
  expect(sizesOf(5_001).flat()).toEqual([5_000, false, 1, true]);
  const rows = partsOf(5_001).flatMap((part) => part.rows);
  expect(rows.map(({ phone_number }) => phone_number)).toEqual(phonesOf(5_001));
  const node = readDesk('campaign-load').nodes.find(({ name }) => name === 'Load the rows');
  expect(node).toMatchObject({ parameters: { options: { queryBatching: 'transaction' } } });
  expect(node).not.toHaveProperty('onError');
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

const begin = (is: string | null) =>
  server().run(`TRUNCATE sms.campaigns, sms.recipients, sms.tokens RESTART IDENTITY;
INSERT INTO sms.campaigns (campaign, state, template_id, content, signature) SELECT 'Spring', '${is}', '1', '${CHOICE.content}', '' WHERE ${is !== null}`);

/** Loads a list as the workflow does, from its rows on, and gives what is said of it. */
async function loaded({ recipients, size }: Load, id: number, between = ''): Promise<Row> {
  const [{ list, rows } = { list: {}, rows: [] }] = handedOn(recipients);
  const parts = Array.from({ length: Math.ceil(rows.length / size) }, (_, index) => ({
    list: { ...list, isLast: (index + 1) * size >= rows.length },
    rows: JSON.stringify(rows.slice(index * size, (index + 1) * size)),
  }));
  const $execution = { id: String(id) };
  const texts = statementsOf('campaign-load', 'Load the rows', parts, { $execution });
  const all = texts.map((text) => `SELECT row_to_json(said) FROM (${text}) AS said`);
  const said = await server().run(`BEGIN;\n${all.join(`;\n${between}`)};\nCOMMIT`);
  return JSON.parse(said.split('\n').find((line) => line.startsWith('{')) ?? '{}') as Row;
}

const rowsNow = () =>
  server().rows<Recipient>(
    'SELECT phone_number, parameters, line, status FROM sms.recipients ORDER BY id',
  );
const duplicatesNow = async () =>
  Number((await server().rows<Row>('SELECT duplicates FROM sms.campaigns'))[0]?.duplicates ?? 0);

const keyOf = ({ status, phone_number, parameters }: Kept) =>
  status === 'invalid' ? phone_number + parameters : phone_number;
const lackOf = ({ parameters }: Kept) => {
  const values = JSON.parse(parameters) as Row;
  return sum(NAMES.map((name) => (name in values ? Number(values[name] === '') : 2)));
};
/** A campaign that was started takes no list in which somebody lacks a column. */
const isRefused = ({ recipients }: Load, is: unknown) =>
  is === 'running' && recipients.some((each) => NAMES.some((name) => !(name in each)));

it('adds what is not there, in its order, and takes better values as long as nobody has started it', () =>
  fc.assert(
    fc.asyncProperty(loads, state, async (all, is) => {
      await begin(is);
      const kept = new Map<string, Kept>();
      let duplicates = 0;
      for (const [index, each] of all.entries()) {
        if (isRefused(each, is)) {
          expect(await loaded(each, index + 1)).toMatchObject({ status: 400, added: null });
          continue;
        }
        const { rows, numbers } = listOf({ recipients: each.recipients });
        const counts = { added: 0, not_a_number: 0 };
        for (const row of rows) {
          const known = kept.get(keyOf(row));
          if (known && (is === 'running' || lackOf(row) >= lackOf(known))) continue;
          counts[row.status === 'invalid' ? 'not_a_number' : 'added'] += 1;
          kept.set(keyOf(row), row);
        }
        duplicates += numbers - counts.added;
        const people = [...kept.values()].filter(({ status }) => status !== 'invalid');
        const missing = NAMES.filter((name) =>
          people.some(({ parameters }) => !(name in (JSON.parse(parameters) as Row))),
        ).join(', ');
        const expected = { ...counts, missing: is === 'running' ? null : missing, status: 200 };
        const said = await loaded(each, index + 1);
        expect(said).toMatchObject(expected);
        // Its answer may be lost.
        expect(await loaded(each, index + 1)).toEqual(said);
      }
      expect(await rowsNow()).toEqual([...kept.values()]);
      expect(await duplicatesNow()).toBe(duplicates);
      const unknown = 'SELECT id FROM sms.recipients WHERE segments IS NULL';
      expect(await server().rows(unknown)).toEqual([]);
    }),
    RUNS,
  ));

it('adds each once, and of a draft the best, if lists are loaded at the same moment', () =>
  fc.assert(
    fc.asyncProperty(loads, state, async (all, is) => {
      await begin(is);
      const results = await Promise.all(all.map((each, index) => loaded(each, index + 1)));
      const taken = all.filter((each) => !isRefused(each, is));
      const lists = taken.map(({ recipients }) => listOf({ recipients }));
      const best = new Map<string, number>();
      for (const row of lists.flatMap(({ rows }) => rows))
        best.set(keyOf(row), Math.min(lackOf(row), best.get(keyOf(row)) ?? Infinity));
      const rows = await rowsNow();
      expect(rows.map(keyOf).sort()).toEqual([...best.keys()].sort());
      if (is !== 'running') for (const row of rows) expect(lackOf(row)).toBe(best.get(keyOf(row)));
      const added = sum(results.map((each) => Number(each.added)));
      expect(await duplicatesNow()).toBe(sum(lists.map(({ numbers }) => numbers)) - added);
    }),
    RUNS,
  ));

it('lets a button wait until it is in: the draft is another one then', async () => {
  await begin('draft');
  await server().run(`UPDATE sms.campaigns SET loaded_at = '2026-12-01T10:00:00Z';
INSERT INTO sms.tokens (token, page) VALUES ('t', 'sms-campaign:1')`);
  const form = `{"campaign":"1","token":"t","action":"start","loaded":"2026-12-01T10:00:00Z"}`;
  const recipients = ['1', '2'].map((end) => ({ phone: `1380000000${end}`, name: '', 订单: '' }));
  const [said, pressed] = await Promise.all([
    loaded({ recipients, size: 1 }, 1, 'SELECT pg_sleep(1);\n'),
    server().run(
      `SELECT pg_sleep(0.5); SELECT did FROM sms.campaign_press(${VERSION}, '${form}', '')`,
    ),
  ]);
  expect(said).toMatchObject({ added: 2, state: 'draft' });
  expect(pressed).toContain('outdated');
});

it('changes no row that is being sent, also of a draft', async () => {
  await begin('draft');
  const phone = '13800000001';
  await loaded({ recipients: [{ phone }], size: 1 }, 1);
  await server().run("UPDATE sms.recipients SET sent_at = now(), portion = '9'");
  const recipients = [{ phone, name: 'Li', 订单: 'A' }];
  expect(await loaded({ recipients, size: 1 }, 2)).toMatchObject({ added: 0 });
  expect(await rowsNow()).toMatchObject([{ parameters: '{}' }]);
});
