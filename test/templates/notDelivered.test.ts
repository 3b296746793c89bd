import type { IDataObject } from 'n8n-workflow';

import { ADDRESS, handed, has, PHONE, reply, report, useTemplate } from './run';

const CALLED = 'From another workflow';

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

const failed = (phone = PHONE, more: IDataObject = {}) => handed(report(phone, 'UNDELIV'), more);

const CUT = { event: 'unreadable', answer: '{"cut' };

/** Without a chat, as the template comes: the records of a page, and the lines of the mail about it. */
test.each<[what: string, records: IDataObject[], lines: (string | RegExp)[]]>([
  ['a failure', [failed()], ['1 SMS not delivered', /^13810000010: the phone is off.*first\.$/]],
  ['delivered messages, and replies', [handed(report(PHONE)), handed(reply(PHONE, '1'))], []],
  ['an unreadable answer', [CUT], ['SMS: an answer that is no', /: \{"cut$/]],
  ['another answer', [{ event: 'unreadable', answer: { a: [1] } }], ['SMS: ', '{"a":[1]}']],
  ['both, of which one is counted', [failed(), CUT], ['1 SMS not', '', '{"cut']],
  ['no fields', [{ event: 'deliveryReport' }], ['1 SMS', 'the cause is not known (no status']],
  ['a status that is a number', [failed(PHONE, { status: 5 })], ['1 SMS', 'not known (5 as']],
  ['no number', [failed(PHONE, { phone_number: null })], ['1', 'A number that is not given: the']],
  ['a status that is an object', [failed(PHONE, { status: { a: 1 } })], ['1 SMS', '({"a":1} as']],
  ['words that are an object', [failed(PHONE, { status_desc: { a: 1 } })], ['1', 'V {"a":1}']],
  ['no batch', [failed(PHONE, { batch_id: undefined })], ['1 SMS', 'batch not given']],
])('%s', async (_, records, lines) => {
  expect((await run(CALLED, ...records)).error).toBeUndefined();
  expect(n8n.mails.flatMap((mail) => mail.split('\n'))).toEqual(lines.map(has));
});

test.each<[string, number]>([
  ['for five seconds: the same execution mails', 2],
  ['for longer: the execution fails', 5],
])('the mail server is away %s', async (_, refused) => {
  n8n.refuseMails(refused);
  const { error } = await run(CALLED, failed());
  expect(Boolean(error)).toBe(refused === 5);
  expect(n8n.mails).toHaveLength(refused === 5 ? 0 : 1);
});

test.each<[answer: IDataObject, says: string | undefined]>([
  [{ errcode: 93000, errmsg: 'invalid webhook url' }, '{"errcode":93000,'],
  [{ errcode: '93000' }, '{"errcode":"93000"}'],
  [{ errcode: '0', errmsg: 'ok' }, undefined],
  // Of another chat.
  [{ code: 19001, msg: 'param invalid' }, '{"code":19001,"msg":"param invalid"}'],
  [{ data: '<html>Please log in' }, '{"data":"<html>Please log in"}'],
  [{}, '{}'],
  // What a node gives that goes on after an error.
  [{ error: 'connect ECONNREFUSED' }, '{"error":"connect ECONNREFUSED"}'],
])('the robot answers %j: a mail says so, unless it took it', async (answer, says) => {
  withChat(answer);
  expect((await run(CALLED, failed())).error).toBeUndefined();
  expect(n8n.mails).toEqual(says ? [has(`1 SMS not delivered\n13810000010: `)] : []);
  expect(n8n.mails.join()).toContain(says ? `\n\nThe chat did not take it: ${says}` : '');
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

test('500 reports: a post that a robot takes, or one mail with all of them', async () => {
  const page = Array.from({ length: 500 }, (_, index) =>
    failed(String(13_900_000_000 + index), { status_desc: '号码为空或者关机'.repeat(99) }),
  );
  await run(CALLED, ...page);
  withChat();
  await run(CALLED, ...page);
  expect(n8n.mails[0]?.split('\n')).toHaveLength(501);
  const { content } = n8n.posts[0]?.text as { content: string };
  expect(Buffer.byteLength(content)).toBeLessThan(2000);
  expect(content).toMatch(/… \(in all 500 SMS not delivered: all are in a mail\)$/);
  // What the post leaves out.
  expect(n8n.mails[1]).toBe(n8n.mails[0]);
});
