import type { Page } from 'playwright-core';
import { expectAccessible, fileOf, identify, newKey, refuse, signIn, useBrowser, WATCH } from './browser';

const browser = useBrowser();

const SCRIPT_BYTES_MAX = 100_000;

const asksForKey = (page: Page) => page.getByRole('heading', { name: 'Sign in with an API key' }).waitFor();

describe('the key', () => {
  const stored = (page: Page) =>
    page.evaluate(
      'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie])',
    );

  test('is the demonstration’s own on its machine, and in no address or storage', async () => {
    const page = await browser.visit();
    await page.getByText('Demonstration key').waitFor();
    expect(page.url()).not.toContain('loupe_');
    expect(await stored(page)).not.toContain('loupe_test_');
  });

  test('is requested elsewhere, refused with a message when it is wrong, and kept only in the tab', async () => {
    const page = await browser.visit('?view=catalog', {}, browser.otherUrl);
    await asksForKey(page);
    await expectAccessible(page);
    for (const wrong of ['loupe_live_…', `loupe_live_${'x'.repeat(32)}`]) {
      await signIn(page, wrong);
      expect(await page.getByRole('alert').textContent()).toContain('This key is not accepted');
    }
    const key = await newKey();
    await signIn(page, key);
    const results = page.locator('#results').filter({ hasText: '60 products' });
    await results.waitFor();
    expect(await stored(page)).toBe(JSON.stringify([[], [['loupe-key', key]], '']));
    await page.reload();
    await results.waitFor();
    const other = await page.context().newPage();
    await other.goto(browser.otherUrl);
    await asksForKey(other);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await asksForKey(page);
    expect(await stored(page)).toBe(JSON.stringify([[], [], '']));
  });

  test('that is refused later keeps the chosen photos, which the next key identifies', async () => {
    const page = await browser.visitWith(await newKey());
    await refuse(page, '**/v3/vision/identify', 401);
    await identify(page, fileOf(WATCH));
    await asksForKey(page);
    await signIn(page, await newKey());
    await identify(page);
    await page.getByText('Best match').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, await newKey());
    await page.getByText('Choose pictures').waitFor();
  });
});

describe('the page', () => {
  test('is dark for users who prefer dark', async () => {
    const page = await browser.visit();
    const ground = async (colorScheme: 'light' | 'dark') => {
      await page.emulateMedia({ colorScheme });
      return page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    };
    expect(await ground('light')).toBe('rgb(255, 255, 255)');
    expect(await ground('dark')).toBe('rgb(18, 18, 16)');
  });

  test('starts accessible, within its script budget', async () => {
    const page = await browser.visit();
    await page.getByRole('button', { name: 'Sample 1' }).waitFor();
    await expectAccessible(page);
    const sizes = await page.evaluate(
      `performance.getEntriesByType('resource').filter((each) => each.initiatorType === 'script').map((each) => each.decodedBodySize)`,
    );
    const bytes = (sizes as number[]).reduce((sum, each) => sum + each, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(SCRIPT_BYTES_MAX);
  });
});
