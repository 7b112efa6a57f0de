import { join } from 'node:path';
import type { OpenAuditEntry } from '../../db/core/audit-log';
import { SCOPES } from '../../models/access/api-key';
import { PORTS } from '../../models/ports';
import { ApiClient } from './api-client';
import { type CatalogSource, FIXTURE, importInto, writeBundle } from './fixture-data';
import { fresh } from './record-lines';
import { type TestService, useService } from './service';
import { StoredVectors } from './stored-vectors';
import { temporaryFolder } from './temporary-folder';

/** The fixture in a separate database, for tests that undo what they write. */
export const RESTORED: CatalogSource = { ...FIXTURE, pool: 'restored' };

export async function writerOf(service: TestService): Promise<ApiClient> {
  return (await service.newKey({ scopes: SCOPES })).api;
}

/** In a separate database, since the tests leave its catalog changed. Its pictures are embedded by `vectors`. */
export function useWrittenCatalog(settings: Readonly<Record<string, string>> = {}) {
  const vectors = new StoredVectors(() => service.resolve(PORTS.EmbeddingRepository));
  const catalog: CatalogSource = { ...FIXTURE, pool: 'written', inBucket: true };
  const service = useService(settings, { [PORTS.IndexQueue]: vectors }, catalog);
  let own: ApiClient;
  beforeAll(async () => {
    own = await writerOf(service);
  });
  const writer = new ApiClient(
    () => service.url,
    () => own.key,
  );
  const found = async (id: string) => {
    const { status, body } = await writer.item(id, 'taxonomy,pricing');
    return status === 200 ? body.data[0] : status;
  };
  const folder = temporaryFolder();
  /** Imports records, by their file, beside the running service as the nightly command does. */
  const importFiles = async (
    files: Parameters<typeof writeBundle>[1],
    entry: OpenAuditEntry | null = null,
  ) => {
    const bundle = await writeBundle(join(folder, fresh('bundle')), files);
    return importInto(service, { bundle, report: join(folder, 'rejects.txt'), transactionMs: 50 }, entry);
  };
  return { service, vectors, writer, found, importFiles };
}
