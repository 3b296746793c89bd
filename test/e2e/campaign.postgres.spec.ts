/** desk/workflows/campaign-postgres.json sends every row once, with several workers of which one dies. */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import type { Gateway } from '../sandbox/gateway';
import { barriers } from './lib/accessibility';
import { LOGIN, numbersSentTwice, progressPage } from './lib/campaign';
import {
  CAMPAIGN,
  chosen,
  claim,
  credentialsFor,
  expectPendingAgain,
  importParts,
  inboxFor,
  load,
  look,
  numbers,
  numbersOf,
  optOut,
  report,
  settings,
  settle,
  again,
  warn,
  type Row,
} from './lib/campaignPostgres';
import { withChoices } from './lib/workflowFiles';
import { MemoryWatch, thirds, type Memory } from './lib/memory';
import type { N8n } from './lib/n8n';
import { Outbox } from './lib/outbox';
import { outputFolder } from './lib/paths';
import type { QueueMode } from './lib/queue';
import { expect, test as base } from './lib/queueTest';
import { WITH_KEY } from './lib/webhookKey';

/** `CAMPAIGN_ROWS=100000 npm run e2e -- --project campaign` sends so many. */
const ROWS = Number(process.env.CAMPAIGN_ROWS ?? 10_000);
/** Milliseconds until the gateway answers. */
const LATENCY = Number(process.env.CAMPAIGN_LATENCY ?? 50);
const PORTION = Number(process.env.CAMPAIGN_PORTION ?? Math.min(1_000, ROWS / 20));
const PORTIONS_AT_ONCE = Number(process.env.CAMPAIGN_AT_ONCE ?? 4);
/** Seconds between two portions that begin. */
const INTERVAL = Number(process.env.CAMPAIGN_INTERVAL ?? 1);
/** 0: all workers live to the end. */
const KILL = process.env.CAMPAIGN_KILL !== '0';

const PACE = {
  campaign: CAMPAIGN,
  portion_size: PORTION,
  portions_at_once: PORTIONS_AT_ONCE,
  minutes_under_way: 0.5,
};

const ROWS_PER_LOAD = 10_000;
const OPT_OUTS = 20;
const SEND_PATH = '/sendsms/template/send';
const MINUTES = 60_000;
const LIMIT = 3 * MINUTES + ROWS * 10;

const test = base.extend<{ outbox: Outbox }>({
  // With the tables of the example, on a server without n8n.
  outbox: async ({}, use, { testId }) => {
    await Outbox.use(path.join(outputFolder, 'outbox', testId), 'outbox', async (outbox) => {
      await outbox.run('Create the tables');
      await use(outbox);
    });
  },
});

test('Two workers that claim at the same moment get different rows, and neither waits', async ({
  outbox,
}) => {
  await load(outbox, 30);
  await outbox.server.tx(async (first) => {
    const ofFirst = await claim(outbox, '1', 10, { connection: first });
    // The first has not committed yet.
    const ofSecond = await outbox.server.task(async (second) => {
      await second.any(`SET lock_timeout = '2s'`);
      return await claim(outbox, '2', 10, { connection: second });
    });
    expect(ofFirst).toEqual(numbers(0, 10));
    expect(ofSecond).toEqual(numbers(10, 20));
  });
  expect(await outbox.counts()).toEqual({ sending: 20, pending: 10 });

  // Many claims at the same moment.
  await load(outbox, 2_030);
  const claims = Array.from({ length: 40 }, (_, index) => claim(outbox, `many-${index}`, 50));
  const claimed = (await Promise.all(claims)).flat();
  expect(claimed).toHaveLength(2_000);
  expect(new Set(claimed).size).toBe(2_000);
});

