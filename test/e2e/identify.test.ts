import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { productId } from '../../scripts/lab/generator/generate-bundle';
import { REPOSITORY_ROOT } from '../../scripts/lab/service-processes';
import {
  ask,
  DEMO_SEED,
  drop,
  fileOf,
  HEIC,
  newKey,
  PHONE,
  refuse,
  signIn,
  type TestFile,
  useBrowser,
  WATCH,
} from './browser';

const browser = useBrowser();

describe('a photo', () => {
  test('that is dropped is shown as sent, beside the right item, with what it sells for', async () => {
    const page = await browser.visit();
    await page.getByRole('heading', { name: 'Identify handbags or watches' }).waitFor();
    await drop(page, await fileOf(WATCH));
    await ask(page);
    const link = page.getByRole('link', { name: 'Open in the catalog' });
    expect(await link.getAttribute('href')).toBe(`?item=${productId(DEMO_SEED, WATCH)}`);
    expect(await page.getByText('640 × 640').isVisible()).toBe(true);
    expect(await page.getByRole('status').first().textContent()).toMatch(/1 match\. The best one is .+%/);
    const meter = page.getByRole('meter', { name: 'Confidence' });
    expect(await meter.getAttribute('aria-valuetext')).toMatch(/^(Over )?\d+%, nearly certain$/);
    const cell = page.getByRole('table', { name: '' }).first().getByRole('cell').first();
    expect(await cell.textContent()).toMatch(/^[$£€][\d,]+$/);
    await page.getByRole('img', { name: /^Estimates in grade A, / }).waitFor();
    expect(await page.getByText('10 credits used').isVisible()).toBe(true);
  });

  test('of the demonstration is identified on a phone, which offers its camera', async () => {
    const page = await browser.visit('', PHONE);
    await page.getByText('Take a photo').waitFor();
    await page.getByRole('button', { name: 'Sample 1' }).tap();
    await page.getByText('Best match').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });

  test('without prices costs less', async () => {
    const page = await browser.visit();
    await page.getByLabel('With price estimates').uncheck();
    await drop(page, await fileOf(WATCH));
    await ask(page);
    await page.getByText('Best match').waitFor();
    expect(await page.getByText('5 credits used').isVisible()).toBe(true);
    expect(await page.getByRole('heading', { name: 'Resale estimates' }).count()).toBe(0);
  });
});

describe('a failed identification is explained in words that help', () => {
  test('a HEIC picture: what it is, and how to get one that can be read', async () => {
    const page = await browser.visit();
    await drop(page, HEIC);
    await ask(page);
    const said = await page.getByRole('alert').textContent();
    expect(said).toContain('This is HEIC');
    expect(said).toContain('Most Compatible');
    expect(await page.getByRole('region', { name: 'Your picture' }).textContent()).toContain('Can’t be used');
    await page.getByRole('button', { name: 'Another item' }).click();
    expect(await page.getByText('Choose pictures').isVisible()).toBe(true);
  });

  test('an address that leads into a private network', async () => {
    const page = await browser.visit();
    await page.getByLabel('Or the address of a picture').fill('https://127.0.0.1:1/bag.jpg');
    await page.keyboard.press('Enter');
    await ask(page);
    expect(await page.getByRole('alert').textContent()).toContain('This address may not be reached');
  });

  test('an invalid address, before anything is sent', async () => {
    const page = await browser.visit();
    await page.getByLabel('Or the address of a picture').fill('bag.jpg');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').textContent()).toContain('starts with https://');
  });

  test('too few credits', async () => {
    const page = await browser.visit('', {}, browser.otherUrl);
    await signIn(page, await newKey(3));
    await drop(page, await fileOf(WATCH));
    await ask(page);
    const said = await page.getByRole('alert').textContent();
    expect(said).toContain('Not enough credits');
    expect(said).toContain('10 credits');
  });

  test('too many calls: the page counts down to the next one, then it can be made', async () => {
    const page = await browser.visit('', {}, browser.otherUrl);
    await page.clock.install();
    await signIn(page, await newKey(null, '--per-minute', '2'));
    await drop(page, await fileOf(WATCH));
    await ask(page);
    await page.getByText('Best match').waitFor();
    await drop(page, await fileOf(WATCH));
    await ask(page);
    const again = page.getByRole('button', { name: /^Try again/ });
    expect(await again.textContent()).toMatch(/^Try again in \d+ s$/);
    expect(await again.isDisabled()).toBe(true);
    await page.clock.runFor(61_000);
    expect(await again.textContent()).toBe('Try again');
    expect(await again.isEnabled()).toBe(true);
  });

  test.each([
    [503, 'The service is busy'],
    [504, 'This took too long'],
  ])('a %d, and the next try succeeds', async (status, title) => {
    const page = await browser.visit();
    const address = '**/v3/vision/identify';
    await refuse(page, address, status);
    await drop(page, await fileOf(WATCH));
    await ask(page);
    expect(await page.getByRole('alert').textContent()).toContain(title);
    expect(await page.getByText('Request request-1').isVisible()).toBe(true);
    await page.unroute(address);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Best match').waitFor();
  });

  test('no network, and the next try succeeds', async () => {
    const page = await browser.visit();
    await page.getByText('Choose pictures').waitFor();
    await page.context().setOffline(true);
    await drop(page, await fileOf(WATCH));
    await ask(page);
    expect(await page.getByRole('alert').textContent()).toContain('You are offline');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Best match').waitFor();
  });
});

describe('the request behind it', () => {
  test.each([
    ['curl', 1],
    ['TypeScript', 1],
    ['curl', 2],
    ['TypeScript', 2],
  ])('as %s with %d photos never holds the key, and gives the same answer', async (form, count) => {
    const page = await browser.visit('', {}, browser.otherUrl);
    const key = await newKey(null);
    await signIn(page, key);
    const files = await Promise.all([4, 5].slice(0, count).map((seed) => fileOf(WATCH, seed)));
    await drop(page, ...files);
    await ask(page);
    await page.getByText('The request behind this').click();
    await page.getByRole('button', { name: form }).click();
    const program = (await page.getByRole('region', { name: form }).textContent()) ?? '';
    expect(program).toContain('LOUPE_KEY');
    expect(program).not.toContain(key);
    // Only the browser of the test knows the name.
    expect(await run(form, program.replace(browser.otherUrl, browser.url), key, files)).toContain(
      productId(DEMO_SEED, WATCH),
    );
  });
});

/** What the shown program prints, with the photos beside it. */
async function run(form: string, program: string, key: string, photos: readonly TestFile[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-e2e-'));
  try {
    for (const [at, { buffer }] of photos.entries()) {
      await writeFile(join(folder, photos.length === 1 ? 'photo.jpg' : `photo-${at + 1}.jpg`), buffer);
    }
    await writeFile(join(folder, 'program.mts'), `${program}\nconsole.log(JSON.stringify(data));`);
    const tsx = require.resolve('tsx', { paths: [REPOSITORY_ROOT] });
    const [command, words] =
      form === 'curl' ? ['bash', ['-c', program]] : [process.execPath, ['--import', tsx, 'program.mts']];
    const env = { PATH: process.env['PATH'], LOUPE_KEY: key };
    return (await promisify(execFile)(command as string, words as string[], { cwd: folder, env })).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
