/**
 * `npx tsx test/bench/postgres.ts`: puts a million records into PostgreSQL with the statements of
 * examples/records-postgres.json, and prints how long they take, and each view and query.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { ensureN8n } from '../e2e/lib/install';
import { Outbox } from '../e2e/lib/outbox';
import { repository } from '../e2e/lib/paths';
import { readExample } from '../e2e/lib/workflowFiles';

/** As the trigger hands them over. */
const PAGE = 100;
const PER_BATCH = 100;
const TEMPLATES = 20;
const DAYS = 28;
const ROUNDS = 3;

const FOLDER = 'examples/records-postgres';

const sqlOf = (node: string) =>
  String(readExample('records-postgres').nodes.find(({ name }) => name === node)?.parameters.query);

const viewNames = () =>
  [...readFileSync(path.join(repository, FOLDER, 'views.sql'), 'utf8').matchAll(/view (\w+)/g)].map(
    ([, name]) => String(name),
  );

/** What a page of the trigger holds, from the record of a number on. Every twentieth is a reply, or failed. */
function pageFrom(first: number, total: number, now: number): object[] {
  return Array.from({ length: PAGE }, (_, index) => {
    const number = first + index;
    const seconds = Math.floor(now / 1000 - ((total - number) / total) * DAYS * 86_400);
    const record = {
      batch_id: `batch-${Math.floor(number / PER_BATCH)}`,
      time: seconds,
      time_iso: new Date(seconds * 1000).toISOString(),
      phone_number: String(13_800_000_000 + number),
    };
    if (number % 20 === 0) {
      const texts = { content: 'TD', sms_content: 'Your order has shipped.', ext_no: '' };
      return { ...record, event: 'reply', mobile: record.phone_number, ...texts };
    }
    const [status, status_desc] =
      number % 20 === 1 ? ['UNDELIV', 'Not delivered'] : ['DELIVRD', 'Received successfully'];
    const texts = { status, status_desc, phone_data: '', user_data: `order-${number}` };
    return { ...record, event: 'deliveryReport', ...texts, split_count: 1 };
  });
}

const sendOf = (batch: number, batches: number, now: number) => ({
  status: 'accepted',
  batch_id: `batch-${batch}`,
  template: `template-${batch % TEMPLATES}`,
  sent_at: new Date(now - ((batches - batch) / batches) * DAYS * 86_400_000 - 4_000).toISOString(),
});

/** In milliseconds. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  while (times.length < ROUNDS) times.push(await timeOf(work));
  return times.sort((a, b) => a - b)[ROUNDS >> 1] ?? NaN;
}

const row = (what: string, milliseconds: number) =>
  console.log(`| ${what} | ${Math.round(milliseconds).toLocaleString('en')} ms |`);

async function measure({ server }: Outbox, records: number): Promise<void> {
  const now = Date.now();
  const batches = records / PER_BATCH;
  const pages = Array.from({ length: records / PAGE }, (_, index) => index * PAGE);
  const insert = async (first: number) =>
    server.any(sqlOf('Insert the records'), [JSON.stringify(pageFrom(first, records, now))]);

  await server.any(sqlOf('Tables and views'));
  const sends = Array.from({ length: batches }, (_, batch) => sendOf(batch, batches, now));
  await server.any(sqlOf('Insert the sends'), [JSON.stringify(sends)]);
  row(
    `Insert ${records.toLocaleString('en')} records, in pages of ${PAGE}`,
    await timeOf(async () => {
      for (const first of pages) await insert(first);
    }),
  );
  row(
    'Insert 100 of the pages again',
    await timeOf(async () => {
      for (const first of pages.slice(0, 100)) await insert(first);
    }),
  );
  const [counts] = await server.any<Record<string, string>>(
    "select count(*), pg_size_pretty(pg_total_relation_size('sms_records')) as size from sms_records",
  );
  console.log(`${counts?.count} rows, ${counts?.size} with indexes`);

  await server.any('vacuum analyze');
  for (const name of viewNames()) {
    // The two lists have a row for each record: they are counted.
    const columns = ['sms_reports', 'sms_replies'].includes(name) ? 'count(*)' : '*';
    row(name, await medianOf(() => server.any(`select ${columns} from ${name}`)));
  }
  const queries = readFileSync(path.join(repository, FOLDER, 'queries.sql'), 'utf8');
  for (const query of queries.split(';').filter((each) => each.includes('select'))) {
    const question = [...query.matchAll(/^-- (.*)$/gm)].at(-1)?.[1] ?? '';
    row(question, await medianOf(() => server.any(query)));
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { records: { type: 'string', default: '1000000' } } });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sms-bench-'));
  try {
    // It brings the client that its Postgres node has.
    await ensureN8n(path.join(folder, 'install.log'), console.log);
    const records = Number(values.records);
    // What is measured survives a power cut.
    await Outbox.use(folder, 'records', (outbox) => measure(outbox, records), ['fsync=on']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

void main();
