import { MODEL_IS_LOADING, type VersionRecord } from '../../models/indexing/embedding-version';
import type { ProcessWatch } from '../../models/installation/process-watch';
import type { Embedder, EmbedderRegistry, EmbeddingRepository, NeighbourIndex } from '../../models/ports';
import { ModelPreloader } from '../../workers/model-preloader';
import { gate } from '../support/gate';
import { silent } from '../support/log-sink';

const version = (id: number, state: VersionRecord['state'], maintained: boolean, network = id) =>
  ({
    ...{ id, state, maintained, model: `model-${network}@1` },
    manifest: { id: `model-${network}`, version: '1' },
  }) as VersionRecord;

function setup(unloadAfterMs: number) {
  const worker = {
    versions: [] as VersionRecord[],
    told: {} as Record<string, string | null>,
    loaded: new Set<number>(),
    prepared: [] as number[],
  };
  const loading = gate();
  const embedders: EmbedderRegistry = {
    forVersion: async ({ id }) => {
      await loading.opened;
      if (id === 13) throw new Error('it is not installed here');
      worker.loaded.add(id);
      return { close: async () => void worker.loaded.delete(id) } as Partial<Embedder> as Embedder;
    },
  };
  const report: ProcessWatch['report'] = async (all) => {
    worker.told = Object.fromEntries(all.map(({ versionId, fault }) => [versionId, fault]));
  };
  const index: Partial<NeighbourIndex> = {
    prepare: async ({ id }) => {
      worker.prepared.push(id);
      if (id === 4 && worker.prepared.length < 3) throw new Error('the database is away');
    },
  };
  const preloader = new ModelPreloader(
    { versions: async () => worker.versions } as Partial<EmbeddingRepository> as EmbeddingRepository,
    embedders,
    index as NeighbourIndex,
    { report },
    silent,
    { retryAfterMs: 1e9, unloadAfterMs },
  );
  /** Lets all models be loaded, and all waiters continue. */
  const finished = async () => {
    loading.open();
    await new Promise(setImmediate);
  };
  const lookAt = async (...versions: VersionRecord[]) => {
    worker.versions = versions;
    await preloader.run();
  };
  return Object.assign(worker, { preloader, finished, lookAt });
}

test('a worker keeps the models loaded that may be live next, and reports that, or why not', async () => {
  const worker = setup(1e9);
  await worker.lookAt(
    version(1, 'retired', false),
    version(2, 'retired', true),
    version(3, 'live', true),
    version(4, 'building', false),
    version(5, 'pruned', false),
    version(13, 'building', true),
  );
  const loading = MODEL_IS_LOADING;
  expect(worker.told).toEqual({ 2: loading, 3: loading, 4: loading, 13: loading });
  await worker.finished();
  await worker.preloader.run();
  expect(worker.told).toEqual({ 2: null, 3: null, 4: null, 13: 'it is not installed here' });
  expect([...worker.loaded]).toEqual([2, 3, 4]);
});

// contract 14.20
test.each([
  ['lets go of a model that nobody needs any more', 4, [4]],
  ['keeps a network that another version needs, with its own map or none', 3, [3, 4]],
])('a worker %s, once what was in work under it has ended', async (_what, network, kept) => {
  const worker = setup(0);
  await worker.finished();
  await worker.lookAt(version(3, 'retired', true), version(4, 'live', true, network));
  await worker.finished();
  expect([...worker.loaded]).toEqual([3, 4]);
  await worker.lookAt(version(3, 'pruned', false), version(4, 'live', true, network));
  await worker.finished();
  expect([...worker.loaded]).toEqual(kept);
});

test('a worker reads the vectors of each version once it is live, and again if that fails', async () => {
  const worker = setup(1e9);
  await worker.lookAt(version(2, 'retired', true), version(3, 'live', true), version(4, 'building', false));
  await worker.lookAt(version(3, 'retired', true), version(4, 'building', true));
  expect(worker.prepared).toEqual([3]);
  for (let looks = 0; looks < 3; looks++) await worker.lookAt(version(4, 'live', true));
  expect(worker.prepared).toEqual([3, 4, 4]);
});
