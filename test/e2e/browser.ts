import { execFileSync } from 'node:child_process';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { photoOfProduct } from '../../scripts/lab/generator/generate-bundle';
import { runLoupe } from '../../scripts/lab/service-processes';

/** The seed of the demonstration's catalog, from which photos of its items are drawn. */
export const DEMO_SEED = 7;

/** Items of the demonstration that their photos identify with certainty. */
export const WATCH = 17;
export const BAG = 4;

/** A phone of usual size. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

/** A name of this machine that is not among those that get the demonstration's key. */
const OTHER_NAME = 'loupe.test';

/** A real browser for the tests of one file. After each test, checks that its pages broke no rule of their own policy. */
export function useBrowser(): TestBrowser {
  const browser = new TestBrowser();
  beforeAll(() => browser.start());
  afterEach(() => browser.closePages());
  afterAll(() => browser.stop());
  return browser;
}

class TestBrowser {
  private browser: Browser | undefined;
  private readonly pages: Page[] = [];
  private readonly faults: string[] = [];

  readonly url = process.env['E2E_URL'] ?? '';
  /** The same service under a name that is not its own machine's. */
  readonly otherUrl = this.url.replace('127.0.0.1', OTHER_NAME);

  async start(): Promise<void> {
    this.browser = await chromium.launch({
      executablePath: chromiumPath(),
      // The machine of a test is often a container, where the browser's own sandbox can't be made.
      args: ['--no-sandbox', `--host-resolver-rules=MAP ${OTHER_NAME} 127.0.0.1`],
    });
  }

  /** A page for a new visitor, at an address below the service's. */
  async visit(path = '', options: BrowserContextOptions = {}, base = this.url): Promise<Page> {
    if (!this.browser) throw new Error('the browser is open in tests only');
    const context = await this.browser.newContext(options);
    const page = await context.newPage();
    this.pages.push(page);
    page.on('pageerror', (failure) => this.faults.push(`failed: ${failure.message}`));
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) this.faults.push(message.text());
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      const own = [new URL(base).origin, new URL(this.url).origin].includes(origin);
      if (!own && !['blob:', 'data:'].includes(protocol)) this.faults.push(`foreign: ${request.url()}`);
    });
    await page.goto(`${base}/${path}`);
    return page;
  }

  async closePages(): Promise<void> {
    for (const page of this.pages.splice(0)) await page.context().close();
    expect(this.faults.splice(0)).toEqual([]);
  }

  async stop(): Promise<void> {
    await this.browser?.close();
  }
}

/** The browser that `CHROMIUM` names, else the first in the path. */
function chromiumPath(): string {
  const look = 'command -v "$0" chromium-browser google-chrome google-chrome-stable || true';
  const words = ['-c', look, process.env['CHROMIUM'] ?? 'chromium'];
  const [found] = execFileSync('sh', words, { encoding: 'utf8' }).split('\n');
  if (found) return found;
  throw new Error('There is no Chromium here: apt-get install chromium, or name one in CHROMIUM.');
}

/** What axe finds on a page that would keep people out, with the elements at fault. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // Through the debugger, to which the page's policy does not apply.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
  return violations
    .filter(({ id, impact }) => ['serious', 'critical'].includes(impact ?? '') || id === 'heading-order')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Records the API calls that a page makes from now on, by the end of their address. */
export function callsOf(page: Page): (path: string) => number {
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  return (path) => urls.filter((url) => url.endsWith(path)).length;
}

/** Answers a call of the page with a refusal, instead of the service. */
export function refuse(page: Page, address: string, status: number): Promise<unknown> {
  const json = { success: false, error: 'x', message: 'Try again.', request_id: 'request-1' };
  return page.route(address, (route) => route.fulfill({ status, json }));
}

/** A photo of an item of the demonstration that is not a picture of its catalog. */
export const photoOf = (index: number, photoSeed = 4): Promise<Buffer> =>
  photoOfProduct({ seed: DEMO_SEED, index, photoSeed, level: 1, size: 640 });

/** A file as it is dropped or chosen. */
export interface TestFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** A picture in a format that is not supported. */
export const HEIC: TestFile = {
  name: 'IMG_1.HEIC',
  mimeType: 'image/heic',
  buffer: Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic'), Buffer.alloc(200)]),
};

/** A photo of an item as a file; each seed is another view of it. */
export const fileOf = async (index: number, photoSeed = 4): Promise<TestFile> => ({
  name: `view-${photoSeed}.jpg`,
  mimeType: 'image/jpeg',
  buffer: await photoOf(index, photoSeed),
});

/** Drops files on the page, as from a desktop. */
export async function drop(page: Page, ...files: readonly TestFile[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle(heldFiles(files));
  await page.locator('main > *').first().waitFor({ state: 'attached' });
  await page.dispatchEvent('main', 'dragover', { dataTransfer });
  await page.dispatchEvent('main', 'drop', { dataTransfer });
}

/** Pastes files, as after copying them elsewhere. */
export async function paste(page: Page, ...files: readonly TestFile[]): Promise<void> {
  await page.locator('main > *').first().waitFor({ state: 'attached' });
  await page.evaluate(
    `document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: ${heldFiles(files)}, bubbles: true }))`,
  );
}

/**
 * An expression for files as a browser hands them over. Text and not a function: the tests are compiled without a
 * browser's types.
 */
function heldFiles(files: readonly TestFile[]): string {
  const given = files.map(({ buffer, ...file }) => ({ ...file, base64: buffer.toString('base64') }));
  return `(() => {
    const held = new DataTransfer();
    for (const { name, mimeType: type, base64 } of ${JSON.stringify(given)}) {
      const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
      held.items.add(new File([bytes], name, { type }));
    }
    return held;
  })()`;
}

/** Asks what the given pictures show. Returns what was sent. */
export async function ask(page: Page): Promise<Asked> {
  const sent = page.waitForRequest('**/v3/vision/identify');
  await page.getByRole('button', { name: 'Identify', exact: true }).click();
  return (await sent).postDataJSON() as Asked;
}

/** The body of an identification, as far as tests look at it. */
export interface Asked extends AskedPhoto {
  readonly images?: readonly AskedPhoto[];
  readonly category_id?: string;
  readonly explain: boolean;
}

interface AskedPhoto {
  readonly base64?: string;
  readonly url?: string;
  readonly region?: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  };
}

/** A key of a new account in the demonstration's database. */
export async function newKey(credits: number | null, ...limits: readonly string[]): Promise<string> {
  const settings: Record<string, string> = JSON.parse(process.env['E2E_SETTINGS'] ?? '{}');
  const balance = credits === null ? [] : ['--credits', String(credits)];
  const account = await runLoupe(settings, 'accounts', 'create', '--name', 'visitor', ...balance);
  const { id } = account as { id: string };
  const words = ['--account', id, '--name', 'browser', '--versions', 'v3', ...limits];
  return ((await runLoupe(settings, 'keys', 'create', ...words)) as { key: string }).key;
}

/** Signs in with one's own key, on a page that asks for one. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
