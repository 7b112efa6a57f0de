import { EVERYTHING } from '../../models/catalog/catalog-query';
import type { Embedder, EmbeddingRepository, NeighbourIndex } from '../../models/ports';
import { type EmbeddingVersion, viewSizeOf } from '../../models/vision/embedding-model';
import { EmbeddingCache } from '../../workers/embedding-cache';
import { ForegroundLoad } from '../../workers/foreground-load';
import { VisionPipeline } from '../../workers/pipeline';
import { tinyManifest } from './tiny-models';

const version: EmbeddingVersion = {
  id: 4,
  model: 'tiny@1.0.0',
  manifest: tinyManifest(3),
  state: 'live',
  createdAt: new Date(0),
  adaptation: null,
  promotedAt: null,
};

test('a photo is used in the form in which it arrives, and the live model’s input size is known by then', async () => {
  const seen: unknown[] = [];
  const embed: Embedder['embed'] = async ([picture]) => {
    seen.push(picture);
    return [[Float32Array.of(1, 0, 0)]];
  };
  const pipeline = new VisionPipeline(
    { live: async () => version } as Partial<EmbeddingRepository> as EmbeddingRepository,
    { forVersion: async () => ({ embed }) as Partial<Embedder> as Embedder, close: async () => undefined },
    { nearest: async () => [] } as Partial<NeighbourIndex> as NeighbourIndex,
    new EmbeddingCache(0),
    new ForegroundLoad(),
  );
  const jpeg = Buffer.from('a JPEG');
  const look = (image: Parameters<typeof pipeline.neighbours>[0]['images'][number]) =>
    pipeline.neighbours({ images: [image], limit: 50, scope: EVERYTHING, queueMs: 0 });

  expect(pipeline.viewSize).toBeNull();
  await look({ jpeg, digest: 'd' });
  expect(pipeline.viewSize).toEqual(viewSizeOf(version.manifest, 'query'));
  const pixels = { pixels: Buffer.alloc(3), width: 1, height: 1, digest: 'd', jpeg: async () => jpeg };
  await look(pixels);
  expect(seen).toEqual([jpeg, pixels]);
});
