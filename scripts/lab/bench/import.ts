import { once } from 'node:events';
import { join } from 'node:path';
import { writeBundle } from './generated';
import { createDatabase, Installation, onInstallations } from './installation';
import { memoryOf } from './process-watch';
import { byTurns, type Cell, type Measurement } from './table';

interface ImportBenchOptions {
  readonly products: number;
  readonly against?: string;
}

/** For a large catalog; the defaults of PostgreSQL are for a machine that does other things. */
const SERVER_SETTINGS = { shared_buffers: '2GB', max_wal_size: '8GB', random_page_cost: '1.1' };
const SAMPLE_MS = 100;

export const benchImport = ({ products, against }: ImportBenchOptions): Promise<Measurement> =>
  onInstallations(
    { mode: 'PostgreSQL and Redis', server: SERVER_SETTINGS, against },
    async (installations, folder) => {
      const bundle = join(folder, 'bundle');
      const made = await writeBundle(bundle, { products });
      const records = made.categories + made.tags + made.entities + made.products + made.estimates;
      const rows = await byTurns(installations, async ({ name, root, mode, settings }) => {
        const DATABASE_URL = await createDatabase(settings['DATABASE_URL'] ?? '', `import_${name}`);
        const into = new Installation(name, root, mode, { ...settings, DATABASE_URL });
        return [await timedImport(into, bundle, products, records)];
      });
      return {
        title: `catalog import of a generated bundle, PostgreSQL: ${products} products, ${made.variants} variants, ${made.estimates} estimates`,
        head: ['version', 'seconds', 'products/s', 'records/s', 'peak MiB'],
        rows,
        notes: ['Memory is that of the importing process.'],
      };
    },
  );

/** @throws Error when something was rejected */
async function timedImport(
  { spawnLoupe }: Installation,
  bundle: string,
  products: number,
  records: number,
): Promise<Cell[]> {
  const startedAt = performance.now();
  const child = spawnLoupe('catalog', 'import', bundle, '--no-wait', '--json');
  child.stdout.resume();
  child.stderr.pipe(process.stderr);
  let peakMib = 0;
  const sampling = setInterval(async () => {
    peakMib = Math.max(peakMib, await memoryOf(child.pid ?? 0, 'VmHWM'));
  }, SAMPLE_MS);
  const [code] = await once(child, 'exit');
  clearInterval(sampling);
  if (code !== 0) throw new Error(`the import exited with ${String(code)}`);
  const seconds = (performance.now() - startedAt) / 1000;
  return [seconds, Math.round(products / seconds), Math.round(records / seconds), Math.round(peakMib)];
}
