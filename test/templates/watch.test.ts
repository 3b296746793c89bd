import type { IDataObject } from 'n8n-workflow';

import { ADDRESS, AS_IMPORTED, at, NONSENSE, OWN, PHONE, useTemplate } from './run';

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

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-03T12:00:00+08:00');

/** So many minutes after noon. */
const after = async <T>(minutes: number, act: () => Promise<T>) =>
  await at(new Date(NOON + minutes * MINUTE).toISOString(), act);

/** The page is looked at, and answers or does not. */
const look = async (minutes: number, answer: IDataObject = { data: 'ok' }) => {
  n8n.robot = () => answer;
  return await after(minutes, async () => await template.run('Every 5 minutes', {}));
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

const fail = async (minutes: number, told: IDataObject = failure('orders1')) =>
  await after(minutes, async () => await template.run('A workflow has failed', told));

const said = () =>
  template.sentTo(PHONE).map(({ what, state }) => `${String(what)}${String(state)}`);

const FAILS = '官网出现故障';
const IS_WELL = '官网恢复正常';

/** It looks every five minutes. */
const MINUTES = Array.from({ length: 13 }, (_, index) => 5 * index);

/** The minutes at which the page is down, up to an hour, and the SMS, with the minute of each. */
test.each<[what: string, down: number[], told: string]>([
  ['it is well', [], ''],
  ['it is down once', [5], '5 down, 20 well'],
  ['it stays down', [5, 10, 15, 20, 25], '5 down, 40 well'],
  ['it comes and goes', [0, 10, 20, 30], '0 down, 45 well'],
  ['it is down again after it was well', [0, 30], '0 down, 15 well, 30 down, 45 well'],
  ['it is down as the workflow is published, and stays so', MINUTES, '0 down'],
])('%s: one SMS, and one when it is well', async (_, down, expected) => {
  const told: string[] = [];
  for (const minute of MINUTES) {
    const before = said().length;
    await look(minute, down.includes(minute) ? DOWN : undefined);
    for (const each of said().slice(before)) {
      told.push(`${minute} ${each === FAILS ? 'down' : each === IS_WELL ? 'well' : each}`);
    }
  }
  expect(told.join(', ')).toBe(expected);
  expect(n8n.mails).toEqual([]);
});

test('the SMS has the time of Shanghai, with the settings that an import has', async () => {
  await look(0, DOWN);
  expect(template.sentTo(PHONE)).toEqual([{ what: '官网', time: '12:00', state: '出现故障' }]);
});

test('workflows: each is told once, and when it has not failed for two hours', async () => {
  await look(0);
  await fail(1);
  await fail(2, failure('stock22'));
  await fail(3);
  expect(said()).toEqual([]);
  await look(5);
  await look(10);
  expect(said()).toEqual(['工作流orders1出现故障', '工作流stock22出现故障']);
  await look(121);
  expect(said()).toHaveLength(2);
  await look(122);
  await look(123);
  await look(128);
  expect(said().slice(2)).toEqual(['工作流stock22恢复正常', '工作流orders1恢复正常']);
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

describe('deviations', () => {
  test('the SMS is rejected: one mail, and one when it is well', async () => {
    gateway.state.balance = 0;
    for (const minute of [0, 5, 10]) await look(minute, DOWN);
    for (const minute of [15, 20, 25, 30]) await look(minute);
    expect(n8n.mails).toEqual([
      expect.stringMatching(/^Down: 官网\n503 Service Unavailable\n\n.*\(rejected\): /),
      expect.stringMatching(/^Well again: 官网\n/),
    ]);
  });

  test('the mail fails too: the execution fails, and the next one tells', async () => {
    gateway.state.balance = 0;
    n8n.refuses = () => true;
    expect((await look(0, DOWN)).error).toContain('refused by the mail server');
    expect((await look(5, DOWN)).error).toBeDefined();
    n8n.refuses = () => false;
    await look(10, DOWN);
    await look(15, DOWN);
    expect(n8n.mails).toHaveLength(1);
  });

  test.each<[string, Parameters<typeof gateway.fault>[0]]>([
    ['away', { kind: 'status', status: 503 }],
    ['breaking connections', { kind: 'resetAfterAccept' }],
    ['answering a page', { kind: 'html' }],
  ])(
    'the service is %s: a mail says what is known of the SMS, which is not repeated',
    async (_, fault) => {
      gateway.fault(fault);
      await look(0, DOWN);
      await look(5, DOWN);
      expect(n8n.mails).toEqual([expect.stringContaining('The SMS was not confirmed (unknown): ')]);
      expect(n8n.mails[0]).not.toMatch(NONSENSE);
    },
  );

  test.each(['Note it', 'Only news', 'Told'])(
    'n8n is killed before "%s": it is told once',
    async (node) => {
      const killed = n8n.killAt(node);
      void look(0, DOWN);
      await killed;
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

  test('a trigger that fails has no execution: the mail says why, too', async () => {
    gateway.state.balance = 0;
    const { workflow } = failure('orders1');
    await fail(0, { workflow, trigger: { error: { message: 'The queue does not answer' } } });
    await look(5);
    expect(n8n.mails).toEqual([
      expect.stringContaining('Import of orders: The queue does not answer'),
    ]);
  });

  test.each<[string, IDataObject]>([
    ['neither execution nor trigger', { workflow: { id: 'orders1', name: 'Orders' } }],
    ['no name', { workflow: { id: 'orders1' } }],
    ['no ID', { workflow: { name: 'Orders' }, execution: { error: {} } }],
    ['nothing', {}],
  ])('n8n tells %s of the failure', async (_, told) => {
    gateway.state.balance = 0;
    await fail(0, told);
    await look(5);
    expect(n8n.mails).toEqual([expect.stringContaining('n8n gives no reason.')]);
    expect(n8n.mails[0]).not.toMatch(NONSENSE);
  });

  test.each<[string, unknown, string]>([
    ['a page of a proxy', 'x'.repeat(5000), 'x'.repeat(1000)],
    ['an object', { message: 'timeout of 20000ms exceeded' }, 'timeout of 20000ms exceeded'],
  ])('the error is %s: the SMS has nothing of it', async (_, error, trouble) => {
    await look(0, { error } as IDataObject);
    expect(said()).toEqual([FAILS]);
    expect(n8n.tables.get('sms_watch')).toMatchObject([{ trouble }]);
  });
});
