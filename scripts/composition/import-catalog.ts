import { join } from 'node:path';
import { OpenAuditEntry } from '../../db/accounts/audit-log';
import { openImport } from '../../db/catalog/import/import-store';
import { StoredPictures } from '../../models/catalog/stored-pictures';
import { PORTS } from '../../models/ports';
import { type ImportOptions, importBundle } from '../import/import-bundle';
import { entryOf } from './audited-transactions';
import type { Loupe } from './container';
import { adapterOf } from './startup';
import { withProgress } from './terminal-progress';

export interface CatalogImportOptions extends Pick<ImportOptions, 'bundle' | 'table' | 'dryRun' | 'wait'> {
  readonly report?: string;
}

/** On a server only other writers wait for a transaction, not readers. */
const SERVER_TRANSACTION_MS = 1_000;
/** A server builds two indexes at the same time. */
const SERVER_CONNECTIONS = 2;

/** Imports a bundle into what a process has opened, with an entry in the audit log; progress goes to stderr. */
export function importCatalog({ config, container, database }: Loupe, options: CatalogImportOptions) {
  const clock = adapterOf(container, PORTS.Clock);
  const stamp = clock.now().toISOString().replace(/[:.]/g, '-');
  const importOptions = {
    report: join(config.DATA_DIR, 'reports', `import-${stamp}.txt`),
    ...options,
    imageBytesMax: config.IMAGE_BYTES_MAX,
    ...(database.kind === 'postgres' ? { transactionMs: SERVER_TRANSACTION_MS } : {}),
  };
  const ports = {
    openImport: (dryRun: boolean) =>
      openImport(
        database.knex,
        dryRun,
        database.kind === 'postgres' ? SERVER_CONNECTIONS : 1,
        new OpenAuditEntry(clock, entryOf('catalog import', { subject: options.bundle })),
      ),
    images: adapterOf(container, PORTS.ImageStore),
    pictures: container.resolve(StoredPictures),
    storedImages: adapterOf(container, PORTS.StoredImageIndex),
    embedding: {
      embeddings: adapterOf(container, PORTS.EmbeddingRepository),
      queue: adapterOf(container, PORTS.IndexQueue),
    },
    clock,
  };
  return withProgress(process.stderr, (progress) => importBundle(importOptions, ports, progress));
}
