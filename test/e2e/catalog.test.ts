import type { Locator, Page } from 'playwright-core';
import { callsOf, expectAccessible, PHONE, refuse, useBrowser } from './browser';

const browser = useBrowser();

/** Presses Tab until the focus is on something of this name, like a user without a mouse. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let steps = 0; steps < 80; steps += 1) {
    await page.keyboard.press('Tab');
    const label = await page.evaluate(
      `(() => { const at = document.activeElement; return (at.getAttribute('aria-label') || at.labels?.[0]?.textContent || at.textContent || '').trim(); })()`,
    );
    if (name.test(String(label))) return;
  }
  throw new Error(`Tab never came to ${String(name)}`);
}

const named = (name: string, rest = ''): RegExp =>
  new RegExp(`^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}${rest}`);

const textOf = async (place: Locator): Promise<string> => ((await place.textContent()) ?? '').trim();
const firstName = (page: Page): Promise<string> => textOf(page.locator('.grid .name').first());

const headingSays = (page: Page, words: RegExp) =>
  page.locator('#results').filter({ hasText: words }).waitFor();
const visitCatalog = async () => {
  const page = await browser.visit('?view=catalog');
  await headingSays(page, /^60 products, page 1 of 3$/);
  return page;
};
const focused = (page: Page) => page.evaluate('document.activeElement.textContent');

describe('by keyboard alone', () => {
  test('a search can be made, narrowed by a facet and undone', async () => {
    const page = await browser.visit();
    await page.getByText('Choose pictures').waitFor();
    await tabTo(page, /^Catalog$/);
    await page.keyboard.press('Enter');
    await headingSays(page, /^60 products/);
    expect(await focused(page)).toBe('Catalog');
    await tabTo(page, /^Search the catalog$/);
    await page.keyboard.type('tote');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=tote/);
    await headingSays(page, /^\d products?$/);
    await tabTo(page, /^Brand/);
    await page.keyboard.press('Enter');
    const brands = page.getByRole('list', { name: 'Brand' });
    // With the number of rows that have it.
    const brand = await textOf(brands.locator('label span').first());
    await tabTo(page, named(brand, '\\d+$'));
    await page.keyboard.press('Space');
    await page.waitForURL(/brand=brand_/);
    await page.getByRole('button', { name: `Remove ${brand}` }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: `Remove ${brand}` }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Search the catalog').inputValue()).toBe('tote');
  });

  test('pages can be turned, and the next one is read from its top', async () => {
    const page = await visitCatalog();
    const first = await firstName(page);
    await page.getByRole('link', { name: 'Page 3' }).focus();
    await tabTo(page, /^Next$/);
    await page.keyboard.press('Enter');
    await headingSays(page, /page 2 of 3$/);
    expect(await page.evaluate('document.activeElement.id')).toBe('results');
    expect(await firstName(page)).not.toBe(first);
    await page.goBack();
    await headingSays(page, /page 1 of 3$/);
    expect(await firstName(page)).toBe(first);
  });

  test('an item is opened, its variants chosen, its history read date by date', async () => {
    const page = await visitCatalog();
    await page.getByLabel('Sort').focus();
    const name = await firstName(page);
    await tabTo(page, named(name));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect(await focused(page)).toBe(name);
    const variants = page.locator('.item .variants').getByRole('radio');
    const chosen = await variants.evaluateAll((all: { checked: boolean }[]) =>
      all.findIndex((each) => each.checked),
    );
    expect(await variants.count()).toBeGreaterThan(1);
    await tabTo(page, named(await textOf(page.locator('.item .variants label').nth(chosen))));
    await page.keyboard.press('ArrowRight');
    expect(await variants.nth((chosen + 1) % (await variants.count())).isChecked()).toBe(true);
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('img', { name: /^Estimates in grade A/ }).waitFor();
    await tabTo(page, /^Read a date$/);
    const slider = page.getByRole('slider', { name: 'Read a date' });
    const last = await slider.getAttribute('aria-valuetext');
    await page.keyboard.press('ArrowLeft');
    expect(last).toMatch(/^[A-Z][a-z]+ \d+, \d{4}: [$£€][\d,]+$/);
    expect(await slider.getAttribute('aria-valuetext')).not.toBe(last);
    await expectAccessible(page);
  });
});

describe('an item', () => {
  test('shows similar items once they are scrolled into view, to be opened by keyboard', async () => {
    const page = await visitCatalog();
    const calls = callsOf(page);
    await page.locator('.grid a').first().click();
    await page.getByRole('img', { name: /^Estimates in grade A/ }).waitFor();
    expect(calls('/similar')).toBe(0);
    await page.keyboard.press('End');
    const similar = page.getByRole('region', { name: 'Similar' });
    const links = similar.getByRole('link');
    const first = links.first();
    const address = (await first.getAttribute('href')) ?? '';
    const all = await links.evaluateAll((found) => found.map((link) => link.getAttribute('href')));
    // Products of one style have one name; the address tells them apart.
    expect(all).not.toContain(new URL(page.url()).search);
    expect(new Set(all).size).toBe(all.length);
    expect(await first.locator('img').count()).toBe(1);
    await first.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.search === address);
    const name = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
    expect(name).not.toBe('');
  });

  test('that is not a product shows no similar items', async () => {
    const page = await browser.visit('?view=catalog&category=watches&show=model');
    const calls = callsOf(page);
    await page.locator('.grid a').first().click();
    await page.getByText('All products of this model').waitFor();
    await page.keyboard.press('End');
    expect(await page.getByRole('region', { name: 'Similar' }).count()).toBe(0);
    expect(calls('/similar')).toBe(0);
  });
});

describe('the search box', () => {
  const box = (page: Page) => page.getByRole('combobox', { name: 'Search the catalog' });
  const options = (page: Page) => page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');

  test('suggests by keyboard: brands before products, the typed part set off, Enter opens', async () => {
    const page = await browser.visit('?view=catalog');
    await box(page).pressSequentially('vaur');
    await options(page).first().waitFor();
    expect(await box(page).getAttribute('aria-expanded')).toBe('true');
    const name = await textOf(options(page).first().locator('.name'));
    expect(await options(page).first().locator('.path').textContent()).toBe('Brand');
    expect(await options(page).first().locator('mark').textContent()).toBe('Vaur');
    await page.keyboard.press('ArrowDown');
    const active = await box(page).getAttribute('aria-activedescendant');
    expect(await options(page).first().getAttribute('id')).toBe(active);
    expect(await options(page).first().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowUp');
    expect(await box(page).getAttribute('aria-activedescendant')).toBeNull();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/item=brand_/);
    await page.getByRole('heading', { level: 1, name }).waitFor();
  });

  test('costs nothing and loses no letter while one types; Escape closes its list; Enter searches', async () => {
    const page = await visitCatalog();
    const calls = callsOf(page);
    for (const letter of 'tote') {
      const suggested = page.waitForResponse('**/v3/catalog/suggest');
      await box(page).press(letter);
      await suggested;
    }
    await options(page).first().waitFor();
    await page.keyboard.press('Escape');
    expect(await options(page).count()).toBe(0);
    expect(await box(page).inputValue()).toBe('tote');
    expect(await box(page).getAttribute('aria-expanded')).toBe('false');
    expect(calls('/v3/catalog/query')).toBe(0);
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=tote/);
    await headingSays(page, /^\d products?$/);
    expect(calls('/v3/catalog/query')).toBe(1);
  });

  test('suggests within the category, on a phone too, and a touch opens', async () => {
    const page = await browser.visit('?view=catalog&category=watches', PHONE);
    await box(page).pressSequentially('c');
    const first = options(page).first();
    await first.waitFor();
    const name = (await first.locator('.name').textContent()) ?? '';
    await first.tap();
    await page.waitForURL(/item=/);
    await page.getByRole('heading', { level: 1, name }).waitFor();
  });
});

