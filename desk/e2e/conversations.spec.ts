/** Ask and wait: a customer is asked, and an execution goes on with the answer. */
import type { IDataObject } from 'n8n-workflow';

import { openQuestions, type Customer } from '../kit/questions';
import { expect, test } from '../../test/e2e/lib/test';

function appointment(phone: string, id = phone.slice(-3)): Customer {
  return { id, phone, name: 'Li Lei', date: 'June 3, 10:00' };
}

/** A reply as the inbox hands it over: a row of sms.inbox. */
function reply(phone: string, content: string, id = 1): IDataObject {
  const time = new Date(1_800_000_000_000 + id * 1000).toISOString();
  const empty = { status: '', status_desc: '', batch_id: '', user_data: '', phone_data: '' };
  return { id, event: 'reply', run: 'e2e', phone_number: phone, content, time, ...empty };
}

/** A report about the SMS of a question, by its row in sms.questions. */
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

test('Each answer reaches the workflow that asked', async ({ client, openAccount, store }) => {
  const questions = await openQuestions(client, openAccount, store, SHORT_FOR_THE_THIRD);
  const { ask, gateway, handOver, outcomes, tables, waiting } = questions;
  const optedOut = { phone_number: '13810000304', word: 'TD', since: new Date().toISOString() };
  await tables.insert('sms.opt_outs', [optedOut]);
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
    expect.stringMatching(`^${id} notDelivered Not sent: .`) as unknown;
  const others = ['303 silent', notAsked('304'), notAsked('305'), notAsked('two')];
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
  const all = ['301 answered 1', '302 answered 2', ...others, '306 answered 1'];
  const sorted = [...all.slice(0, 5), '306 answered 1', notAsked('two')];
  await expect.poll(outcomes).toEqual(sorted);
  // An appointment that comes again is not asked about again.
  await ask([appointment('13810000301')]);
  await expect.poll(outcomes).toEqual(['301 answered 1', notAsked('301'), ...sorted.slice(1)]);
  expect(Object.fromEntries(gateway.deliveries())).toEqual(
    Object.fromEntries([1, 2, 3, 6].map((last) => [`1381000030${last}`, 1])),
  );
});

test('Replies that come twice, and newer questions', async ({ client, openAccount, store }) => {
  const { ask, gateway, handOver, outcomes, tables, waiting } = await openQuestions(
    client,
    openAccount,
    store,
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
  await expect.poll(outcomes).toEqual([expect.stringMatching(/^(one|other) answered 1$/)]);
  await handOver([first, reply(phone, '2', 12)]);
  await waiting(1);

  // While the next question is being sent, a reply to the one before belongs to that one.
  await ask([appointment(phone, 'before')]);
  await waiting(2);
  const before = (await tables.rows('sms.outbox')).at(-1)?.batch_id;
  gateway.fault({ ...slow, delayMs: 6_000 });
  await ask([appointment(phone, 'after')]);
  await expect.poll(() => gateway.deliveries().get(phone)).toBe(4);
  await handOver([{ ...first, id: 16, batch_id: before }]);
  await expect.poll(async () => (await outcomes()).includes('before answered 1')).toBe(true);
  await waiting(2);
  expect(await outcomes()).not.toContain('after answered 1');
});

test('A reply before the wait, and after a kill', async ({ client, n8n, openAccount, store }) => {
  const { ask, gateway, handOver, outcomes, waiting } = await openQuestions(
    client,
    openAccount,
    store,
  );
  gateway.fault({ kind: 'slow', path: '/sendsms/template/send', delayMs: 10_000 });
  await ask([appointment('13810000321')]);
  await expect.poll(() => gateway.deliveries().size).toBe(1);
  // It wakes nobody yet. The answer is stored, and wakes the execution within a minute.
  await handOver([reply('13810000321', '2', 21)]);
  await expect.poll(outcomes, { timeout: 150_000 }).toEqual(['321 answered 2']);

  await ask([appointment('13810000322')]);
  await waiting(1);
  await n8n.restart('kill');
  await handOver([reply('13810000322', '１', 22)]);
  await expect.poll(outcomes).toEqual(['321 answered 2', '322 answered 1']);
  expect([...gateway.deliveries().values()]).toEqual([1, 1]);
});

test('A report of failure ends an open question', async ({ client, n8n, openAccount, store }) => {
  const questions = await openQuestions(client, openAccount, store);
  const { ask, gateway, handOver, outcomes, tables, waiting } = questions;
  const [failed, answered, both] = ['13810000330', '13810000331', '13810000332'];
  const [byBatch, killed, slow] = ['13810000333', '13810000334', '13810000335'];
  await ask([failed, answered, both, byBatch, killed].map((phone) => appointment(phone)));
  await waiting(5);
  const rows = await tables.rows('sms.questions');
  const rowOf = (phone: string) => rows.find((row) => row.phone_number === phone) ?? {};
  const failure = (phone: string, fields: IDataObject = {}, id = 1) =>
    report(phone, Number(rowOf(phone).id), fields, id);
  const batch = { phone_data: '', batch_id: rowOf(byBatch).batch_id };

  // The answer before the report, and both at the same moment, and twice.
  await handOver([reply(answered, '1', 31), failure(answered, {}, 32)]);
  const together = [[reply(both, '2', 33)], [failure(both, {}, 34)], [failure(both, {}, 34)]];
  await Promise.all([handOver([failure(failed)]), ...together.map((each) => handOver(each))]);
  await handOver([failure(byBatch, batch)]);
  await handOver([failure(answered, {}, 32), reply(failed, '1', 35)]);
  const ends = [
    '330 notDelivered UNDELIV: 空号',
    '331 answered 1',
    expect.stringMatching(/^332 (answered 2|notDelivered UNDELIV: 空号)$/),
    '333 notDelivered UNDELIV: 空号',
  ];
  await expect.poll(outcomes).toEqual(ends);
  await waiting(1);

  // The row is as a kill leaves it that comes when a report is stored and has woken nobody. The inbox hands
  // the report over again. (What a later kill costs, while the question goes on, is in desk/README.md.)
  await n8n.restart('kill');
  await tables.update(
    'sms.questions',
    { id: rowOf(killed).id },
    { answer: '(not delivered) UNDELIV: 空号', reply: 'a report' },
  );
  await handOver([failure(killed)]);
  const killedToo = [...ends, '334 notDelivered UNDELIV: 空号'];
  await expect.poll(outcomes, { timeout: 150_000 }).toEqual(killedToo);

  // It comes before the question waits, and before its batch is known.
  gateway.fault({ kind: 'slow', path: '/sendsms/template/send', delayMs: 10_000 });
  await ask([appointment(slow)]);
  await expect.poll(() => gateway.deliveries().get(slow)).toBe(1);
  const sending = (await tables.rows('sms.questions', { phone_number: slow }))[0];
  await handOver([report(slow, Number(sending?.id))]);
  await expect
    .poll(outcomes, { timeout: 150_000 })
    .toEqual([...killedToo, '335 notDelivered UNDELIV: 空号']);
  expect([...gateway.deliveries().values()]).toEqual(Array(6).fill(1));
});
