import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { rollbackTarget } from '../../models/indexing/embedding-version';
import { modelReference } from '../../models/vision/embedding-model';
import { liveVersion } from '../../scripts/composition/live-version';
import { readConfig } from '../../scripts/config';
import { bundledModel, earlierModel } from '../../workers/library/model-library';
import { useDatabase } from '../support/database';
import { LogSink } from '../support/log-sink';
import { modelManifest } from '../support/model-manifest';
import { temporaryFolder } from '../support/temporary-folder';

/** What a process starts with when a release brought another model than the database was filled under. */
describe('the live version, when its model is not installed any more', () => {
  const database = useDatabase();
  let embeddings: PostgresEmbeddingRepository;
  const sink = new LogSink();
  const { logger } = sink;
  const config = readConfig({ DATA_DIR: '/nowhere' });

  beforeAll(async () => {
    embeddings = new PostgresEmbeddingRepository(database.knex, 20_000);
    await embeddings.create({ ...modelManifest('loupe-eye', 8, 1), version: '0.0.1' });
  });
  test('stays live for an api, which runs no model', async () => {
    const live = await liveVersion(config, false, embeddings, logger);
    expect(live.model).toBe('loupe-eye@0.0.1');
  });

  test('is replaced by one for the bundled model, once for all processes that start', async () => {
    const started = await Promise.all([1, 2, 3].map(() => liveVersion(config, true, embeddings, logger)));
    const { manifest } = await bundledModel();
    expect(new Set(started.map(({ id }) => id)).size).toBe(1);
    expect(await embeddings.live()).toMatchObject({ id: started[0]?.id, model: modelReference(manifest) });
    expect((await embeddings.versions()).map(({ model, state }) => [model, state])).toEqual([
      ['loupe-eye@0.0.1', 'retired'],
      [modelReference(manifest), 'live'],
    ]);
  });

  test('is no rollback target, and new images are not embedded for it', async () => {
    expect(rollbackTarget(await embeddings.versions())).toBeNull();
  });

  test('of an added model is not replaced: the start fails and names the missing model', async () => {
    const live = await embeddings.live();
    const other = await embeddings.create(modelManifest('added', 8, 1));
    await embeddings.promote(other.id);
    const starting = liveVersion(config, true, embeddings, logger);
    await expect(starting).rejects.toThrow('"added@1.0.0", which is not installed on this host');
    await embeddings.promote(live?.id ?? 0);
  });

  test('is kept by the next start', async () => {
    const live = await embeddings.live();
    expect(await liveVersion(config, true, embeddings, logger)).toEqual(live);
  });

  test('stays on the model of the previous release while that ships, and the log names the newer one', async () => {
    const { manifest } = await earlierModel();
    const earlier = await embeddings.create(manifest);
    await embeddings.promote(earlier.id);
    sink.clear();
    const kept = await liveVersion(config, true, embeddings, logger);
    expect(kept.model).toBe(modelReference(manifest));
    expect(await sink.lines(1)).toMatchObject([
      { level: 30, model: modelReference(manifest), newer: modelReference((await bundledModel()).manifest) },
    ]);
  });

  // contract 7.9
  test('without a calibration takes the one of its installed model', async () => {
    const { manifest } = await bundledModel();
    const [version] = (await embeddings.versions()).filter(({ model }) => model === modelReference(manifest));
    await embeddings.promote(version?.id ?? 0);
    await database.knex('embedding_versions').update({
      manifest: database.knex.raw(`jsonb_set(manifest, '{calibration}', 'null')`),
    });
    const live = await liveVersion(config, true, embeddings, logger);
    expect(live.manifest.calibration).toEqual(manifest.calibration);
    expect(await embeddings.versions()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: live.id, previousCalibration: null }),
        expect.objectContaining({
          model: 'added@1.0.0',
          manifest: expect.objectContaining({ calibration: null }),
        }),
      ]),
    );
  });

  test('that has no calibration is warned of', async () => {
    const version = await embeddings.create({ ...modelManifest('strange', 8, 1), calibration: null });
    await embeddings.promote(version.id);
    sink.clear();
    await liveVersion(config, false, embeddings, logger);
    expect(await sink.lines(1)).toMatchObject([{ level: 40, model: 'strange@1.0.0' }]);
  });

  test('is kept when the folder of its model is broken', async () => {
    const folder = temporaryFolder();
    const live = await embeddings.live();
    const broken = join(folder, 'models', live?.model ?? '');
    await mkdir(broken, { recursive: true });
    const here = readConfig({ DATA_DIR: folder });
    await expect(liveVersion(here, true, embeddings, logger)).rejects.toThrow(
      'no manifest.json that can be read',
    );
    expect(await embeddings.live()).toEqual(live);
  });
});
