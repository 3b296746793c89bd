/** Examples in which a customer answers, or is told in another way: questions, mail and codes. */
import type { IDataObject } from 'n8n-workflow';

import { itemsOf } from './lib/client';
import { publishCaller } from './lib/callers';
import { openCodes } from './lib/codes';
import { readDesk } from './lib/workflowFiles';
import { executionsOf } from './lib/inbox';
import { DataTables } from './lib/dataTables';
import { openQuestions } from './lib/questions';
import { expect, test } from './lib/test';

function appointment(phone: string, id = phone.slice(-3)): IDataObject {
  return { id, phone, name: 'Li Lei', date: 'June 3, 10:00' };
}

/** A reply as the inbox hands it over: a row of sms_inbox. */
function reply(phone: string, content: string, id = 1): IDataObject {
  const time = new Date(1_800_000_000_000 + id * 1000).toISOString();
  const empty = { status: '', status_desc: '', batch_id: '', user_data: '', phone_data: '' };
  return { id, event: 'reply', phone_number: phone, content, time, ...empty };
}

/** A report about the SMS of a question, by its row in sms_questions. */
function report(phone: string, question: number, fields: IDataObject = {}, id = 1): IDataObject {
  return {
    ...reply(phone, '', id),
    ...{ event: 'deliveryReport', status: 'UNDELIV', status_desc: '空号' },
    phone_data: `question-${question}`,
    ...fields,
  };
}

/** The third customer gets a second, the others get an hour. */
const SHORT_FOR_THE_THIRD = {
  'Wait for the reply': {
    resumeAmount:
      "={{ $('Remember the question').first().json.phone_number === '13810000303' ? 1 : 3600 }}",
    resumeUnit: 'seconds',
  },
};

test('Appointment: each customer’s answer leaves on its branch', async ({
  client,
  openAccount,
}) => {
  const questions = await openQuestions(client, openAccount, SHORT_FOR_THE_THIRD);
  const { ask, gateway, handOver, outcomes, tables, waiting } = questions;
  const optedOut = { phone_number: '13810000304', word: 'TD', since: new Date().toISOString() };
  await tables.insert('sms_opt_outs', [optedOut]);
  const send = { path: '/sendsms/template/send' };
  const to = (phone: string) => ({
    match: ({ rawBody }: { rawBody: string }) => rawBody.includes(phone),
  });
  gateway.fault({ ...send, ...to('13810000305'), kind: 'businessCode', times: Infinity });
  gateway.fault({ ...send, ...to('13810000306'), kind: 'resetAfterAccept' });
  await ask([
    appointment('+86 138 1000 0301'),
    appointment('138-1000-0302'),
    ...['13810000303', '13810000304', '13810000305', '13810000306'].map((phone) =>
      appointment(phone),
    ),
    appointment('13810000307, 13810000308', 'two'),
  ]);
  const notAsked = (id: string) =>
    expect.stringMatching(`^${id} not delivered: Not sent: .`) as unknown;
  const others = ['303 no answer', notAsked('304'), notAsked('305'), notAsked('two')];
  await expect.poll(outcomes, { timeout: 120_000 }).toEqual(others);
  await waiting(3);

  // Not one of the answers, from nobody who was asked, and nothing for this workflow.
  await handOver([
    reply('13810000301', '谢谢', 1),
    reply('13810000302', '12', 2),
    reply('13999999999', '1', 3),
    reply('13810000303', '1', 4),
    reply('13810000304', '1', 5),
    { ...reply('13810000301', '1', 6), event: 'deliveryReport' },
    report('13810000303', 3, {}, 6),
  ]);
  await waiting(3);
  await handOver([
    reply('13810000301', ' 1', 7),
    reply('13810000302', '２。', 8),
    reply('13810000306', '「1」', 9),
  ]);
  const all = ['301 confirmed', '302 cancelled', ...others, '306 confirmed'];
  const sorted = [...all.slice(0, 5), '306 confirmed', notAsked('two')];
  await expect.poll(outcomes).toEqual(sorted);
  // An appointment that comes again is not asked about again.
  await ask([appointment('13810000301')]);
  await expect.poll(outcomes).toEqual(['301 confirmed', notAsked('301'), ...sorted.slice(1)]);
  expect(Object.fromEntries(gateway.deliveries())).toEqual(
    Object.fromEntries([1, 2, 3, 6].map((last) => [`1381000030${last}`, 1])),
  );
});

