import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { IdentifyRequest, NewAccount, NewKey } from '../../api/client/schema';
import { photoOfProduct } from '../../scripts/lab/generator/generate-bundle';
import { OperatorClient } from '../support/api-client';

/** The seed of the demonstration's catalog, from which photos of its items are drawn. */
export const DEMO_SEED = 7;

/** Items of the demonstration that their photos identify with certainty. */
export const WATCH = 17;
export const BAG = 4;

export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

/** A name of this machine that is not among those that get the demonstration's key. */
export const OTHER_NAME = 'loupe.test';

/** Visits of a real browser. After each test, checks that its pages broke no rule of their own policy. */
export function useBrowser() {
  const url = process.env['E2E_URL'] ?? '';
  const otherUrl = url.replace('127.0.0.1', OTHER_NAME);
  const pages: Page[] = [];
  const faults: string[] = [];
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.connect(process.env['E2E_BROWSER'] ?? '');
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.context().close();
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(() => browser?.close());

  const visit = async (path = '', options: BrowserContextOptions = {}, base = url): Promise<Page> => {
    if (!browser) throw new Error('the browser is open in tests only');
    const context = await browser.newContext(options);
    const page = await context.newPage();
    pages.push(page);
    page.on('pageerror', (failure) => faults.push(`failed: ${failure.message}`));
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) faults.push(message.text());
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      const own = [new URL(base).origin, new URL(url).origin].includes(origin);
      if (!own && !['blob:', 'data:'].includes(protocol)) faults.push(`foreign: ${request.url()}`);
    });
    await page.goto(`${base}/${path}`);
    return page;
  };
  /** A page for a visitor with a key, where the demonstration's is not offered. */
  const visitWith = async (key: string, path = '', options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await visit(path, options, otherUrl);
    await signIn(page, key);
    return page;
  };
  return { url, otherUrl, visit, visitWith };
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Expects that axe finds nothing serious, light or dark, on a desktop or a phone, and that nothing is wider than the screen. */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize();
  // Through the debugger, to which the page's policy does not apply.
  await page.evaluate(axe.source);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // The schemes differ only in colours.
      const rules = colorScheme === 'dark' ? `runOnly: ['color-contrast'],` : '';
      const run = `axe.run({ ${rules} resultTypes: ['violations'] }).then(({ violations }) => violations)`;
      const violations = (await page.evaluate(run)) as axe.Result[];
      const faults = violations
        .filter(({ id, impact }) => ['serious', 'critical'].includes(impact ?? '') || id === 'heading-order')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
      expect([width, colorScheme, ...faults]).toEqual([width, colorScheme]);
    }
  }
  for (const width of [1280, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    // Not `innerWidth`, which a phone widens to fit overflowing content.
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
  if (before) await page.setViewportSize(before);
}

/** Records the API calls that a page makes from now on, by the end of their address. */
export function callsOf(page: Page): (path: string) => number {
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  return (path) => urls.filter((url) => url.endsWith(path)).length;
}

/** Once: the next call is answered by the service. */
export function refuse(page: Page, address: string, status: number): Promise<unknown> {
  const json = { success: false, error: 'x', message: 'Try again.', request_id: 'request-1' };
  return page.route(address, (route) => route.fulfill({ status, json }), { times: 1 });
}

export interface TestFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

export const HEIC: TestFile = {
  name: 'IMG_1.HEIC',
  mimeType: 'image/heic',
  buffer: Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic'), Buffer.alloc(200)]),
};

export const jpeg = (name: string, buffer: Buffer): TestFile => ({ name, mimeType: 'image/jpeg', buffer });

/** A photo of an item of the demonstration that is not a picture of its catalog; each seed is another view of it. */
export const fileOf = async (index: number, photoSeed = 4): Promise<TestFile> => {
  const photo = await photoOfProduct({ seed: DEMO_SEED, index, photoSeed, size: 640 });
  return jpeg(`view-${photoSeed}.jpg`, photo);
};

type Given = TestFile | Promise<TestFile>;

export async function drop(page: Page, ...files: readonly Given[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle(await heldFiles(files));
  await page.locator('main > *').first().waitFor({ state: 'attached' });
  await page.dispatchEvent('main', 'dragover', { dataTransfer });
  await page.dispatchEvent('main', 'drop', { dataTransfer });
}

export async function paste(page: Page, ...files: readonly Given[]): Promise<void> {
  await page.locator('main > *').first().waitFor({ state: 'attached' });
  const held = await heldFiles(files);
  await page.evaluate(
    `document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: ${held}, bubbles: true }))`,
  );
}

export const choose = async (page: Page, ...files: readonly Given[]): Promise<void> =>
  page.locator('input[type=file][multiple]').setInputFiles(await Promise.all(files));

/** An expression for files as a browser hands them over: text, as tests are compiled without a browser's types. */
async function heldFiles(files: readonly Given[]): Promise<string> {
  const given = (await Promise.all(files)).map(({ buffer, ...file }) => ({
    ...file,
    base64: buffer.toString('base64'),
  }));
  return `(() => {
    const held = new DataTransfer();
    for (const { name, mimeType: type, base64 } of ${JSON.stringify(given)}) {
      const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
      held.items.add(new File([bytes], name, { type }));
    }
    return held;
  })()`;
}

/** Drops these files, if any, and asks what the given pictures show. Returns what was sent. */
export async function identify(page: Page, ...files: readonly Given[]): Promise<IdentifyRequest> {
  if (files.length > 0) await drop(page, ...files);
  const sent = page.waitForRequest('**/v3/vision/identify');
  await page.getByRole('button', { name: 'Identify', exact: true }).click();
  return (await sent).postDataJSON();
}

/** A key of a new account of the demonstration; without `credits` it has no limit. */
export async function newKey({ credits = null, ...key }: Partial<NewAccount & NewKey> = {}): Promise<string> {
  const operator = new OperatorClient(process.env['E2E_URL'] ?? '');
  return (await operator.key(await operator.account(credits), key)).secret;
}
