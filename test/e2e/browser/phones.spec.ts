/** The sandbox's page of virtual phones. It needs no n8n. */
import { barriers } from '../../kit/browser/accessibility';
import { pictureFile } from '../../kit/n8n/paths';
import { expect, test } from '../lib/test';

test('A reply is typed, and news come by themselves', async ({ browser, openGateway }) => {
  const gateway = await openGateway({ n8n: 'http://127.0.0.1:5678' });
  // Those that end in 0001 to 0003 fail.
  const phones = Array.from({ length: 70 }, (_, index) => String(13_800_130_000 + index));
  const text = '【示例科技】您好'.repeat(9);
  gateway.state.send(phones.map((phone_number) => ({ phone_number, text })));
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(gateway.origin);
  await expect(page.getByText('The 60 latest of 70 phones')).toBeVisible();
  await page.getByLabel('Find a number').fill('0001');
  await page.getByLabel('Find a number').press('Enter');
  await page.getByLabel('Reply from 13800130001').fill('退订');
  gateway.state.reply({ phoneNumber: '13800130001', content: 'by itself' });
  await page.getByRole('button', { name: 'Send' }).click();
  const entries = page.getByRole('list', { name: 'Messages of 13800130001' });
  await expect(entries.locator('blockquote')).toHaveText(['退订', 'by itself', text]);
  gateway.state.reply({ phoneNumber: '13800130001', content: 'more' });
  await expect(entries).toContainText('more');
  expect(gateway.state.replies.length).toBe(3);
  await page.screenshot({ path: pictureFile('phones') });
  await page.goto(gateway.origin);
  expect(await barriers(page)).toEqual([]);
  await context.close();
});