test('Ask and wait: replies that come twice or belong to another question, and newer questions', async ({
  client,
  openAccount,
}) => {
  const { ask, gateway, handOver, outcomes, tables, waiting } = await openQuestions(
    client,
    openAccount,
  );
  const phone = '13810000311';
  // Both are stored before one of them closes older ones.
  const slow = { kind: 'slow', path: '/sendsms/template/send', delayMs: 3_000 } as const;
  gateway.fault({ ...slow, times: 2 });
  await Promise.all([ask([appointment(phone, 'one')]), ask([appointment(phone, 'other')])]);
  await waiting(2);
  const first = reply(phone, '1', 11);
  // In one page, in another page, and again after a crash of the inbox.
  await Promise.all([handOver([first, first]), handOver([first])]);
  await expect.poll(outcomes).toEqual([expect.stringMatching(/^(one|other) confirmed$/)]);
  await handOver([first, reply(phone, '2', 12)]);
  await waiting(1);

  await ask([appointment(phone, 'next')]);
  await waiting(2);
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  await handOver([
    first,
    { ...first, id: 13, batch_id: 'of another SMS' },
    { ...first, id: 14, time: minutesAgo(10) },
  ]);
  await waiting(2);
  expect(await outcomes()).toHaveLength(1);
  // The clocks differ by less than two minutes.
  const { batch_id } = (await tables.rows('sms_outbox')).at(-1) ?? {};
  expect(batch_id).toMatch(/./);
  await handOver([{ ...first, id: 15, time: minutesAgo(1), batch_id }]);
  await expect.poll(async () => (await outcomes()).includes('next confirmed')).toBe(true);

  // While the next question is being sent, a reply to the one before belongs to that one.
  await ask([appointment(phone, 'before')]);
  await waiting(2);
  const before = (await tables.rows('sms_outbox')).at(-1)?.batch_id;
  gateway.fault({ ...slow, delayMs: 6_000 });
  await ask([appointment(phone, 'after')]);
  await expect.poll(() => gateway.deliveries().get(phone)).toBe(5);
  await handOver([{ ...first, id: 16, batch_id: before }]);
  await expect.poll(async () => (await outcomes()).includes('before confirmed')).toBe(true);
  await waiting(2);
  expect(await outcomes()).not.toContain('after confirmed');
});

test('Ask and wait: a reply before the wait, and one after n8n was killed while it waited', async ({
  client,
  n8n,
  openAccount,
}) => {
  const { ask, gateway, handOver, outcomes, waiting } = await openQuestions(client, openAccount);
  gateway.fault({ kind: 'slow', path: '/sendsms/template/send', delayMs: 10_000 });
  await ask([appointment('13810000321')]);
  await expect.poll(() => gateway.deliveries().size).toBe(1);
  // It wakes nobody yet. The answer is stored, and wakes the execution within a minute.
  await handOver([reply('13810000321', '2', 21)]);
  await expect.poll(outcomes, { timeout: 150_000 }).toEqual(['321 cancelled']);

  await ask([appointment('13810000322')]);
  await waiting(1);
  await n8n.restart('kill');
  await handOver([reply('13810000322', '１', 22)]);
  await expect.poll(outcomes).toEqual(['321 cancelled', '322 confirmed']);
  expect([...gateway.deliveries().values()]).toEqual([1, 1]);
});

