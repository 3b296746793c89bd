import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { settings } from '../kit/search/settings';
import { ADDRESS, AS_IMPORTED, has, OWN, PHONE, useTemplate } from './run';

const template = useTemplate(
  'watch',
  {
    'Tell whoever is on call': { ...OWN, phoneNumbers: PHONE },
    'Mail it instead': ADDRESS,
    'Look at it': { url: 'http://127.0.0.1:1' },
  },
  '监控提醒：${what}在${time}${state}。',
  AS_IMPORTED,
);

const { gateway, n8n } = template;

/** So many minutes after noon. */
const after = (minutes: number) =>
  template.itIs(Date.parse('2026-06-03T12:00:00+08:00') + minutes * 60_000);

/** The page is looked at, and answers or does not. */
const look = async (minutes: number, answer: IDataObject = { data: 'ok' }) => {
  n8n.robot = () => answer;
  after(minutes);
  return await template.run('Every 5 minutes', {});
};

const DOWN = { error: '503 Service Unavailable' };

const failure = (id: string): IDataObject => ({
  workflow: { id, name: 'Import of orders' },
  execution: {
    id: '231',
    url: 'https://n8n.example.com/workflow/1/executions/231',
    error: { message: 'The shop does not answer' },
  },
});

const fail = async (minutes: number, told: IDataObject = failure('orders1')) => {
  after(minutes);
  return await template.run('A workflow has failed', told);
};

const said = () =>
  template.sentTo(PHONE).map(({ what, state }) => `${String(what)}${String(state)}`);

const FAILS = '官网出现故障';

test('the SMS has the time of Shanghai, with the settings that an import has', async () => {
  await look(0, DOWN);
  expect(template.sentTo(PHONE)).toEqual([{ what: '官网', time: '12:00', state: '出现故障' }]);
});

/** What is watched: its name in the SMS, for how many minutes it counts as down, and what the mail says of it. */
const WATCHED = {
  page: { what: '官网', minutes: 15, trouble: '503 Service Unavailable' },
  orders1: { what: '工作流orders1', minutes: 120, trouble: 'Import of orders: The shop does not' },
  stock22: { what: '工作流stock22', minutes: 120, trouble: 'Import of orders: The shop does not' },
};
type Name = keyof typeof WATCHED;
const NAMES = Object.keys(WATCHED) as Name[];

/** What is in trouble at a look or a minute before it, and what the SMS of that look meets. */
const anyLook = fc.record({
  minutes: fc.constantFrom(5, 5, 5, 10, 15, 50),
  down: fc.subarray(NAMES),
  meets: fc.constantFrom('', '', 'refusal', 'broken connection', 'refusal, and of the mail too'),
});

test('random hours: one SMS when something is down, one when it is well, a mail if one is not accepted', async () => {
  const property = fc.asyncProperty(fc.array(anyLook, { maxLength: 9 }), async (looks) => {
    template.forget();
    const until = new Map<Name, number>();
    const told = new Set<Name>();
    let now = 0;
    for (const { minutes, down, meets } of looks) {
      now += minutes;
      for (const name of down) {
        const at = name === 'page' ? now : now - 1;
        if (name !== 'page') await fail(at, failure(name));
        until.set(name, at + WATCHED[name].minutes);
      }
      gateway.clearFaults();
      if (meets.startsWith('refusal')) template.refuse();
      if (meets === 'broken connection') gateway.fault({ kind: 'resetAfterAccept' });
      n8n.refuses = () => meets.includes('mail');
      const before = said().length;
      const { error } = await look(now, down.includes('page') ? DOWN : undefined);
      const news = NAMES.filter((name) => (until.get(name) ?? 0) > now !== told.has(name));
      const states = news.map(
        (name) => `${WATCHED[name].what}${told.has(name) ? '恢复正常' : '出现故障'}`,
      );
      expect(said().slice(before).sort()).toEqual(states.sort());
      const mails = news.map((name) => {
        const begin = `${told.has(name) ? 'Well again' : 'Down'}: ${WATCHED[name].what}\n${WATCHED[name].trouble}`;
        return has(new RegExp(`^${begin}[^]*\\((rejected|unknown)\\): .`));
      });
      const areTold = !meets.includes('mail') || news.length === 0;
      expect(Boolean(error)).toBe(!areTold);
      expect(n8n.mails.splice(0)).toEqual(meets && areTold ? expect.arrayContaining(mails) : []);
      if (areTold) for (const name of news) if (!told.delete(name)) told.add(name);
    }
  });
  await fc.assert(property, settings(15));
});

test('twelve failures of a workflow at once, also before anything was looked at: one SMS', async () => {
  await Promise.all(Array.from({ length: 12 }, async () => await fail(0)));
  await look(5);
  await look(10);
  expect(said()).toEqual(['工作流orders1出现故障']);
});

// n8n's data tables have no unique keys: two executions that note it first make two rows.
test('two rows of the same subject are told once', async () => {
  await fail(0);
  const [row] = n8n.tables.get('sms_watch') ?? [];
  n8n.tables.get('sms_watch')?.push({ ...row, id: 2 });
  for (const minute of [5, 10, 125, 130]) await look(minute);
  expect(said()).toEqual(['工作流orders1出现故障', '工作流orders1恢复正常']);
});

test('the owner deletes the table: what is down is told again', async () => {
  await look(0, DOWN);
  n8n.tables.delete('sms_watch');
  await look(5, DOWN);
  expect(said()).toEqual([FAILS, FAILS]);
});

test.each(['Note it', 'Only news', 'Told'])(
  'n8n is killed before "%s": it is told once',
  async (node) => {
    await n8n.killAt(node, () => look(0, DOWN));
    for (const minute of [5, 10]) await look(minute, DOWN);
    expect(said()).toEqual([FAILS]);
  },
);

// Whoever makes it fail chooses neither to whom nor how often.
test('it goes up and down all day: twenty SMS, then mails', async () => {
  for (let minute = 0; minute < 600; minute += 40) {
    await look(minute, DOWN);
    await look(minute + 20);
  }
  expect(said()).toHaveLength(20);
  expect(n8n.mails).toHaveLength(10);
  expect(n8n.mails[0]).toMatch(/had 20 today/);
});

const ORDERS = { id: 'orders1', name: 'Orders' };

/** What n8n tells of a failure, and what the mail says. */
test.each<[told: IDataObject, says: string]>([
  [
    { workflow: ORDERS, trigger: { error: { message: 'The queue does not answer' } } },
    'Orders: The queue does not answer',
  ],
  [{ workflow: ORDERS }, 'Orders: n8n gives no reason.'],
  [{ workflow: { name: 'Orders' }, execution: { error: {} } }, 'n8n gives no reason.'],
  [{}, 'n8n gives no reason.'],
])('n8n tells of a failure %j', async (told, says) => {
  gateway.state.balance = 0;
  await fail(0, told);
  await look(5);
  expect(n8n.mails).toEqual([has(says)]);
});

test.each<[string, unknown, string]>([
  ['a page of a proxy', 'x'.repeat(5000), 'x'.repeat(1000)],
  ['an object', { message: 'timeout of 20000ms exceeded' }, 'timeout of 20000ms exceeded'],
])('the error is %s: the SMS has nothing of it', async (_, error, trouble) => {
  await look(0, { error } as IDataObject);
  expect(said()).toEqual([FAILS]);
  expect(n8n.tables.get('sms_watch')).toMatchObject([{ trouble }]);
});
