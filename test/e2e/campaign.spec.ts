/** The campaign example: a row is sent once at most, whatever happens to n8n. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { GatewayOptions } from '../sandbox/gateway';
import { Campaign, numbersSentTwice, people, reportOf, type Settings } from './lib/campaign';
import { itemsOf, type Execution } from './lib/client';
import { killAndRestart } from './lib/drains';
import { randomNumbers } from './lib/random';
import { expect, test as base } from './lib/test';

const SEND_PATH = '/sendsms/template/send';

/** More rows show what the table can bear: `CAMPAIGN_ROWS=50000 npm run e2e -- --project campaign`. */
const ROWS = Number(process.env.CAMPAIGN_ROWS ?? 2_000);

/** The same random moments again: `CAMPAIGN_SEED=7`. */
const SEED = Number(process.env.CAMPAIGN_SEED ?? randomInt(1, 1_000_000));

const test = base.extend<{
  openCampaign: (settings?: Settings, options?: GatewayOptions) => Promise<Campaign>;
}>({
  openCampaign: async ({ client, openAccount }, use) => {
    await use(async (settings, options) =>
      Campaign.open(client, await openAccount(options), settings),
    );
  },
});

test('kill -9 three times: no number gets two messages, and every row ends', async ({
  client,
  n8n,
  openAccount,
}) => {
  test.setTimeout(12 * 60_000 + ROWS * 30);
  console.log(`seed ${SEED}, ${ROWS} rows`);
  const random = randomNumbers(SEED);
  const account = await openAccount({ reportDelayMs: 1_000, latencyMs: 30 });
  const campaign = await Campaign.open(
    client,
    account,
    // A portion takes longer on a busy machine, but not for as long.
    { minutes_under_way: 1, portion_size: 300 },
    { timeout: 2_000 },
  );
  const { gateway } = account;
  const everybody = people(ROWS);
  const chosen = (share: number) =>
    everybody.filter(() => random() < share / ROWS).map(({ phone }) => String(phone));
  // The service refuses a request as a whole. A portion of nothing else would be a pause.
  const refused = new Set(chosen(3));
  const optedOut = new Set(chosen(20).filter((phone) => !refused.has(phone)));
  await campaign.optOut(...optedOut);
  gateway.fault({
    kind: 'businessCode',
    path: SEND_PATH,
    times: Infinity,
    match: ({ rawBody }) => [...refused].some((phone) => rawBody.includes(`"${phone}"`)),
  });
  for (const nth of [3, 17, 31]) {
    gateway.fault({ kind: 'hang', path: SEND_PATH, nth });
    gateway.fault({ kind: 'hang', accept: false, path: SEND_PATH, nth: nth + 5 });
  }

  await client.publish(campaign.workflow);
  const startedAt = Date.now();
  for (let from = 0; from < ROWS; from += 5_000) {
    await campaign.load(everybody.slice(from, from + 5_000));
  }
  tell(`loaded ${ROWS} rows`, startedAt);
  await campaign.publish();

  for (let kill = 1; kill <= 3; kill += 1) {
    // Somewhere in the next quarter of the campaign.
    const sent = gateway.deliveries().size;
    const target = sent + Math.floor((random() * ROWS) / 4);
    await expect
      .poll(() => gateway.deliveries().size, { timeout: 240_000 + ROWS * 5, intervals: [20] })
      .toBeGreaterThanOrEqual(target);
    await sleep(random() * 700);
    await killAndRestart(n8n);
    console.log(`kill ${kill} after ${gateway.deliveries().size} messages`);
  }
  const open = async () => {
    const counts = await Promise.all(
      ['pending', 'sending'].map((status) => campaign.count(status)),
    );
    return counts.reduce((sum, each) => sum + each, 0);
  };
  await expect
    .poll(open, { message: 'rows are open', timeout: 180_000 + ROWS * 20, intervals: [1_000] })
    .toBe(0);
  await expect.poll(() => gateway.state.reportsLeft, { timeout: 180_000 }).toBe(0);
  tell(`all rows have ended`, startedAt);

  const rows = await campaign.rows();
  const byStatus = groupBy(rows, ({ status }) => status);
  console.log(
    [...byStatus].map(([status, { length }]) => `${status} ${length}`).join(', '),
    `of ${gateway.deliveries().size} messages`,
  );
  const deliveries = gateway.deliveries();
  expect(numbersSentTwice(gateway), 'numbers with two messages').toEqual([]);
  expect(rows.map(({ phone_number }) => phone_number).sort()).toEqual(
    everybody.map(({ phone }) => phone).sort(),
  );
  // A report that a kill has taken from the tiny inbox leaves its row accepted.
  const ends = ['accepted', 'delivered', 'opted_out', 'refused', 'unknown'];
  expect([...byStatus.keys()].filter((status) => !ends.includes(status))).toEqual([]);
  const numbers = (status: string) =>
    (byStatus.get(status) ?? []).map(({ phone_number }) => phone_number);
  const got = (phone: string) => deliveries.has(phone);
  expect(
    numbers('delivered').filter((phone) => !got(phone)),
    'delivered, not sent',
  ).toEqual([]);
  // A portion that a kill has cut short is unknown, with whatever was to happen to its rows.
  // The service refuses a request as a whole, and the node does not send it again.
  expect(numbers('refused').filter(got), 'refused, and sent').toEqual([]);
  expect(
    numbers('opted_out').filter((phone) => !optedOut.has(phone)),
    'opted out',
  ).toEqual([]);
  expect([...refused, ...optedOut].filter(got), 'sent all the same').toEqual([]);
  // At most four portions: three kills, and what has timed out without being accepted.
  const lost = numbers('unknown').filter((phone) => !got(phone));
  console.log(`${lost.length} unknown rows were not sent`);
});