describe('a view of the catalog', () => {
  test('is in its address: anyone who opens the address sees the same', async () => {
    const page = await browser.visit('?view=catalog&category=watches&show=model&sort=name_desc');
    await headingSays(page, /^\d+ models/);
    expect(await page.getByRole('radio', { name: 'Watches' }).isChecked()).toBe(true);
    expect(await page.getByLabel('Sort').inputValue()).toBe('name_desc');
    const names = await page.locator('.grid .name').allTextContents();
    expect(names).toEqual([...names].sort((a, b) => b.localeCompare(a, 'en')));
    await expectAccessible(page);
  });

  test('ignores parameters that are not filters', async () => {
    const others = 'utm_source=mail&utm_source=utm_mail&fbclid=1&constructor=x&__proto__=y&brand=x';
    const page = await browser.visit(`?view=catalog&category=watches&${others}`);
    await headingSays(page, /^\d+ products?/);
    expect(await page.getByRole('list', { name: 'Filters in use' }).count()).toBe(0);
  });

  test('filters by tag, and names what it filters by', async () => {
    const page = await browser.visit('?view=catalog&tags=material%3Aexotic');
    await page.getByRole('button', { name: 'Remove Exotic' }).waitFor();
    await headingSays(page, /^\d+ products?/);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove Exotic' }).click();
    await headingSays(page, /^60 products/);
  });

  // contract 5.18
  test('shows rows with some of the words where no row has all, and says so', async () => {
    const page = await browser.visit('?view=catalog&q=tote+unheardof');
    await page.getByText('Nothing has all of these words.').waitFor();
    await headingSays(page, /^\d products?$/);
    await page.getByLabel('Search the catalog').fill('tote');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing has all of these words.').waitFor({ state: 'detached' });
  });

  test('that is empty says so and leads back', async () => {
    const page = await browser.visit('?view=catalog&q=zzzzzzzz&category=watches');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await expectAccessible(page);
    expect(await page.getByText('0 credits used').count()).toBeLessThanOrEqual(1);
    await page.getByRole('button', { name: 'Remove all filters' }).click();
    expect(await page.getByRole('radio', { name: 'All' }).isChecked()).toBe(true);
  });
});

