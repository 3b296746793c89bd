import { AS_IMPORTED, at, NONSENSE, refuseMails } from './deviations';
import { ADDRESS, OWN, PHONE, useTemplate } from './run';

const template = useTemplate(
  'workflow-failed',
  { 'Tell whoever is on call': { ...OWN, phoneNumbers: PHONE }, 'Mail it instead': ADDRESS },
  '自动化流程${workflow}在${time}运行失败，请及时处理。',
  AS_IMPORTED,
);

const failure = (id: string) => ({
  workflow: { id, name: 'Import of orders' },
  execution: {
    id: '231',
    url: 'https://n8n.example.com/workflow/1/executions/231',
    error: { message: 'The shop does not answer' },
  },
});

const fail = async (id: string) => await template.run('A workflow has failed', failure(id));

test('one SMS per workflow and hour', async () => {
  await fail('orders1');
  await fail('orders1');
  await fail('stock22');
  const time = expect.stringMatching(/^\d\d:\d\d$/) as unknown;
  expect(template.sentTo(PHONE)).toEqual([
    { workflow: 'orders1', time },
    { workflow: 'stock22', time },
  ]);
  expect(template.n8n.mails).toEqual([]);
});

test('twelve hours later is another hour, and told as such', async () => {
  const clock = jest.spyOn(Date, 'now');
  for (const time of ['03:30', '15:30']) {
    clock.mockReturnValue(Date.parse(`2026-06-03T${time}:00+08:00`));
    await fail('orders1');
  }
  clock.mockRestore();
  expect(template.sentTo(PHONE)).toMatchObject([{ time: '03:30' }, { time: '15:30' }]);
});

test('a trigger that fails has no execution: the mail says why, too', async () => {
  template.refuse();
  const { workflow } = failure('orders1');
  const trigger = { error: { message: 'The queue does not answer' } };
  await template.run('A workflow has failed', { workflow, trigger });
  expect(template.n8n.mails).toEqual([expect.stringContaining('The queue does not answer')]);
});

test('an SMS that is not accepted: a mail with the failure, and the next failure is tried again', async () => {
  template.refuse();
  await fail('orders1');
  expect(template.n8n.mails).toEqual([
    expect.stringMatching(
      /^n8n: Import of orders has failed\nThe shop does not answer\n\nhttps:.*231\n\n.*\(rejected\): .*余额不足/,
    ),
  ]);
  await fail('orders1');
  expect(template.sentTo(PHONE)).toHaveLength(2);
});

const { gateway, n8n } = template;

const TWELVE = Array.from({ length: 12 }, () => 'orders1');

describe('deviations: the account is empty', () => {
  beforeEach(() => {
    gateway.state.balance = 0;
  });

  test('twelve failures of a workflow, one after another: one mail', async () => {
    for (const id of TWELVE) await fail(id);
    await fail('stock22');
    expect(n8n.mails).toHaveLength(2);
    expect(template.sentTo(PHONE)).toHaveLength(13);
  });

  test('twelve failures of a workflow, at once: one mail', async () => {
    await Promise.all(TWELVE.map(fail));
    expect(n8n.mails).toHaveLength(1);
  });

  test('three more fail while the mail is on its way: it is the only one', async () => {
    const onItsWay = n8n.killAt('Mail it instead');
    void fail('orders1');
    await onItsWay;
    for (const id of TWELVE.slice(0, 3)) await fail(id);
    expect(n8n.mails).toEqual([]);
  });

  test('the next hour is told again', async () => {
    for (const time of ['03:59', '04:01', '04:30']) {
      await at(`2026-06-03T${time}:00+08:00`, async () => await fail('orders1'));
    }
    expect(n8n.mails).toHaveLength(2);
  });

  test.each<[string, number]>([
    ['the mail server is away for five seconds: the same execution mails', 2],
    ['the mail server is away for longer: it fails, and the next failure is mailed', 5],
  ])('%s', async (_, refused) => {
    refuseMails(n8n, refused);
    const { error } = await fail('orders1');
    expect(error).toEqual(
      refused === 5 ? expect.stringContaining('Neither SMS nor mail') : undefined,
    );
    await fail('orders1');
    await fail('orders1');
    expect(n8n.mails).toHaveLength(1);
  });

  test('n8n is killed before the mail: a failure five minutes later is mailed', async () => {
    const killed = n8n.killAt('Mail it instead');
    void at('2026-06-03T12:00:00+08:00', async () => await fail('orders1'));
    await killed;
    await at('2026-06-03T12:06:00+08:00', async () => await fail('orders1'));
    expect(n8n.mails).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['neither execution nor trigger', { workflow: { id: 'orders1', name: 'Orders' } }],
    ['no name', { workflow: { id: 'orders1' } }],
    ['no ID', { workflow: { name: 'Orders' }, execution: { error: {} } }],
    ['nothing', {}],
  ])('n8n tells %s of the failure', async (_, told) => {
    await template.run('A workflow has failed', told);
    expect(n8n.mails).toEqual([expect.stringContaining('n8n gives no reason.')]);
    expect(n8n.mails[0]).not.toMatch(NONSENSE);
  });
});

test.each<[string, Parameters<typeof gateway.fault>[0]]>([
  ['away', { kind: 'status', status: 503 }],
  ['breaking connections', { kind: 'resetAfterAccept' }],
  ['answering a page', { kind: 'html' }],
])('the service is %s: a mail says what is known of the SMS', async (_, fault) => {
  gateway.fault(fault);
  await fail('orders1');
  await fail('orders1');
  expect(n8n.mails).toEqual([expect.stringContaining('The SMS was not confirmed (unknown): ')]);
  expect(n8n.mails[0]).not.toMatch(NONSENSE);
});

test('the time is that of Shanghai, with the settings that an import has', async () => {
  await at('2026-06-03T16:30:00Z', async () => await fail('orders1'));
  expect(template.sentTo(PHONE)).toMatchObject([{ time: '00:30' }]);
});
