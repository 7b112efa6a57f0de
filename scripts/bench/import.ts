import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateBundle } from '../catalog/generate/generate-bundle';
import { processEnvironment } from '../config';
import { LOUPE_ARGUMENTS, REPOSITORY_ROOT } from '../service-processes';
import { bringUpServices } from '../services/bring-up-services';
import type { Measurement } from './measure';

const SEED = 11;
const SAMPLE_MS = 100;

/** Import of a generated bundle without images into PostgreSQL: rows and products a second, peak memory. */
export async function benchImport(products: number): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-bench-'));
  const services = await bringUpServices({
    environment: processEnvironment(),
    log: (line) => process.stderr.write(`${line}\n`),
    postgres: { durable: true },
  });
  try {
    const bundle = join(folder, 'bundle');
    const summary = await generateBundle({ seed: SEED, products, out: bundle });
    const records = Object.entries(summary)
      .filter(([what]) => what !== 'images' && what !== 'variants')
      .reduce((sum, [, count]) => sum + count, 0);
    const settings = { DATA_DIR: join(folder, 'data'), DATABASE_URL: services.postgres.url };
    const first = await timedImport(settings, bundle);
    const again = await timedImport(settings, bundle);
    const row = (name: string, run: Timed) => [
      name,
      products,
      records,
      run.seconds.toFixed(1),
      Math.round(products / run.seconds),
      Math.round(records / run.seconds),
      Math.round(run.peakBytes / 2 ** 20),
    ];
    return {
      title: 'catalog import of a generated bundle, PostgreSQL',
      head: ['run', 'products', 'records', 'seconds', 'products/s', 'records/s', 'peak MiB'],
      rows: [row('into an empty catalog', first), row('the same bundle again', again)],
      notes: [
        `The bundle has ${summary.variants} variants and ${summary.estimates} estimates. Memory is that of the importing process.`,
      ],
    };
  } finally {
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Timed {
  readonly seconds: number;
  readonly peakBytes: number;
}

async function timedImport(settings: Readonly<Record<string, string>>, bundle: string): Promise<Timed> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [...LOUPE_ARGUMENTS, 'catalog', 'import', bundle, '--no-wait', '--json'],
    {
      cwd: REPOSITORY_ROOT,
      env: { PATH: processEnvironment()['PATH'], ...settings },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  let peakBytes = 0;
  const sampling = setInterval(async () => {
    peakBytes = Math.max(peakBytes, await peakOf(child.pid ?? 0));
  }, SAMPLE_MS);
  const [code] = await once(child, 'exit');
  clearInterval(sampling);
  if (code !== 0) throw new Error(`the import exited with ${String(code)}`);
  return { seconds: (performance.now() - startedAt) / 1000, peakBytes };
}

/** The most memory that a process has held so far (VmHWM of proc_pid_status(5)); 0 where the system does not tell. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
