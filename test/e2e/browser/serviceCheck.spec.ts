/** The workflow that checks a service: who may open it, its page, and that nothing keeps the key. */
import { optionsOf } from '../../sandbox/personalities';
import { barriers } from '../../kit/browser/accessibility';
import { pictureFile } from '../../kit/n8n/paths';
import { expect, test } from '../lib/test';
import { openForm } from './openForm';
import { readExample } from '../../kit/workflows/workflowFiles';

test('The page says in each language what to set, and n8n keeps no key @shown', async ({
  client,
  editor: { page },
  openAccount,
  browser,
}) => {
  const { gateway, credential } = await openAccount(
    optionsOf(['paths-elsewhere', 'percent-marks']),
  );
  const workflow = await client.importWorkflow(readExample('service-check'), [credential]);
  await client.publish(workflow);
  const stranger = await browser.newPage();
  await stranger.goto(`${client.url}/form/sms-service-check`);
  await expect(stranger).toHaveURL(/\/signin/);
  await expect(stranger.getByLabel('Base URL')).toBeHidden();
  await stranger.close();
  for (const language of ['English', '中文']) {
    await openForm(page, `${client.url}/form/sms-service-check`, 'Check');
    await page.getByLabel('Base URL').fill(` ${gateway.baseUrl}/ `);
    await page.getByLabel('Language').selectOption(language);
    await page.getByRole('button', { name: 'Check' }).click();
    await expect(page.locator('main ol li')).toContainText([
      ...[/Endpoint Path/, /By ID/, /As JSON/, /Endpoint Path/],
    ]);
    await page.screenshot({ path: pictureFile(`service-check ${language}`) });
    expect(await barriers(page), language).toEqual([]);
  }
  const executions = await client.executions(workflow);
  expect(executions.length).toBeGreaterThan(0);
  for (const { id } of executions) {
    const stored = JSON.stringify((await client.finishedExecution(id)).data);
    expect(stored).not.toContain(gateway.apiKey);
    expect(stored).not.toMatch(/x-sign/i);
  }
  // The check of a service asks without key too, on purpose. It must not breach the contract otherwise.
  const isUnsigned = /headers: must have required property 'x-(?:api-key|timestamp|nonce|sign)'$/;
  expect(gateway.violations.filter((each) => !isUnsigned.test(each))).toEqual([]);
  gateway.violations.length = 0;
});
