/** `npm run demo -- --desk`: the workflows of the desk beside each other, with a day of history and a campaign. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import { itemsOf } from '../kit/n8n/client';
import { makeDay, TEMPLATES } from '../../desk/kit/day';
import { executionsOf } from '../../desk/kit/inbox';
import { anyNode, callTo } from '../kit/n8n/workflow';
import { answering, type Result } from '../../desk/kit/gate';
import { publishAsking } from '../../desk/kit/questions';
import { ensurePostgres, startPostgres } from '../kit/n8n/postgres';
import { startSmtp } from '../kit/n8n/smtp';
import { Outbox } from '../../desk/kit/outbox';
import { deskKey, deskWorkflows, installDesk, storeIn, type Tables } from '../../desk/kit/store';
import { WEBHOOK_KEY, WITH_KEY } from '../kit/n8n/webhookKey';
import { addTemplates, readExample } from '../kit/workflows/workflowFiles';
import type { Gateway } from '../sandbox/gateway';
import { firstOrders, MISTYPED_NUMBER, mistypedOrder, order } from './orders';
import { connectAccount, FOLDER, LIMIT, RECEIVING_LIMIT, type Played, type Stage } from './stage';
import { conclude, countsOf, onPhones, recordFindings } from './summary';

const ORDERS = 250;
const OPT_OUT = 'TD';
const REPLIES = [OPT_OUT, '谢谢', 'OK', 'When will it arrive?', '换个地址', 'Thanks 👍'];

/** The recipients of the campaign. A portion of 100 is sent every ten seconds. */
const RECIPIENTS = 5_000;

/** Who is asked about an appointment. */
const ASKED = '13810000040';
const ANSWER = '1';

/** The demo runs at any hour, and all its messages go to few numbers. */
const RULES = ['code', 'alarm', 'notice', 'marketing', 'all'].map((name) => ({
  ...{ class: name, check_opt_outs: true, from_hour: 0, to_hour: 24 },
  ...{ outside_hours: 'refuse', per_hour: 0, per_day: 0 },
}));

/** The web pages of the workflows, and their addresses in n8n. */
const PAGES = {
  dashboard: 'webhook/sms-dashboard',
  conversations: 'webhook/sms-conversations',
  campaigns: 'webhook/sms-campaign',
  'new campaign': 'form/sms-campaign-form',
  status: 'webhook/sms-status',
};

const PAGES_LOGIN = { user: 'demo', password: 'Demo-dashboard-1' };

/** For a campaign that the user starts. */
const SPREADSHEET = path.join(FOLDER, 'recipients.csv');

/** The tables of the desk, in a PostgreSQL that ends with the demo. */
async function store({ client, progress }: Stage) {
  await ensurePostgres(path.join(FOLDER, 'postgres'), progress.tell);
  const stops: (() => Promise<void>)[] = [];
  const { database } = await startPostgres(FOLDER, stops);
  // The first one removes its data.
  process.once('exit', () => void stops[0]?.());
  return await storeIn(client, await Outbox.create(database, 'desk'));
}

