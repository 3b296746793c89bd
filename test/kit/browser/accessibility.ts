import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** WCAG 2.2 AA and what axe-core knows as good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const SIZES = { laptop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } };

/** What is wrong on the open page: on a laptop and a phone, in light and dark. */
export async function barriers(page: Page): Promise<string[]> {
  const found: string[] = [];
  const before = page.viewportSize() ?? SIZES.laptop;
  for (const [device, size] of Object.entries(SIZES)) {
    await page.setViewportSize(size);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > size.width) found.push(`${device}: the page is wider than the window`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
      for (const { id, nodes } of violations) {
        found.push(...nodes.map(({ html }) => `${device}, ${colorScheme}: ${id}: ${html}`));
      }
    }
  }
  await page.setViewportSize(before);
  return found;
}
