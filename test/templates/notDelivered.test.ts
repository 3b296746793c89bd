import type { IDataObject } from 'n8n-workflow';

import { readExample } from '../kit/workflows/workflowFiles';
import { ADDRESS, NONSENSE, PHONE, report, useTemplate } from './run';

const template = useTemplate('not-delivered', { 'Mail them': ADDRESS });

const { n8n, gateway, run } = template;

/** The user has a chat, whose robot answers so. */
const withChat = (answer: IDataObject = { errcode: 0, errmsg: 'ok' }) => {
  template.choose({ 'Post to a chat': { url: 'http://127.0.0.1:1' } });
  n8n.robot = () => answer;
};

test('one post for a page, and no mail, with each failure, its cause and what to do', async () => {
  withChat();
  gateway.queueReports([
    report(PHONE),
    report('13810000011', 'UNDELIV'),
    report('13810000012', 'MK:0001'),
    report('13810000013', 'NEW:LIMIT'),
  ]);
  await template.poll('New delivery reports');
  expect(n8n.mails).toEqual([]);
  const { content = '' } = (n8n.posts[0]?.text ?? {}) as { content?: string };
  const lines = content.split('\n');
  expect(lines).toEqual([
    expect.stringMatching(
      /^13810000011: the phone is off.*\(UNDELIV .*, batch b-1\)\. Check the number/,
    ),
    expect.stringMatching(/^13810000012: the number does not exist.*\(MK:0001 .* Ask the customer/),
    expect.stringMatching(
      /^13810000013: the cause is not known \(NEW:LIMIT .* Ask your SMS provider/,
    ),
  ]);
  expect(n8n.posts).toMatchObject([{ msgtype: 'text' }]);
});

test('without a chat, as the template comes: the mail alone', async () => {
  const { error } = await run(CALLED, failed(PHONE));
  expect(error).toBeUndefined();
  expect(n8n.mails).toEqual([
    expect.stringMatching(/^1 SMS not delivered\n13810000010: the phone is off.*first\.$/),
  ]);
});

test('delivered messages, and replies, do nothing', async () => {
  withChat();
  const records = [
    { event: 'deliveryReport', ...report(PHONE) },
    { event: 'reply', content: '1' },
  ];
  await run('From another workflow', ...records);
  expect(n8n.mails).toEqual([]);
});

const CALLED = 'From another workflow';

const failed = (phone: string, more: object = {}) => ({
  ...{ event: 'deliveryReport', ...report(phone, 'UNDELIV') },
  ...more,
});

describe('deviations', () => {
  test('a page that was not told comes again', () => {
    const { nodes } = readExample('not-delivered');
    const trigger = nodes.find(({ name }) => name === 'New delivery reports');
    expect(trigger?.parameters.options).toEqual({ repeatFailed: true });
  });

  test.each<[string, number]>([
    ['for five seconds: the same execution mails', 2],
    ['for longer: the execution fails', 5],
  ])('the mail server is away %s', async (_, refused) => {
    n8n.refuseMails(refused);
    const { error } = await run(CALLED, failed(PHONE));
    expect(Boolean(error)).toBe(refused === 5);
    expect(n8n.mails).toHaveLength(refused === 5 ? 0 : 1);
  });

  test.each<[object, string | undefined]>([
    [{ errcode: 93000, errmsg: 'invalid webhook url' }, '{"errcode":93000,'],
    [{ errcode: '93000' }, '{"errcode":"93000"}'],
    [{ errcode: '0', errmsg: 'ok' }, undefined],
    // Of another chat.
    [{ code: 19001, msg: 'param invalid' }, '{"code":19001,"msg":"param invalid"}'],
    [{ data: '<html>Please log in' }, '{"data":"<html>Please log in"}'],
    [{}, '{}'],
    // What a node gives that goes on after an error.
    [{ error: 'connect ECONNREFUSED' }, 'ECONNREFUSED'],
  ])('the robot answers %j: a mail says so, unless it took it', async (answer, says) => {
    withChat(answer as IDataObject);
    const { error } = await run(CALLED, failed(PHONE));
    expect(error).toBeUndefined();
    const mail = says && expect.stringMatching(/^1 SMS not delivered\n13810000010: /);
    expect(n8n.mails).toEqual(mail ? [mail] : []);
    if (says) expect(n8n.mails[0]).toContain(`\n\nThe chat did not take it: ${says}`.slice(0, 28));
    if (says) expect(n8n.mails[0]).toContain(says);
  });

  // F4
  test('one report is refused by the mail server for good: the others are told, and it holds up none', async () => {
    n8n.refuses = (mail) => mail.includes('13810000012');
    const page = ['13810000011', '13810000012', '13810000013', '13810000014'];
    gateway.queueReports(page.map((phone) => report(phone, 'UNDELIV')));
    await template.poll('New delivery reports', 3);
    gateway.queueReports([report('13810000015', 'UNDELIV')]);
    await template.poll('New delivery reports', 2);
    for (const phone of [page[0], page[2], page[3], '13810000015']) {
      const mails = n8n.mails.filter((mail) => mail.includes(String(phone)));
      expect([phone, mails.length]).toEqual([phone, 1]);
    }
  });

  test.each<[string, object, string]>([
    ['an unreadable answer', { event: 'unreadable', answer: '{"cut' }, '{"cut'],
    ['another answer', { event: 'unreadable', answer: { a: [1] } }, '{"a":[1]}'],
    ['no fields', { event: 'deliveryReport' }, 'the cause is not known (no status'],
    ['a status that is a number', failed(PHONE, { status: 5 }), 'not known (5 as'],
    ['no number', failed(PHONE, { phone_number: null }), 'A number that is not given: the phone'],
    ['a status that is an object', failed(PHONE, { status: { a: 1 } }), '({"a":1} as'],
    ['words that are an object', failed(PHONE, { status_desc: { a: 1 } }), 'UNDELIV {"a":1}'],
    ['no batch', failed(PHONE, { batch_id: undefined }), 'batch not given'],
  ])('%s', async (_, item, line) => {
    await run(CALLED, item as never);
    expect(n8n.mails).toEqual([expect.stringContaining(line)]);
    expect(n8n.mails[0]).not.toMatch(NONSENSE);
  });

  test('an unreadable answer beside reports is not counted as one', async () => {
    await run(CALLED, failed(PHONE), { event: 'unreadable', answer: '[' });
    expect(n8n.mails).toEqual([expect.stringMatching(/^1 SMS not delivered\n.*\n.*: \[$/)]);
  });

  test('500 reports: a post that a robot takes, or one mail with all of them', async () => {
    const page = Array.from({ length: 500 }, (_, index) =>
      failed(String(13_900_000_000 + index), { status_desc: '号码为空或者关机' }),
    );
    await run(CALLED, ...page);
    withChat();
    await run(CALLED, ...page);
    expect(n8n.mails[0]?.split('\n')).toHaveLength(501);
    const { content } = n8n.posts[0]?.text as { content: string };
    expect(Buffer.byteLength(content)).toBeLessThan(2000);
    expect(content).toMatch(/… \(in all 500 SMS not delivered\)$/);
  });
});