test('A workflow takes the rows of its campaign only; those of another one wait', async ({
  outbox,
}) => {
  // The other campaign has the oldest rows.
  await load(outbox, 20, 'other');
  await load(outbox, 20);
  await claim(outbox, 'other', 10, { campaign: 'other' });
  await settle(outbox, 'other', 'failed', numbers(0, 10), 'other');
  const ofOther = { waiting: true, paused: true, under_way: 0 };
  expect(await look(outbox, { campaign: 'other' })).toMatchObject(ofOther);
  expect(await look(outbox)).toMatchObject({ waiting: true, paused: false, under_way: 0 });

  expect(await claim(outbox, '1', 10)).toEqual(numbers(0, 10));
  await settle(outbox, '1', 'failed', numbers(0, 9));
  expect(await look(outbox, { campaign: 'other' })).toMatchObject(ofOther);
  await settle(outbox, '1', 'accepted', numbers(9, 10));
  expect(await claim(outbox, '2', 100)).toEqual(numbers(10, 20));
  expect(await claim(outbox, '3', 100)).toEqual([]);
  expect(await look(outbox)).toMatchObject({ waiting: false, paused: false, under_way: 1 });

  await outbox.run('Make them pending', [CAMPAIGN]);
  expect(await claim(outbox, '4', 100)).toEqual(numbers(0, 9));
  expect(await outbox.counts()).toEqual({ accepted: 1, failed: 10, pending: 10, sending: 19 });
  expect(await look(outbox, { campaign: 'other' })).toMatchObject(ofOther);
});

test('Nobody who has opted out by the time of the claim is sent to', async ({ outbox }) => {
  await load(outbox, 6);
  expect(await claim(outbox, '1', 1)).toEqual(numbers(0, 1));
  expect(await claim(outbox, '2', 2, { optedOut: numbers(1, 2) })).toEqual(numbers(2, 3));
  expect(await claim(outbox, '3', 100, { optedOut: numbers(0, 5) })).toEqual(numbers(5, 6));
  expect(await outbox.counts()).toEqual({ opted_out: 3, sending: 3 });
});

test('A report settles a row that the service refused, and also one that is pending again', async ({
  outbox,
}) => {
  await load(outbox, 6);
  const [a = '', b = '', c = '', d = '', e = '', f = ''] = numbers(0, 6);
  expect(await claim(outbox, '1', 5)).toEqual([a, b, c, d, e]);
  await settle(outbox, '1', 'failed', [a, b, c, d, e]);
  const of1 = { portion: '1', batch_id: 'x' };
  await report(outbox, [
    { phone_number: a, ...of1, is_delivered: true },
    { phone_number: b, ...of1, is_delivered: false },
    // Of other messages to the same people.
    { phone_number: c, portion: '', batch_id: '', is_delivered: true },
    { phone_number: f, portion: '', batch_id: '', is_delivered: true },
  ]);
  expect(await outbox.numbers('delivered')).toEqual([a]);

  // A and B were sent.
  await outbox.run('Make them pending', [CAMPAIGN]);
  expect(await outbox.numbers('pending')).toEqual([c, d, e, f]);
  await report(outbox, [
    { phone_number: c, ...of1, is_delivered: true },
    { phone_number: d, ...of1, is_delivered: false },
    { phone_number: e, portion: '', batch_id: 'y', is_delivered: true },
    { phone_number: f, portion: '', batch_id: '', is_delivered: true },
  ]);
  expect(await outbox.numbers('delivered')).toEqual([a, c]);
  expect(await claim(outbox, '2', 100)).toEqual([d, e, f]);

  // The report of the first portion is not that of the second one.
  await report(outbox, [{ phone_number: d, ...of1, is_delivered: true }]);
  expect(await outbox.numbers('sending')).toEqual([d, e, f]);

  // Two batches of a portion have the number: that one was delivered is what counts.
  const of2 = { phone_number: e, portion: '2' };
  await report(outbox, [
    { ...of2, batch_id: 'p', is_delivered: false },
    { ...of2, batch_id: 'q', is_delivered: true },
    { ...of2, batch_id: 'r', is_delivered: false },
  ]);
  expect(await outbox.numbers('delivered')).toEqual([a, c, e]);
});