describe('the categories', () => {
  const SHOES = { id: 'shoes', name: 'Shoes', nodes: ['product', 'brand', 'line', 'category'] };
  const visitShopOf = async (page: Page, categories: readonly object[]) => {
    await page.route('**/v3/account', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), categories } });
    });
    await page.reload();
  };

  test('of the service are listed, each with the kinds that it has, without a paid call', async () => {
    const page = await visitCatalog();
    const calls = callsOf(page);
    const kinds = () => page.getByLabel('Show').locator('option').allTextContents();
    const all = ['Products', 'Brands', 'Families', 'Models', 'Styles', 'Cases', 'Dials', 'Categories'];
    expect(await kinds()).toEqual(all);
    expect(await page.getByRole('radio').count()).toBe(3);
    await page.getByRole('radio', { name: 'Handbags' }).check();
    await page.waitForURL(/category=handbags/);
    expect(await kinds()).toEqual(['Products', 'Brands', 'Models', 'Styles', 'Categories']);
    await headingSays(page, /^\d+ products/);
    expect(calls('/v3/catalog/query')).toBe(1);
  });

  test('of another shop are named in the heading and the title, with kinds that the code does not know', async () => {
    const page = await browser.visit();
    await visitShopOf(page, [SHOES, { ...SHOES, id: 'lego', name: 'LEGO Sets', nodes: [] }]);
    await page.getByRole('heading', { level: 1, name: 'Identify shoes or LEGO sets' }).waitFor();
    expect(await page.title()).toBe('Identify shoes or LEGO sets · Loupe');
    await page.getByRole('link', { name: 'Catalog', exact: true }).click();
    await headingSays(page, /^60 products/);
    const kinds = await page.getByLabel('Show').locator('option').allTextContents();
    expect(kinds).toEqual(['Products', 'Brands', 'Lines', 'Categories']);
  });

  test('that are unknown do not stop the page from working', async () => {
    const page = await browser.visit();
    await refuse(page, '**/v3/account', 503);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Identify an item' }).waitFor();
    expect(await page.getByText('Look among').count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
