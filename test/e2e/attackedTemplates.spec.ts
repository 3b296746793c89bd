/** The templates where it counts: a send that is executed twice, and records for PostgreSQL while n8n or the database is down. */
import path from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { DataTables } from './lib/dataTables';
import { publishCaller } from './lib/callers';
import type { Credential, N8nClient, Workflow, WorkflowFile } from './lib/client';
import { Drains, PAGE, TICK_LIMIT_MS } from './lib/drains';
import { Outbox } from './lib/outbox';
import { outputFolder } from './lib/paths';
import { startSmtp, type SmtpServer } from './lib/smtp';
import { expect, test as base, type Account } from './lib/test';
import { WEBHOOK_KEY, WITH_KEY } from './lib/webhookKey';
import {
  ADDRESS,
  addOwn,
  OWN,
  readExample,
  SHIPPED,
  withChoices,
  withoutNodes,
  withText,
  type Choices,
} from './lib/workflowFiles';

const PHONE = '13810000010';

interface Desk {
  smtp: SmtpServer;
  credentials: Credential[];
  drains: Drains;
}

const test = base.extend<Desk>({
  smtp: async ({ client }, use) => {
    await new DataTables(client).remove();
    const smtp = await startSmtp();
    await use(smtp);
    await smtp.close();
  },
  credentials: async ({ client, smtp }, use) => {
    const secret = { hmacSecret: 'the-secret-of-the-suite' };
    await use([
      await client.createCredential('SMTP account', 'smtp', smtp.credential),
      await client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY),
      await client.createCredential('Crypto account', 'crypto', secret),
    ]);
  },
  drains: async ({ n8n, openAccount }, use) => use(new Drains(n8n, openAccount)),
});

/** What a test has to do something twice. */
interface Stage {
  client: N8nClient;
  account: Account;
  file: WorkflowFile;
  credentials: Credential[];
}

type Again = () => Promise<unknown>;

/** Publishes a template. */
async function published({ client, file, credentials }: Stage): Promise<Workflow> {
  const workflow = await client.importWorkflow(file, credentials);
  await client.publish(workflow);
  return workflow;
}

/** Puts the same reply into a template that is called. */
const withReply = (content: string) => async (stage: Stage) => {
  const file = withoutNodes(stage.file, 'New replies');
  const call = await publishCaller(stage.client, await published({ ...stage, file }));
  const reply = { event: 'reply', mobile: Number(PHONE), content, time: 1_767_225_600 };
  return () => call([reply]);
};

const post = (path: string, body: object) => async (stage: Stage) => {
  await published(stage);
  // What is refused because it came before is an answer, too.
  return () => stage.client.callWebhook(path, body, WITH_KEY).catch(() => undefined);
};

interface Double {
  choices: Choices;
  /** The text of the user's own SMS template. */
  text?: string;
  /** Sets the template up, and returns what is done twice. */
  doing: (stage: Stage) => Promise<Again>;
  /** Makes a template that looks at the clock do the same at any time. */
  anyTime?: (file: WorkflowFile) => WorkflowFile;
}

/** One of each kind: a key of the shop, a reply that comes again, a limit in a table. */
const DOUBLES: Record<string, Double> = {
  'order-sms': {
    choices: { 'Send the SMS': SHIPPED },
    doing: post('order-sms', { order: 'A-1', phone: PHONE, name: '李雷', date: '6月3日' }),
  },
  'reply-keyword': {
    choices: { 'To a person': ADDRESS, Answer: OWN },
    text: '您的预约已${result}。',
    doing: withReply('1'),
  },
  'verification-code': {
    choices: { 'Send the code': OWN },
    text: '您的验证码是${code},${minutes}分钟内有效。',
    anyTime: (file) =>
      withText(file, 'Send the code', "$now.toFormat('yyyyLLddHHmm')", "'203006031200'"),
    doing: post('verification-code/send', { phone: PHONE }),
  },
};

const same = (file: WorkflowFile): WorkflowFile => file;

for (const [name, { choices, text, doing, anyTime = same }] of Object.entries(DOUBLES)) {
  test(`${name}: twice at once, and again: one SMS`, async ({
    client,
    credentials,
    openAccount,
  }) => {
    const account = await openAccount();
    if (text !== undefined) addOwn(account.gateway, text);
    const file = anyTime(withChoices(readExample(name), choices));
    const stage = { client, account, file, credentials: [account.credential, ...credentials] };
    const again = await doing(stage);
    await Promise.all([again(), again()]);
    await again();
    await expect.poll(() => account.gateway.deliveries()).toEqual(new Map([[PHONE, 1]]));
    // An error workflow begins after the workflow that has failed.
    await expect.poll(() => openExecutions(client)).toBe(0);
    expect(account.gateway.deliveries()).toEqual(new Map([[PHONE, 1]]));
  });
}

