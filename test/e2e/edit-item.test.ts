import type { Page } from 'playwright-core';
import { fileOf, newKey, PHONE, seriousFaults, signIn, type TestFile, useBrowser, WATCH } from './browser';
import { answerWith, ranked } from './ranked-answers';

const browser = useBrowser();
const WRITER = ['--scopes', 'catalog:read,vision:identify,catalog:write'];

/** The page of a user who may write the catalog; the demonstration's key may not. */
async function writer(path: string, options = {}): Promise<Page> {
  const page = await browser.visit(path, options, browser.otherUrl);
  await signIn(page, await newKey(null, ...WRITER));
  await page.getByRole('link', { name: 'Add an item' }).waitFor();
  return page;
}

/** An item that is neither in the catalog nor in any photo of the demonstration. */
const photo = async (): Promise<TestFile> => ({ ...(await fileOf(WATCH, 31)), name: 'new.jpg' });

/** Gives the photo, which resembles nothing in the catalog, and opens the form. */
async function looked(page: Page): Promise<void> {
  await answerWith(page, []);
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(await photo());
  await page.getByRole('button', { name: 'Look for it in the catalog' }).click();
  await page.getByRole('heading', { name: 'Is it not in the catalog?' }).waitFor();
  await page.unrouteAll();
}

const add = (page: Page) => page.getByRole('button', { name: 'Add to the catalog' });
const action = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test.each([
  ['on a desktop', {}],
  ['on a phone', PHONE],
])('%s an item is added with its photo, found by it, changed and removed', async (_where, options) => {
  const page = await writer('?view=add', options);
  await looked(page);
  expect(await seriousFaults(page)).toEqual([]);
  const title = `Ardennaise ${Date.now().toString(36)}`;
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Your number (SKU)').fill('ARD-7');
  await page.getByLabel('Its page in your shop').fill('https://shop.example/ard-7');
  await page.getByRole('combobox', { name: 'Brand' }).fill('Ardenne & Fils');
  await add(page).click();
  await page.getByText('Searches and photos find it.').waitFor();
  await page.getByRole('link', { name: 'Open it' }).click();
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  await page.getByText('ARD-7').first().waitFor();
  await page.getByRole('link', { name: 'Ardenne & Fils' }).waitFor();
  expect(await page.getByRole('link', { name: 'Open at the shop' }).getAttribute('href')).toBe(
    'https://shop.example/ard-7',
  );

  await action(page, 'Change').click();
  await page.getByRole('textbox', { name: 'Title' }).fill(`${title} II`);
  expect(await seriousFaults(page)).toEqual([]);
  await action(page, 'Save').click();
  await page.getByRole('heading', { name: `${title} II`, level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Ardenne & Fils' }).waitFor();

  await page.getByRole('link', { name: 'Identify' }).click();
  await action(page, 'Another item').click();
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(await photo());
  await action(page, 'Identify').click();
  await page.getByRole('heading', { name: `${title} II`, level: 2 }).waitFor();

  await page.getByRole('link', { name: 'Open in the catalog' }).click();
  await action(page, 'Remove').click();
  await action(page, 'Keep it').click();
  await action(page, 'Remove').click();
  const item = page.url();
  await action(page, 'Remove it').click();
  await page.waitForURL(/view=catalog/);
  await page.goto(item);
  await page.getByText('Not in the catalog').waitFor();
});

test('a rejected field is named, what was typed stays, and a second try succeeds', async () => {
  const page = await writer('?view=add');
  await looked(page);
  expect(await add(page).isDisabled()).toBe(true);
  await page.getByLabel('Title').fill('Ardennaise');
  await page.route('**/v3/catalog/records', async (route) => {
    const data = [{ line: 1, id: null, status: 'rejected', field: 'title', reason: 'is too long' }];
    const body = { success: true, accepted: 0, rejected: 1, credits_used: 0, data };
    await route.fulfill({ json: body });
  });
  await add(page).click();
  await page.getByText('It was not accepted: title: is too long').waitFor();
  await page.unrouteAll();
  expect(await page.getByLabel('Title').inputValue()).toBe('Ardennaise');
  await add(page).click();
  await page.getByText('Searches and photos find it.').waitFor();
  await page.getByRole('link', { name: 'Open it' }).click();
  await action(page, 'Remove').click();
  await action(page, 'Remove it').click();
  await page.waitForURL(/view=catalog/);
});

test('a key that may not write is offered no editing', async () => {
  const page = await browser.visit('?item=product_1');
  await answerWith(page, [ranked(1, 0.9)]);
  await page.getByRole('link', { name: 'Catalog' }).first().waitFor();
  expect(await page.getByRole('link', { name: 'Add an item' }).count()).toBe(0);
});
