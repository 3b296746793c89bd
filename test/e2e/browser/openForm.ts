import type { Page } from '@playwright/test';

/** Opens a form that asks for a user of n8n, as the one who is signed in. */
export async function openForm(page: Page, address: string, button: string): Promise<void> {
  await page.goto(address);
  const allow = page.getByRole('button', { name: 'Allow access' });
  await allow.or(page.getByRole('button', { name: button })).waitFor();
  if (await allow.isVisible()) await allow.click();
}
