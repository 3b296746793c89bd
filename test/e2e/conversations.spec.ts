/** Examples in which a customer answers, or is told in another way: questions, mail and codes. */
import type { IDataObject } from 'n8n-workflow';

import { errorOf, itemsOf } from './lib/client';
import { publishCaller } from './lib/callers';
import { openCodes } from './lib/codes';
import { readExample } from './lib/examples';
import { executionsOf } from './lib/inbox';
import { DataTables } from './lib/dataTables';
import { openQuestions } from './lib/questions';
import { expect, test } from './lib/test';

function customer(phone: string, question = 'appointment'): IDataObject {
  return { phone, name: 'Li Lei', date: 'June 3, 10:00', question, answers: '1,2' };
}

/** A reply as the inbox hands it over: a row of sms_inbox. */
function reply(phone: string, content: string, id = 1): IDataObject {
  const time = new Date(1_800_000_000_000 + id * 1000).toISOString();
  const empty = { status: '', status_desc: '', batch_id: '', user_data: '', phone_data: '' };
  return { id, event: 'reply', phone_number: phone, content, time, ...empty };
}

test('Ask and wait: each customer’s answer goes on in the execution that asked', async ({
  client,
  openAccount,
}) => {
  const questions = await openQuestions(client, openAccount, {
    // The third customer gets a second, the others get an hour.
    'Wait for the reply': {
      resumeAmount:
        "={{ $('Read the number').first().json.phone_number === '13810000303' ? 1 : 3600 }}",
      resumeUnit: 'seconds',
    },
  });
  const { gateway, call } = questions;
  await call([customer('+86 138 1000 0301'), customer('138-1000-0302'), customer('13810000303')]);
  await expect.poll(() => gateway.deliveries().size).toBe(3);
  await expect
    .poll(questions.outcomes, { timeout: 120_000 })
    .toEqual([['13810000303', 'no answer in time']]);
  await questions.waiting(2);

  // Not one of the answers, from nobody who was asked, and nothing for this workflow.
  await call([
    reply('13810000301', '谢谢', 1),
    reply('13810000302', '12', 2),
    reply('13999999999', '1', 3),
    reply('13810000303', '1', 4),
    { ...reply('13810000301', '1', 5), event: 'deliveryReport' },
  ]);
  await questions.waiting(2);
  await call([reply('13810000301', ' 1', 6), reply('13810000302', '２。', 7)]);
  await expect
    .poll(async () => (await questions.outcomes()).sort())
    .toEqual([
      ['13810000301', 'confirmed'],
      ['13810000302', 'cancelled'],
      ['13810000303', 'no answer in time'],
    ]);
  expect([...gateway.deliveries().values()]).toEqual([1, 1, 1]);
});

test('Ask and wait: replies that come twice, a newer question, an opt-out, refused and unknown sends', async ({
  client,
  openAccount,
}) => {
  const questions = await openQuestions(client, openAccount);
  const { gateway, call } = questions;
  const [first, newer] = [customer('13810000311', 'first'), customer('13810000311', 'newer')];
  await call([first]);
  await questions.waiting(1);
  await call([newer]);
  await questions.waiting(2);
  const answer = reply('13810000311', '1', 11);
  await call([answer, answer]);
  await expect.poll(questions.outcomes).toEqual([['13810000311', 'confirmed']]);
  // The inbox hands a page over again after a crash.
  await call([answer]);
  await call([reply('13810000311', '2', 12)]);
  await questions.waiting(1);
  const [older] = await questions.asking();
  expect(older && itemsOf(older, 'Read the number')[0]?.json.question).toBe('first');
  // The old reply does not answer the next question either.
  await call([customer('13810000311', 'next')]);
  await questions.waiting(2);
  await call([answer]);
  await questions.waiting(2);
  expect(await questions.outcomes()).toEqual([['13810000311', 'confirmed']]);

  const optedOut = { phone_number: '13810000312', word: 'TD', since: '' };
  await new DataTables(client).insert('sms_opt_outs', [optedOut]);
  const send = { path: '/sendsms/template/send' };
  const to = (phone: string) => ({
    match: ({ rawBody }: { rawBody: string }) => rawBody.includes(phone),
  });
  gateway.fault({ ...send, ...to('13810000313'), kind: 'businessCode', times: Infinity });
  gateway.fault({ ...send, ...to('13810000314'), kind: 'resetAfterAccept' });
  await call([customer('13810000312'), customer('13810000313'), customer('13810000314')]);
  await questions.waiting(3);
  await call([
    reply('13810000312', '1', 13),
    reply('13810000313', '1', 14),
    reply('13810000314', 'Ｎo', 15),
    reply('13810000314', '「1」', 16),
  ]);
  const refused = expect.stringMatching(/^not sent: ./) as unknown;
  await expect
    .poll(async () => (await questions.outcomes()).sort())
    .toEqual([
      ['13810000311', 'confirmed'],
      ['13810000312', 'opted out'],
      ['13810000313', refused],
      ['13810000314', 'confirmed'],
    ]);
  expect(Object.fromEntries(gateway.deliveries())).toEqual({
    '13810000311': 3,
    '13810000314': 1,
  });

  const two = { ...first, phone: '13810000311, 13810000315' };
  await expect(call([two])).rejects.toThrow('Error in workflow');
  const failed = async () => (await questions.asking()).map(errorOf).filter(Boolean);
  await expect
    .poll(failed)
    .toEqual([expect.stringContaining('"phone" must hold one mobile number.')]);
});

