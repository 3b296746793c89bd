/**
 * The demo's main job: orders send SMS, customers reply, and the replies are handled. Templates from `examples/`
 * do it, imported and set up as examples/README.md says.
 */
import { expect } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import {
  errorOf,
  hasEnded,
  itemsOf,
  N8nError,
  type Credential,
  type Execution,
  type N8nClient,
  type Workflow,
} from '../kit/n8n/client';
import { DataTables } from '../kit/n8n/dataTables';
import { executionsOf } from '../../desk/kit/inbox';
import { startSmtp, type Mail, type SmtpServer } from '../kit/n8n/smtp';
import { WEBHOOK_KEY, WITH_KEY } from '../kit/n8n/webhookKey';
import {
  ADDRESS,
  addOwn,
  fieldsWith,
  OWN,
  picked,
  readExample,
  SHIPPED,
  withChoices,
  withoutNodes,
  type Choices,
} from '../kit/workflows/workflowFiles';
import { firstOrders, MISTYPED_NUMBER, mistypedOrder, order } from './orders';
import { connectAccount, LIMIT, RECEIVING_LIMIT, type Played, type Stage } from './stage';
import { conclude, onPhones, recordFindings } from './summary';

const ORDERS = firstOrders(8);

/** Fail on the way to the phone. */
const UNDELIVERED = ORDERS.filter(({ phone }) => /000[1-3]$/.test(phone));

/** What the phones reply, and the SMS that answers it. Others go to a person, but for the one that opts out. */
const OPT_OUT = 'TD';
const REPLIES = [
  { phone: order(0).phone, content: '1', answer: '您的预约已确认。' },
  { phone: order(4).phone, content: '2', answer: '您的预约已取消。' },
  { phone: order(5).phone, content: OPT_OUT },
  { phone: order(6).phone, content: 'When will it arrive?' },
  { phone: order(7).phone, content: '谢谢' },
];
const ANSWERED = REPLIES.filter(({ answer }) => answer !== undefined);
const OPTED_OUT = REPLIES.filter(({ content }) => content === OPT_OUT);
const FOR_A_PERSON = REPLIES.filter((reply) => ![...ANSWERED, ...OPTED_OUT].includes(reply));

const ANSWER = '您的预约已${result}。';

/** The template with the trigger, as its workflow is called. */
const TRIGGER = 'Reports and replies';

interface Scene extends Stage {
  credentials: Credential[];
  tables: DataTables;
  smtp: SmtpServer;
}

/** Plays the demo, prints the result, and returns what one can try. */
export async function playTemplates(stage: Stage): Promise<Played> {
  const { gateway, progress, client } = stage;
  const smtp = await startSmtp((mail) => console.log(`         Mail: ${firstLineOf(mail)}`));
  const account = await connectAccount(stage);
  const mail = await client.createCredential('SMTP account', 'smtp', smtp.credential);
  const tables = new DataTables(client);
  const scene = { ...stage, smtp, tables, credentials: [...account, mail] };
  addOwn(gateway, ANSWER);

  await publish(scene, 'order-sms', { 'Send the SMS': SHIPPED });
  const answers = await postOrders(scene);
  for (const { phone, content } of REPLIES) gateway.state.reply({ phoneNumber: phone, content });
  progress.tell(`${REPLIES.length} of the virtual phones have replied.`);
  const trigger = await publishReceiving(scene);
  await untilHandled(scene);
  // Each ends after those that it calls.
  await client.endedExecutions(trigger, 1);
  const executions = await executionsOf(client, trigger);
  progress.stop();

  const succeeded = await summarize(scene, answers, executions);
  return { succeeded, steps: stepsOf(stage, trigger) };
}

/** Imports a template with what a user chooses in it, without the nodes that the user deletes, and publishes it. */
async function publish(
  { client, credentials, progress }: Scene,
  name: string,
  choices: Choices,
  ...deleted: string[]
): Promise<Workflow> {
  const file = withoutNodes(withChoices(readExample(name), choices), ...deleted);
  const workflow = await client.importWorkflow(file, credentials);
  await client.publish(workflow);
  progress.tell(`The template ${name} is imported, set up and published.`);
  return workflow;
}

