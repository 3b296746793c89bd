/**
 * `npm run demo`: a real n8n with the packed package, and the sandbox gateway. It runs until Ctrl-C. With
 * `--once` it ends by itself, with exit code 0 when every count is right, otherwise 1.
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { checkPort, getRandomPort } from 'get-port-please';

import { claim } from '../e2e/lib/claim';
import { N8nClient } from '../e2e/lib/client';
import { ensureN8n } from '../e2e/lib/install';
import { LOOPBACK, startN8n, type N8n } from '../e2e/lib/n8n';
import { installPackage, packPackage, registerPackage } from '../e2e/lib/pack';
import { repository } from '../e2e/lib/paths';
import { stopAll } from '../e2e/lib/processes';
import { startGateway, type Gateway } from '../sandbox/gateway';
import { PAGES_LOGIN, type Page } from './pages';
import { Progress } from './progress';
import { ASKED, play, PORTION, RECIPIENTS, spreadsheet } from './scenario';

const FOLDER = path.join(repository, '.demo');
/** For a campaign that the user starts. */
const SPREADSHEET = path.join(FOLDER, 'recipients.csv');
const N8N_PORT = 5678;
const SANDBOX_PORT = 5680;

/** Not secret: this n8n listens on loopback only and contains nothing but the demo. */
const OWNER = { email: 'demo@example.com', password: 'Demo-password-1' };

/** Ends the demo with a sentence instead of a stack trace. */
class DemoError extends Error {}

const progress = new Progress(process.stdout);
let interrupted = false;
let gateway: Gateway | undefined;
let claimed: { release(): void } | undefined;

const tell = progress.tell.bind(progress);

async function main(): Promise<boolean> {
  const { once, port } = readArguments();
  if (port !== undefined && !(await checkPort(port, LOOPBACK))) {
    throw new DemoError(
      `Port ${port} is taken. Choose another one, or run the demo without --port.`,
    );
  }
  claimed = claim(FOLDER, 'The demo');
  await ensureN8n(path.join(FOLDER, 'install.log'), tell);
  const tarball = await packPackage(FOLDER, tell);

  const n8nPort = port ?? (await portNear(N8N_PORT, 'n8n'));
  gateway = await startGateway({
    port: await portNear(SANDBOX_PORT, 'The sandbox'),
    reportDelayMs: 2_000,
    n8n: `http://${LOOPBACK}:${n8nPort}`,
  });
  tell('The sandbox of the SMS platform is up.');
  const addresses = new Addresses();
  addresses.add('virtual phones', `${gateway.origin}/`);

  // A new n8n each time, so that its records cannot come from an earlier demo.
  const userFolder = path.join(FOLDER, 'n8n');
  rmSync(userFolder, { recursive: true, force: true });
  await installPackage(tarball, userFolder);
  tell(`Starting n8n with ${path.basename(tarball)} installed ...`);
  const n8n = await startN8n({
    userFolder,
    logFile: path.join(FOLDER, 'n8n.log'),
    port: n8nPort,
  });
  const client = new N8nClient(n8n.url);
  await client.setUpOwner(OWNER);
  await registerPackage(userFolder, client);
  tell('n8n is up.');
  addresses.add('n8n editor', n8n.url, `${OWNER.email}   ${OWNER.password}`);
  const login = `${PAGES_LOGIN.user}   ${PAGES_LOGIN.password}`;
  const onPage = ({ name, path: address }: Page) =>
    addresses.add(name, `${n8n.url}/${address}`, login);

  const succeeded = await play({ client, gateway, progress, onPage });
  if (!once) {
    writeFileSync(SPREADSHEET, spreadsheet());
    printAddresses(addresses, n8n, gateway);
    await n8n.ended;
    if (!interrupted) throw new DemoError(`n8n ended unexpectedly. Its log: ${n8n.logFile}`);
  }
  return succeeded;
}

function readArguments(): { once: boolean; port?: number } {
  const usage = 'Use: npm run demo -- [--once] [--port <port of n8n>]';
  try {
    const { values } = parseArgs({
      options: { once: { type: 'boolean', default: false }, port: { type: 'string' } },
    });
    const port = values.port === undefined ? undefined : Number(values.port);
    if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
      throw new DemoError(`${values.port} is not a port.`);
    }
    return { once: values.once, port };
  } catch (error) {
    throw new DemoError(`${messageOf(error)}\n${usage}`);
  }
}

/** The usual port, or another free port when it is taken. */
async function portNear(usual: number, whose: string): Promise<number> {
  if (await checkPort(usual, LOOPBACK)) return usual;
  tell(`Port ${usual} is taken. ${whose} gets another one.`);
  return await getRandomPort(LOOPBACK);
}

/** What one can open. Each is printed at once, and all again at the end. */
class Addresses {
  private readonly lines: string[] = [];

  add(name: string, address: string, login = ''): void {
    const line = `${name.padEnd(16)} ${address.padEnd(47)} ${login}`.trimEnd();
    this.lines.push(line);
    tell(line);
  }

  toString(): string {
    return this.lines.map((line) => `  ${line}`).join('\n');
  }
}

function printAddresses(
  addresses: Addresses,
  { logFile }: N8n,
  { baseUrl, apiKey, apiSecret }: Gateway,
): void {
  progress.print(`
${addresses}
  sandbox account  ${baseUrl}   key ${apiKey}   secret ${apiSecret}
  log of n8n       ${logFile}

  Try it:
  1. Open the virtual phones, find the number ${ASKED}, type a reply there and press "Send". Within a minute
     it is in the conversations: search for ${ASKED.slice(-4)}. Answer it with the template 发货通知: the answer is on
     the phone.
  2. Open the campaigns and "Spring": every ten seconds ${PORTION} more of the ${RECIPIENTS} messages are sent. Press
     "Pause", and "Resume".
  3. Open "new campaign", enter a name, choose the file ${path.relative(process.cwd(), SPREADSHEET)} and the template
     发货通知. A page says what will happen. Press "Start": the messages go out after a minute.
  4. Open the service check, and enter ${baseUrl} as the Base URL: a page says what works and what to set.

  Ctrl-C ends n8n and the sandbox.
`);
}

async function end(exitCode: number): Promise<never> {
  await Promise.all([stopAll(), gateway?.close()]);
  claimed?.release();
  process.exit(exitCode);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // Ctrl-C may arrive twice: from the terminal, and from npm.
    if (interrupted) return;
    progress.stop();
    progress.print('Stopping ...');
    interrupted = true;
    void end(signal === 'SIGINT' ? 130 : 143);
  });
}

main()
  .then((succeeded) => end(succeeded ? 0 : 1))
  .catch((error: unknown) => {
    // During an interrupt, errors are expected.
    if (interrupted) return;
    progress.stop();
    console.error(`\n${messageOf(error)}`);
    return end(1);
  });

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