test('An outcome is written once; a report that came first stays; what was lost is unknown', async ({
  outbox,
}) => {
  await load(outbox, 7);
  const [a, b, c, d, e, f, g] = numbers(0, 7);
  await claim(outbox, '1', 6);

  // The report of A comes before its outcome, and the reports of C and D after it. C's comes twice, and
  // without user data. Nobody has heard of the last two.
  await report(outbox, [{ phone_number: a, portion: '1', batch_id: 'x', is_delivered: true }]);
  const outcomes = [
    ...[a, b, c, d].map((phone_number) => ({
      phone_number,
      status: 'accepted',
      batch_id: 'x',
      reason: '',
    })),
    { phone_number: e, status: 'failed', batch_id: '', reason: 'no' },
    { phone_number: g, status: 'accepted', batch_id: 'x', reason: '' },
  ];
  await outbox.run('Settle the portion', ['1', JSON.stringify(outcomes), CAMPAIGN]);
  expect(await outbox.counts()).toEqual({
    delivered: 1,
    accepted: 3,
    failed: 1,
    sending: 1,
    pending: 1,
  });
  await report(outbox, [
    { phone_number: c, portion: '', batch_id: 'x', is_delivered: false },
    { phone_number: c, portion: '', batch_id: 'x', is_delivered: true },
    { phone_number: d, portion: '1', batch_id: 'x', is_delivered: false },
    // Of other messages to the same people.
    { phone_number: b, portion: '', batch_id: '', is_delivered: true },
    { phone_number: f, portion: '', batch_id: '', is_delivered: true },
    { phone_number: '13812345678', portion: '1', batch_id: 'x', is_delivered: true },
  ]);
  expect(await outbox.numbers('delivered')).toEqual([a, c]);
  expect(await outbox.numbers('failed')).toEqual([d, e]);

  // The outcomes again, as after a lost connection, and another report: what is final stays.
  await outbox.run('Settle the portion', ['1', JSON.stringify(outcomes), CAMPAIGN]);
  await report(outbox, [{ phone_number: a, portion: '1', batch_id: 'x', is_delivered: false }]);
  expect(await outbox.numbers('delivered')).toEqual([a, c]);
  expect(await outbox.numbers('failed')).toEqual([d, e]);

  // F has no outcome. After some time it is unknown, and is never claimed again.
  expect(await look(outbox, { minutes: 1 })).toMatchObject({
    waiting: true,
    under_way: 1,
    given_up: 0,
  });
  expect(await look(outbox, { minutes: 0 })).toMatchObject({
    waiting: true,
    under_way: 0,
    given_up: 1,
  });
  expect(await outbox.numbers('unknown')).toEqual([f]);
  expect(await claim(outbox, '2', 100)).toEqual([g]);
  await report(outbox, [{ phone_number: f, portion: '1', batch_id: 'y', is_delivered: true }]);
  expect(await outbox.numbers('unknown')).toEqual([]);
  expect(await outbox.numbers('delivered')).toEqual([a, c, f]);
});

test('Unknown rows are pending again for a warning that has named them, once, and none with a report', async ({
  outbox,
}) => {
  await load(outbox, 9);
  const [a = '', b = '', c = '', d = '', e = ''] = numbers(0, 9);
  await claim(outbox, '1', 6);
  await settle(outbox, '1', 'unknown', [a, b, c, d, e]);
  await report(outbox, [{ phone_number: a, portion: '1', batch_id: 'x', is_delivered: true }]);
  // The service has taken it.
  await outbox.server.any(`UPDATE sms_outbox SET batch_id = 'y' WHERE phone_number = $1`, [e]);
  expect(await warn(outbox, '')).toBeUndefined();
  const [first, second] = [await warn(outbox), await warn(outbox)];
  expect(first?.warned).toBe(3);
  expect(first?.known).toMatchObject([
    { reason: 'no', isTaken: false, rows: 3 },
    { reason: 'no', isTaken: true, rows: 1 },
  ]);
  // Unknown since then: the sixth row of the portion, and one of another campaign.
  await look(outbox, { minutes: 0 });
  await load(outbox, 1, 'other');
  await claim(outbox, 'other', 1, { campaign: 'other' });
  await settle(outbox, 'other', 'unknown', numbers(0, 1), 'other');

  expect(await again(outbox, 'forged')).toBe(0);
  expect(await again(outbox, first?.token, 1), 'reports are on their way').toBe(0);
  expect(await again(outbox, first?.token)).toBe(3);
  expect(await again(outbox, first?.token), 'the same once more').toBe(0);
  expect(await again(outbox, second?.token), 'another window').toBe(0);
  expect(await outbox.counts()).toEqual({ delivered: 1, pending: 6, unknown: 3 });

  // A report that comes before the next claim takes its row out, whatever it says.
  await report(outbox, [{ phone_number: b, portion: '1', batch_id: 'x', is_delivered: true }]);
  await report(outbox, [{ phone_number: c, portion: '1', batch_id: 'x', is_delivered: false }]);
  expect(await claim(outbox, '2', 100)).toEqual([d, ...numbers(6, 9)]);
  expect(await outbox.numbers('failed')).toEqual([c]);

  // An outcome that was late settles its row, unless it is unknown.
  const late = await warn(outbox);
  expect(await again(outbox, late?.token)).toBe(1);
  const [sixth = ''] = numbers(5, 6);
  await settle(outbox, '1', 'unknown', [sixth]);
  expect(await outbox.numbers('pending')).toEqual([sixth]);
  await settle(outbox, '1', 'accepted', [sixth]);
  expect(await outbox.numbers('accepted')).toEqual([sixth]);

  // Unknown once more: only a new warning sends it.
  await settle(outbox, '2', 'unknown', [d]);
  expect(await again(outbox, second?.token)).toBe(0);
  const third = await warn(outbox);
  expect(third?.warned).toBe(1);
  // A row that was written late, with the time of another one, makes more than were named.
  await outbox.server.any(
    `UPDATE sms_outbox SET status = 'unknown', changed = (SELECT up_to FROM sms_warnings WHERE token = $1)
    WHERE phone_number = $2 AND campaign = $3`,
    [third?.token, numbers(8, 9)[0], CAMPAIGN],
  );
  expect(await again(outbox, third?.token)).toBe(0);
  // Two presses at the same moment.
  const last = await warn(outbox);
  expect(last?.warned).toBe(2);
  const presses = await Promise.all([1, 2, 3].map(() => again(outbox, last?.token)));
  expect(presses.sort()).toEqual([0, 0, 2]);
});