test('Executions that overlap never claim the same row', async ({ openCampaign }) => {
  // Without the look at what is under way, only the claim keeps them apart.
  const campaign = await openCampaign({ portion_size: 100 }, { latencyMs: 100 });
  await campaign.change('May it send now?', ({ conditions }) => ({
    conditions: {
      ...(conditions as object),
      conditions: (conditions as { conditions: { id: string }[] }).conditions.filter(
        ({ id }) => id !== 'free',
      ),
    },
  }));
  await campaign.insert(people(300));
  const executions: Execution[] = [];
  for (let round = 0; round < 4; round += 1) {
    executions.push(...(await Promise.all([campaign.tick(), campaign.tick(), campaign.tick()])));
  }
  const claims = executions.map((each) => itemsOf(each, 'Claim the portion').length);
  const read = executions.map((each) => itemsOf(each, 'Next portion').length);
  console.log(`read ${read.join(' ')}, claimed ${claims.join(' ')}`);
  expect(sum(read), 'executions have read the same rows').toBeGreaterThan(300);
  expect(sum(claims)).toBe(300);
  expect([...campaign.account.gateway.deliveries().values()]).toEqual(Array(300).fill(1));
  expect(await campaign.count('accepted')).toBe(300);
});

test('It stops outside the hours and below the balance, and pauses as its page says', async ({
  client,
  openCampaign,
}) => {
  const settings = { stop_below_balance: 500, portion_size: 150 };
  const campaign = await openCampaign(settings, { balance: 499 });
  const { gateway } = campaign.account;
  await campaign.insert(people(180));
  await campaign.tick();
  expect(await campaign.count('pending'), 'below the balance').toBe(180);

  gateway.state.balance = 1_000_000;
  await campaign.setRule({ to_hour: 0 });
  await campaign.tick();
  expect(await campaign.count('pending'), 'outside the hours').toBe(180);

  // The last of two requests fails.
  await campaign.setRule({ to_hour: 24 });
  gateway.fault({ kind: 'status', status: 500, path: SEND_PATH, nth: 2 });
  await campaign.tick();
  const accepted = await campaign.count('accepted');
  expect(accepted).toBeGreaterThan(0);
  expect(await campaign.count('unknown')).toBe(150 - accepted);
  await client.publish(campaign.workflow);
  expect(await campaign.page()).not.toContain('It pauses');

  gateway.fault({ kind: 'status', status: 500, path: SEND_PATH });
  await campaign.set({ portion_size: 15 });
  await campaign.tick();
  expect(await campaign.count('pending'), 'it pauses').toBe(15);
  const [, until = ''] = /It pauses until ([\d:]+): .*500/.exec(await campaign.page()) ?? [];
  const pause = await campaign.row();
  const goesOn = Date.parse(String(pause.until));
  const inShanghai = { timeZone: 'Asia/Shanghai', hourCycle: 'h23', timeStyle: 'medium' } as const;
  expect(until).toBe(new Intl.DateTimeFormat('en', inShanghai).format(goesOn));
  await campaign.tick();
  expect(await campaign.count('pending'), 'during the pause').toBe(15);
  await client.publish(campaign.workflow);
  await expect.poll(() => campaign.count('pending'), { timeout: 120_000 }).toBe(5);
  expect(Date.now(), 'not before the page says').toBeGreaterThanOrEqual(goesOn);
  await expect.poll(() => campaign.count('accepted')).toBe(accepted + 15);
  expect(await campaign.page()).not.toContain('It pauses');
});

