import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds on a page that keeps people out, with the elements at fault. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // Through the debugger, which the page's policy does not bind.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
  return violations
    .filter(({ id, impact }) => ['serious', 'critical'].includes(impact ?? '') || id === 'heading-order')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