test('Ask and wait: a reply before the wait, and one after n8n was killed while it waited', async ({
  client,
  n8n,
  openAccount,
}) => {
  const questions = await openQuestions(client, openAccount);
  const { gateway, call } = questions;
  gateway.fault({ kind: 'slow', path: '/sendsms/template/send', delayMs: 4_000 });
  const asked = call([customer('13810000321')]);
  await expect.poll(() => gateway.deliveries().size).toBe(1);
  const [sending] = await client.executions(questions.workflow);
  expect(sending?.status).toBe('running');
  await call([reply('13810000321', '2', 21)]);
  await asked;
  await expect.poll(questions.outcomes).toEqual([['13810000321', 'cancelled']]);
  const [latest] = await client.executions(questions.workflow);
  const handedOver = await client.finishedExecution(latest?.id ?? '');
  expect(itemsOf(handedOver, 'Five seconds later'), 'it had to try again').not.toHaveLength(0);

  await call([customer('13810000322')]);
  await questions.waiting(1);
  await n8n.restart('kill');
  await call([reply('13810000322', '１', 22)]);
  await expect.poll(questions.outcomes).toEqual([
    ['13810000321', 'cancelled'],
    ['13810000322', 'confirmed'],
  ]);
  expect([...gateway.deliveries().values()]).toEqual([1, 1]);
});

test('Ask and wait: two questions at once, and replies that belong to another question', async ({
  client,
  openAccount,
}) => {
  const questions = await openQuestions(client, openAccount);
  const { gateway, call } = questions;
  const tables = new DataTables(client);
  // A missing table keeps no question from its answer.
  await tables.remove('sms_outbox');
  const confirmed = (phone: string, count = 1) =>
    expect.poll(questions.outcomes).toEqual(Array(count).fill([phone, 'confirmed']));

  // Both are stored before one of them closes older ones.
  const phone = '13810000331';
  const slow = { kind: 'slow', path: '/sendsms/template/send', delayMs: 3_000 } as const;
  gateway.fault({ ...slow, times: 2 });
  await Promise.all([call([customer(phone, 'one')]), call([customer(phone, 'other')])]);
  await questions.waiting(2);
  const first = reply(phone, '1', 31);
  await call([first]);
  await confirmed(phone);

  // The same text at the same time, but another row.
  await call([customer(phone, 'next')]);
  await questions.waiting(2);
  await call([first]);
  await call([{ ...first, id: 32, batch_id: 'of another SMS' }]);
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  await call([{ ...first, id: 33, time: minutesAgo(10) }]);
  await questions.waiting(2);
  await call([{ ...first, id: 34 }]);
  await confirmed(phone, 2);

  await call([customer(phone, 'last')]);
  await questions.waiting(2);
  const last = (await questions.asking()).at(-1);
  const batch_id = last && itemsOf(last, 'Send the question')[0]?.json.batch_id;
  expect(batch_id).toMatch(/./);
  // The clocks differ by less than two minutes.
  await call([{ ...first, id: 35, time: minutesAgo(1), batch_id }]);
  await confirmed(phone, 3);
  await tables.createShared();
});