/** Plays the demo, prints the result, and returns what one can try. */
export async function playDesk(stage: Stage): Promise<Played> {
  const { client, gateway, progress } = stage;
  const { tell } = progress;
  const { tables } = await store(stage);
  await tables.create();
  await tables.clear('sms.rules');
  await tables.insert('sms.rules', RULES);
  // Before anybody subscribes, or else the inbox would hand the history over.
  const day = makeDay({ now: new Date() });
  tell(`Filling the dashboard with a day of history: ${day.sends.length} messages ...`);
  await tables.fill(day);
  await tables.insert('sms.templates', TEMPLATES);
  const workflow = await setUpWorkflows(stage);

  const isNew = (row: IDataObject) => row.run !== day.events[0]?.run;

  tell(`Asking ${ASKED} by SMS whether an appointment suits ...`);
  const answered = anyNode('n8n-nodes-base.noOp', 1, 'Answered');
  const { asking, ask } = await publishAsking(client, workflow('ask-and-wait'), answered);
  await ask([{ id: '4001', phone: ASKED, name: 'Li Lei', date: 'June 3, 10:00' }]);
  await expect.poll(() => gateway.deliveries().has(ASKED), LIMIT).toBe(true);

  const orders = [...firstOrders(ORDERS), mistypedOrder(ORDERS)];
  tell(`Sending ${orders.length} notifications, one of them to "${MISTYPED_NUMBER}" ...`);
  const shop = answering('shop', callTo(workflow('outbox')));
  await client.publish(await client.importWorkflow({ ...shop, name: 'Shop' }, []));
  const ids = { source: 'Shop', template_id: '302', signature_id: '202' };
  const messages = orders.map(({ phone, ...parameters }) => ({
    ...{ ...ids, phone, parameters },
    ...{ key: parameters.order, reference: parameters.order },
  }));
  const sent = JSON.parse(await client.callWebhook('shop', { messages })) as Result[];

  gateway.state.reply({ phoneNumber: ASKED, content: ANSWER });
  REPLIES.forEach((content, index) => {
    gateway.state.reply({ phoneNumber: order(10 + index).phone, content });
  });
  const replies = 1 + REPLIES.length;
  tell(`${replies} of the virtual phones have replied.`);

  const reports = gateway.deliveries().size;
  const storedOf = async (event: string) =>
    (await tables.count('sms.inbox', { event })) -
    day.events.filter((each) => each.event === event).length;
  const stored = async () => (await storedOf('deliveryReport')) + (await storedOf('reply'));
  await progress
    .during(
      async () =>
        `${await storedOf('deliveryReport')} of ${reports} delivery reports and ` +
        `${await storedOf('reply')} of ${replies} replies are stored. The inbox polls once a minute`,
      expect.poll(stored, RECEIVING_LIMIT).toBeGreaterThanOrEqual(reports + replies),
    )
    .then(() => tell(`${reports} delivery reports and ${replies} replies are stored.`))
    .catch((error: Error) => tell(`Not all records have arrived: ${error.message}`));
  let answers: IDataObject[] = [];
  const gone = async () => {
    const executions = await executionsOf(client, asking);
    answers = executions.flatMap((each) => itemsOf(each, 'Answered')).map(({ json }) => json);
    return answers.length;
  };
  tell(`Waiting until the execution for ${ASKED} goes on ...`);
  await expect.poll(gone, RECEIVING_LIMIT).toBeGreaterThan(0);
  tell(`The execution that waited for ${ASKED} has gone on with the reply "${ANSWER}".`);

  const received = (await tables.rows('sms.inbox')).filter(isNew);
  const campaign = await runCampaign(stage, tables);
  progress.stop();

  const optOuts = await tables.rows('sms.opt_outs');
  const succeeded = summarize(gateway, campaign, { sent, answers, received, optOuts });
  writeFileSync(SPREADSHEET, spreadsheet());
  return { succeeded, steps: stepsOf(stage) };
}

/**
 * Prints what n8n has, and returns whether the sandbox knows the same.
 *
 * @param campaign who is sent to while the rest is counted
 * @param found what the outbox has answered, items of executions, and rows of tables
 */
function summarize(
  gateway: Gateway,
  campaign: ReadonlySet<string>,
  found: Record<'sent' | 'answers' | 'received' | 'optOuts', IDataObject[]>,
): boolean {
  const { sent, answers, received, optOuts } = found;
  const phones = onPhones(gateway, campaign);
  const orders = firstOrders(ORDERS).map(({ phone }) => phone);
  const numbersOf = (rows: IDataObject[]) => rows.map((row) => String(row.phone_number));
  return conclude(
    [
      [
        'messages sent',
        numbersOf(sent.filter(({ status, batch_id }) => status === 'accepted' && batch_id)),
        orders,
      ],
      [
        'not sent',
        sent.filter(({ status }) => status !== 'accepted').map(({ reason }) => String(reason)),
        [`"${MISTYPED_NUMBER}" is not a mobile number.`],
      ],
      [
        'question answered',
        answers.map(({ phone_number: phone, answer }) => `${String(phone)} "${String(answer)}"`),
        [`${ASKED} "${ANSWER}"`],
      ],
      ['messages on the phones', phones.delivered.map(({ phone }) => phone), [ASKED, ...orders]],
      ...recordFindings(
        received.filter(({ event }) => event === 'deliveryReport'),
        received.filter(({ event }) => event === 'reply'),
        phones,
      ),
      [
        'opted out',
        numbersOf(optOuts),
        phones.replied.filter(({ content }) => content === OPT_OUT).map(({ phone }) => phone),
      ],
    ],
    gateway,
  );
}

