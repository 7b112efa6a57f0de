import { type BackupSummary, backUp } from '../../db/backup/backup';
import { type RestoreSummary, restore } from '../../db/backup/restore';
import { PostgresAuditLog } from '../../db/core/audit-log';
import { PORTS } from '../../models/ports';
import { useAndClose } from '../../models/promises';
import { modelsFolder } from '../../workers/library/model-library';
import { type Config, readCommandConfig } from '../config';
import { entryOf } from './audited-transactions';
import { openStores } from './container';
import { imageStoreOf } from './image-stores';
import { runningService } from './running-service';
import { signingKeys } from './signing-keys';
import { adapterOf, SYSTEM_CLOCK } from './startup';

export const createBackup = async (path: string): Promise<BackupSummary> =>
  useAndClose(openStores(readCommandConfig()), async ({ config, container, database: { knex } }) => {
    const images = adapterOf(container, PORTS.ImageStore);
    const signing = await signingKeys(config);
    const held = { images, modelsFolder: modelsFolder(config.DATA_DIR), signingKeys: signing };
    const summary = await backUp(knex, SYSTEM_CLOCK.now(), held, path);
    const { file: subject, ...details } = summary;
    await adapterOf(container, PORTS.AuditedTransaction).note('backup', { subject, details });
    return summary;
  });

/** Restores a backup into the installation, records that in the restored audit log, and indexes the vectors. */
export async function restoreFrom(config: Config, file: string, replace: boolean): Promise<RestoreSummary> {
  const { DATABASE_URL: databaseUrl, DATA_DIR: dataDir } = config;
  const images = imageStoreOf(config);
  const installation = {
    databaseUrl,
    dataDir,
    modelsFolder: modelsFolder(dataDir),
    images,
    runningAt: () => runningService(config),
  };
  const restored = await restore(installation, file, {
    replace,
    note: async (knex, { file: subject, ...details }) =>
      new PostgresAuditLog(knex, SYSTEM_CLOCK).append(entryOf('restore', { subject, details })),
  }).finally(() => images.close());
  await useAndClose(openStores(readCommandConfig()), async ({ container }) => {
    const embeddings = adapterOf(container, PORTS.EmbeddingRepository);
    for (const { id, state } of await embeddings.versions()) {
      if (state !== 'pruned') await embeddings.buildIndex(id);
    }
  });
  return restored;
}
