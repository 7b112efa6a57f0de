import { EVERYTHING } from '../../models/catalog/catalog-query';
import type {
  Embedder,
  EmbedderRegistry,
  EmbeddingRepository,
  ExactNeighbours,
  NeighbourIndex,
} from '../../models/ports';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import { PhotoMemory } from '../../workers/photo-memory';
import { PhotosInWork } from '../../workers/photos-in-work';
import { VisionPipeline } from '../../workers/pipeline';
import { answerPhoto } from '../../workers/queue/bullmq-worker';
import { visionJobOf } from '../../workers/queue/job';
import { RecallSampler } from '../../workers/recall-sampler';
import { FakePipeline, requestFor } from '../contracts/queue-support';
import { LogSink } from '../support/log-sink';
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

/** Only what the pipeline asks for; anything else is a fault of the test. */
const live = (answer: EmbeddingVersion | null) =>
  ({ live: async () => answer }) as Partial<EmbeddingRepository>;

/** Measures nothing. */
const noRecall = new RecallSampler({} as ExactNeighbours, new LogSink().logger, { oneOf: 0 });

describe('the pipeline', () => {
  const embedder = { embed: async () => [[Float32Array.of(1, 0, 0)]] } as Partial<Embedder> as Embedder;
  const embedders: EmbedderRegistry = { forVersion: async () => embedder, close: async () => undefined };
  const index: NeighbourIndex = { nearest: async () => [], check: async () => undefined };

  const asking = {
    images: [{ jpeg: Buffer.from('photo'), digest: 'of the photo' }],
    limit: 50,
    scope: EVERYTHING,
    queueMs: 0,
  };
  const pipelineOn = (embeddings: Partial<EmbeddingRepository>, neighbours = index) =>
    new VisionPipeline(
      embeddings as EmbeddingRepository,
      ...([embedders, neighbours, new PhotoMemory(0), new PhotosInWork(), noRecall] as const),
    );

  test('answers a photo whose version was pruned under it under the one that took its place', async () => {
    let replaced = false;
    const next = { ...version, id: 5 };
    const embeddings = { live: async () => (replaced ? next : version) } as Partial<EmbeddingRepository>;
    const pruning: NeighbourIndex = {
      ...index,
      nearest: async ({ id }) => {
        if (id === next.id) return [{ imageId: 3, products: [], distance: 0.2 }];
        replaced = true;
        throw new Error('relation "embeddings_4" does not exist');
      },
    };
    const found = await pipelineOn(embeddings, pruning).neighbours(asking);
    expect(found).toMatchObject({ version: { id: 5 }, neighbours: [{ imageId: 3 }] });
  });

  test('is unavailable while no version is live', async () => {
    await expect(pipelineOn(live(null)).neighbours(asking)).rejects.toMatchObject({
      code: 'unavailable',
      headers: { 'Retry-After': '5' },
    });
  });
});

describe('a vision job', () => {
  const job = visionJobOf(requestFor(5, 2_000), 1_000);

  test('is answered with its neighbours', async () => {
    await expect(answerPhoto(job, new FakePipeline(), 1_500)).resolves.toMatchObject({
      ok: true,
      neighbours: [[5, ['product_5'], 0.25, 0.25, 0.5]],
    });
  });

  test.each([
    ['its deadline has passed', job, 2_000, 'timeout'],
    ['its photo is gone', { ...job, images: [] }, 1_500, 'unavailable'],
    ['it is of another release', { ...job, v: 1 }, 1_500, 'internal_error'],
    ['it is no such job', { photo: 1 }, 1_500, 'internal_error'],
  ])('never reaches the pipeline when %s', async (_case, data, now, code) => {
    const pipeline = new FakePipeline();
    await expect(answerPhoto(data, pipeline, now)).resolves.toMatchObject({ ok: false, error: { code } });
    expect(pipeline.seen).toEqual([]);
  });
});