test('A STOP counts for the next portion, and without the outbox nothing is sent or lost', async ({
  client,
  openCampaign,
}) => {
  const campaign = await openCampaign({ portion_size: 5 });
  const { gateway } = campaign.account;
  await campaign.insert(people(20));
  await campaign.insert(people(1), { phone_number: ` +86 ${String(people(1)[0]?.phone)}` });
  await campaign.tick();
  expect(await campaign.count('accepted')).toBe(5);
  const [stopped = ''] = (await campaign.rows('pending')).map((row) => row.phone_number);
  await campaign.optOut(stopped);
  await campaign.tick();
  expect(await campaign.rows('opted_out')).toMatchObject([
    { phone_number: stopped, reason: expect.stringContaining('opted out') as unknown },
  ]);

  await client.publish(campaign.workflow);
  await client.deactivate(campaign.outbox);
  await expect.poll(() => campaign.page(), { timeout: 90_000 }).toContain('could not be asked');
  const left = await campaign.count('pending');
  expect(left).toBeGreaterThan(0);
  expect(await campaign.count('sending')).toBe(0);
  expect(await campaign.count('accepted')).toBe(20 - left);
  await client.publish(campaign.outbox);
  await expect.poll(() => campaign.count('accepted'), { timeout: 180_000 }).toBe(19);
  // The same number, written by hand in another way.
  await expect.poll(() => campaign.count('duplicate')).toBe(1);
  expect([...gateway.deliveries().values()]).toEqual(Array(19).fill(1));
});

test('Paused, it sends nothing, and takes the reports; a second campaign runs beside it', async ({
  client,
  openCampaign,
}) => {
  const campaign = await openCampaign({}, { reportDelayMs: 3_600_000 });
  const { gateway } = campaign.account;
  await campaign.insert(people(3));
  await campaign.tick();
  await campaign.setState('paused');
  await campaign.publish();
  await campaign.insert(people(2, 3));
  gateway.queueReports(await campaign.reports());
  await expect.poll(() => campaign.count('delivered')).toBe(3);
  await campaign.tick();
  expect(await campaign.count('pending')).toBe(2);
  expect(gateway.deliveries().size).toBe(3);

  const second = await campaign.second();
  await client.publish(second.workflow);
  await second.load(people(2));
  // A new row rests for a minute.
  await expect.poll(() => second.count('accepted'), { timeout: 150_000 }).toBe(2);
  gateway.queueReports(await second.reports());
  await expect.poll(() => second.count('delivered')).toBe(2);
  expect(await campaign.page()).toContain(`<h2>${second.name}</h2>`);

  await campaign.setState('running');
  await client.publish(campaign.workflow);
  await expect.poll(() => campaign.count('accepted')).toBe(2);
});

