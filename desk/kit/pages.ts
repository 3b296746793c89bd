/** The web pages of the desk. */
import { expect, type Page } from '@playwright/test';

import { barriers } from '../../test/kit/browser/accessibility';
import type { N8nClient } from '../../test/kit/n8n/client';

/** The login of the pages. */
export const LOGIN = { user: 'ops', password: 'pages-of-the-suite' };

/** What an attacker would like to see run on a page of an ops team. */
export const ATTACK =
  '<script>document.title="stolen"</script><img src=x onerror=alert(1)>"\'><svg onload=alert(2)>';

const authorizationOf = ({ user, password }: typeof LOGIN) =>
  `Basic ${btoa(`${user}:${password}`)}`;

/** The HTML at the path of a webhook. */
export async function pageAt({ url }: N8nClient, path: string): Promise<string> {
  const headers = { authorization: authorizationOf(LOGIN) };
  const response = await fetch(`${url}/webhook/${path}`, { headers });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

/** Posts a form as a browser does. Gives back the status of the answer. */
export async function postForm(
  { url }: N8nClient,
  path: string,
  form: Record<string, string>,
  login = LOGIN,
): Promise<number> {
  const response = await fetch(`${url}/webhook/${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { authorization: authorizationOf(login) },
    body: new URLSearchParams(form),
  });
  return response.status;
}

/** Who has no login sees nothing. */
export async function expectLogin(address: string): Promise<void> {
  expect([401, 403]).toContain((await fetch(address)).status);
}

/** The attack is on the page, as text. */
export async function expectHarmless(page: Page): Promise<void> {
  await expect(page.locator('main'), 'the attack is shown as text').toContainText(ATTACK);
  await expect(page.locator('script, img, iframe, object, [onload]')).toHaveCount(0);
}

/** Nothing on a page keeps anybody out, in either language. */
export async function expectNoBarriers(page: Page, ...addresses: string[]): Promise<void> {
  for (const address of addresses) {
    for (const lang of ['en', 'zh']) {
      // The reload is a barrier for some, and the page has a link that stops it.
      const query = `refresh=off&lang=${lang}`;
      await page.goto(`${address}${address.includes('?') ? '&' : '?'}${query}`);
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
      expect(await barriers(page), `${address} ${lang}`).toEqual([]);
    }
  }
}
