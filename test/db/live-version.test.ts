import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { rollbackTarget } from '../../models/indexing/embedding-version';
import { type ModelManifest, modelReference } from '../../models/vision/embedding-model';
import { liveVersion } from '../../scripts/composition/live-version';
import { readConfig } from '../../scripts/config';
import { bundledModel, earlierModel } from '../../workers/library/model-library';
import { useDatabase } from '../support/database';
import { LogSink } from '../support/log-sink';
import { modelManifest } from '../support/model-manifest';
import { temporaryFolder } from '../support/temporary-folder';

/** Each test continues where the previous one ended. */
describe('the live version, when its model is not installed any more', () => {
  const database = useDatabase();
  const sink = new LogSink();
  let embeddings: PostgresEmbeddingRepository;
  let bundled: ModelManifest;
  const start = (runsModels = true, dataDir = '/nowhere') =>
    liveVersion(readConfig({ DATA_DIR: dataDir }), runsModels, embeddings, sink.logger);
  const promoted = async (manifest: ModelManifest) => {
    const version = await embeddings.create(manifest);
    await embeddings.promote(version.id);
    sink.clear();
    return version;
  };

  beforeAll(async () => {
    ({ manifest: bundled } = await bundledModel());
    embeddings = new PostgresEmbeddingRepository(database.knex, 20_000);
    await embeddings.create({ ...modelManifest('loupe-eye', 8, 1), version: '0.0.1' });
  });

  test('stays live for an api, which runs no model', async () => {
    expect((await start(false)).model).toBe('loupe-eye@0.0.1');
  });

  test('is replaced by one for the bundled model, once for all processes that start, and is not a rollback target', async () => {
    const started = await Promise.all([start(), start(), start()]);
    expect(new Set(started.map(({ id }) => id)).size).toBe(1);
    expect((await embeddings.live())?.id).toBe(started[0]?.id);
    expect((await embeddings.versions()).map(({ model, state }) => [model, state])).toEqual([
      ['loupe-eye@0.0.1', 'retired'],
      [modelReference(bundled), 'live'],
    ]);
    expect(rollbackTarget(await embeddings.versions())).toBeNull();
    expect(await start()).toEqual(await embeddings.live());
  });

  test('of an added model is not replaced: the start fails and names the missing model', async () => {
    await promoted(modelManifest('added', 8, 1));
    await expect(start()).rejects.toThrow('"added@1.0.0", which is not installed on this host');
  });

  test('stays on the model of the previous release while that one ships, and the log names the newer one', async () => {
    const { manifest } = await earlierModel();
    await promoted(manifest);
    expect((await start()).model).toBe(modelReference(manifest));
    const told = { level: 30, model: modelReference(manifest), newer: modelReference(bundled) };
    expect(await sink.lines(1)).toMatchObject([told]);
  });

  test('is kept when the folder of its model is broken', async () => {
    const folder = temporaryFolder();
    const live = await embeddings.live();
    await mkdir(join(folder, 'models', live?.model ?? ''), { recursive: true });
    await expect(start(true, folder)).rejects.toThrow('no manifest.json that can be read');
    expect(await embeddings.live()).toEqual(live);
  });

  test('without a calibration causes a warning', async () => {
    await promoted({ ...modelManifest('strange', 8, 1), calibration: null });
    await start(false);
    expect(await sink.lines(1)).toMatchObject([{ level: 40, model: 'strange@1.0.0' }]);
  });
});