function stepsOf({ gateway }: Stage): string[] {
  return [
    `Open the virtual phones, find the number ${ASKED}, type a reply there and press "Send". Within a minute
it is in the conversations: search for ${ASKED.slice(-4)}. Answer it with the template 发货通知: the answer is on
the phone.`,
    `Open the campaigns and "Spring": every ten seconds 100 more of the ${RECIPIENTS} messages are sent. Press
"Pause", and "Resume".`,
    `Open "new campaign", enter a name, choose the file ${path.relative(process.cwd(), SPREADSHEET)} and the template
发货通知. A page says what will happen. Press "Start": the messages go out after a minute.`,
    `Open the service check, and enter ${gateway.baseUrl} as the Base URL: a page says what works and what to set.`,
  ];
}

/** Sets up the credentials, the desk by its installer, and the service check. */
async function setUpWorkflows(stage: Stage) {
  const { client, gateway, progress, addAddress, n8n } = stage;
  addTemplates(gateway);
  const smtp = await startSmtp(({ subject }) => console.log(`         Mail: ${subject}`));
  const credentials = await connectAccount(stage);
  // By these names the installer finds them. It makes the logins that are missing, and prints them once.
  await client.createCredential('SMS desk: pages', 'httpBasicAuth', { ...PAGES_LOGIN });
  await client.createCredential('SMS desk: campaigns', 'httpHeaderAuth', WEBHOOK_KEY);
  await client.createCredential('SMTP account', 'smtp', smtp.credential);
  const installed = await installDesk(client, await deskKey(client));
  progress.tell(`npm run desk says: ${installed.trim().split('\n').at(-1)}`);
  await client.publish(await client.importWorkflow(readExample('service-check'), credentials));
  addAddress('service check, as the user of the editor', `${n8n.url}/form/sms-service-check`);
  const login = `${PAGES_LOGIN.user}   ${PAGES_LOGIN.password}`;
  for (const [name, address] of Object.entries(PAGES)) {
    addAddress(name, `${n8n.url}/${address}`, login);
  }
  return await deskWorkflows(client);
}

/** Starts a campaign, and waits until its first messages have arrived. It goes on. Returns its numbers. */
async function runCampaign({ client, gateway, progress }: Stage, tables: Tables) {
  const people = recipients();
  const choices = { campaign: 'Spring', template_id: '302', signature_id: '202', start: true };
  await client.callWebhook('sms-campaign', { ...choices, recipients: people }, WITH_KEY);
  const arrived = () => people.filter(({ phone }) => gateway.deliveries().has(phone)).length;
  // New rows rest for a minute, so that a list that is posted twice is one.
  await progress.during(
    async () =>
      `A campaign to ${RECIPIENTS}: ${await campaignState(tables)}. It begins after a minute`,
    expect.poll(arrived, RECEIVING_LIMIT).toBeGreaterThan(0),
  );
  progress.tell(`The campaign to ${RECIPIENTS} is under way: ${await campaignState(tables)}.`);
  return new Set(people.map(({ phone }) => phone));
}

/** How many rows of the campaign are in each state. */
async function campaignState(tables: Tables): Promise<string> {
  const rows = await tables.rows('sms.recipients');
  const counts = countsOf(rows.map(({ status }) => String(status)));
  return counts.map(([status, count]) => `${count} ${status}`).join(', ');
}

/** A CSV file of a campaign, with a number twice and one that is none. */
function spreadsheet(): string {
  const people = Array.from({ length: 40 }, (_, index) => ({
    ...order(index % 38),
    ...(index === 39 ? { phone: MISTYPED_NUMBER } : {}),
  }));
  const lines = people.map(({ phone, name, order: id, date }) => [phone, name, id, date]);
  return [['phone', 'name', 'order', 'date'], ...lines].map((each) => `${each}\r\n`).join('');
}

function recipients() {
  return Array.from({ length: RECIPIENTS }, (_, index) => ({
    phone: `139${String(10_000_005 + index * 10)}`,
    name: `Customer ${index + 1}`,
    order: `B-${1001 + index}`,
    date: 'June 3',
  }));
}
