import { ADDRESS, OWN, PHONE, useTemplate } from './run';

const template = useTemplate(
  'workflow-failed',
  { 'Tell whoever is on call': { ...OWN, phoneNumbers: PHONE }, 'Mail it instead': ADDRESS },
  '自动化流程${workflow}在${time}运行失败，请及时处理。',
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
