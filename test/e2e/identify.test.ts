import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { productId } from '../../scripts/lab/generator/generate-bundle';
import { REPOSITORY_ROOT } from '../../scripts/lab/service-processes';
import { temporaryFolder } from '../support/temporary-folder';
import * as demo from './browser';

const browser = demo.useBrowser();

const best = (page: Page) => page.getByText('Best match').waitFor();
const alert = (page: Page) => page.getByRole('alert').textContent();

describe('a photo', () => {
  test('that is dropped is shown as sent, beside the right item, with what it sells for', async () => {
    const page = await browser.visit();
    await page.getByRole('heading', { name: 'Identify handbags or watches' }).waitFor();
    await demo.identify(page, demo.fileOf(demo.WATCH));
    const link = page.getByRole('link', { name: 'Open in the catalog' });
    expect(await link.getAttribute('href')).toBe(`?item=${productId(demo.DEMO_SEED, demo.WATCH)}`);
    expect(await page.getByText('640 × 640').isVisible()).toBe(true);
    expect(await page.getByRole('status').first().textContent()).toMatch(/1 match\. The best one is .+%/);
    const meter = page.getByRole('meter', { name: 'Confidence' });
    expect(await meter.getAttribute('aria-valuetext')).toMatch(/^(Over )?\d+%, nearly certain$/);
    const cell = page.getByRole('table', { name: '' }).first().getByRole('cell').first();
    expect(await cell.textContent()).toMatch(/^[$£€][\d,]+$/);
    await page.getByRole('img', { name: /^Estimates in grade A, / }).waitFor();
    expect(await page.getByText('10 credits used').isVisible()).toBe(true);
    await page.getByText('The request behind this').click();
    await demo.expectAccessible(page);
  });

  test('of the demonstration is identified on a phone, which also offers its camera', async () => {
    const page = await browser.visit('', demo.PHONE);
    await page.getByText('Take a photo').waitFor();
    await demo.expectAccessible(page);
    await page.getByRole('button', { name: 'Sample 1' }).tap();
    await best(page);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });

  test('without prices costs less', async () => {
    const page = await browser.visit();
    await page.getByLabel('With price estimates').uncheck();
    await demo.identify(page, demo.fileOf(demo.WATCH));
    await best(page);
    expect(await page.getByText('5 credits used').isVisible()).toBe(true);
    expect(await page.getByRole('heading', { name: 'Resale estimates' }).count()).toBe(0);
  });
});

describe('a failed identification is explained in words that help', () => {
  test('an invalid address, before anything is sent; then one that leads into a private network', async () => {
    const page = await browser.visit();
    const address = page.getByLabel('Or the address of a picture');
    await address.fill('bag.jpg');
    await address.press('Enter');
    expect(await alert(page)).toContain('starts with https://');
    await address.fill('https://127.0.0.1:1/bag.jpg');
    await address.press('Enter');
    await demo.identify(page);
    expect(await alert(page)).toContain('This address may not be reached');
  });

  test('too few credits', async () => {
    const page = await browser.visitWith(await demo.newKey({ credits: 3 }));
    await demo.identify(page, demo.fileOf(demo.WATCH));
    expect(await alert(page)).toMatch(/Not enough credits.*10 credits/);
  });

  test('too many calls: the page counts down to the next one, then it can be made', async () => {
    const page = await browser.visitWith(await demo.newKey({ limits: { per_minute: 2 } }));
    await page.clock.install();
    await demo.identify(page, demo.fileOf(demo.WATCH));
    await best(page);
    await demo.identify(page, demo.fileOf(demo.WATCH));
    const again = page.getByRole('button', { name: /^Try again/ });
    expect(await again.textContent()).toMatch(/^Try again in \d+ s$/);
    expect(await again.isDisabled()).toBe(true);
    await page.clock.runFor(61_000);
    expect(await again.textContent()).toBe('Try again');
    expect(await again.isEnabled()).toBe(true);
  });

  test('a busy service, one that took too long, a call that the browser breaks off, no network; and the next try succeeds', async () => {
    const page = await browser.visit();
    const address = '**/v3/vision/identify';
    await demo.refuse(page, address, 503);
    await demo.identify(page, demo.fileOf(demo.WATCH));
    expect(await alert(page)).toContain('The service is busy');
    expect(await page.getByText('Request request-1').isVisible()).toBe(true);
    const again = page.getByRole('button', { name: 'Try again' });
    await demo.refuse(page, address, 504);
    await again.click();
    await page.getByText('This took too long').waitFor();
    await page.route(address, (route) => route.abort('aborted'), { times: 1 });
    await again.click();
    await page.getByText('The service can’t be reached').waitFor();
    await page.context().setOffline(true);
    await again.click();
    await page.getByText('You are offline').waitFor();
    await page.context().setOffline(false);
    await again.click();
    await best(page);
  });
});

test.each([1, 2])(
  'the request behind an answer to %d photos never holds the key, and gives the same answer when run',
  async (count) => {
    const key = await demo.newKey();
    const page = await browser.visitWith(key);
    const files = await Promise.all([4, 5].slice(0, count).map((seed) => demo.fileOf(demo.WATCH, seed)));
    await demo.drop(page, ...files);
    await demo.identify(page);
    await page.getByText('The request behind this').click();
    for (const form of ['curl', 'TypeScript']) {
      await page.getByRole('button', { name: form }).click();
      const program = (await page.getByRole('region', { name: form }).textContent()) ?? '';
      expect(program).toContain('LOUPE_KEY');
      expect(program).not.toContain(key);
      // Only the browser of the test knows the name.
      const said = await run(form, program.replace(browser.otherUrl, browser.url), key, files);
      expect(said).toContain(productId(demo.DEMO_SEED, demo.WATCH));
    }
  },
);

async function run(
  form: string,
  program: string,
  key: string,
  photos: readonly demo.TestFile[],
): Promise<string> {
  const folder = temporaryFolder();
  for (const [at, { buffer }] of photos.entries()) {
    await writeFile(join(folder, photos.length === 1 ? 'photo.jpg' : `photo-${at + 1}.jpg`), buffer);
  }
  await writeFile(join(folder, 'program.mts'), `${program}\nconsole.log(JSON.stringify(data));`);
  const tsx = require.resolve('tsx', { paths: [REPOSITORY_ROOT] });
  const [command, words] =
    form === 'curl' ? ['bash', ['-c', program]] : [process.execPath, ['--import', tsx, 'program.mts']];
  const env = { PATH: process.env['PATH'], LOUPE_KEY: key };
  return (await promisify(execFile)(command as string, words as string[], { cwd: folder, env })).stdout;
}
