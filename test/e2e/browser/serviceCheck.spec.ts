/** The example that checks a service, as a user runs it: imported, and executed from the editor with its form. */
import type { Locator, Page } from '@playwright/test';

import { type Gateway } from '../../sandbox/gateway';
import { optionsOf } from '../../sandbox/personalities';
import { itemsOf, type Execution } from '../lib/client';
import { readExample } from '../lib/examples';
import { pictureFile } from '../lib/paths';
import { expect, test as base } from '../lib/test';

const PHONE = { width: 390, height: 844 };
const LAPTOP = { width: 1000, height: 800 };

const PULL_TOO = 'Yes, take one delivery report and one reply';

/** What the user enters. */
interface Entry {
  baseUrl?: string;
  pull?: string;
}

interface Checked {
  /** The page with the report. */
  page: Page;
  /** The text of the page. */
  text: string;
  /** The settings that the page asks for. */
  settings: Locator;
  execution: Execution;
}

interface Fixtures {
  openPersonality(names: string[]): Promise<Gateway>;
  /** Checks a gateway, with its credential or with one that differs. */
  check(gateway: Gateway, entry?: Entry, credential?: object): Promise<Checked>;
}

const test = base.extend<Fixtures>({
  openPersonality: async ({ openGateway }, use) => {
    const gateways: Gateway[] = [];
    await use(async (names) => {
      const gateway = await openGateway(optionsOf(names));
      gateways.push(gateway);
      return gateway;
    });
    // The check asks without key too, on purpose.
    const isUnsigned = /headers: must have required property 'x-(?:api-key|timestamp|nonce|sign)'$/;
    for (const { violations } of gateways) {
      expect(violations.filter((each) => !isUnsigned.test(each))).toEqual([]);
      violations.length = 0;
    }
  },

  check: async ({ client, context, editor }, use) => {
    await use(async (gateway, { baseUrl = gateway.baseUrl, pull } = {}, credential = {}) => {
      const data = { ...gateway.credential(), ...credential } as never;
      const account = await client.createCredential('Checked', 'smsMessagingServiceApi', data);
      const workflow = await client.importWorkflow(readExample('service-check'), [account]);
      await editor.open(workflow.id);
      await editor.page.screenshot({ path: pictureFile('service-check canvas') });
      const opened = context.waitForEvent('page');
      await editor.page.getByTestId('execute-workflow-button').first().click();
      const page = await opened;
      await page.setViewportSize(LAPTOP);
      await page.getByLabel('Base URL').fill(baseUrl);
      if (pull) await page.locator('select').selectOption(pull);
      await page.screenshot({ path: pictureFile('service-check form') });
      await page.getByRole('button', { name: 'Check' }).click();
      await expect(page.getByRole('heading', { name: 'What was seen' })).toBeVisible();
      const [latest] = await client.executions(workflow);
      const execution = await client.finishedExecution(latest?.id ?? '');
      expect(execution.status).toBe('success');
      const text = await page.locator('main').innerText();
      return { page, text, settings: page.locator('ol b'), execution };
    });
  },
});

test('A service as specified: nothing to set, and the page is fine on laptop and phone', async ({
  check,
  openPersonality,
}) => {
  const gateway = await openPersonality([]);
  const { page, text } = await check(gateway);
  expect(text).toContain('Nothing to set.');
  expect(text).not.toContain('What to set');
  expect(gateway.requests).toHaveLength(23);
  for (const [name, viewport] of Object.entries({ laptop: LAPTOP, phone: PHONE })) {
    await page.setViewportSize(viewport);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, 'nothing is wider than the window').toBeLessThanOrEqual(viewport.width);
    await page.screenshot({ path: pictureFile(`service-check plain ${name}`), fullPage: true });
  }
});