test('A portion without an accepted message pauses its campaign, 1, 2, 4, 8 and 16 minutes', async ({
  outbox,
}) => {
  await load(outbox, 300);
  const minutes = async () => {
    const [pause] = await outbox.server.any<{ minutes: number }>(
      'SELECT round(extract(epoch FROM until - now()) / 60)::int AS minutes FROM sms_pauses',
    );
    return pause?.minutes;
  };
  const fail = async (portion: string, size: number) => {
    const claimed = await claim(outbox, portion, size);
    await settle(outbox, portion, 'unknown', claimed);
    return claimed.length;
  };
  // One accepted message is enough.
  await claim(outbox, '1', 50);
  await settle(outbox, '1', 'failed', numbers(0, 49));
  await settle(outbox, '1', 'accepted', numbers(49, 50));
  expect(await look(outbox)).toMatchObject({ paused: false });

  await claim(outbox, '2', 50);
  await claim(outbox, '3', 50);
  await settle(outbox, '2', 'unknown', numbers(50, 100));
  expect(await minutes()).toBe(1);
  expect(await look(outbox)).toMatchObject({ paused: true });
  // It was under way, and makes the pause no longer.
  await settle(outbox, '3', 'unknown', numbers(100, 150));
  expect(await minutes()).toBe(1);

  for (const expected of [2, 4, 8, 16, 16]) {
    await outbox.server.any(`UPDATE sms_pauses SET until = now() - interval '1 second'`);
    expect(await look(outbox)).toMatchObject({ paused: false });
    expect(await fail(`try ${expected}`, 50), 'rows that are tried').toBe(10);
    expect(await minutes()).toBe(expected);
  }
  await claim(outbox, 'last', 50);
  await settle(outbox, 'last', 'accepted', numbers(200, 210));
  expect(await minutes()).toBeUndefined();
  // What the service refused may be sent again, and nothing else.
  await outbox.run('Make them pending', [CAMPAIGN]);
  expect(await outbox.numbers('pending')).toEqual([...numbers(0, 49), ...numbers(210, 300)]);
});

