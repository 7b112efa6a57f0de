import type { CatalogImage, VersionRecord } from '../../models/indexing/embedding-version';
import type { EmbeddingRepository, IndexQueue } from '../../models/ports';
import { AbandonedImages } from '../../workers/abandoned-images';
import { silent } from '../support/log-sink';

/** A catalog of images in line, and the queue that takes them out of it. */
function catalogOf(count: number) {
  const line = new Set(Array.from({ length: count }, (_, index) => index + 1));
  const unbuilt = new Set(line);
  const embeddings: Pick<EmbeddingRepository, 'versions' | 'pending' | 'buildIndex'> = {
    buildIndex: async () => line.size === 0,
    versions: async () => [
      { id: 6, state: 'building', maintained: false } as VersionRecord,
      { id: 7, state: 'live', maintained: true } as VersionRecord,
    ],
    pending: async (version, limit, after) =>
      [...(version === 7 ? line : unbuilt)]
        .filter((id) => id > after)
        .slice(0, limit)
        .map((id): CatalogImage => ({ id, address: `/images/${id}` })),
  };
  const queue: IndexQueue = {
    embed: async (version, images) => {
      for (const { id } of images) (version === 7 ? line : unbuilt).delete(id);
      return { embedded: images.length, failed: 0 };
    },
    close: async () => undefined,
    isShared: false,
  };
  const abandoned = new AbandonedImages(embeddings as EmbeddingRepository, queue, silent);
  return { line, unbuilt, look: () => abandoned.look(new AbortController().signal) };
}

describe('Images that wait to be embedded', () => {
  test('are all embedded when the line stands still between two looks', async () => {
    const { line, look } = catalogOf(600);
    await look();
    expect(line.size).toBe(600);
    await look();
    expect(line.size).toBe(0);
  });

  test('are left to its build under a version that is not built yet', async () => {
    const { unbuilt, look } = catalogOf(10);
    await look();
    await look();
    expect(unbuilt.size).toBe(10);
  });

  test('are left to an import that makes progress', async () => {
    const { line, look } = catalogOf(10);
    await look();
    line.delete(1);
    await look();
    expect(line.size).toBe(9);
  });
});
