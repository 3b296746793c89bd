/** The sandbox's page of virtual phones. It needs no n8n. */
import { pictureFile } from '../lib/paths';
import { expect, test } from '../lib/test';

test('A phone shows its conversation in the order in which it happened, and follows it', async ({
  browser,
  openGateway,
}) => {
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