test('A reply is joined to the send that caused it (examples/reply-joined-to-send.json)', async ({
  client,
}) => {
  const tables = new DataTables(client);
  await tables.remove('sms_outbox', 'sms_subscribers');
  const joined = await client.importWorkflow(readExample('reply-joined-to-send'), []);
  await client.publish(joined);
  const subscribed = async () =>
    (await tables.rows('sms_subscribers')).map(({ workflow_id, wants }) => [workflow_id, wants]);
  await expect.poll(subscribed, 'it subscribes itself').toEqual([[joined.id, 'reply']]);
  await expect
    .poll(async () => tables.insert('sms_outbox', []).then(() => true, String))
    .toBe(true);
  const send = (phone_number: string, reference: string, change: IDataObject = {}) => ({
    ...{
      phone_number,
      reference,
      batch_id: `batch of ${reference}`,
      status: 'accepted',
      ...change,
    },
  });
  await tables.insert('sms_outbox', [
    send('13810000020', 'A-1'),
    send('13810000021', 'A-2'),
    send('13810000020', 'B-1'),
    send('13810000021', 'B-2'),
    send('13810000021', 'C-2', { status: 'refused', batch_id: '' }),
  ]);
  const call = await publishCaller(client, joined);
  await call([
    { ...reply('13810000020', '谢谢', 1), batch_id: 'batch of A-1' },
    { ...reply('13810000020', 'OK', 2), batch_id: 'batch of B-1' },
    reply('13810000021', 'Without a batch', 3),
    { ...reply('13810000021', 'Of another sender', 4), batch_id: 'unknown' },
    { ...reply('13810000021', '', 5), event: 'deliveryReport' },
  ]);
  // Alone, so that nothing is found at all.
  await call([reply('13999999999', 'Who is this?', 6)]);
  const executions = (await executionsOf(client, joined)).filter(({ mode }) => mode !== 'trigger');
  const found = executions.flatMap((each) => itemsOf(each, 'Reply with its order'));
  expect(found.map(({ json }) => [json.id, json.order, json.reply, json.matched_by])).toEqual([
    [1, 'A-1', '谢谢', 'batch'],
    [2, 'B-1', 'OK', 'batch'],
    [3, 'B-2', 'Without a batch', 'number'],
    [4, '', 'Of another sender', ''],
    [6, '', 'Who is this?', ''],
  ]);
  await client.deactivateAll();
});

const SENT = [200, { sent: true }];
const NOT_VALID = [200, { valid: false }];