/** An account has one trigger. It hands on what it gets, and the others start when they are called. */
async function publishReceiving(scene: Scene): Promise<Workflow> {
  const replies = await publish(
    scene,
    'reply-keyword',
    {
      'Read the reply': fieldsWith(readExample('reply-keyword'), 'Read the reply', {
        question: '已发货',
      }),
      Answer: OWN,
      'To a person': ADDRESS,
    },
    'New replies',
  );
  const reports = await publish(
    scene,
    'not-delivered',
    { 'Mail them': ADDRESS },
    'New delivery reports',
  );
  const calling = ({ id }: Workflow) => ({ workflowId: picked(id) });
  return await publish(scene, 'one-trigger', {
    'Reports and replies': { events: ['deliveryReport', 'reply'] },
    'Workflow for reports': calling(reports),
    'Workflow for keywords': calling(replies),
    'Workflow for other replies': calling(replies),
  });
}

/**
 * Posts the orders as a shop does, the first one again, and one with a mistyped number.
 *
 * @returns the HTTP status and the answer to each
 */
async function postOrders({ client, gateway, progress }: Scene): Promise<IDataObject[]> {
  const [first, ...others] = ORDERS;
  const answers = [await postOrder(client, first)];
  await expect.poll(() => gateway.deliveries().size, LIMIT).toBeGreaterThan(0);
  progress.tell('The first order is posted, and its SMS is on a virtual phone.');
  for (const each of [...others, first, mistypedOrder(ORDERS.length)]) {
    answers.push(await postOrder(client, each));
  }
  progress.tell(
    `${answers.length} orders are posted, one of them twice, and one with the number "${MISTYPED_NUMBER}".`,
  );
  return answers;
}

async function postOrder(client: N8nClient, body: unknown): Promise<IDataObject> {
  try {
    const answer = await client.callWebhook('order-sms', body, WITH_KEY);
    return { http: 200, ...(JSON.parse(answer) as IDataObject) };
  } catch (error) {
    if (!(error instanceof N8nError && error.status === 422)) throw error;
    return { http: 422, ...(JSON.parse(error.answer) as IDataObject) };
  }
}

/** Waits until each reply and each failed delivery is handled. */
async function untilHandled(scene: Scene): Promise<void> {
  const { progress } = scene;
  const handled = async () => {
    const { answers, optOuts, toAPerson, undelivered } = await findHandled(scene);
    return answers.length + optOuts.length + toAPerson.length + undelivered.length;
  };
  const all = REPLIES.length + UNDELIVERED.length;
  await progress
    .during(
      async () =>
        `${await handled()} of ${all} replies and failed deliveries ` +
        'are handled. The trigger polls as it is published, and then once a minute',
      expect.poll(handled, { ...RECEIVING_LIMIT, intervals: [250] }).toBeGreaterThanOrEqual(all),
    )
    .then(() => progress.tell('Each reply and each failed delivery is handled.'))
    .catch((error: Error) => progress.tell(`Not everything is handled: ${error.message}`));
}

/** What has become of the replies and of the failed deliveries, where one would see it. */
async function findHandled({ gateway, tables, smtp }: Scene) {
  const lines = smtp.mails
    .filter(({ subject }) => subject.endsWith('SMS not delivered'))
    .flatMap(({ text }) => text.trim().split('\n'));
  return {
    answers: onPhones(gateway).delivered.filter(isAnswer),
    optOuts: await tables.rows('sms_opt_outs'),
    toAPerson: smtp.mails.filter(({ subject }) => subject.startsWith('SMS from')),
    undelivered: lines,
  };
}

/** Whether an SMS answers a reply, rather than an order. */
const isAnswer = ({ content }: { content: string }) => content.includes('您的预约已');

