import type { BrowserContextOptions, Page } from 'playwright-core';
import {
  ask,
  BAG,
  drop,
  fileOf,
  HEIC,
  newKey,
  PHONE,
  refuse,
  seriousFaults,
  signIn,
  type TestFile,
  useBrowser,
  WATCH,
} from './browser';
import { A_BRAND, answerWith, TEN_UNSURE, TWO_ITEMS } from './ranked-answers';

const browser = useBrowser();

const SCRIPT_BYTES_MAX = 100_000;

describe('the key', () => {
  test('is the demonstration’s own on its machine, and in no address or storage', async () => {
    const page = await browser.visit();
    await page.getByText('Demonstration key').waitFor();
    expect(page.url()).not.toContain('loupe_');
    expect(await stored(page)).not.toContain('loupe_test_');
  });

  test('is requested elsewhere, refused with a message when it is wrong, and kept only in the tab', async () => {
    const page = await browser.visit('?view=catalog', {}, browser.otherUrl);
    await page.getByRole('heading', { name: 'Sign in with an API key' }).waitFor();
    await signIn(page, `loupe_live_${'x'.repeat(32)}`);
    expect(await page.getByRole('alert').textContent()).toContain('This key is not accepted');
    const key = await newKey(null);
    await signIn(page, key);
    await page.locator('#results').filter({ hasText: '60 products' }).waitFor();
    expect(await stored(page)).toBe(JSON.stringify([[], [['loupe-key', key]], '']));
    await page.reload();
    await page.locator('#results').filter({ hasText: '60 products' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(browser.otherUrl);
    await other.getByRole('heading', { name: 'Sign in with an API key' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in with an API key' }).waitFor();
    expect(await stored(page)).toBe(JSON.stringify([[], [], '']));
  });
});

describe('a key that is refused', () => {
  test('later keeps the chosen photos, which the next key identifies', async () => {
    const page = await browser.visit('', {}, browser.otherUrl);
    await signIn(page, await newKey(null));
    await drop(page, await fileOf(WATCH));
    const address = '**/v3/vision/identify';
    await refuse(page, address, 401);
    await ask(page);
    await page.getByRole('heading', { name: 'Sign in with an API key' }).waitFor();
    await page.unroute(address);
    await signIn(page, await newKey(null));
    await ask(page);
    await page.getByText('Best match').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, await newKey(null));
    await page.getByText('Choose pictures').waitFor();
  });
});

const stored = (page: Page) =>
  page.evaluate(
    'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie])',
  );

const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') };

/** Drops these files and identifies them. */
async function identified(page: Page, ...files: readonly (TestFile | Promise<TestFile>)[]): Promise<void> {
  await drop(page, ...(await Promise.all(files)));
  await ask(page);
}

/** Each view as it is opened: its address, and what is done there. */
const VIEWS: Readonly<Record<string, readonly [path: string, open: (page: Page) => Promise<unknown>]>> = {
  'the start': ['', (page) => page.getByRole('button', { name: 'Sample 1' }).waitFor()],
  matches: [
    '',
    async (page) => {
      await identified(page, fileOf(WATCH));
      await page.getByRole('img', { name: /^Estimates/ }).waitFor();
      await page.getByText('The request behind this').click();
    },
  ],
  'pictures with a frame and a scope': [
    '',
    async (page) => {
      await drop(page, await fileOf(WATCH), await fileOf(BAG), await fileOf(23));
      await page.getByRole('button', { name: 'Frame the item in picture 2' }).click();
      await page.getByRole('slider', { name: 'Left edge' }).press('PageUp');
      await page.getByText('Look among: anything').click();
      await page.getByRole('radio', { name: 'Anything' }).waitFor();
    },
  ],
  'why, and feedback on it': [
    '',
    async (page) => {
      await identified(page, fileOf(WATCH), fileOf(BAG));
      await page.getByRole('button', { name: 'Not in the catalog' }).click();
      await page.getByText('Thank you').waitFor();
      await page.getByRole('button', { name: 'Find it in the catalog' }).click();
      await page.getByLabel('Find it by its name').fill('tote');
      await page.getByLabel('Find it by its name').press('Enter');
      await page.locator('.product-search li').first().waitFor();
    },
  ],
  'a brand with its pieces, enlarged': [
    '',
    async (page) => {
      await answerWith(page, A_BRAND);
      await identified(page, fileOf(WATCH));
      await page.getByRole('button', { name: /^The Clé, crocodile/ }).click();
      await page.getByRole('slider', { name: 'Zoom' }).press('End');
    },
  ],
  'two items': [
    '',
    async (page) => {
      await answerWith(page, TWO_ITEMS);
      await identified(page, fileOf(WATCH), fileOf(BAG));
      await page.locator('.doubt').waitFor();
    },
  ],
  'nothing sure, then ten of which none is sure': [
    '',
    async (page) => {
      await answerWith(page, []);
      await identified(page, fileOf(WATCH));
      const nearest = page.getByRole('button', { name: /^Show the nearest/ });
      await nearest.waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await answerWith(page, TEN_UNSURE);
      await nearest.click();
      await page.getByText('The nearest', { exact: true }).waitFor();
    },
  ],
  'a refusal': ['', (page) => drop(page, NOTE).then(() => page.getByRole('alert').waitFor())],
  'one of several that can’t be used': [
    '',
    (page) => identified(page, fileOf(WATCH), HEIC).then(() => page.getByRole('alert').waitFor()),
  ],
  'the catalog': ['?view=catalog&tags=material%3Aexotic', (page) => page.locator('.grid').waitFor()],
  brands: ['?view=catalog&show=brand', (page) => page.locator('.grid').waitFor()],
  'an item': [
    '?view=catalog',
    async (page) => {
      await page.locator('.grid a').first().click();
      await page.getByRole('heading', { name: 'Taxonomy' }).waitFor();
    },
  ],
  'nothing found': ['?view=catalog&q=zzzzzzzz', (page) => page.locator('.nothing').waitFor()],
};

describe.each<[name: string, options: BrowserContextOptions, widths: readonly number[]]>([
  ['on a desktop', {}, [1280]],
  ['on a phone', PHONE, [390, 320]],
])('%s', (_where, options, widths) => {
  test.each(Object.entries(VIEWS))(
    '%s: axe finds nothing serious, light or dark, and nothing is wider than the screen',
    async (_name, [path, open]) => {
      const page = await browser.visit(path, { ...options, reducedMotion: 'reduce' });
      await open(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await seriousFaults(page)).toEqual([]);
      }
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        // Not `innerWidth`, which a phone widens to fit overflowing content.
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
    },
  );
});

describe('the page', () => {
  test('asks for sign-in without a serious fault', async () => {
    const page = await browser.visit('', {}, browser.otherUrl);
    await page.getByRole('heading', { name: 'Sign in with an API key' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
  });

  test('is dark for users who prefer dark', async () => {
    const ground = async (colorScheme: 'light' | 'dark') => {
      const page = await browser.visit('', { colorScheme });
      return page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    };
    expect(await ground('light')).toBe('rgb(255, 255, 255)');
    expect(await ground('dark')).toBe('rgb(18, 18, 16)');
  });

  test('works within its script budget', async () => {
    const page = await browser.visit();
    await page.getByRole('button', { name: 'Sample 1' }).waitFor();
    const sizes = await page.evaluate(
      `performance.getEntriesByType('resource').filter((each) => each.initiatorType === 'script').map((each) => each.decodedBodySize)`,
    );
    const bytes = (sizes as number[]).reduce((sum, each) => sum + each, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(SCRIPT_BYTES_MAX);
  });
});
