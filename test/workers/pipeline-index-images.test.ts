import { unprocessable } from '../../models/errors';
import type { CatalogImage } from '../../models/indexing/embedding-version';
import type {
  Embedder,
  EmbedderRegistry,
  EmbeddingRepository,
  ImagePreparer,
  ImageSource,
  ImageStore,
} from '../../models/ports';
import { PictureFailed } from '../../workers/embedder/inference-pool';
import { ImageIndexer } from '../../workers/index-images';
import { PhotosInWork } from '../../workers/photos-in-work';
import { tinyManifest } from './tiny-models';

/** Fakes of the ports around the indexer: what is stored, what is fetched, and what came of it. */
function setup() {
  const stored = new Map<number, readonly Float32Array[]>();
  const failures = new Map<number, string>();
  const fetched: string[] = [];
  const manifest = tinyManifest(1);

  const embeddings: Partial<EmbeddingRepository> = {
    version: async (id) =>
      id === 7
        ? {
            id,
            model: 'tiny@1.0.0',
            manifest,
            state: 'building',
            createdAt: new Date(0),
            adaptation: null,
            promotedAt: null,
          }
        : null,
    missing: async (_version, ids) => new Set(ids.filter((id) => !stored.has(id))),
    store: async (_version, rows) => {
      for (const row of rows) stored.set(row.imageId, row.vectors);
    },
    recordFailures: async (_version, rows) => {
      for (const row of rows) failures.set(row.imageId, row.reason);
    },
  };
  const store: Partial<ImageStore> = {
    get: async (address) => (address === '/images/missing.jpg' ? null : Buffer.from(address)),
  };
  const source: ImageSource = {
    fetch: async (url) => {
      fetched.push(url.toString());
      if (url.hostname === 'away.example') throw unprocessable('url_unreachable', 'Nobody answers.');
      return Buffer.from(url.toString());
    },
  };
  const preparer: Partial<ImagePreparer> = {
    prepare: async (bytes) => ({ jpeg: bytes, width: 1, height: 1, digest: '' }),
  };
  const embedder: Embedder = {
    manifest,
    embed: async ([jpeg], views) => {
      const text = String(jpeg);
      if (text.includes('odd')) throw new PictureFailed('no direction');
      if (text.includes('fault')) throw new Error('the engine is gone');
      return [[Float32Array.of(text.length, views === 'catalog' ? 1 : 0)]];
    },
    close: async () => undefined,
  };
  const embedders: EmbedderRegistry = { forVersion: async () => embedder, close: async () => undefined };
  const indexer = new ImageIndexer(
    embeddings as EmbeddingRepository,
    embedders,
    store as ImageStore,
    source,
    preparer as ImagePreparer,
    new PhotosInWork(),
  );
  return { indexer, stored, failures, fetched };
}

const image = (id: number, address: string): CatalogImage => ({ id, address });

describe('catalog images', () => {
  test('are read from the store or fetched, and their catalog views are stored', async () => {
    const { indexer, stored, fetched } = setup();
    const outcome = await indexer.index(7, [
      image(1, '/images/a.jpg'),
      image(2, 'https://shop.example/b.jpg'),
    ]);
    expect(outcome).toEqual({ embedded: 2, failed: 0 });
    expect([...stored]).toEqual([
      [1, [Float32Array.of(13, 1)]],
      [2, [Float32Array.of(26, 1)]],
    ]);
    expect(fetched).toEqual(['https://shop.example/b.jpg']);
  });

  test('that have their vectors are not computed again, as when a job is repeated', async () => {
    const { indexer, stored, fetched } = setup();
    const images = [image(1, '/images/a.jpg'), image(2, 'https://shop.example/b.jpg')];
    await indexer.index(7, images.slice(1));
    expect(await indexer.index(7, images)).toEqual({ embedded: 2, failed: 0 });
    expect([...stored.keys()]).toEqual([2, 1]);
    expect(fetched).toHaveLength(1);
  });

  test('that can not be embedded are listed with the reason, and hold up no other', async () => {
    const { indexer, stored, failures } = setup();
    const outcome = await indexer.index(7, [
      image(1, '/images/missing.jpg'),
      image(2, 'https://away.example/b.jpg'),
      image(3, '/images/odd.jpg'),
      image(4, 'no address'),
      image(5, '/images/good.jpg'),
    ]);
    expect(outcome).toEqual({ embedded: 1, failed: 4 });
    expect([...stored.keys()]).toEqual([5]);
    expect([...failures]).toEqual([
      [1, 'the stored image is missing'],
      [2, 'url_unreachable: Nobody answers.'],
      [3, 'no direction'],
      [4, 'no address is no address'],
    ]);
  });

  test('are not blamed for a fault of the machine: the work fails, for another try', async () => {
    const { indexer, stored, failures } = setup();
    const work = indexer.index(7, [image(1, '/images/good.jpg'), image(2, '/images/fault.jpg')]);
    await expect(work).rejects.toThrow('the engine is gone');
    expect([stored.size, failures.size]).toEqual([0, 0]);
  });

  test('are left for the next run when the work is stopped', async () => {
    const { indexer, stored, failures } = setup();
    const work = indexer.index(7, [image(1, '/images/good.jpg')], AbortSignal.abort(new Error('stopping')));
    await expect(work).rejects.toThrow('stopping');
    expect([stored.size, failures.size]).toEqual([0, 0]);
  });

  test('of a version that is gone are not touched', async () => {
    const { indexer, fetched } = setup();
    await expect(indexer.index(8, [image(1, 'https://shop.example/a.jpg')])).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(fetched).toEqual([]);
  });
});