test('Loading: each number once, however often it is loaded, and the progress page shows it', async ({
  client,
  openCampaign,
}) => {
  // Nothing is sent, so the rows stay as they were loaded.
  const campaign = await openCampaign();
  await campaign.setRule({ to_hour: 0 });
  await client.publish(campaign.workflow);
  const [one, two] = people(2);
  const rest = { name: 'Li <b>', order: 'A-1', date: 'June 3' };
  const first = [
    { ...rest, phone: one?.phone },
    { ...rest, phone: `+86 ${String(two?.phone)}, ${String(one?.phone)}` },
    { ...rest, phone: 'to be added' },
    { ...rest, phone: null },
  ];
  expect(await campaign.load(first)).toEqual({ recipients: 4, added: 2, not_a_number: 2 });
  expect(await campaign.load(first)).toEqual({ recipients: 4, added: 0, not_a_number: 0 });
  const rows = await campaign.rows();
  expect(rows.map(({ phone_number, status }) => [phone_number, status])).toEqual([
    [one?.phone, 'pending'],
    [two?.phone, 'pending'],
    ['to be added', 'failed'],
    ['', 'failed'],
  ]);
  const page = await campaign.page();
  expect(page).toContain(`<h2>${campaign.name}</h2>`);
  expect(page).toMatch(/pending<\/th><td>2<\/td><td>50.0 %/);
  expect(page).not.toMatch(/<script/);
  expect(page, 'the allowed hours are in this time zone').toContain('Asia/Shanghai');

  // The same list twenty times, 10 ms apart.
  await campaign.setRule({ to_hour: 24 });
  await client.publish(campaign.workflow);
  const list = people(300);
  const loads = Array.from({ length: 20 }, async (_, nth) => {
    await sleep(10 * nth);
    return await campaign.load(list);
  });
  await Promise.all(loads);
  await expect.poll(() => campaign.count('accepted'), { timeout: 180_000 }).toBe(300);
  await expect.poll(() => campaign.count('pending'), { timeout: 180_000 }).toBe(0);
  expect(numbersSentTwice(campaign.account.gateway)).toEqual([]);
  expect(campaign.account.gateway.deliveries().size).toBe(300);
  expect(await campaign.page()).toContain('302 rows. Nothing is left to send.');
});

test('Reports settle the row that they are about, once, and no other', async ({
  client,
  openCampaign,
}) => {
  const campaign = await openCampaign({}, { reportDelayMs: 3_600_000 });
  const { gateway } = campaign.account;
  await campaign.insert(people(6));
  await campaign.tick();
  const [delivered, failed, otherNumber, otherSender, otherTable, late] = await campaign.rows();
  if (!delivered || !failed || !otherNumber || !otherSender || !otherTable || !late) {
    throw new Error('rows are missing');
  }
  const undelivered = { status: 'UNDELIV', status_desc: 'blocked' };
  gateway.queueReports([
    reportOf(delivered),
    reportOf(delivered, undelivered),
    reportOf(failed, undelivered),
    reportOf(otherNumber, { phone_number: '13900000000' }),
    reportOf(otherSender, { phone_data: 'somebody else' }),
    reportOf(otherTable, { phone_data: 'sms_recipients:999999999' }),
  ]);
  await campaign.publish();
  await expect.poll(() => campaign.count('accepted')).toBe(4);
  gateway.queueReports([reportOf(delivered, undelivered), reportOf(failed), reportOf(late)]);
  await expect.poll(() => campaign.count('accepted')).toBe(3);
  const statuses = (await campaign.rows()).map(({ status }) => status);
  expect(statuses).toEqual([
    'delivered',
    'failed',
    'accepted',
    'accepted',
    'accepted',
    'delivered',
  ]);
  // What a report calls failed was sent, and is not sent again.
  await client.run(campaign.workflow, 'Send the refused ones again');
  expect(await campaign.count('pending')).toBe(0);
});

test('A row that is refused and then reported is not sent again', async ({
  client,
  openCampaign,
}) => {
  const campaign = await openCampaign({}, { reportDelayMs: 3_600_000 });
  const { gateway } = campaign.account;
  gateway.fault({ kind: 'businessCode', path: SEND_PATH, times: Infinity });
  await campaign.insert(people(4));
  await campaign.tick();
  const [delivered, failed, again] = await campaign.rows();
  await campaign.insert(people(1, 4));
  const never = (await campaign.rows()).at(-1);
  if (!delivered || !failed || !again || !never) throw new Error('rows are missing');
  const batch = { batch_id: '1795367102807000001' };

  // Published, it sends nothing. The execution of the test sends.
  await campaign.setState('paused');
  await campaign.publish();
  gateway.queueReports([
    reportOf(delivered, batch),
    reportOf(failed, { ...batch, status: 'UNDELIV', status_desc: 'blocked' }),
    // About a table that was deleted since: this row was never sent.
    reportOf(never, batch),
  ]);
  await expect.poll(() => campaign.count('delivered')).toBe(1);
  await client.run(campaign.workflow, 'Send the refused ones again');
  expect(await campaign.count('pending')).toBe(3);
  gateway.queueReports([reportOf(again, batch)]);
  await expect.poll(() => campaign.count('delivered')).toBe(2);

  gateway.clearFaults();
  // As the note says: the first portion had no accepted message.
  await campaign.tables.update(
    'sms_campaigns',
    { campaign: campaign.name },
    { tries: 0, until: null },
  );
  await campaign.setState('running');
  // A row that has just changed rests for a minute.
  const sent = async () => {
    await campaign.tick();
    return await campaign.count('accepted');
  };
  await expect.poll(sent, { timeout: 120_000, intervals: [5_000] }).toBe(2);
  const statuses = (await campaign.rows()).map(({ status }) => status);
  expect(statuses).toEqual(['delivered', 'failed', 'delivered', 'accepted', 'accepted']);
  expect(gateway.deliveries().size).toBe(2);
});

