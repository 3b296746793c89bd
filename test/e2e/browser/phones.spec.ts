/** The sandbox's page of virtual phones. It needs no n8n. */
import { barriers } from '../lib/accessibility';
import { pictureFile } from '../lib/paths';
import { expect, test } from '../lib/test';

test('A phone shows its conversation, and follows it', async ({ browser, openGateway }) => {
  const gateway = await openGateway();
  const phoneNumber = '13800138000';
  const texts: string[] = [];
  const say = (from: number, to: number) => {
    for (let turn = from; turn <= to; turn += 1) {
      const isReply = turn % 3 === 0;
      texts.push(`${isReply ? 'Reply' : 'Message'} ${turn}`);
      if (isReply) gateway.reply({ phoneNumber, content: `Reply ${turn}` });
      else gateway.state.send([{ phone_number: phoneNumber, text: `Message ${turn}` }]);
    }
  };
  say(1, 20);
  const page = await browser.newPage();
  await page.goto(gateway.origin);
  const bubbles = page.locator('.entries .bubble');
  await expect(bubbles).toHaveText(texts);
  await expect(bubbles.last()).toBeInViewport();
  await page.screenshot({ path: pictureFile('phones') });

  say(21, 25);
  await expect(bubbles).toHaveText(texts);
  await expect(bubbles.last(), 'the page follows the conversation').toBeInViewport();

  await bubbles.first().scrollIntoViewIfNeeded();
  say(26, 30);
  await expect(bubbles).toHaveText(texts);
  await expect(bubbles.first(), 'a reader who has scrolled up stays there').toBeInViewport();

  await page.getByLabel(`Reply from ${phoneNumber}`).fill('TD');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(bubbles.last()).toHaveText('TD');
  await page.close();
});

test('No barriers in either language', async ({ browser, openGateway }) => {
  const gateway = await openGateway({ n8n: 'http://127.0.0.1:5678' });
  // Those that end in 0001 to 0003 fail.
  const phones = Array.from({ length: 70 }, (_, index) => String(13_800_130_000 + index));
  const text = '【示例科技】您好'.repeat(9);
  gateway.state.send(phones.map((phone_number) => ({ phone_number, text })));
  gateway.reply({ phoneNumber: '13800130001', content: '退订' });
  const page = await browser.newPage();
  for (const lang of ['en', 'zh']) {
    await page.goto(`${gateway.origin}/?lang=${lang}`);
    expect(await barriers(page), lang).toEqual([]);
    await page.screenshot({ path: pictureFile(`phones ${lang}`) });
  }
  await page.close();
});
