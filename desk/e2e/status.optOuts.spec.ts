/** The page of the opt-outs in a real n8n: one address to open and to press, and a list as long as it may be. */
import { readFileSync } from 'node:fs';

import { expectLogin, expectNoBarriers, LOGIN } from '../kit/pages';
import { readDesk } from '../../test/kit/workflows/workflowFiles';
import { expect, test } from '../../test/e2e/lib/test';

const LINES = 100_000;
const numbers = Array.from({ length: LINES - 2 }, (_, index) => String(13_600_000_000 + index));

test('A list is pasted, searched, taken off and downloaded', async ({
  client,
  openPage,
  store,
}) => {
  await store.tables.create();
  const login = await client.createCredential('Opt-outs login', 'httpBasicAuth', LOGIN);
  await client.publish(
    await client.importWorkflow(readDesk('opt-outs'), [login, ...store.credentials]),
  );
  const address = `${client.url}/webhook/sms-opt-outs`;
  await expectLogin(address);
  const page = await openPage(address);
  const field = page.getByRole('textbox', { name: 'Numbers' });
  const said = page.locator('.notice');

  // To type so much takes a browser minutes.
  await field.evaluate(
    (each, text) => {
      (each as HTMLTextAreaElement).value = text;
    },
    ['手机号', '<b>852', ...numbers].join('\n'),
  );
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(said).toHaveText(['99,998 added.', /1 line is no .*line 2: <b>852/]);
  await expect(page.locator('main')).toContainText('99,998 numbers are on the list.');

  await page.getByPlaceholder('Last four digits').fill('+86 136 0000 0007');
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page.locator('tbody tr')).toHaveCount(1);
  await page.locator('tbody button').click();
  await expect(said).toHaveText(['1 taken off.']);
  expect(page.url(), 'no address has a number').not.toContain('136');
  await page.reload();
  await expect(said, 'a page that is sent again does nothing').toContainText('Nothing was done');

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  const file = readFileSync(String(await (await download).path()), 'utf8');
  expect(file.split('\r\n').filter((line) => line.includes('"136'))).toHaveLength(LINES - 3);
  await expectNoBarriers(page, address);
});
