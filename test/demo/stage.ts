/** What both demos stand on: n8n with the packed package, the sandbox, and the addresses of what one can open. */
import { rmSync } from 'node:fs';
import path from 'node:path';

import type { IDataObject } from 'n8n-workflow';
import { checkPort, getRandomPort } from 'get-port-please';

import { claim } from '../kit/n8n/claim';
import { N8nClient, type Credential } from '../kit/n8n/client';
import { ensureN8n } from '../kit/n8n/install';
import { LOOPBACK, startN8n, type N8n } from '../kit/n8n/n8n';
import { installPackage, packPackage } from '../kit/n8n/pack';
import { repository } from '../kit/n8n/paths';
import { stopAll } from '../kit/n8n/processes';
import { WEBHOOK_KEY } from '../kit/n8n/webhookKey';
import { startGateway, type Gateway } from '../sandbox/gateway';
import type { Progress } from './progress';

/** What the demo leaves behind: logs, and the data of n8n. */
export const FOLDER = path.join(repository, '.demo');

const N8N_PORT = 5678;
const SANDBOX_PORT = 5680;

/** Not secret: this n8n listens on loopback only and contains nothing but the demo. */
const OWNER = { email: 'demo@example.com', password: 'Demo-password-1' };

/** For what comes at once. The rest is for a slow machine. */
export const LIMIT = { timeout: 60_000 };

/** n8n's triggers poll once a minute. The rest is for a slow machine. */
export const RECEIVING_LIMIT = { timeout: 150_000 };

export interface Stage {
  client: N8nClient;
  gateway: Gateway;
  progress: Progress;
  /** Adds what one can open. It is told at once, and all are printed again at the end. */
  addAddress: (name: string, address: string, login?: string) => void;
  addresses: string[];
  n8n: N8n;
}

/** What a demo has done on the stage. */
export interface Played {
  /** Whether every count was right. */
  succeeded: boolean;
  /** What the user can try now. */
  steps: string[];
}

let claimed: { release(): void } | undefined;
let gateway: Gateway | undefined;

/**
 * Installs what is missing, and starts the sandbox and n8n.
 *
 * @param port of n8n. Default: the usual one, or a free one
 * @param hasPages whether n8n gets the pages of the desk, so that the virtual phones link to them
 */
export async function openStage(
  port: number | undefined,
  hasPages: boolean,
  progress: Progress,
): Promise<Stage> {
  const { tell } = progress;
  if (port !== undefined && !(await checkPort(port, LOOPBACK))) {
    throw new Error(`Port ${port} is taken. Choose another one, or run the demo without --port.`);
  }
  claimed = claim(FOLDER, 'The demo');
  await ensureN8n(path.join(FOLDER, 'install.log'), tell);
  const tarball = await packPackage(FOLDER, tell);

  const n8nPort = port ?? (await portNear(N8N_PORT, 'n8n', tell));
  gateway = await startGateway({
    port: await portNear(SANDBOX_PORT, 'The sandbox', tell),
    // The first poll, a second or two after the first send, gets the reports.
    reportDelayMs: 500,
    ...(hasPages && { n8n: `http://${LOOPBACK}:${n8nPort}` }),
  });
  tell('The sandbox of the SMS platform is up.');
  const addresses: string[] = [];
  const addAddress = (name: string, address: string, login = '') => {
    const line = `${name.padEnd(16)} ${address.padEnd(47)} ${login}`.trimEnd();
    addresses.push(`  ${line}`);
    tell(line);
  };
  addAddress('virtual phones', `${gateway.origin}/`);

  // A new n8n each time, so that its records cannot come from an earlier demo.
  const userFolder = path.join(FOLDER, 'n8n');
  rmSync(userFolder, { recursive: true, force: true });
  await installPackage(tarball, userFolder);
  tell(`Starting n8n with ${path.basename(tarball)} installed ...`);
  const n8n = await startN8n({ userFolder, logFile: path.join(FOLDER, 'n8n.log'), port: n8nPort });
  const client = new N8nClient(n8n.url);
  await client.setUpOwner(OWNER);
  tell('n8n is up.');
  // A new n8n's first page shows its assistant, not the workflows.
  const editor = `${n8n.url}/home/workflows`;
  addAddress('n8n editor', editor, `${OWNER.email}   ${OWNER.password}`);
  return { client, gateway, progress, addAddress, addresses, n8n };
}

/** Ends n8n and the sandbox, as far as they were started. */
export async function closeStage(): Promise<void> {
  await Promise.all([stopAll(), gateway?.close()]);
  claimed?.release();
}

/** Creates the credentials of the account and of the webhooks, and tests the account as a new user does. */
export async function connectAccount({ client, gateway, progress }: Stage): Promise<Credential[]> {
  const data = gateway.credential() as IDataObject;
  const account = await client.createCredential(
    'SMS Messaging Service account',
    'smsMessagingServiceApi',
    data,
  );
  const test = await client.testCredential(account, data);
  if (test.status !== 'OK') throw new Error(`n8n's test of the credential failed: ${test.message}`);
  progress.tell('The credential is created, and its test in n8n succeeds.');
  const key = await client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY);
  return [account, key];
}

/** The usual port, or another free port when it is taken. */
async function portNear(
  usual: number,
  whose: string,
  tell: (line: string) => void,
): Promise<number> {
  if (await checkPort(usual, LOOPBACK)) return usual;
  tell(`Port ${usual} is taken. ${whose} gets another one.`);
  return await getRandomPort(LOOPBACK);
}
