import { EVERYTHING } from '../../models/catalog/catalog-query';
import type { EmbeddingRepository, NeighbourIndex } from '../../models/ports';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import type { SmallImage } from '../../models/vision/neighbours';
import { ForegroundLoad } from '../../workers/foreground-load';
import { VisionPipeline } from '../../workers/pipeline';
import { RecallSampler } from '../../workers/recall-sampler';
import { silent } from '../support/log-sink';
import { tinyManifest } from './tiny-models';

const jpeg = Buffer.from('a JPEG');
const manifest = tinyManifest(3);

/** A pipeline under a live version whose number a test may change, and what its embedder was given. */
function setup(cacheBytes: number) {
  const live = { id: 4, model: 'tiny@1.0.0', manifest };
  const embed = jest.fn(async (_picture: unknown) => [Float32Array.of(1, 0, 0)]);
  const pipeline = new VisionPipeline(
    { live: async () => live as EmbeddingVersion } as Partial<EmbeddingRepository> as EmbeddingRepository,
    { forVersion: async () => ({ manifest, embed, close: async () => undefined }) },
    { nearest: async () => [] } as Partial<NeighbourIndex> as NeighbourIndex,
    new ForegroundLoad(),
    new RecallSampler({} as NeighbourIndex, silent, { oneOf: 0 }),
    cacheBytes,
  );
  const look = (...images: SmallImage[]) =>
    pipeline.neighbours({ images, limit: 50, scope: EVERYTHING, liveStamp: null, queueMs: 0 });
  return { live, embed, look };
}

test('a photo is embedded in the form in which it arrives', async () => {
  const { embed, look } = setup(0);
  await look({ jpeg, digest: 'd' });
  const pixels = { pixels: Buffer.alloc(3), width: 1, height: 1, digest: 'd', jpeg: async () => jpeg };
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

test('a cache of 0 bytes is none', async () => {
  const { embed, look } = setup(0);
  await look({ jpeg, digest: 'd' });
  await look({ jpeg, digest: 'd' });
  expect(embed).toHaveBeenCalledTimes(2);
});
