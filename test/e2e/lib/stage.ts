import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

import type { IDataObject } from 'n8n-workflow';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

import { startGateway, type Gateway } from '../../sandbox/gateway';
import { N8nClient, type Owner } from './client';
import { startN8n, type N8n } from './n8n';
import { installPackage, registerPackage } from './pack';
import type { Account, Stage } from './step';

const OWNER: Owner = { email: 'e2e@example.com', password: 'End-to-end-1' };

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const WINDOW = { width: 1280, height: 800 };

export interface StageOptions {
  folder: string;
  tarball: string;
  tell: (line: string) => void;
}

/**
 * A fresh n8n with the package installed, and what comes and goes with each step. What steps call are
 * arrow functions, so that a step may take them out of the stage: `run({ client, account })`.
 */
export class RealStage implements Stage {
  readonly folder: string;
  readonly tarball: string;
  readonly userFolder: string;
  readonly tell: (line: string) => void;
  readonly secrets = new Set<string>();

  private running?: N8n;
  private signedIn?: N8nClient;
  private chromium?: Browser;
  private gateways: Gateway[] = [];
  private contexts: BrowserContext[] = [];

  constructor({ folder, tarball, tell }: StageOptions) {
    this.folder = folder;
    this.tarball = tarball;
    this.tell = tell;
    this.userFolder = path.join(folder, 'n8n');
    mkdirSync(path.join(folder, 'pictures'), { recursive: true });
  }

  get n8n(): N8n {
    if (!this.running) throw new Error('n8n is not running.');
    return this.running;
  }

  get client(): N8nClient {
    if (!this.signedIn) throw new Error('n8n is not set up.');
    return this.signedIn;
  }

  async open(): Promise<void> {
    await installPackage(this.tarball, this.userFolder);
    this.running = await this.start();
    this.signedIn = new N8nClient(this.running.url);
    await this.signedIn.setUpOwner(OWNER);
    await registerPackage(this.tarball, this.userFolder, this.signedIn);
  }

  account = async (options: Parameters<Stage['account']>[0] = {}): Promise<Account> => {
    const gateway = await startGateway({
      apiKey: `key-${random()}`,
      apiSecret: `secret-${random()}`,
      authorizationToken: `token-${random()}`,
      ...options,
    });
    this.gateways.push(gateway);
    const credential = await this.client.createCredential(
      `SMS account ${this.gateways.length}`,
      'smsMessagingServiceApi',
      gateway.credential() as IDataObject,
    );
    return { gateway, credential };
  };

  restart = async (how: 'stop' | 'kill', env?: Record<string, string>): Promise<void> => {
    const { url } = this.client;
    // It is not running when an earlier restart did not succeed.
    await (how === 'stop' ? this.running?.stop() : this.running?.kill());
    this.running = undefined;
    this.running = await this.start(Number(new URL(url).port), env);
  };

  page = async (address = '/'): Promise<Page> => {
    const context = await this.visitor();
    await context.addCookies([{ ...this.client.session, url: this.client.url }]);
    const page = await context.newPage();
    await page.goto(this.client.url + address);
    return page;
  };

  visitor = async (options: Parameters<Stage['visitor']>[0] = {}): Promise<BrowserContext> => {
    this.chromium ??= await startBrowser();
    const context = await this.chromium.newContext({ viewport: WINDOW, ...options });
    // A busy machine needs ten seconds for what takes one.
    context.setDefaultTimeout(60_000);
    this.contexts.push(context);
    return context;
  };

  picture = async (what: Pick<Page, 'screenshot'>, name: string): Promise<void> => {
    await what.screenshot({ path: this.pictureFile(name) });
  };

  /** Keeps what the step's browser windows show, for whoever looks into why it did not pass. */
  async keepEvidence(name: string): Promise<void> {
    const pages = this.contexts.flatMap((context) => context.pages());
    for (const [index, page] of pages.entries()) {
      const file = this.pictureFile(`not-passed ${name} ${index + 1}`);
      // A window that cannot be shown any more is no second finding.
      await page.screenshot({ path: file, timeout: 5_000 }).catch(() => undefined);
    }
  }

  /** Ends what belongs to a step, and returns in what way the contract was broken meanwhile. */
  async endStep(): Promise<string[]> {
    await Promise.all(this.contexts.splice(0).map((context) => context.close()));
    await this.client.deactivateAll();
    const gateways = this.gateways.splice(0);
    for (const gateway of gateways) this.learnSecrets(gateway);
    await Promise.all(gateways.map((gateway) => gateway.close()));
    return gateways.flatMap(({ violations }) => violations);
  }

  async close(): Promise<void> {
    await this.chromium?.close();
    await Promise.all(this.gateways.map((gateway) => gateway.close()));
    await this.running?.stop();
  }

  private learnSecrets(gateway: Gateway): void {
    const { apiKey, apiSecret, authorizationToken } = gateway.credential();
    const signatures = gateway.requests.map(({ headers }) => headers['x-sign']);
    for (const secret of [apiKey, apiSecret, authorizationToken, ...signatures]) {
      if (typeof secret === 'string' && secret !== '') this.secrets.add(secret);
    }
  }

  private async start(port?: number, env?: Record<string, string>): Promise<N8n> {
    return await startN8n({
      userFolder: this.userFolder,
      logFile: path.join(this.folder, `n8n-${Date.now()}.log`),
      port,
      env,
    });
  }

  private pictureFile(name: string): string {
    return path.join(this.folder, 'pictures', `${name.replaceAll(/[^\w.-]+/g, '-')}.png`);
  }
}

async function startBrowser(): Promise<Browser> {
  const executablePath = CHROMIUM.find((file) => existsSync(file));
  if (!executablePath) {
    throw new Error('Chromium is not installed. On Debian or Ubuntu: apt-get install chromium');
  }
  return await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--force-device-scale-factor=1',
      '--lang=en-US',
      // n8n's editor asks registries about community packages; the suite talks to loopback only.
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
    ],
  });
}

function random(): string {
  return randomBytes(12).toString('hex');
}
