import { join } from 'node:path';
import { timedImport, writeBundle } from './generated';
import { type BenchOptions, createDatabase, Installation, onInstallations } from './installation';
import { byTurns, type Measurement } from './table';

export const benchImport = ({ products, against }: Omit<BenchOptions, 'calls'>): Promise<Measurement> =>
  onInstallations({ mode: 'PostgreSQL and Redis', against }, async (installations, folder) => {
    const bundle = join(folder, 'bundle');
    const made = await writeBundle(bundle, { products });
    const rows = await byTurns(installations, async ({ name, root, mode, settings }) => {
      const DATABASE_URL = await createDatabase(settings['DATABASE_URL'] ?? '', `import_${name}`);
      const into = new Installation(name, root, mode, { ...settings, DATABASE_URL });
      const { seconds, recordRate, peakMib } = await timedImport(into, bundle, made);
      return [[seconds, Math.round(products / seconds), Math.round(recordRate), Math.round(peakMib)]];
    });
    return {
      title: `catalog import of a generated bundle, PostgreSQL: ${products} products, ${made.variants} variants, ${made.estimates} estimates`,
      head: ['version', 'seconds', 'products/s', 'records/s', 'peak MiB'],
      rows,
      notes: ['Memory is that of the importing process.'],
    };
  });