test('Another provider: the page says what to set where, in light and dark', async ({
  check,
  openPersonality,
}) => {
  const gateway = await openPersonality(['records-renamed', 'paths-elsewhere', 'percent-marks']);
  const { page, text, settings } = await check(gateway);
  await expect(settings).toHaveText(['By ID', 'Specify Parameters: As JSON', 'Endpoint Path']);
  expect(text).toContain('marked as %name% (3)');
  expect(text).toContain('at data.records; total fits');
  expect(text).toContain('4 records, as documented');
  await page.screenshot({ path: pictureFile('service-check settings') });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.screenshot({ path: pictureFile('service-check dark'), fullPage: true });
  await page.setViewportSize(PHONE);
  await page.screenshot({ path: pictureFile('service-check phone'), fullPage: true });
});

test('A Base URL without its path prefix, then with it', async ({ check, openPersonality }) => {
  const gateway = await openPersonality(['prefix', 'small-pages-refused']);
  const without = await check(gateway, { baseUrl: `${gateway.origin}/` });
  await expect(without.settings).toHaveText(['Base URL']);
  const { text } = await check(gateway, { baseUrl: ` ${gateway.baseUrl}/ ` });
  expect(text).toContain('Nothing to set.');
  expect(text).toContain('page_size 100 is not taken (HTTP 200, code 2012), but 6 is');
});

test('Another way to sign: what to set in the credential', async ({ check, openPersonality }) => {
  const gateway = await openPersonality(['errors-nested', 'text-numbers', 'hmac-lines']);
  const usual = { signaturePayload: '', signatureAlgorithm: 'sha256' };
  const { text, settings } = await check(gateway, {}, usual);
  await expect(settings).toHaveText([
    'API Key',
    'API Secret',
    'Request Signing Template',
    'Request Signing Algorithm',
  ]);
  expect(text).toContain('refused: HTTP 200, code 1002');
  const { signaturePayload } = gateway.credential();
  const ofLines = { signaturePayload: String(signaturePayload).replaceAll('\n', '\\n') };
  expect((await check(gateway, {}, ofLines)).text).toContain('Nothing to set.');
});

test('Redirects, other hosts and dead services are told apart, and no key gets into the execution', async ({
  check,
  openPersonality,
}) => {
  const moved = await openPersonality(['redirect']);
  const redirected = await check(moved, { baseUrl: moved.origin });
  await expect(redirected.settings).toHaveText(['Base URL']);
  expect(redirected.text).toContain('HTTP 301');

  const gateway = await openPersonality([]);
  const other = await check(gateway, { baseUrl: moved.baseUrl });
  await expect(other.settings).toHaveText(['Base URL']);
  expect(other.text).toContain("another host than the credential's (13)");

  await gateway.close();
  const dead = await check(gateway);
  await expect(dead.settings).toHaveText(['Base URL']);
  expect(dead.text).toContain('no connection (23)');
  const stored = JSON.stringify(dead.execution.data);
  expect(stored).not.toContain(gateway.apiKey);
  expect(stored).not.toMatch(/x-sign/i);
});

test('A code for an empty queue: the page names the field', async ({ check, openPersonality }) => {
  const gateway = await openPersonality([]);
  const path = '/sendsms/mo/pull';
  gateway.fault({ kind: 'businessCode', code: 1004, msg: 'E1004', path });
  const { text, settings } = await check(gateway, { pull: PULL_TOO });
  await expect(settings).toHaveText(['Empty Codes']);
  expect(text).toContain('HTTP 200, code 1004');
});

test('What is pulled stays in the execution, and is not on the page', async ({
  check,
  openPersonality,
}) => {
  const gateway = await openPersonality(['long-numbers']);
  gateway.queueReplies(2);
  const { text, execution } = await check(gateway, { pull: PULL_TOO });
  const phone = String(gateway.state.replies.peek(1)[0]?.mobile ?? '');
  expect(gateway.state.replies.peek(9)).toHaveLength(1);
  expect(text).toContain(`execution ${execution.id}`);
  expect(text).toContain('Pulled reply');
  const answers = itemsOf(execution, 'Ask with key and signature').map(({ json }) => json.data);
  expect(answers.filter((each) => String(each).includes('"mobile"'))).toHaveLength(1);
  expect(text).not.toContain(phone);
});
