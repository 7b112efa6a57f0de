import type { Page } from 'playwright-core';
import { choose, expectAccessible, fileOf, newKey, PHONE, type TestFile, useBrowser, WATCH } from './browser';
import { answerWith } from './ranked-answers';

const browser = useBrowser();

/** An item that is neither in the catalog nor in any photo of the demonstration. */
const photo = async (): Promise<TestFile> => ({ ...(await fileOf(WATCH, 31)), name: 'new.jpg' });

async function opened(): Promise<Page> {
  const key = await newKey({ scopes: ['catalog:read', 'vision:identify', 'catalog:write'] });
  const page = await browser.visitWith(key, '?view=add', PHONE);
  await page.getByRole('link', { name: 'Add an item' }).waitFor();
  await answerWith(page, []);
  await choose(page, photo());
  await page.getByRole('button', { name: 'Look for it in the catalog' }).click();
  await page.getByRole('heading', { name: 'Is it not in the catalog?' }).waitFor();
  await page.unrouteAll();
  return page;
}

const add = (page: Page) => page.getByRole('button', { name: 'Add to the catalog' });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

test('an item is added with its photo, found by it, changed and removed', async () => {
  const page = await opened();
  await expectAccessible(page);
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
  const shop = page.getByRole('link', { name: 'Open at the shop' });
  expect(await shop.getAttribute('href')).toBe('https://shop.example/ard-7');

  await press(page, 'Change');
  await page.getByRole('textbox', { name: 'Title' }).fill(`${title} II`);
  await expectAccessible(page);
  await press(page, 'Save');
  await page.getByRole('heading', { name: `${title} II`, level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Ardenne & Fils' }).waitFor();

  await page.getByRole('link', { name: 'Identify' }).click();
  await press(page, 'Another item');
  await choose(page, photo());
  await press(page, 'Identify');
  await page.getByRole('heading', { name: `${title} II`, level: 2 }).waitFor();

  await page.getByRole('link', { name: 'Open in the catalog' }).click();
  await press(page, 'Remove');
  await press(page, 'Keep it');
  await press(page, 'Remove');
  const item = page.url();
  await press(page, 'Remove it');
  await page.waitForURL(/view=catalog/);
  await page.goto(item);
  await page.getByText('Not in the catalog').waitFor();
});

test('a rejected field is named, what was typed stays, and a second try succeeds', async () => {
  const page = await opened();
  expect(await add(page).isDisabled()).toBe(true);
  await page.getByLabel('Title').fill('Ardennaise');
  const data = [{ line: 1, id: null, status: 'rejected', field: 'title', reason: 'is too long' }];
  const json = { success: true, accepted: 0, rejected: 1, credits_used: 0, data };
  await page.route('**/v3/catalog/records', (route) => route.fulfill({ json }), { times: 1 });
  await add(page).click();
  await page.getByText('It was not accepted: title: is too long').waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('Ardennaise');
  await add(page).click();
  await page.getByText('Searches and photos find it.').waitFor();
  await page.getByRole('link', { name: 'Open it' }).click();
  await press(page, 'Remove');
  await press(page, 'Remove it');
  await page.waitForURL(/view=catalog/);
});

test('a key that may not write is offered no editing', async () => {
  const page = await browser.visit('?view=catalog');
  await page.locator('.grid a').first().click();
  await page.getByRole('heading', { name: 'Taxonomy' }).waitFor();
  expect(await page.getByRole('link', { name: 'Add an item' }).count()).toBe(0);
  expect(await page.getByRole('region', { name: 'Your catalog' }).count()).toBe(0);
});
