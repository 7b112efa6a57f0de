import 'reflect-metadata';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { REPOSITORY_ROOT } from '../../scripts/lab/service-processes';
import { ADMIN_TOKEN } from '../support/api-client';
import { OTHER_NAME } from './browser';

declare global {
  var stopDemo: (() => Promise<void>) | undefined;
}

/** One demonstration, in `E2E_DATA_DIR` if that is set, and one browser for all files; their addresses are in the environment. */
export default async function startDemo(): Promise<void> {
  // First, as the demonstration would outlive a browser that does not start.
  const browser = await chromium.launchServer({
    executablePath: chromiumPath(),
    // The machine of a test is often a container, where the browser's own sandbox can't be made.
    args: ['--no-sandbox', `--host-resolver-rules=MAP ${OTHER_NAME} 127.0.0.1`],
  });
  const given = process.env['E2E_DATA_DIR'];
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'loupe-e2e-')));
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', 'scripts/demo.ts'], {
    cwd: REPOSITORY_ROOT,
    env: { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0', ADMIN_TOKEN },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  globalThis.stopDemo = async () => {
    await browser.close();
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
    if (given === undefined) await rm(folder, { recursive: true, force: true });
  };
  const told: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    told.push(line);
    if (line.includes('Ctrl-C')) break;
  }
  child.stderr.resume();
  const text = told.join('\n');
  const [, url] = /^Open (http\S+) in a browser/m.exec(text) ?? [];
  if (url === undefined) {
    await globalThis.stopDemo();
    throw new Error(`The demonstration ended before its page was up:\n${text}`);
  }
  const variables = { E2E_URL: url, E2E_TEXT: text, E2E_BROWSER: browser.wsEndpoint() };
  Object.assign(process.env, variables);
}

/** The browser that `CHROMIUM` names, else the first in the path; the shell, made for tests, takes less of the processor. */
function chromiumPath(): string {
  const look = 'command -v "$0" chromium chromium-browser google-chrome google-chrome-stable || true';
  const words = ['-c', look, process.env['CHROMIUM'] ?? 'chromium-headless-shell'];
  const [found] = execFileSync('bash', words, { encoding: 'utf8' }).split('\n');
  if (found) return found;
  throw new Error('There is no Chromium here: apt-get install chromium, or name one in CHROMIUM.');
}
