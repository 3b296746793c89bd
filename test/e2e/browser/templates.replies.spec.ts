/** The templates with the trigger, which polls once as it is published. */
import { expect } from '../lib/test';
import {
  addOwn,
  OWN as CHOSEN,
  readExample,
  withChoices,
  withoutNodes,
  type Choices,
} from '../../kit/workflows/workflowFiles';
import { FROM, MAIL, OWN, PHONES, QUESTION, reply, report, test } from './templateTest';

const [PHONE, OTHER, THIRD] = PHONES;

test('reply-table-mail', async ({ openTemplate }) => {
  const { gateway, publish, setUp, smtp, tables } = await openTemplate('reply-table-mail');
  await setUp({ 'Mail it': FROM });
  gateway.queueReplies([reply(PHONE, '好的'), reply(OTHER, 'Thanks')]);
  await publish();

  await expect.poll(() => smtp.mails.map(({ to }) => to)).toEqual([[MAIL], [MAIL]]);
  expect(await tables.rows('sms_replies')).toMatchObject([
    { phone_number: PHONE, content: '好的', answers_to: 'Your order has shipped.' },
    { phone_number: OTHER, content: 'Thanks' },
  ]);
});

test('reply-keyword', async ({ openTemplate }) => {
  const { gateway, publish, setUp, smtp, tables } = await openTemplate('reply-keyword', {
    text: '您的预约已${result}。',
  });
  await setUp({ Answer: OWN, 'To a person': FROM });
  const unasked = reply(PHONES[3], '1');
  gateway.queueReplies([
    reply(PHONE, '2', QUESTION),
    reply(PHONE, '1', QUESTION),
    reply(OTHER, 'TD'),
    reply(THIRD, 'When?'),
    unasked,
  ]);
  await publish();

  const told = [THIRD, PHONES[3]].map((phone) => ({ to: [MAIL], subject: `SMS from ${phone}` }));
  await expect.poll(() => smtp.mails).toMatchObject(told);
  await expect.poll(() => [...gateway.deliveries()]).toEqual([[PHONE, 1]]);
  expect(JSON.stringify(gateway.state.messages.get(PHONE))).toContain('您的预约已确认。');
  await expect
    .poll(() => tables.rows('sms_opt_outs'))
    .toMatchObject([{ phone_number: OTHER, word: 'TD' }]);
});

test('not-delivered', async ({ openTemplate }) => {
  const { gateway, publish, setUp, smtp } = await openTemplate('not-delivered');
  await setUp({ 'Mail them': FROM });
  gateway.queueReports([report(PHONE, 'DELIVRD'), report(OTHER, 'UNDELIV')]);
  await publish();

  await expect
    .poll(() => smtp.mails)
    .toMatchObject([{ to: [MAIL], subject: '1 SMS not delivered' }]);
  expect(smtp.mails[0]?.text).toContain(`${OTHER}: the phone is off, or the number does not exist`);
});

test('records-postgres', async ({ database, openTemplate }) => {
  const { gateway, publish } = await openTemplate('records-postgres', {
    postgres: database.database,
  });
  gateway.queueReports([report(PHONE, 'DELIVRD'), report(OTHER, 'UNDELIV')]);
  gateway.queueReplies([reply(PHONE, "It's \0\ud83dfine")]);
  await publish();

  const rows = (view: string) => database.server.any(`SELECT * FROM ${view}`);
  await expect.poll(() => rows('sms_records').catch(() => [])).toHaveLength(3);
  expect(await rows('sms_replies')).toMatchObject([{ phone_number: PHONE, content: "It's fine" }]);
});

test('one-trigger', async ({ client, openTemplate }) => {
  const { credentials, gateway, publish, setUp, tables } = await openTemplate('one-trigger');
  /** Publishes a template without its trigger, as what a user picks. */
  const called = async (name: string, choices: Choices) => {
    const file = withoutNodes(withChoices(readExample(name), choices), 'New replies');
    const workflow = await client.importWorkflow(file, credentials);
    await client.publish(workflow);
    return { workflowId: workflow.name };
  };
  addOwn(gateway, '您的预约已${result}。');
  await setUp(
    {
      'Workflow for keywords': await called('reply-keyword', {
        Answer: CHOSEN,
        'To a person': FROM,
      }),
    },
    { 'Workflow for other replies': await called('reply-table-mail', { 'Mail it': FROM }) },
  );
  // Without a workflow for reports, they stay with the service.
  gateway.queueReports([report(THIRD, 'UNDELIV')]);
  gateway.queueReplies([reply(PHONE, '1', QUESTION), reply(OTHER, 'TD'), reply(THIRD, 'Thanks')]);
  await publish();

  await expect.poll(() => [...gateway.deliveries()]).toEqual([[PHONE, 1]]);
  await expect
    .poll(() => tables.rows('sms_opt_outs'))
    .toMatchObject([{ phone_number: OTHER, word: 'TD' }]);
  await expect.poll(() => tables.rows('sms_replies')).toMatchObject([{ phone_number: THIRD }]);
});