test('A report that comes before the answer to the send is not overwritten', async ({
  openCampaign,
}) => {
  // Published, it sends nothing. The executions of the test send.
  const campaign = await openCampaign();
  await campaign.setRule({ to_hour: 0 });
  await campaign.publish();
  await campaign.setRule({ to_hour: 24 });
  const { gateway } = campaign.account;
  gateway.fault({ kind: 'slow', path: SEND_PATH, delayMs: 10_000 });
  await campaign.insert(people(5));
  const tick = campaign.tick();
  await expect.poll(() => campaign.count('delivered')).toBe(5);
  expect(itemsOf(await tick, 'Settle the portion'), 'the report came first').toEqual([]);
  expect(await campaign.count('delivered')).toBe(5);
});

/** The steps of a portion whose times are told. */
const STEPS = {
  claim: ['Next portion', 'Claim the portion'],
  outbox: ['Messages', 'Send through the outbox'],
  settle: ['Outcomes', 'Settle the portion', 'Set the pause'],
};

// They take minutes, so they are told only where somebody asks for them.
const SIZES = process.env.CAMPAIGN_ROWS === undefined ? [] : [5_000, 20_000, 50_000];

for (const size of SIZES.filter((each) => each <= ROWS)) {
  test(`Figures of a table with ${size} rows`, async ({ client, openCampaign }) => {
    test.setTimeout(10 * 60_000);
    const campaign = await openCampaign({}, { reportDelayMs: 3_600_000, latencyMs: 20 });
    await campaign.tables.clear('sms_recipients');
    const bytes = await campaign.tables.size();
    const everybody = people(size);
    for (let from = 0; from < size - 5_000; from += 5_000) {
      const values = { status: 'delivered', portion: '1', batch_id: '1795367102807000001' };
      await campaign.insert(everybody.slice(from, from + 5_000), values);
    }
    // Published, it loads and sends nothing.
    await campaign.setRule({ to_hour: 0 });
    await client.publish(campaign.workflow);
    const time = async (work: () => Promise<unknown>) => {
      const startedAt = Date.now();
      await work();
      return Date.now() - startedAt;
    };
    const load = await time(() => campaign.load(everybody.slice(size - 5_000)));
    await campaign.setRule({ to_hour: 24 });
    // A new row rests for a minute.
    await sleep(61_000);
    const figures: Record<string, number[]> = {};
    for (let portion = 0; portion < 5; portion += 1) {
      const { runData } = (await campaign.tick()).data.resultData;
      const took = (name: string) => sum((runData[name] ?? []).map((run) => run.executionTime));
      const all = Object.keys(runData);
      for (const [step, nodes] of Object.entries({ all, ...STEPS })) {
        (figures[step] ??= []).push(sum(nodes.map(took)));
      }
    }
    const page = await time(() => campaign.page());
    const rows = await campaign.tables.count('sms_recipients', {});
    console.log(
      `${rows} rows: ${Math.round(((await campaign.tables.size()) - bytes) / rows)} bytes each; ` +
        `5,000 loaded in ${load} ms; portions of 500, ms: ` +
        Object.entries(figures)
          .map(([step, times]) => `${step} ${times.join(' ')}`)
          .join(', ') +
        `; progress page ${page} ms`,
    );
    await campaign.setRule({ to_hour: 0 });
    await campaign.publish();
    const reports = await campaign.reports();
    const before = Date.now();
    campaign.account.gateway.queueReports(reports);
    await expect.poll(() => campaign.count('accepted'), { intervals: [100] }).toBe(0);
    console.log(
      `${reports.length} reports in ${Date.now() - before} ms, pages of 100, one a second`,
    );
  });
}

function groupBy<T>(values: T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values)
    groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}

function sum(values: number[]): number {
  return values.reduce((total, each) => total + each, 0);
}

function tell(what: string, since: number): void {
  console.log(`${what} after ${((Date.now() - since) / 1000).toFixed(1)} s`);
}
