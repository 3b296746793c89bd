/** The sandbox's page of virtual phones. It needs no n8n. */
import { barriers } from '../lib/accessibility';
import { pictureFile } from '../lib/paths';
import { expect, test } from '../lib/test';

test('No barriers in either language', async ({ browser, openGateway }) => {
  const gateway = await openGateway({ n8n: 'http://127.0.0.1:5678' });
  // Those that end in 0001 to 0003 fail.
  const phones = Array.from({ length: 70 }, (_, index) => String(13_800_130_000 + index));
  const text = '【示例科技】您好'.repeat(9);
  gateway.state.send(phones.map((phone_number) => ({ phone_number, text })));
  gateway.reply({ phoneNumber: '13800130001', content: '退订' });
  const context = await browser.newContext();
  const page = await context.newPage();
  for (const lang of ['en', 'zh']) {
    await page.goto(`${gateway.origin}/?lang=${lang}`);
    expect(await barriers(page), lang).toEqual([]);
    await page.screenshot({ path: pictureFile(`phones ${lang}`) });
  }
  await context.close();
});
