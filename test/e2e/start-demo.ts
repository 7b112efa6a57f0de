import 'reflect-metadata';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { REPOSITORY_ROOT } from '../../scripts/lab/service-processes';

/** `npm run demo`, in a process and a folder of its own. */
class DemoProcess {
  private constructor(
    readonly url: string,
    /** What it printed. */
    readonly text: string,
    /** Settings under which `loupe` commands reach its database. */
    readonly settings: Readonly<Record<string, string>>,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  /** @throws Error with what it said, when it ends before its page is up */
  static async start(): Promise<DemoProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'loupe-e2e-'));
    const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/demo.ts'], {
      cwd: REPOSITORY_ROOT,
      env: { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const told: string[] = [];
    let found: string | undefined;
    for await (const line of createInterface({ input: child.stderr })) {
      told.push(line);
      const [, url] = /^Open (http\S+) in a browser/.exec(line) ?? [];
      found ??= url;
      if (found === undefined || !line.includes('Ctrl-C')) continue;
      child.stderr.resume();
      return new DemoProcess(found, told.join('\n'), { DATA_DIR: join(folder, 'demo') }, folder, child);
    }
    await rm(folder, { recursive: true, force: true });
    throw new Error(`The demonstration ended before its page was up:\n${told.join('\n')}`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

declare global {
  var demoProcess: DemoProcess | undefined;
}

/** One demonstration for all files of tests; its address and settings reach them through the environment. */
export default async function startDemo(): Promise<void> {
  const demo = await DemoProcess.start();
  globalThis.demoProcess = demo;
  process.env['E2E_URL'] = demo.url;
  process.env['E2E_TEXT'] = demo.text;
  process.env['E2E_SETTINGS'] = JSON.stringify(demo.settings);
}