test('Ask and wait: a report of failure ends a question at once, but not one that has an end', async ({
  client,
  n8n,
  openAccount,
}) => {
  const questions = await openQuestions(client, openAccount);
  const { ask, gateway, handOver, outcomes, tables, waiting, workflow } = questions;
  const phones = Array.from({ length: 8 }, (_, index) => `1381000033${index}`);
  const [failed, answered, both, arrived, byBatch, killed, other, slow] = phones as [
    ...[string, string, string, string],
    ...[string, string, string, string],
  ];
  await ask(phones.slice(0, 7).map((phone) => appointment(phone)));
  await waiting(7);
  const rows = await tables.rows('sms_questions');
  const rowOf = (phone: string) => rows.find((row) => row.phone_number === phone) ?? {};
  const failure = (phone: string, fields: IDataObject = {}, id = 1) =>
    report(phone, Number(rowOf(phone).id), fields, id);
  const batch = { phone_data: '', batch_id: rowOf(byBatch).batch_id };

  // One that arrived, one of another SMS to the same number, and one of which another part has arrived.
  await tables.insert('sms_inbox', [failure(arrived, { id: undefined, status: 'DELIVRD' })]);
  await handOver([
    failure(failed, { status: 'DELIVRD' }),
    failure(arrived),
    failure(other, { phone_data: 'sms_recipients:1' }),
    failure(other, { phone_data: '', batch_id: 'of another SMS' }),
  ]);
  await waiting(7);

  // The answer before the report, and both at the same moment, and twice.
  await handOver([reply(answered, '1', 31), failure(answered, {}, 32)]);
  const together = [[reply(both, '2', 33)], [failure(both, {}, 34)], [failure(both, {}, 34)]];
  await Promise.all([handOver([failure(failed)]), ...together.map((each) => handOver(each))]);
  await handOver([failure(byBatch, batch)]);
  await handOver([failure(answered, {}, 32), reply(failed, '1', 35)]);
  const ends = [
    '330 not delivered: UNDELIV: 空号',
    '331 confirmed',
    expect.stringMatching(/^332 (cancelled|not delivered: UNDELIV: 空号)$/),
    '334 not delivered: UNDELIV: 空号',
  ];
  await expect.poll(outcomes).toEqual(ends);
  await waiting(3);
  const outcomeOf = async (question: string) =>
    (await executionsOf(client, workflow))
      .flatMap((each) => itemsOf(each, 'Outcome'))
      .map(({ json }) => json)
      .filter((json) => json.question === question);
  const { time } = reply(answered, '1', 31);
  const end = { phone_number: answered, outcome: 'answered', answer: '1', reason: '' };
  expect(await outcomeOf('331')).toMatchObject([{ ...end, respondedAt: time }]);
  const reason = 'UNDELIV: 空号';
  const empty = { answer: '', respondedAt: '' };
  expect(await outcomeOf('330')).toMatchObject([{ outcome: 'notDelivered', reason, ...empty }]);

  // n8n is killed while a report is taken. The inbox hands it over again.
  const taken = handOver([failure(killed)]).catch(() => undefined);
  await expect
    .poll(async () => (await tables.rows('sms_questions', { id: rowOf(killed).id }))[0]?.answer)
    .toBe('(not delivered) UNDELIV: 空号');
  await n8n.restart('kill');
  await taken;
  await handOver([failure(killed)]);
  const killedToo = [...ends, '335 not delivered: UNDELIV: 空号'];
  await expect.poll(outcomes, { timeout: 150_000 }).toEqual(killedToo);
  await waiting(2);

  // It comes before the question waits, and before its batch is known.
  gateway.fault({ kind: 'slow', path: '/sendsms/template/send', delayMs: 10_000 });
  await ask([appointment(slow)]);
  await expect.poll(() => gateway.deliveries().get(slow)).toBe(1);
  const sending = (await tables.rows('sms_questions', { phone_number: slow }))[0];
  await handOver([report(slow, Number(sending?.id))]);
  await expect
    .poll(outcomes, { timeout: 150_000 })
    .toEqual([...killedToo, '337 not delivered: UNDELIV: 空号']);
  await waiting(2);
  expect([...gateway.deliveries().values()]).toEqual(Array(8).fill(1));
});

// With a limit of ten seconds to each resumed execution, a third of such a burst was lost.
test('Ask and wait: a burst of answers, each of which is taken once', async ({
  client,
  openAccount,
}) => {
  test.setTimeout(20 * 60_000);
  const count = Number(process.env.E2E_ANSWERS ?? 200);
  const { ask, handOver, outcomes, waiting } = await openQuestions(client, openAccount);
  const phones = Array.from({ length: count }, (_, index) => String(13_700_000_000 + index));
  await ask(phones.map((phone) => appointment(phone, phone)));
  await expect(async () => waiting(count)).toPass({ timeout: 10 * 60_000 });
  const replies = phones.map((phone, index) => reply(phone, index % 2 ? '1' : '2', 1000 + index));
  // The inbox hands a page over again when it does not know that it has arrived.
  await Promise.all([handOver(replies), handOver(replies)]);
  const expected = phones.map(
    (phone, index) => `${phone} ${index % 2 ? 'confirmed' : 'cancelled'}`,
  );
  await expect.poll(outcomes, { timeout: 5 * 60_000 }).toEqual(expected);
});

