/** A real n8n with the trial's node, a sandbox gateway, and the two ways to ask. */
import { rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { expect } from '@playwright/test';
import { build } from 'esbuild';
import { getRandomPort } from 'get-port-please';
import type { IDataObject } from 'n8n-workflow';

import { publishCaller } from '../../e2e/lib/callers';
import { N8nClient, N8nError, type Credential, type Workflow } from '../../e2e/lib/client';
import { DataTables } from '../../e2e/lib/dataTables';
import { ensureN8n } from '../../e2e/lib/install';
import { LOOPBACK, startN8n, type N8n } from '../../e2e/lib/n8n';
import { installPackage, packPackage } from '../../e2e/lib/pack';
import { outputFolder } from '../../e2e/lib/paths';
import { publishOutbox } from '../../e2e/lib/publishOutbox';
import { startGateway, type Gateway } from '../../sandbox/gateway';
import * as workflows from './workflows';

const FOLDER = path.join(outputFolder, 'trials/send-and-wait');
const USER_FOLDER = path.join(FOLDER, 'n8n');
const INSTALLED = path.join(USER_FOLDER, '.n8n/nodes/node_modules/n8n-nodes-sms-messaging-service');
const NODE = 'dist/nodes/SmsMessagingService/SmsMessagingService.node';

const OWNER = { email: 'trial@example.com', password: 'Trial-password-1' };

export const SEND = '/sendsms/template/send';

/** Answers that nobody has taken are looked for every five seconds. What has not come by then does not. */
export const LONG_ENOUGH_MS = 20_000;

/** A customer who is asked. */
export interface Customer extends IDataObject {
  phone: string;
  /** What the customer is asked about. It is the idempotency key, too. */
  question: string;
  /** How long the execution waits. */
  seconds: number;
}

/** A way to ask customers: `operation` or `workflow`. */
export interface Way {
  name: string;
  /** Starts an execution that asks. Returns at once. */
  ask(...customers: Customer[]): Promise<void>;
  /** Hands replies over, as the inbox does. */
  handOver(replies: object[]): Promise<void>;
  /** The table of questions. */
  table: string;
}

/** What a trial works with. */
export class House {
  private phones = 13_810_001_000;
  private replies = 0;

  private constructor(
    private n8n: N8n,
    readonly client: N8nClient,
    readonly gateway: Gateway,
    readonly credential: Credential,
    readonly tables: DataTables,
    readonly ways: Way[],
  ) {}

  static async open(tell: (line: string) => void): Promise<House> {
    rmSync(FOLDER, { recursive: true, force: true });
    await ensureN8n(path.join(FOLDER, 'install.log'), tell);
    await installPackage(await packPackage(FOLDER, tell), USER_FOLDER);
    await replaceNode();
    const port = Number(process.env.PORT ?? (await getRandomPort(LOOPBACK)));
    const n8n = await start(port);
    const client = new N8nClient(n8n.url);
    await client.setUpOwner(OWNER);
    const gateway = await startGateway();
    const name = 'SMS Messaging Service account';
    const data = gateway.credential() as IDataObject;
    const credential = await client.createCredential(name, 'smsMessagingServiceApi', data);
    const tables = new DataTables(client);
    await publishOutbox(client, { gateway, credential });
    await tables.createShared();
    await tables.create(workflows.OUTCOMES, ['question', 'outcome']);
    const ways = [await operation(client, credential), await workflow(client)];
    return new House(n8n, client, gateway, credential, tables, ways);
  }

  /** Stops or kills n8n, if it still runs, and starts it on the same data. */
  async restart(how: 'stop' | 'kill', env?: Record<string, string>): Promise<void> {
    await this.n8n[how]();
    this.n8n = await start(Number(new URL(this.client.url).port), env);
  }

  /** Kills n8n while its next send to a phone is under way. Resolves when it has ended. */
  async killAtSend(phone: string, isAccepted: boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.gateway.fault({
        kind: isAccepted ? 'slow' : 'resetBeforeAccept',
        path: SEND,
        match: ({ rawBody }) => {
          if (!rawBody.includes(phone)) return false;
          this.n8n.kill().then(resolve, reject);
          return true;
        },
      });
    });
  }

  /** How many messages a phone has got. */
  messages(phone: string): number {
    return this.gateway.deliveries().get(phone) ?? 0;
  }

  /** A new customer, who is asked for an hour. */
  customer(question: string, fields: Partial<Customer> = {}): Customer {
    this.phones += 1;
    return { phone: String(this.phones), question, seconds: 3600, ...fields };
  }

  /** A reply as the inbox hands it over. */
  reply(phone: string, content: string, batch_id = ''): object {
    this.replies += 1;
    const time = new Date().toISOString();
    const empty = { status: '', status_desc: '', user_data: '', phone_data: '' };
    return {
      id: this.replies,
      event: 'reply',
      phone_number: phone,
      content,
      time,
      batch_id,
      ...empty,
    };
  }

  /** What comes of a question within a time that is long enough, in one text. */
  async outcome(question: string, count = 1): Promise<string> {
    const end = Date.now() + LONG_ENOUGH_MS;
    for (;;) {
      const outcomes = await this.outcomes(question);
      if (outcomes.length >= count) return outcomes.join(' + ');
      if (Date.now() > end) return [...outcomes, 'nothing'].join(' + ');
      await setTimeout(200);
    }
  }

  /** What came of a question: nothing, or an outcome for each time that it was asked. */
  async outcomes(question: string): Promise<string[]> {
    const rows = await this.tables.rows(workflows.OUTCOMES, { question });
    return rows.map(({ outcome }) => String(outcome));
  }

  /** The rows of a question in the table of questions, oldest first. */
  async rows({ table }: Way, question: string): Promise<IDataObject[]> {
    return await this.tables.rows(table, { question });
  }

  /** The status of the latest execution that has asked a question. */
  async status(way: Way, question: string): Promise<string> {
    const row = (await this.rows(way, question)).at(-1);
    if (!row) return 'no row';
    return (await this.client.execution(String(row.execution))).status;
  }

  /** Waits until the execution of a question waits. */
  async waits(way: Way, question: string): Promise<void> {
    await until(`${question} waits`, async () => (await this.status(way, question)) === 'waiting');
  }

  async close(): Promise<void> {
    await this.n8n.stop();
    await this.gateway.close();
  }
}

