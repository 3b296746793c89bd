import { randomBytes } from 'node:crypto';
import path from 'node:path';

import { expect, test as base, type BrowserContext, type Page } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import { startGateway, type Gateway, type GatewayOptions } from '../../sandbox/gateway';
import { Editor } from '../browser/editor';
import type { Account, N8nClient } from '../../kit/n8n/client';
import { Drains } from './drains';
import { Outbox } from '../../../desk/kit/outbox';
import { LOGIN } from '../../../desk/kit/pages';
import { outputFolder } from '../../kit/n8n/paths';
import { startPostgres } from '../../kit/n8n/postgres';
import { storeIn, type Store } from '../../../desk/kit/store';
import { recordSecrets } from './secrets';
import { startSmtp, type SmtpServer } from '../../kit/n8n/smtp';
import { SuiteN8n } from './suiteN8n';

export { expect };

export type OpenGateway = (options?: GatewayOptions) => Promise<Gateway>;
export type OpenAccount = (options?: GatewayOptions) => Promise<Account>;

/** These end with their test. */
interface TestFixtures {
  /** Starts a gateway with secrets of its own. The test fails when the gateway saw a breach of the contract. */
  openGateway: OpenGateway;
  /** Opens an account in n8n. After the test, all workflows are unpublished. */
  openAccount: OpenAccount;
  /** An empty database, on a server of its own. */
  database: Outbox;
  /** The tables of the desk in it. */
  store: Store;
  /** A mail server. */
  smtp: SmtpServer;
  /** Workflows whose trigger drains an account. */
  drains: Drains;
  /** Opens a page of the desk in a browser of its own that knows the login. */
  openPage: (address: string) => Promise<Page>;
  /** n8n's editor in a signed-in page. */
  editor: Editor;
}

/** These end with their worker. */
interface WorkerFixtures {
  /** The language of n8n. */
  n8nLocale: string;
  /**
   * Playwright starts a worker for each project, and another one after a failed test. Each worker starts
   * n8n on the data of the run. This costs ten seconds per project, a minute and a half of a whole run. But
   * no process outlives its worker, and a failed test leaves no broken n8n to the next test.
   */
  n8n: SuiteN8n;
  /** Signed in as the owner. */
  client: N8nClient;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  n8nLocale: ['en', { scope: 'worker', option: true }],

  n8n: [
    async ({ n8nLocale }, use) => {
      const n8n = await SuiteN8n.start({ N8N_DEFAULT_LOCALE: n8nLocale });
      await use(n8n);
      await n8n.stop();
    },
    { scope: 'worker', timeout: 200_000 },
  ],

  client: [async ({ n8n }, use) => use(n8n.client), { scope: 'worker' }],

  openGateway: async ({}, use) => {
    const gateways: Gateway[] = [];
    await use(async (options) => {
      const gateway = await startGateway({
        apiKey: `key-${random()}`,
        apiSecret: `secret-${random()}`,
        authorizationToken: `token-${random()}`,
        ...options,
      });
      gateways.push(gateway);
      return gateway;
    });
    for (const gateway of gateways) recordSecrets(gateway);
    await Promise.all(gateways.map((gateway) => gateway.close()));
    const breaches = gateways.flatMap(({ violations }) => violations);
    expect(breaches, 'breaches of the contract').toEqual([]);
  },

  openAccount: async ({ client, openGateway }, use) => {
    await use(accountsIn(client, openGateway));
    await client.deactivateAll();
  },

  drains: async ({ n8n, openAccount }, use) => use(new Drains(n8n, openAccount)),

  database: async ({}, use, { testId }) => {
    const stops: (() => Promise<void>)[] = [];
    try {
      const postgres = await startPostgres(path.join(outputFolder, 'outbox', testId), stops);
      stops.push(() => postgres.dump());
      const database = await Outbox.create(postgres.database, 'desk');
      stops.push(() => database.close());
      await use(database);
    } finally {
      for (const each of stops.reverse()) await each();
    }
  },

  store: async ({ client, database }, use) => use(await storeIn(client, database)),

  smtp: async ({}, use) => {
    const smtp = await startSmtp();
    await use(smtp);
    await smtp.close();
  },

  openPage: async ({ browser, client }, use) => {
    const contexts: BrowserContext[] = [];
    const httpCredentials = { username: LOGIN.user, password: LOGIN.password };
    await use(async (address) => {
      const context = await browser.newContext({ httpCredentials, baseURL: client.url });
      contexts.push(context);
      const page = await context.newPage();
      expect((await page.goto(address))?.status(), address).toBe(200);
      return page;
    });
    await Promise.all(contexts.map((context) => context.close()));
  },

  // Signed in as the owner.
  page: async ({ context, client }, use) => {
    await context.addCookies([{ ...client.session, url: client.url }]);
    await use(await context.newPage());
  },

  editor: async ({ page, client }, use) => use(new Editor(page, client.url)),
});

/** Numbers that the service has accepted more than one message to. */
export function numbersSentTwice(gateway: Gateway): string[] {
  return [...gateway.deliveries()].filter(([, count]) => count !== 1).map(([number]) => number);
}

/** Opens accounts in an n8n. */
export function accountsIn(client: N8nClient, openGateway: OpenGateway): OpenAccount {
  return async (options) => {
    const gateway = await openGateway(options);
    const data = gateway.credential() as IDataObject;
    const name = `SMS account ${random().slice(-4)}`;
    return {
      gateway,
      credential: await client.createCredential(name, 'smsMessagingServiceApi', data),
    };
  };
}

function random(): string {
  return randomBytes(12).toString('hex');
}