test('A reply is joined to the send that caused it (desk/reply-joined-to-send.json)', async ({
  client,
}) => {
  const tables = new DataTables(client);
  await tables.remove('sms_outbox', 'sms_subscribers');
  const joined = await client.importWorkflow(readDesk('reply-joined-to-send'), []);
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
  const { call, codeFor, gateway, tables, workflows } = await openCodes(client, openAccount);
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
  expect(await call('check', { phone: 'nobody', code })).toEqual(NOT_VALID);
  expect(await call('check', { phone: '13810000509', code })).toEqual(NOT_VALID);
  const checks = await Promise.all(
    Array.from({ length: 5 }, async () => call('check', { phone: '+86 13810000501', code })),
  );
  expect(checks.filter(([, { valid }]) => valid)).toHaveLength(1);
  expect(await call('check', { phone, code })).toEqual(NOT_VALID);
  // Executions hold codes, so n8n keeps none of those that the webhooks have started. Nor do tables.
  const kept = async () => await Promise.all(workflows.map((each) => client.executions(each)));
  await expect.poll(async () => (await kept()).flat()).toEqual([]);
  const stored = [...(await tables.rows('sms_codes')), ...(await tables.rows('sms_outbox'))];
  const texts = stored.map(({ hash, parameters, text }) => ({ hash, parameters, text }));
  expect(JSON.stringify(texts)).not.toContain(code);
});

// With optimistic tries, a wrong code beside it took the right one's try in four of ten rounds.
test('Verification code: the right one is right, whoever else guesses at the same moment', async ({
  client,
  openAccount,
}) => {
  const { call, codeFor, tables } = await openCodes(client, openAccount);
  for (let round = 0; round < 10; round += 1) {
    const phone = `1381000055${round}`;
    expect(await call('send', { phone, caller: phone })).toEqual(SENT);
    const right = codeFor(phone);
    const entered = (index: number) => (index === round ? right : `wrong ${index}`);
    const checks = await Promise.all(
      Array.from({ length: 10 }, async (_, index) =>
        call('check', { phone, code: entered(index) }),
      ),
    );
    expect(checks.map(([, { valid }]) => valid)).toEqual(checks.map((_, index) => index === round));
  }

  const phone = '13810000560';
  await call('send', { phone, caller: phone });
  await Promise.all(
    Array.from({ length: 9 }, async (_, index) => call('check', { phone, code: `wrong ${index}` })),
  );
  const triesLeft = async () =>
    (await tables.rows('sms_codes', { phone_number: phone })).map((row) => row.tries_left);
  expect(await triesLeft()).toEqual([1]);
  await Promise.all([0, 1, 2].map(async () => call('check', { phone, code: 'wrong' })));
  expect(await triesLeft()).toEqual([0]);
  expect(await call('check', { phone, code: codeFor(phone) }), 'after ten tries').toEqual(
    NOT_VALID,
  );
});

test('Verification code: no limit is passed, however the requests come', async ({
  client,
  openAccount,
}) => {
  const limits = { caller_per_hour: 6, pause_seconds: 0 };
  const { call, gateway } = await openCodes(client, openAccount, limits, [3, 10]);
  const seed = Date.now() % 1_000_000;
  console.log(`seed ${seed}`);
  const random = randomNumbers(seed);
  // Each caller has phones of its own, so the gateway's log tells how many SMS a caller has caused.
  const phoneOf = (who: number, which: number) => `1381000${6 + who}0${which}0`;
  const notations = (who: number) => [
    `9.9.9.${who}`,
    `9.9.9.${who}:123${who}`,
    `::ffff:9.9.9.${who}`,
    `[::FFFF:909:90${who}]:80`,
  ];
  const request = async (who: number, which: number) =>
    call('send', { phone: phoneOf(who, which), caller: notations(who)[random(4)] });
  const sent = (...phones: string[]) =>
    phones.reduce((sum, phone) => sum + (gateway.deliveries().get(phone) ?? 0), 0);
  const phonesOf = (who: number) => [0, 1, 2, 3].map((which) => phoneOf(who, which));

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
  }
  // One after another, each request gets what the limits still allow.
  for (const who of [0, 1, 2, 3]) {
    for (const which of [0, 1, 2, 3]) {
      const phone = phoneOf(who, which);
      const before = [sent(phone), sent(...phonesOf(who))] as const;
      const isAllowed = before[0] < 3 && before[1] < 6;
      const [status] = await request(who, which);
      expect([status, sent(...phonesOf(who))], `${phone} after ${before.join()}`).toEqual(
        isAllowed ? [200, before[1] + 1] : [429, before[1]],
      );
    }
  }
  // Of many at the same moment, exactly as many as the limit allows.
  const together = await Promise.all(
    Array.from({ length: 24 }, async (_, index) =>
      call('send', { phone: `139100000${10 + index}`, caller: notations(7)[index % 4] }),
    ),
  );
  expect(together.filter(([status]) => status === 200)).toHaveLength(6);
});

/** Whole numbers from 0, below a bound, that a seed decides. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
