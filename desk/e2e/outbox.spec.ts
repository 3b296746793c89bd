/** The outbox in a real n8n: what only parallel executions, a crash and a clock show. */
import { callAtOnce, code, Gate, keyOf, laterHour, type Result } from '../kit/gate';
import { expect, test } from '../../test/e2e/lib/test';

const statuses = (results: Result[]) => results.map(({ status }) => status);

test('calls at once send each key once, limits are exact', async ({
  client,
  openAccount,
  store,
}) => {
  const account = await openAccount();
  const gate = await Gate.open(client, account, store);

  await test.step('limits, and the same messages 20 times', async () => {
    await callAtOnce(gate, account.gateway, [{ calls: 20, messages: 30 }]);
    expect((await gate.send(code(3000)))[0]?.reason).toMatch(/^The day's limit of 42 messages/);
    const [again] = await gate.send(code(0, { key: keyOf(0) }));
    expect(again).toMatchObject({ status: 'skipped', batch_id: expect.stringMatching(/\d+/) });
  });

  await test.step('and no code is kept, in a table or an execution', async () => {
    const stored = await gate.tables.rows('sms.outbox');
    expect(stored.length).toBeGreaterThanOrEqual(30);
    const texts = JSON.stringify(stored.map(({ text, parameters }) => [text, parameters]));
    expect(texts).not.toContain('4821');
    await expect.poll(() => client.executions(gate.workflow)).toEqual([]);
  });
});

test('what comes at the wrong hour waits', async ({ client, openAccount, store }) => {
  const account = await openAccount();
  const gate = await Gate.open(client, account, store);
  const closed = { class: 'notice', ...laterHour() };
  const notice = (n: number, fields = {}) => code(n, { class: 'notice', ...fields });
  await gate.rule({ ...closed, outside_hours: 'refuse' });
  expect(statuses(await gate.send(notice(1)))).toEqual(['refused']);

  await gate.rule({ ...closed, outside_hours: 'wait' });
  const text = { template_id: '', content: 'Good morning' };
  const waiting = await gate.send(
    notice(1, { key: 'night', source: 'tomorrow' }),
    notice(2),
    notice(3, { ...text, source: 'tomorrow' }),
  );
  expect(statuses(waiting)).toEqual(['waiting', 'waiting', 'waiting']);
  expect(account.gateway.deliveries().size).toBe(0);
  const texts = (await gate.tables.rows('sms.outbox', { status: 'waiting' })).map(
    (row) => row.text,
  );
  expect(texts[0]).toMatch(/^【.+】.*4821/);
  expect(texts[2]).toMatch(/^【.+】Good morning$/);

  // The hour of two has come. The clock of the test is the row's.
  await gate.setTime({ source: 'tomorrow' }, new Date());
  await gate.rule({ class: 'notice' });
  const left = async () =>
    (await gate.tables.rows('sms.outbox')).map(({ status }) => status).join();
  await expect.poll(left, { timeout: 150_000, intervals: [500] }).toBe('accepted,accepted');
  expect([...account.gateway.deliveries().values()]).toEqual([1, 1]);
  const bodies = account.gateway.requests.map(({ rawBody }) => rawBody);
  const sent = bodies.filter((body) => body.includes('13810000'));
  expect(sent.filter((body) => body.includes('Good morning'))).toEqual([
    expect.stringContaining('"content":"Good morning"'),
  ]);
  expect(sent.filter((body) => body.includes('"template_id":301'))).toHaveLength(1);
  expect(statuses(await gate.send(notice(1, { key: 'night' })))).toEqual(['skipped']);
});

test('what waited is sent when the service is back, once each', async ({
  client,
  openAccount,
  store,
}) => {
  test.setTimeout(12 * 60_000);
  const account = await openAccount();
  const { gateway, credential } = account;
  const connectTo = async (baseUrl: string) =>
    client.call('PATCH', `/rest/credentials/${credential.id}`, {
      ...{ name: credential.name, type: credential.type },
      data: { ...gateway.credential(), baseUrl },
    });
  const gate = await Gate.open(client, account, store);
  await gate.rule({ class: 'notice', ...laterHour(), outside_hours: 'wait' });
  const notice = { class: 'notice', source: 'tomorrow' };
  const all = Array.from({ length: 40 }, (_, n) => code(n, { ...notice, key: `night-${n}` }));
  const waiting = await gate.send(...all);
  expect(new Set(statuses(waiting))).toEqual(new Set(['waiting']));

  // Nothing listens there.
  await connectTo('http://127.0.0.1:9');
  await gate.rule({ class: 'notice' });
  const [rejected] = await gate.send(code(100, { class: 'notice' }));
  expect(rejected).toMatchObject({
    status: 'rejected',
    reason: expect.stringMatching(/No conn/),
  });
  await gate.setTime({ source: 'tomorrow' }, new Date());
  const rows = () => gate.tables.rows<Result>('sms.outbox');
  const again = async () =>
    (await rows()).filter(({ reason_code }) => reason_code === 'tried_again').length;
  await expect.poll(again, { timeout: 240_000, intervals: [500] }).toBe(40);
  for (const { status, sent_at } of await rows()) {
    expect(status).toBe('waiting');
    expect(Date.parse(sent_at)).toBeGreaterThan(Date.now());
  }
  expect(gateway.deliveries().size).toBe(0);

  await connectTo(gateway.baseUrl);
  const left = async () => (await rows()).filter(({ status }) => status !== 'accepted').length;
  await expect.poll(left, { timeout: 360_000, intervals: [500] }).toBe(0);
  expect([...gateway.deliveries().values()]).toEqual(Array(40).fill(1));
  const skipped = await gate.send(...all);
  expect(new Set(statuses(skipped))).toEqual(new Set(['skipped']));
});

test('without one of its tables nothing is sent', async ({ client, openAccount, store }) => {
  const account = await openAccount();
  const gate = await Gate.open(client, account, store);
  for (const table of ['sms.outbox', 'sms.opt_outs']) {
    await gate.tables.hide(table);
    await expect(gate.send(code(1)), table).rejects.toThrow('500');
    expect(account.gateway.deliveries().size).toBe(0);
    await gate.tables.show(table);
  }
  // It has only the texts for people.
  await gate.tables.hide('sms.templates');
  expect(statuses(await gate.send(code(1)))).toEqual(['accepted']);
  await gate.tables.show('sms.templates');
});

test('a crash sends nothing twice', async ({ client, n8n, openAccount, store }) => {
  const account = await openAccount();
  const { gateway } = account;
  const gate = await Gate.open(client, account, store);

  gateway.fault({ kind: 'hang', match: ({ rawBody }) => rawBody.includes('13810000') });
  const lost = gate.send(code(1, { key: 'order-1' })).catch(() => undefined);
  await expect.poll(() => gateway.deliveries().size).toBe(1);
  await n8n.restart('kill');
  await lost;
  const [soon] = await gate.send(code(1, { key: 'order-1' }));
  expect(soon).toMatchObject({
    status: 'skipped',
    reason: expect.stringMatching(/interrupted: it may have been sent/),
  });

  await gate.setTime({ status: 'claimed' }, new Date(Date.now() - 11 * 60_000));
  const [later] = await gate.send(code(1, { key: 'order-1' }));
  expect(later).toMatchObject({
    status: 'unknown',
    reason: expect.stringMatching(/An earlier execution was interrupted: it may have been sent/),
  });
  expect([...gateway.deliveries().values()]).toEqual([1]);
});