test(`${ROWS} rows, two workers${KILL ? ', one dies' : ''}: each number once, and each row has an end`, async ({
  openGateway,
  queueMode,
  browser,
}) => {
  test.setTimeout(LIMIT + 5 * MINUTES);
  const { client, main, workers } = queueMode;
  const gateway = await openGateway({
    latencyMs: LATENCY,
    balance: 10 * ROWS,
    validate: ROWS <= 20_000,
    recordRequests: false,
  });
  const outbox = await Outbox.create(queueMode.database, 'outbox');
  const credentials = await credentialsFor(queueMode, gateway, outbox);
  const optOuts = numbers(100, 100 + OPT_OUTS);
  await optOut(queueMode, optOuts);
  // STOP while it runs: far behind what is claimed by then.
  const late = numbers(ROWS - 1, ROWS);
  const workflow = await client.importWorkflow(
    chosen({ ...PACE, from_hour: 0, to_hour: 0 }, INTERVAL),
    credentials,
  );
  const published = await client.run(workflow, 'When published');
  expect(published.status).toBe('success');
  const parts = await importParts(queueMode, credentials);
  await expectPendingAgain(queueMode, outbox, parts.reports);
  const inbox = await client.importWorkflow(
    inboxFor(parts.reports, credentials, 10 * ROWS),
    credentials,
  );

  // Outside the allowed hours: everything is loaded before the first portion.
  for (const each of [workflow, ...Object.values(parts)]) await client.publish(each);
  const loadBegin = Date.now();
  for (let from = 0; from < ROWS; from += ROWS_PER_LOAD) {
    const part = numbers(from, Math.min(ROWS, from + ROWS_PER_LOAD));
    const answer = await client.callWebhook('sms-outbox', recipients(part), WITH_KEY);
    expect(JSON.parse(answer)).toMatchObject({ added: part.length, invalid: 0 });
  }
  tell(
    `loaded at ${perSecond(ROWS, loadBegin)}`,
    `outbox: ${await outbox.megabytes()} MB; n8n: ${await outbox.megabytes('postgres')} MB`,
  );

  // The first half. No worker gets to write down what the gateway has accepted of these requests.
  const watch = new MemoryWatch({
    main,
    'worker 1': workers[0] as N8n,
    'worker 2': workers[1] as N8n,
  });
  const { nodes } = withChoices(workflow, {
    Settings: settings({ ...PACE, from_hour: 0, to_hour: 24 }),
  });
  await client.publish(await client.updateWorkflow(workflow.id, { nodes }));
  const progress = async (...states: string[]) => {
    const counts = await outbox.counts();
    return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  };
  await expect
    .poll(() => progress('accepted'), { timeout: LIMIT, intervals: [100] })
    .toBeGreaterThan(0.4 * ROWS);
  await optOut(queueMode, late);
  let lost: string[] = [];
  if (KILL) {
    gateway.fault({ kind: 'slow', path: SEND_PATH, delayMs: 8_000, times: 8 });
    await expect
      .poll(async () => (lost = await underWay(outbox, gateway, workers[0] as N8n)).length, {
        timeout: MINUTES,
        intervals: [50],
      })
      .toBeGreaterThan(0);
    await workers[0]?.kill();
  }

  // The second half, with the reports of both.
  await client.publish(inbox);
  await expect
    .poll(() => progress('pending', 'sending'), { timeout: LIMIT, intervals: [250] })
    .toBe(0);
  const memories = watch.stop();
  await expect.poll(() => gateway.state.reportsLeft, { timeout: LIMIT }).toBe(0);
  await expect.poll(() => progress('accepted'), { timeout: LIMIT }).toBe(0);

  // What the gateway has seen decides.
  const deliveries = gateway.deliveries();
  const counts = await outbox.counts();
  expect(numbersSentTwice(gateway)).toEqual([]);
  expect(await outbox.numbers('delivered', 'failed')).toEqual([...deliveries.keys()].sort());
  expect(await outbox.numbers('failed')).toEqual(
    [...deliveries.keys()].filter((number) => /000[123]$/.test(number)).sort(),
  );
  expect(await outbox.numbers('opted_out')).toEqual([...optOuts, ...late]);
  expect(Object.keys(counts).sort()).not.toContain('pending');
  const unknown = await outbox.numbers('unknown');
  expect(deliveries.size + unknown.length + OPT_OUTS + late.length).toBe(ROWS);
  if (KILL) {
    // They were sent, and the worker died before it wrote that down. Their reports have told.
    expect(await outbox.numbers('delivered', 'failed')).toEqual(expect.arrayContaining(lost));
  } else {
    expect(unknown).toEqual([]);
  }

  const portions = await portionsOf(outbox, workers);
  expect(Math.min(...portions), 'portions of the worker with the fewest').toBeGreaterThan(0);
  const [span] = await outbox.server.any<{ seconds: number }>(
    `SELECT extract(epoch FROM max(claimed) - min(claimed))::float AS seconds FROM sms_outbox`,
  );
  tell(
    `${JSON.stringify(counts)}; ${lost.length} numbers were lost with the worker`,
    // The last portion is not done when it is claimed.
    `${Math.round((ROWS - PORTION) / (span?.seconds ?? 1))} rows a second, ${gateway.requestCount} requests`,
    `portions per worker: ${portions.join(' and ')}`,
    `outbox: ${await outbox.megabytes()} MB; n8n: ${await outbox.megabytes('postgres')} MB; load average ${os.loadavg().map(Math.round).join(', ')}`,
  );
  for (const memory of memories) expectFlat(memory);
  await expectPage(queueMode, counts);

  // A campaign that pauses, beside the one that is done.
  await load(outbox, 12, 'paused');
  await claim(outbox, 'paused', 10, { campaign: 'paused' });
  await settle(outbox, 'paused', 'failed', numbers(0, 10), 'paused');
  const context = await browser.newContext({
    httpCredentials: { username: LOGIN.user, password: LOGIN.password },
  });
  const page = await context.newPage();
  for (const [lang, until] of [
    ['en', 'It pauses until'],
    ['zh', '暂停至'],
  ]) {
    await page.goto(`${client.url}/webhook/sms-outbox?refresh=off&lang=${lang}`);
    await expect(page.getByText(`${until}`)).toBeVisible();
    expect(await barriers(page), lang).toEqual([]);
  }
  await context.close();

  // The same webhook takes recipients of a second campaign.
  const others = numbers(ROWS, ROWS + 10);
  await client.callWebhook('sms-outbox', recipients(others, 'other'), WITH_KEY);
  const values = { ...PACE, campaign: 'other', from_hour: 0, to_hour: 24 };
  const second = { ...chosen(values, 1), id: undefined };
  await client.publish(await client.importWorkflow(second, credentials));
  await expect
    .poll(() => others.filter((number) => gateway.deliveries().has(number)), { timeout: MINUTES })
    .toEqual(others);
  expect(numbersSentTwice(gateway)).toEqual([]);
});

