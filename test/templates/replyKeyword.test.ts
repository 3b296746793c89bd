import type { IDataObject } from 'n8n-workflow';

import { ADDRESS, OWN, PHONE, reply, useTemplate } from './run';

const template = useTemplate(
  'reply-keyword',
  { 'To a person': ADDRESS, Answer: OWN },
  '您的预约已${result}。',
);

const { n8n, come } = template;

test.each([
  ['1', '确认'],
  [' １。', '确认'],
  ['2', '取消'],
])('%j is answered with %s', async (content, result) => {
  await come(reply(PHONE, content));
  expect(template.sentTo(PHONE)).toEqual([{ result }]);
  expect(n8n.mails).toEqual([]);
});

test('the same keyword in a later reply is answered again', async () => {
  await come(reply(PHONE, '1'));
  await come({ ...reply(PHONE, '1'), time: reply(PHONE, '1').time + 60 });
  expect(template.sentTo(PHONE)).toHaveLength(2);
});

test.each(['TD', 'td ', 'Ｔ', '退订'])('%j opts out once, without an answer', async (content) => {
  await come(reply(PHONE, content));
  await come({ ...reply(PHONE, content), time: reply(PHONE, content).time + 60 });
  expect(n8n.tables.get('sms_opt_outs')).toMatchObject([{ phone_number: PHONE }]);
  expect(template.sentTo(PHONE)).toEqual([]);
});

test('who has opted out gets no answer, also in the same page', async () => {
  await come(reply(PHONE, 'TD'), reply(PHONE, '1'), reply('13810000011', '1'));
  await template.run('From another workflow', {
    event: 'reply',
    mobile: PHONE,
    content: '2',
    time: 1,
  });
  expect(template.sentTo(PHONE)).toEqual([]);
  expect(template.sentTo('13810000011')).toHaveLength(1);
});

test('a number with +86 is the same one', async () => {
  await template.run('From another workflow', { phone_number: `+86 ${PHONE}`, content: 'TD' });
  await come(reply(PHONE, '1'));
  expect(template.sentTo(PHONE)).toEqual([]);
});

test('a person gets everything else', async () => {
  await come(reply(PHONE, 'Thanks. Where is it?'));
  expect(n8n.mails).toEqual([
    expect.stringMatching(/^SMS from 13810000010\nThanks\. Where is it\?(.|\n)*no keyword/),
  ]);
  expect(template.sentTo(PHONE)).toEqual([]);
});

test('a person hears of an answer that was not sent', async () => {
  template.refuse();
  await come(reply(PHONE, '1'));
  expect(n8n.mails).toEqual([expect.stringMatching(/not sent \(rejected\): .*余额不足/)]);
});

test('a reply that comes twice is answered once', async () => {
  const record = { event: 'reply', ...reply(PHONE, '1') };
  await template.run('From another workflow', record);
  await template.run('From another workflow', record);
  expect(template.sentTo(PHONE)).toHaveLength(1);
});

/** What an owner expects when something is not as usual: SMS, mails and opt-outs. */
interface Deviation {
  /** The records of each execution. */
  come: IDataObject[][];
  answers?: string[];
  mails?: unknown[];
  listed?: string[];
}

const one = { event: 'reply', ...reply(PHONE, '1'), phone_number: PHONE };
const stop = { ...one, content: 'TD' };

test.each<[string, Deviation]>([
  ['a reply comes twice in a page', { come: [[one, one]], answers: [PHONE] }],
  [
    'a page comes again',
    {
      come: [
        [stop, one],
        [stop, one],
      ],
      listed: [PHONE],
    },
  ],
  ['no text', { come: [[{ ...one, content: null }]], mails: [/^SMS from 13810000010\n/] }],
  [
    'no number: nobody can be answered or listed',
    {
      come: [
        [
          { event: 'reply', content: 'TD' },
          { event: 'reply', content: '1', time: 1 },
        ],
      ],
      mails: [/^SMS from \nTD\n/, /^SMS from \n1\n/],
    },
  ],
  [
    'no time: a second reply could not be told from this one',
    { come: [[{ ...one, time: null }]], mails: [/not sent \(rejected\)/] },
  ],
  [
    'a number with 86, spaces or wide digits',
    {
      come: [
        [{ ...stop, phone_number: '86 138-1000-0010' }],
        [{ ...stop, phone_number: '＋８６１３８１０００００１１' }],
        [one, { ...one, phone_number: '13810000012' }],
      ],
      listed: [PHONE, '13810000011'],
      answers: ['13810000012'],
    },
  ],
  [
    'a number in a longer one is nobody’s',
    {
      come: [
        [
          { ...stop, phone_number: '20138100000103' },
          { ...one, phone_number: '20138100000103' },
          one,
        ],
      ],
      listed: ['20138100000103'],
      answers: [PHONE],
    },
  ],
  ['the text is a number', { come: [[{ ...one, content: 1 }]], answers: [PHONE] }],
  [
    'an unreadable answer',
    { come: [[{ event: 'unreadable', answer: '<html>' }]], mails: [/\n"<html>"\n/] },
  ],
  ['a report', { come: [[{ event: 'deliveryReport', status: 'UNDELIV' }]], mails: [/UNDELIV/] }],
])('%s', async (_, { come: pages, answers = [], mails = [], listed = [] }) => {
  for (const page of pages) await template.run('From another workflow', ...page);
  expect([...template.gateway.deliveries()]).toEqual(answers.map((phone) => [phone, 1]));
  expect(n8n.mails).toEqual(mails.map((text) => expect.stringMatching(text as RegExp) as unknown));
  const rows = n8n.tables.get('sms_opt_outs') ?? [];
  expect(rows.map(({ phone_number }) => phone_number)).toEqual(listed);
});

test('the mail server is away: the replies come again, each alone, until the person has been told', async () => {
  n8n.refusedMails = 1;
  template.gateway.queueReplies([
    reply('13810000011', 'TD'),
    reply(PHONE, '1'),
    reply('13810000012', 'When?'),
  ]);
  const executions = await template.poll('New replies', 2);
  expect(executions.map(({ error }) => error !== undefined)).toEqual([true, false, false, false]);
  expect(n8n.mails).toEqual([expect.stringMatching(/^SMS from 13810000012\nWhen\?/)]);
  expect([...template.gateway.deliveries()]).toEqual([[PHONE, 1]]);
  expect(n8n.tables.get('sms_opt_outs')).toHaveLength(1);
});

test('nobody knows whether the answer was sent: a person hears of it, and it is not sent again', async () => {
  template.gateway.fault({ kind: 'status', path: '/sendsms/template/send', status: 502 });
  await come(reply(PHONE, '1'));
  await come(reply(PHONE, '1'));
  expect(n8n.mails).toEqual([expect.stringMatching(/not sent \(unknown\)/)]);
  expect(template.gateway.deliveries().get(PHONE) ?? 0).toBeLessThanOrEqual(1);
});

test('an opt-out has the time of the reply, in the zone of the desk', async () => {
  await come(reply(PHONE, 'TD'));
  expect(n8n.tables.get('sms_opt_outs')).toMatchObject([
    { since: '2026-01-01T00:00:00.000Z', word: 'TD' },
  ]);
});
