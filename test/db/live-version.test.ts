import { PostgresEmbeddingRepository } from '../../db/embedding-repository';
import { modelReference } from '../../models/vision/embedding-model';
import { readConfig } from '../../scripts/config';
import { liveVersion } from '../../scripts/live-version';
import { bundledModel } from '../../scripts/model-library';
import { type TestDatabase, testDatabase } from '../support/database';
import { LogSink } from '../support/log-sink';
import { modelManifest } from '../support/model-manifest';

/** What a process starts with when a release brought another model than the database was filled under. */
describe('the live version, when its model is not installed any more', () => {
  let database: TestDatabase;
  let embeddings: PostgresEmbeddingRepository;
  const sink = new LogSink();
  const { logger } = sink;
  const settings = { DATA_DIR: '/nowhere', REDIS_URL: 'redis://localhost' };

  beforeAll(async () => {
    database = await testDatabase();
    embeddings = new PostgresEmbeddingRepository(database.knex, 20_000);
    await embeddings.create(modelManifest('older', 8, 1));
  });
  afterAll(() => database.close());

  test('stays for an api, which computes nothing', async () => {
    const live = await liveVersion(readConfig({ ...settings, ROLE: 'api' }), embeddings, logger);
    expect(live.model).toBe('older@1.0.0');
  });

  test('gives way to one for the model that is here, once for all that start; the older one is retired', async () => {
    const config = readConfig({ ...settings, ROLE: 'worker' });
    const started = await Promise.all([1, 2, 3].map(() => liveVersion(config, embeddings, logger)));
    const { manifest } = await bundledModel();
    expect(new Set(started.map(({ id }) => id)).size).toBe(1);
    expect(await embeddings.live()).toMatchObject({ id: started[0]?.id, model: modelReference(manifest) });
    expect((await embeddings.versions()).map(({ model, state }) => [model, state])).toEqual([
      ['older@1.0.0', 'retired'],
      [modelReference(manifest), 'live'],
    ]);
  });

  test('is kept from then on', async () => {
    const live = await embeddings.live();
    expect(await liveVersion(readConfig(settings), embeddings, logger)).toEqual(live);
  });

  test('that nobody has calibrated is warned of', async () => {
    const version = await embeddings.create({ ...modelManifest('strange', 8, 1), calibration: null });
    await embeddings.promote(version.id);
    sink.clear();
    await liveVersion(readConfig({ ...settings, ROLE: 'api' }), embeddings, logger);
    expect(await sink.lines(1)).toMatchObject([{ level: 40, model: 'strange@1.0.0' }]);
  });
});