test('Verification code: sent once, valid once, and the same answer for every phone', async ({
  client,
  openAccount,
}) => {
  const { call, codeFor, gateway, workflow } = await openCodes(client, openAccount);
  const [phone, caller] = ['13810000501', '203.0.113.7'];
  // Written in many ways, it is one phone.
  const writings = ['+86 138 1000 0501', '138-1000-0501', '１３８１００００５０１', 13810000501];
  const answers = await Promise.all(
    Array.from({ length: 30 }, async (_, index) =>
      call('send', { phone: writings[index % 4], caller: `198.51.100.${index}` }),
    ),
  );
  expect(answers).toEqual(Array(30).fill(SENT));
  expect([...gateway.deliveries()]).toEqual([[phone, 1]]);

  expect(await call('send', { phone: '138', caller })).toMatchObject([400, { sent: false }]);
  expect(await call('send', { phone: `${phone} 13810000502`, caller })).toMatchObject([400, {}]);
  expect(await call('send', { phone: '13810000502' })).toMatchObject([400, { sent: false }]);
  const long = 'x'.repeat(101);
  expect(await call('send', { phone, caller: long })).toMatchObject([400, { sent: false }]);
  gateway.fault({ kind: 'businessCode', path: '/sendsms/template/send' });
  expect(await call('send', { phone: '13810000502', caller })).toEqual([
    502,
    { sent: false, reason: 'The SMS could not be sent.' },
  ]);
  expect([...gateway.deliveries()]).toEqual([[phone, 1]]);
  expect(await call('send', { phone: '13810000502', caller })).toEqual(SENT);
  gateway.fault({ kind: 'resetAfterAccept', path: '/sendsms/template/send' });
  expect(await call('send', { phone: '13810000503', caller })).toEqual(SENT);
  expect(Object.fromEntries(gateway.deliveries())).toMatchObject({ '13810000503': 1 });

  const code = codeFor(phone);
  expect(code).toMatch(/^\d{6}$/);
  const wrong = code === '000000' ? '000001' : '000000';
  expect(await call('check', { phone, code: wrong })).toEqual(NOT_VALID);
  expect(await call('check', { phone: 'nobody', code })).toEqual(NOT_VALID);
  expect(await call('check', { phone: '13810000509', code })).toEqual(NOT_VALID);
  const checks = await Promise.all(
    Array.from({ length: 10 }, async () => call('check', { phone: '+86 13810000501', code })),
  );
  expect(checks.filter(([, answer]) => (answer as IDataObject).valid)).toHaveLength(1);
  expect(await call('check', { phone, code })).toEqual(NOT_VALID);

  const other = { phone: '13810000502', code: codeFor('13810000502') };
  for (let time = 0; time < 5; time += 1) {
    expect(await call('check', { ...other, code: 'x' })).toEqual(NOT_VALID);
  }
  expect(await call('check', other), 'after five tries').toEqual(NOT_VALID);
  // Executions hold codes, so n8n keeps none of those that the webhooks have started.
  const kept = async () =>
    (await client.executions(workflow)).filter(({ mode }) => mode !== 'manual').length;
  await expect.poll(kept).toBe(0);
});

test('Verification code: no limit is passed, however the requests come', async ({
  client,
  openAccount,
}) => {
  const limits = { phone_per_hour: 3, caller_per_hour: 6, all_per_hour: 18, pause_seconds: 0 };
  const { call, gateway } = await openCodes(client, openAccount, limits);
  await new DataTables(client).clear('verification_requests');
  const seed = Date.now() % 1_000_000;
  console.log(`seed ${seed}`);
  const random = randomNumbers(seed);
  // Each caller has phones of its own, so the gateway's log tells how many SMS a caller has caused.
  const phoneOf = (who: number, which: number) => `1381000${6 + who}0${which}0`;
  const request = async (who: number, which: number) =>
    call('send', { phone: phoneOf(who, which), caller: `caller ${who}` });
  const sent = (...phones: string[]) =>
    phones.reduce((sum, phone) => sum + (gateway.deliveries().get(phone) ?? 0), 0);
  const phonesOf = (who: number) => [0, 1, 2, 3].map((which) => phoneOf(who, which));
  const all = () => sent(...[0, 1, 2, 3].flatMap(phonesOf));

  for (let left = 100; left > 0;) {
    const together = Math.min(left, 1 + random(12));
    left -= together;
    const answers = await Promise.all(
      Array.from({ length: together }, async () => request(random(4), random(4))),
    );
    for (const [status] of answers) expect([200, 429]).toContain(status);
    for (const who of [0, 1, 2, 3]) {
      expect(sent(...phonesOf(who)), `SMS of caller ${who}`).toBeLessThanOrEqual(6);
      for (const phone of phonesOf(who)) expect(sent(phone), phone).toBeLessThanOrEqual(3);
    }
    expect(all()).toBeLessThanOrEqual(18);
  }
  // One after another, each request gets what the limits still allow.
  for (const who of [0, 1, 2, 3]) {
    for (const which of [0, 1, 2, 3]) {
      const phone = phoneOf(who, which);
      const before = [sent(phone), sent(...phonesOf(who)), all()] as const;
      const isAllowed = before[0] < 3 && before[1] < 6 && before[2] < 18;
      const [status] = await request(who, which);
      expect([status, all()], `${phone} after ${before.join()}`).toEqual(
        isAllowed ? [200, before[2] + 1] : [429, before[2]],
      );
    }
  }
});

/** Whole numbers from 0, below a bound, that a seed decides. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
