import { NONSENSE, refuseMails } from './deviations';
import { template as recordOf } from '../sandbox/seeds';
import { ADDRESS, useTemplate } from './run';

const template = useTemplate('review-ended', { 'Mail the results': ADDRESS });

const look = async () => await template.run('Every 15 minutes', {});

const review = (id: number, status: number) => {
  const record = template.gateway.state.templates.get(id);
  if (record) record.audit_status = status;
};

test('first all whose review has ended, then only news, in one mail', async () => {
  await look();
  expect(template.n8n.mails).toEqual([
    expect.stringMatching(/^SMS: 3 reviews have ended\n登录验证码 \(301\): passed\. 您的验证码/),
  ]);
  await look();
  expect(template.n8n.mails).toHaveLength(1);
  review(304, 3);
  await look();
  await look();
  expect(template.n8n.mails.slice(1)).toEqual([
    expect.stringMatching(/^SMS: a review has ended\n.*\(304\): rejected\. /),
  ]);
});

test('a template that is changed and reviewed again is told again', async () => {
  await look();
  review(301, 1);
  await look();
  review(301, 3);
  await look();
  expect(template.n8n.mails).toHaveLength(2);
});

const { gateway, n8n } = template;

const record = (id: number) => gateway.state.templates.get(id) as object;

describe('deviations', () => {
  test('rejected, mended, rejected again: mailed each time', async () => {
    await look();
    for (const status of [3, 1, 3, 1, 3]) {
      review(304, status);
      await look();
      await look();
    }
    expect(n8n.mails).toHaveLength(4);
  });

  test.each([
    [3, 2, 3],
    [2, 3, 2],
    [3, 9, 3],
  ])('%d, %d, %d, and nobody saw it in review: mailed each time', async (...statuses) => {
    await look();
    for (const status of statuses) {
      review(304, status);
      await look();
      await look();
    }
    expect(n8n.mails).toHaveLength(4);
  });

  test('the text is changed and changed back: mailed each time', async () => {
    review(304, 3);
    for (const content of ['One', 'Another', 'One']) {
      Object.assign(record(304), { content });
      await look();
      await look();
    }
    expect(n8n.mails).toHaveLength(3);
  });

  test('rejected, mended and rejected again between two looks: mailed each time', async () => {
    review(304, 3);
    await look();
    Object.assign(record(304), { content: 'Another text' });
    await look();
    expect(n8n.mails[1]).toContain('(304): rejected. Another text');
  });

  test.each<[string, number]>([
    ['the mail server is away for five seconds: the same execution mails', 2],
    ['the mail server is away for longer: it fails, and the next look mails', 5],
  ])('%s', async (_, refused) => {
    refuseMails(n8n, refused);
    const { error } = await look();
    expect(Boolean(error)).toBe(refused === 5);
    await look();
    await look();
    expect(n8n.mails).toEqual([expect.stringMatching(/^SMS: 3 reviews have ended/)]);
  });

  test.each(['Mail the results', 'Each of them', 'Told'])(
    'n8n is killed before "%s": the next look mails, and then it is told',
    async (node) => {
      const killed = n8n.killAt(node);
      void look();
      await killed;
      await look();
      await look();
      expect(n8n.mails).toHaveLength(node === 'Mail the results' ? 1 : 2);
    },
  );

  test.each<[string, Parameters<typeof gateway.fault>[0]]>([
    ['is away', { kind: 'status', status: 503 }],
    ['gives no list', { kind: 'status', status: 200, body: { code: 0, list: 'none' } }],
  ])('the service %s: the execution fails, and the next look mails', async (_, fault) => {
    gateway.fault(fault);
    const { error } = await look();
    expect(error).toBeDefined();
    gateway.clearFaults();
    await look();
    expect(n8n.mails).toHaveLength(1);
  });

  test.each<[string, object, string]>([
    ['a status as text', { audit_status: '3' }, '(304): rejected. '],
    ['in review, as text', { audit_status: '1' }, ''],
    ['another status', { audit_status: 9 }, '(304): status 9. '],
    ['no status', { audit_status: undefined }, '(304): status not given. '],
    ['null as status', { audit_status: null }, '(304): status not given. '],
    [
      'neither name nor text',
      { audit_status: 2, name: null, content: undefined },
      ' (304): passed',
    ],
  ])('%s', async (_, changes, line) => {
    await look();
    const list = [{ ...record(304), ...changes }];
    const body = { code: 0, list, total: 1, page: 1, page_size: 20 };
    gateway.fault({ kind: 'status', status: 200, body, times: 2 });
    await look();
    await look();
    const told = n8n.mails.slice(1);
    expect(told).toEqual(line === '' ? [] : [expect.stringContaining(line)]);
    expect(n8n.mails.join()).not.toMatch(NONSENSE);
  });

  test('a thousand templates: one mail', async () => {
    for (let id = 1001; id <= 2000; id += 1) {
      gateway.state.templates.set(
        id,
        recordOf(id, { name: `T${id}`, audit_status: 2, content: '' }),
      );
    }
    await look();
    await look();
    expect(n8n.mails).toEqual([expect.stringMatching(/^SMS: 1003 reviews have ended\n/)]);
  });
});
