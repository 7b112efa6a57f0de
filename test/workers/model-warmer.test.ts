import { MODEL_IS_LOADING, type VersionRecord } from '../../models/indexing/embedding-version';
import type {
  Embedder,
  EmbedderRegistry,
  EmbeddingRepository,
  ReadinessRepository,
} from '../../models/ports';
import { ModelWarmer } from '../../workers/model-warmer';
import { LogSink } from '../support/log-sink';

const version = (id: number, state: VersionRecord['state'], maintained: boolean) =>
  ({
    id,
    state,
    maintained,
    model: `model-${id}@1`,
    manifest: { id: `model-${id}`, version: '1' },
  }) as VersionRecord;

function setup(unloadAfterMs: number) {
  let versions: VersionRecord[] = [];
  let told: readonly { versionId: number; fault: string | null }[] = [];
  const loaded = new Set<number>();
  const forgotten: string[] = [];
  let finish = (): void => undefined;
  const loading = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const embedders: EmbedderRegistry = {
    forVersion: async ({ id }) => {
      await loading;
      if (id === 13) throw new Error('it is not installed here');
      loaded.add(id);
      return {
        close: async () => {
          loaded.delete(id);
        },
      } as Embedder;
    },
    close: async () => undefined,
  };
  const readiness: Partial<ReadinessRepository> = {
    tell: async (_worker, all) => {
      told = all;
    },
    forget: async (worker) => {
      forgotten.push(worker);
    },
  };
  const warmer = new ModelWarmer(
    { versions: async () => versions } as Partial<EmbeddingRepository> as EmbeddingRepository,
    embedders,
    readiness as ReadinessRepository,
    new LogSink().logger,
    { worker: 'host:1', tellEveryMs: 1e9, retryAfterMs: 1e9, unloadAfterMs },
  );
  return {
    warmer,
    loaded,
    forgotten,
    /** Lets all models be loaded, and anyone who waits for one go on. */
    finish: async () => {
      finish();
      await new Promise(setImmediate);
    },
    told: () => Object.fromEntries(told.map(({ versionId, fault }) => [versionId, fault])),
    stand: (...standing: VersionRecord[]) => {
      versions = standing;
    },
  };
}

describe('a worker', () => {
  test('holds the models ready that photos may be answered under next, and says so, or why not', async () => {
    const { warmer, loaded, told, stand, finish } = setup(1e9);
    stand(
      version(1, 'retired', false),
      version(2, 'retired', true),
      version(3, 'live', true),
      version(4, 'building', false),
      version(5, 'pruned', false),
      version(13, 'building', true),
    );
    await warmer.look();
    expect(told()).toEqual({
      2: MODEL_IS_LOADING,
      3: MODEL_IS_LOADING,
      4: MODEL_IS_LOADING,
      13: MODEL_IS_LOADING,
    });
    await finish();
    await warmer.look();
    expect(told()).toEqual({ 2: null, 3: null, 4: null, 13: 'it is not installed here' });
    expect([...loaded]).toEqual([2, 3, 4]);
  });

  test('lets go of a model that nobody needs any more, once what was in work under it has ended', async () => {
    const { warmer, loaded, stand, told, finish } = setup(0);
    await finish();
    stand(version(3, 'retired', true), version(4, 'live', true));
    await warmer.look();
    await finish();
    stand(version(3, 'pruned', false), version(4, 'live', true));
    await warmer.look();
    expect([...loaded]).toEqual([4]);
    expect(told()).toEqual({ 4: null });
  });

  test('keeps a network that another version needs, with its own map or none (contract 14.20)', async () => {
    const { warmer, loaded, stand, finish } = setup(0);
    await finish();
    const live = version(3, 'live', true);
    stand(live, { ...version(4, 'building', true), manifest: live.manifest });
    await warmer.look();
    await finish();
    stand(live, { ...version(4, 'pruned', false), manifest: live.manifest });
    await warmer.look();
    expect([...loaded]).toEqual([3, 4]);
  });

  test('that ends is not waited for', async () => {
    const { warmer, forgotten } = setup(1e9);
    await warmer.stop();
    expect(forgotten).toEqual(['host:1']);
  });
});
