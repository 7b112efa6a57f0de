import type { CatalogImage, EmbeddingVersion } from '../../models/indexing/embedding-version';
import type { EmbeddingRepository, IndexQueue } from '../../models/ports';
import { AbandonedImages } from '../../workers/abandoned-images';

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A catalog of images in line, and the queue that takes them out of it. */
function catalogOf(count: number) {
  const line = new Set(Array.from({ length: count }, (_, index) => index + 1));
  const embeddings: Pick<EmbeddingRepository, 'live' | 'pending' | 'buildIndex'> = {
    buildIndex: async () => line.size === 0,
    live: async () => ({ id: 7 }) as EmbeddingVersion,
    pending: async (_version, limit, after) =>
      [...line]
        .filter((id) => id > after)
        .slice(0, limit)
        .map((id): CatalogImage => ({ id, address: `/images/${id}` })),
  };
  const queue: IndexQueue = {
    embed: async (_version, images) => {
      for (const { id } of images) line.delete(id);
      return { embedded: images.length, failed: 0 };
    },
    close: async () => undefined,
  };
  const abandoned = new AbandonedImages(embeddings as EmbeddingRepository, queue, silent, { everyMs: 1e9 });
  return { line, abandoned };
}

describe('Images that wait to be embedded', () => {
  it('are all embedded when the line stands still between two looks', async () => {
    const { line, abandoned } = catalogOf(600);
    await abandoned.look();
    expect(line.size).toBe(600);
    await abandoned.look();
    expect(line.size).toBe(0);
  });

  it('are left to an import that makes progress', async () => {
    const { line, abandoned } = catalogOf(10);
    await abandoned.look();
    line.delete(1);
    await abandoned.look();
    expect(line.size).toBe(9);
  });
});
