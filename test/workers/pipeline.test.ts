import { NO_FILTER } from '../../models/catalog/catalog-query';
import type { Embedder, EmbeddingRepository, NeighbourIndex } from '../../models/ports';
import type { EmbeddingVersion, ModelManifest } from '../../models/vision/embedding-model';
import type { SmallImage, Vectors } from '../../models/vision/neighbours';
import { ForegroundLoad } from '../../workers/foreground-load';
import { VisionPipeline } from '../../workers/pipeline';
import { RecallSampler } from '../../workers/recall-sampler';
import { silent } from '../support/log-sink';
import { tinyManifest } from './tiny-models';

const jpeg = Buffer.from('a JPEG');
const pixels = { pixels: Buffer.alloc(3), width: 1, height: 1, digest: 'd' };
const manifest = tinyManifest(3);

/** A pipeline under a live version and a catalog that a test may change, and what its embedder was given. */
function setup(cacheBytes: number, certain?: ModelManifest['certain']) {
  const live = { id: 4, model: 'tiny@1.0.0', manifest: { ...manifest, certain } };
  const catalog = { distance: 0.1 };
  const vectors = [1, 2, 3].map((value) => Float32Array.of(value, 0, 0));
  const embed = jest.fn(async (...[, , from, to]: Parameters<Embedder['embed']>) => vectors.slice(from, to));
  const nearest = async (_version: unknown, [views = []]: readonly Vectors[]) => [
    { ...catalog, imageId: 1, products: ['product_a'], byView: views.map(() => catalog.distance) },
  ];
  const index = { nearest } as Partial<NeighbourIndex> as NeighbourIndex;
  const pipeline = new VisionPipeline(
    { live: async () => live as EmbeddingVersion } as Partial<EmbeddingRepository> as EmbeddingRepository,
    { forVersion: async () => ({ embed, decode: async () => pixels }) as Partial<Embedder> as Embedder },
    index,
    new ForegroundLoad(),
    new RecallSampler({} as NeighbourIndex, silent, 0),
    cacheBytes,
  );
  const within = jest.spyOn(index, 'nearest');
  const look = (...images: SmallImage[]) =>
    pipeline.neighbours({ images, scope: NO_FILTER, liveStamp: null, queueMs: 0 });
  return { live, catalog, embed, look, within, pipeline };
}

test('a photo is embedded in the form in which it arrives, each time with a cache of 0 bytes', async () => {
  const { embed, look } = setup(0);
  await look({ jpeg, digest: 'd' });
  await look(pixels);
  expect(embed.mock.calls.map(([picture]) => picture)).toEqual([jpeg, pixels]);
});

test('of identical photos one is computed, under each version anew; a failure is not cached', async () => {
  const { live, embed, look } = setup(1_000);
  const photo = { jpeg, digest: 'd' };
  embed.mockRejectedValueOnce(new Error('no memory'));
  await expect(look(photo)).rejects.toThrow('no memory');
  await Promise.all([look(photo, photo), look(photo)]);
  await look(photo);
  expect(embed).toHaveBeenCalledTimes(2);
  live.id = 5;
  await look(photo);
  expect(embed).toHaveBeenCalledTimes(3);
});

// contract 7.16
test('a narrowed search also finds the rivals outside of its scope, with the same views', async () => {
  const { pipeline, within } = setup(0, { similarity: 0.8, margin: 0.1 });
  const scope = { ...NO_FILTER, category: 'watches' };
  const photo = { images: [{ jpeg, digest: 'd' }], liveStamp: null, queueMs: 0 };
  const { neighbours, rivals } = await pipeline.neighbours({ ...photo, scope });
  expect([neighbours.length, rivals]).toEqual([1, neighbours]);
  expect(within.mock.calls.map(([, [views], , asked]) => [views?.length, asked])).toEqual([
    [1, NO_FILTER],
    [1, scope],
  ]);
});

test('a photo that is certain by its first view is embedded in that alone; the cache has what was embedded', async () => {
  const { catalog, embed, look } = setup(1_000, { similarity: 0.8, margin: 0.1 });
  const looked = async (distance: number) => {
    embed.mockClear();
    catalog.distance = distance;
    const { neighbours } = await look({ jpeg, digest: 'd' });
    return [neighbours[0]?.byView?.length, embed.mock.calls];
  };
  expect(await looked(0.1)).toEqual([1, [[pixels, 'query', 0, 1]]]);
  expect(await looked(0.1)).toEqual([1, []]);
  expect(await looked(0.3)).toEqual([3, [[pixels, 'query', 1, undefined]]]);
  expect(await looked(0.3)).toEqual([3, []]);
  expect(await looked(0.1)).toEqual([1, []]);
});