// With tries that are counted behind the comparison, a wrong code beside the right one takes its try.
test('verification-code: the right one is right once', async ({
  client,
  credentials,
  openAccount,
}) => {
  const { gateway, credential } = await openAccount();
  const { choices, text = '' } = DOUBLES['verification-code'] as Double;
  addOwn(gateway, text);
  const file = withChoices(readExample('verification-code'), choices);
  const workflow = await client.importWorkflow(file, [credential, ...credentials]);
  await client.publish(workflow);
  const call = async (path: 'send' | 'check', body: object) =>
    JSON.parse(
      await client.callWebhook(`verification-code/${path}`, body, WITH_KEY),
    ) as IDataObject;
  const codeFor = (phone: string) =>
    /\d{6}/.exec(gateway.state.messages.get(phone)?.at(-1)?.content ?? '')?.[0] ?? '';
  for (let place = 0; place < 5; place += 1) {
    const phone = `1381000055${place}`;
    expect(await call('send', { phone })).toEqual({ sent: true });
    const code = codeFor(phone);
    const entered = [0, 1, 2, 3, 4].map((index) => (index === place ? code : `no ${index}`));
    const checks = await Promise.all(entered.map((each) => call('check', { phone, code: each })));
    expect(checks.map(({ valid }) => valid)).toEqual(entered.map((each) => each === code));
    expect(await call('check', { phone, code }), 'a second time').toEqual({ valid: false });
  }

  const phone = '13810000560';
  await call('send', { phone });
  await Promise.all([1, 2, 3, 4, 5].map(() => call('check', { phone, code: 'no' })));
  const late = await call('check', { phone, code: codeFor(phone) });
  expect(late, 'after five tries').toEqual({ valid: false });

  // Executions have codes, so n8n keeps none. The table has hashes.
  await expect.poll(() => client.executions(workflow)).toEqual([]);
  const rows = await new DataTables(client).rows('sms_login_codes');
  expect(rows.filter(({ kind }) => kind === 'code')).toHaveLength(6);
  for (const { hash } of rows) expect(hash).toMatch(/^[0-9a-f]{64}$/);
});

/** How many executions go on. A form's waits until somebody sees its last page. */
async function openExecutions(client: N8nClient): Promise<number> {
  const filter = encodeURIComponent(JSON.stringify({ status: ['new', 'running'] }));
  const { results } = await client.call<{ results: unknown[] }>(
    'GET',
    `/rest/executions?filter=${filter}&limit=100`,
  );
  return results.length;
}

/** So many pages that n8n is killed between two of them. */
const BACKLOG = 5 * PAGE;

test('records-postgres: kill -9 makes no record two rows', async ({ client, drains }, {
  testId,
}) => {
  await Outbox.use(path.join(outputFolder, 'outbox', testId), 'records', async (outbox) => {
    const data = { ...outbox.database, ssl: 'disable' };
    const drain = await drains.underWay({
      file: readExample('records-postgres'),
      credentials: [await client.createCredential('Postgres account', 'postgres', data)],
      afterPage: 2,
      backlog: BACKLOG,
    });
    await drains.killAndRestart();
    await drains.drained(drain);
    // A page that was at work is handed over again: what counts is what is stored.
    const stored = async () => {
      const [row] = await outbox.server.any<Record<'rows' | 'records', number>>(
        'SELECT count(*)::int AS rows, count(DISTINCT batch_id)::int AS records FROM sms_records',
      );
      return row ?? { rows: 0, records: 0 };
    };
    await expect
      .poll(async () => (await stored()).records, { timeout: TICK_LIMIT_MS })
      .toBeGreaterThanOrEqual(BACKLOG - PAGE);
    await expect.poll(() => openExecutions(client)).toBe(0);
    const { rows, records } = await stored();
    console.log(`${records} of ${BACKLOG} records are stored, in ${rows} rows`);
    expect(rows).toBe(records);
  });
});

test('records-postgres: without a database', async ({ client, drains, openAccount }, {
  testId,
}) => {
  await Outbox.use(path.join(outputFolder, 'outbox', testId), 'records', async (outbox) => {
    const data = { ...outbox.database, database: 'later', ssl: 'disable' };
    const { gateway, credential } = await openAccount();
    // More than the pages that may wait for the end of their executions.
    gateway.queueReports(15 * PAGE);
    const workflow = await client.importWorkflow(readExample('records-postgres'), [
      credential,
      await client.createCredential('Postgres account', 'postgres', data),
    ]);
    await client.publish(workflow);
    const states = async () => (await drains.executions(workflow)).map(({ status }) => status);
    await expect.poll(states, { timeout: TICK_LIMIT_MS }).toContain('error');
    // The service keeps the rest.
    expect(gateway.state.reportsLeft).toBeGreaterThanOrEqual(5 * PAGE);

    await outbox.server.any('CREATE DATABASE later');
    const later = Outbox.connect({ ...outbox.database, database: 'later' });
    const rows = async () => (await later.server.any('SELECT 1 FROM sms_records')).length;
    await expect.poll(() => rows().catch(() => 0), { timeout: 2 * TICK_LIMIT_MS }).toBe(15 * PAGE);
    await later.close();
  });
});
