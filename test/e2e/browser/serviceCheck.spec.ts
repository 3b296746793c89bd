/** The example that checks a service, as a user runs it: imported, and executed from the editor with its form. */
import type { Locator, Page } from '@playwright/test';

import { type Gateway } from '../../sandbox/gateway';
import { optionsOf } from '../../sandbox/personalities';
import { barriers } from '../lib/accessibility';
import type { Execution } from '../lib/client';
import { readExample } from '../lib/workflowFiles';
import { pictureFile } from '../lib/paths';
import { expect, test as base } from '../lib/test';
import { forgetUnsigned } from '../lib/unsigned';

const PHONE = { width: 390, height: 844 };
const LAPTOP = { width: 1000, height: 800 };

/** What the user enters. */
interface Entry {
  baseUrl?: string;
  language?: string;
}

interface Checked {
  /** The page with the report. */
  page: Page;
  /** The text of the page. */
  text: string;
  /** What the page says to set. */
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
    for (const gateway of gateways) forgetUnsigned(gateway);
  },

  check: async ({ client, context, editor }, use) => {
    await use(async (gateway, { baseUrl = gateway.baseUrl, language } = {}, credential = {}) => {
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
      if (language) await page.getByLabel('Language').selectOption(language);
      await page.screenshot({ path: pictureFile('service-check form') });
      await page.getByRole('button', { name: 'Check' }).click();
      await expect(page.locator('main h2')).toHaveCount(3);
      const [latest] = await client.executions(workflow);
      const execution = await client.finishedExecution(latest?.id ?? '');
      expect(execution.status).toBe('success');
      const text = await page.locator('main').innerText();
      return { page, text, settings: page.locator('main ol li'), execution };
    });
  },
});

for (const language of ['English', '中文']) {
  test(`The page says in ${language} what to set`, async ({ check, openPersonality }) => {
    const gateway = await openPersonality(['paths-elsewhere', 'percent-marks']);
    const { page, settings } = await check(gateway, { language });
    await expect(settings).toContainText([/Endpoint Path/, /By ID/, /As JSON/, /Endpoint Path/]);
    expect(await barriers(page)).toEqual([]);
    for (const [name, viewport] of Object.entries({ laptop: LAPTOP, phone: PHONE })) {
      await page.setViewportSize(viewport);
      const path = pictureFile(`service-check ${language} ${name}`);
      await page.screenshot({ path, fullPage: true });
    }
  });
}

test('Another way to sign, and no key in the execution', async ({ check, openPersonality }) => {
  const gateway = await openPersonality(['prefix', 'hmac-lines']);
  const usual = { signaturePayload: '', signatureAlgorithm: 'sha256' };
  const { settings, text } = await check(gateway, {}, usual);
  await expect(settings).toContainText([/Custom Request Signing/]);
  expect(text).toContain('The service refused the request, code 1002');
  const { signaturePayload } = gateway.credential();
  const ofLines = { signaturePayload: String(signaturePayload).replaceAll('\n', '\\n') };
  const fixed = await check(gateway, { baseUrl: ` ${gateway.baseUrl}/ ` }, ofLines);
  expect(fixed.text).toContain('Nothing to set.');
  const stored = JSON.stringify(fixed.execution.data);
  expect(stored).not.toContain(gateway.apiKey);
  expect(stored).not.toMatch(/x-sign/i);
});
