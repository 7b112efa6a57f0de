import type { CatalogImage, VersionRecord } from '../../models/indexing/embedding-version';
import type { EmbeddingRepository, IndexQueue } from '../../models/ports';
import { PendingEmbeddingSweeper } from '../../workers/pending-embedding-sweeper';
import { silent } from '../support/log-sink';

/** A catalog of images in line under a live version, 7, and one that is being built, 6. */
function catalogOf(count: number) {
  const waiting = () => new Set(Array.from({ length: count }, (_, index) => index + 1));
  const [line, unbuilt] = [waiting(), waiting()];
  const lineOf = (version: number) => (version === 7 ? line : unbuilt);
  const embeddings: Pick<EmbeddingRepository, 'versions' | 'pending' | 'buildIndex'> = {
    buildIndex: async () => line.size === 0,
    versions: async () => [
      { id: 6, state: 'building', maintained: false } as VersionRecord,
      { id: 7, state: 'live', maintained: true } as VersionRecord,
    ],
    pending: async (version, { afterId, limit }) =>
      [...lineOf(version)]
        .filter((id) => id > afterId)
        .slice(0, limit)
        .map((id): CatalogImage => ({ id, address: `/images/${id}` })),
  };
  const queue: IndexQueue = {
    embed: async (version, images) => {
      for (const { id } of images) lineOf(version).delete(id);
      return { embedded: images.length, failed: 0 };
    },
    close: async () => undefined,
    isShared: false,
  };
  const abandoned = new PendingEmbeddingSweeper(embeddings as EmbeddingRepository, queue, silent);
  return { line, unbuilt, look: () => abandoned.run(new AbortController().signal) };
}

test('waiting images are all embedded, under a built version, when the queue does not move between two checks', async () => {
  const { line, unbuilt, look } = catalogOf(600);
  await look();
  expect(line.size).toBe(600);
  await look();
  expect([line.size, unbuilt.size]).toEqual([0, 600]);
});

test('waiting images are left to an import that makes progress', async () => {
  const { line, look } = catalogOf(10);
  await look();
  line.delete(1);
  await look();
  expect(line.size).toBe(9);
});