function recipients(phones: string[], campaign = CAMPAIGN): object {
  const recipient = (phone: string) => ({ phone, name: "O'Brien; DROP", order: 42, date: 'May 1' });
  return { campaign, recipients: phones.map(recipient) };
}

/** Numbers that the gateway has accepted, of rows that a worker has under way. */
async function underWay(outbox: Outbox, gateway: Gateway, worker: N8n): Promise<string[]> {
  const ids = startedBy(worker);
  const rows = await outbox.server.any<Row & { portion: string }>(
    `SELECT phone_number, portion FROM sms_outbox WHERE status = 'sending'`,
  );
  const { accepted } = gateway.state;
  return numbersOf(
    rows.filter((row) => ids.has(executionOf(row.portion)) && accepted.has(row.phone_number)),
  );
}

/** How many portions each worker has claimed. */
async function portionsOf(outbox: Outbox, workers: N8n[]): Promise<number[]> {
  const portions = await outbox.server.any<{ portion: string }>(
    `SELECT DISTINCT portion FROM sms_outbox WHERE portion <> ''`,
  );
  return workers.map((worker) => {
    const ids = startedBy(worker);
    return portions.filter(({ portion }) => ids.has(executionOf(portion))).length;
  });
}

function executionOf(portion: string): string {
  return portion.split('-', 1)[0] ?? '';
}

function startedBy({ logFile }: N8n): Set<string> {
  const log = readFileSync(logFile, 'utf8');
  return new Set([...log.matchAll(/Worker started execution (\d+)/g)].map(([, id = '']) => id));
}

/** Checks that the memory at the end is that of the beginning, apart from what a collector leaves. */
function expectFlat(memory: Memory): void {
  const peaks = thirds(memory);
  tell(
    `${memory.process}: ${peaks.join(', ')} MB in the thirds of the time, ${memory.cpuSeconds} s of CPU`,
  );
  const [first = 0, , last = 0] = peaks;
  expect(last, `memory of ${memory.process}`).toBeLessThan(1.5 * first + 100);
}

/** Checks the figures on the page of progress. */
async function expectPage({ client }: QueueMode, counts: Record<string, number>): Promise<void> {
  const page = await progressPage(client, 'sms-outbox');
  expect(page).toContain('spring &lt;b&gt;');
  expect(page).not.toContain('spring <b>');
  expect(page).toContain(`${ROWS.toLocaleString('en-US')} rows. Nothing is left to send.`);
  const [, delivered] = /<\/i>delivered<\/td><td class="number">([\d,]+)/.exec(page) ?? [];
  expect(delivered).toBe((counts.delivered ?? 0).toLocaleString('en-US'));
}

function perSecond(rows: number, since: number): string {
  return `${Math.round(rows / ((Date.now() - since) / 1000))} rows a second`;
}

function tell(...lines: string[]): void {
  for (const line of lines) console.log(line);
}
