import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { BegunEntry } from '../../db/accounts/audit-log';
import { openImport } from '../../db/catalog/import/open-import';
import { StoredPictures } from '../../models/catalog/stored-pictures';
import { type Clock, type ImageStore, type IndexQueue, PORTS } from '../../models/ports';
import { importBundle } from '../../scripts/import/import-bundle';
import type { TestService } from './service';
import { temporaryFolder } from './temporary-folder';

/** Imports bundles, given as records by file, beside a running service as the nightly command does. */
export function bundleImporter(service: TestService, queue: IndexQueue) {
  const folder = temporaryFolder();
  return (files: Readonly<Record<string, readonly object[]>>, entry: BegunEntry | null = null) => {
    const bundle = mkdtempSync(join(folder, 'bundle-'));
    for (const [name, values] of Object.entries(files)) {
      writeFileSync(join(bundle, name), values.map((value) => `${JSON.stringify(value)}\n`).join(''));
    }
    const nothing = () => undefined;
    return importBundle(
      { bundle, report: join(folder, 'rejects.txt'), dryRun: false, wait: false, transactionMs: 50 },
      {
        openImport: (dryRun) => openImport(service.resolve<Knex>(PORTS.Knex), dryRun, 1, entry),
        images: service.resolve<ImageStore>(PORTS.ImageStore),
        pictures: service.resolve(StoredPictures),
        embedding: { embeddings: service.resolve(PORTS.EmbeddingRepository), queue },
        clock: service.resolve<Clock>(PORTS.Clock),
      },
      { begin: nothing, reach: nothing, end: nothing, note: nothing },
    );
  };
}