/** Waits for a condition. */
export async function until(what: string, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  await expect.poll(isTrue, { message: what, timeout: 150_000, intervals: [200] }).toBe(true);
}

async function start(port: number, env?: Record<string, string>): Promise<N8n> {
  const logFile = path.join(FOLDER, `n8n-${Date.now()}.log`);
  return await startN8n({ userFolder: USER_FOLDER, logFile, port, env });
}

/** Puts the trial's node in the place of the installed one, and into n8n's category for human review. */
async function replaceNode(): Promise<void> {
  const file = path.join(INSTALLED, NODE);
  await build({
    entryPoints: [path.join(__dirname, 'node.ts')],
    outfile: `${file}.js`,
    bundle: true,
    platform: 'node',
    external: ['n8n-workflow'],
  });
  const codex = await readCodex(`${file}.json`);
  codex.categories.push('HITL');
  codex.subcategories = { HITL: ['Human in the Loop'] };
  await writeFile(`${file}.json`, JSON.stringify(codex));
}

async function readCodex(file: string) {
  return JSON.parse(await readFile(file, 'utf8')) as {
    categories: string[];
    subcategories?: object;
  };
}

async function operation(client: N8nClient, credential: Credential): Promise<Way> {
  for (const file of [workflows.register(), workflows.sent()]) {
    await client.publish(await client.importWorkflow(file, []));
  }
  const replies = await client.importWorkflow(workflows.repliesToOperation(), []);
  await client.publish(replies);
  const path = 'trial-operation';
  const asking = await client.importWorkflow(workflows.askWithOperation(path, credential), [
    credential,
  ]);
  await client.publish(asking);
  return await way(client, 'operation', path, replies, workflows.QUESTIONS);
}

async function workflow(client: N8nClient): Promise<Way> {
  const told = await client.importWorkflow(workflows.told(), []);
  const example = await client.importWorkflow(workflows.askAndWait(), []);
  const replies = await client.importWorkflow(workflows.repliesToWorkflow(), []);
  for (const each of [told, example, replies]) await client.publish(each);
  const path = 'trial-workflow';
  const asking = workflows.askWithWorkflow(path, example.id, told.id);
  await client.publish(await client.importWorkflow(asking, []));
  return await way(client, 'workflow', path, replies, 'sms_questions');
}

async function way(
  client: N8nClient,
  name: string,
  path: string,
  replies: Workflow,
  table: string,
): Promise<Way> {
  const call = await publishCaller(client, replies);
  return {
    name,
    table,
    ask: async (...customers) => await whenPublished(() => client.callWebhook(path, { customers })),
    handOver: async (rows) => await whenPublished(() => call(rows)),
  };
}

/** Calls a webhook. Behind a restart, n8n does not have it at once. */
async function whenPublished(call: () => Promise<unknown>): Promise<void> {
  await until('the webhook is there', async () => {
    try {
      await call();
      return true;
    } catch (error) {
      if (error instanceof N8nError && error.status === 404) return false;
      throw error;
    }
  });
}