/** Prints what the shop, the phones, the table and the mailbox have got. Returns whether it is right. */
async function summarize(
  scene: Scene,
  outcomes: IDataObject[],
  executions: Execution[],
): Promise<boolean> {
  const { gateway } = scene;
  const { answers, optOuts, toAPerson, undelivered } = await findHandled(scene);
  const records = executions.flatMap((each) => itemsOf(each, TRIGGER)).map(({ json }) => json);
  const { delivered, replied } = onPhones(gateway);
  // The reports on the answers come a minute later.
  const forOrders = delivered.filter((entry) => !isAnswer(entry));
  const batches = new Set(forOrders.map(({ batch_id }) => batch_id));
  const reports = records.filter(
    ({ event, batch_id }) => event === 'deliveryReport' && batches.has(String(batch_id)),
  );
  const replies = records.filter(({ event }) => event === 'reply');

  const accepted = outcomes.filter(({ status }) => status === 'accepted');
  return conclude(
    [
      [
        'orders answered',
        outcomes.map(({ http, status }) => `${http as number} ${status as string}`),
        [...ORDERS.map(() => '200 accepted'), '200 accepted', '422 rejected'],
      ],
      [
        'messages on the virtual phones',
        forOrders.map(({ phone }) => phone),
        ORDERS.map(({ phone }) => phone),
      ],
      [
        'batches of them',
        forOrders.map(({ batch_id }) => batch_id),
        [...new Set(accepted.map(({ batch_id }) => String(batch_id)))],
      ],
      ...recordFindings(reports, replies, { delivered: forOrders, replied }),
      [
        'replies answered by SMS',
        answers.map(({ phone, content }) => `${phone} ${content}`),
        ANSWERED.map(({ phone, answer }) => `${phone} 【云岭商城】${answer}`),
      ],
      [
        'opted out, in sms_opt_outs',
        optOuts.map(({ phone_number, word }) => `${String(phone_number)} "${String(word)}"`),
        OPTED_OUT.map(({ phone, content }) => `${phone} "${content}"`),
      ],
      [
        'replies for a person, by mail',
        toAPerson.map(firstLineOf),
        FOR_A_PERSON.map(({ phone, content }) => `SMS from ${phone}: ${content}`),
      ],
      [
        'failed deliveries, by mail',
        undelivered.map((line) => line.slice(0, 11)),
        UNDELIVERED.map(({ phone }) => phone),
      ],
      [
        'executions that failed',
        // Each minute the trigger asks for more, so one may be under way.
        executions
          .filter((each) => hasEnded(each) && each.status !== 'success')
          .map((each) => `${each.id}: ${errorOf(each) ?? each.status}`),
        [],
      ],
    ],
    gateway,
  );
}

const firstLineOf = ({ subject, text }: Mail) => `${subject}: ${text.split('\n', 1)[0]}`;

/** A number of the user's own. */
const YOURS = '13800138000';

function stepsOf({ n8n, gateway }: Stage, trigger: Workflow): string[] {
  const posted = { order: 'B-1', phone: YOURS, name: 'Li Lei', date: 'June 3' };
  return [
    `Post an order, as a shop does:
curl ${n8n.url}/webhook/order-sms -H '${WEBHOOK_KEY.name}: ${WEBHOOK_KEY.value}' \\
  -H 'content-type: application/json' -d '${JSON.stringify(posted)}'
The answer is "accepted". Post it again: the same answer, and no second message.`,
    `Open the virtual phones, ${gateway.origin}/, find the number ${YOURS}, type 1 there and press "Send".
Within a minute the answer is on the phone.`,
    `Reply ${OPT_OUT}. Within a minute the number is in the table sms_opt_outs:
${n8n.url}/home/datatables
Then reply 1 again: no answer comes.`,
    'Reply anything else. Within a minute a person gets it by mail: a line here says so.',
    `Open the executions of the workflow that has the trigger, and see what it got and whom it called:
${n8n.url}/workflow/${trigger.id}/executions`,
  ];
}
