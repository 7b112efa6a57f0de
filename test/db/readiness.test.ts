import { PostgresReadinessRepository } from '../../db/core/readiness-repository';
import { rowsOf, sql } from '../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { useDatabase } from '../support/database';
import { modelManifest } from '../support/model-manifest';

describe('what workers say of the models of versions', () => {
  const database = useDatabase();
  let readiness: PostgresReadinessRepository;
  let live: number;
  let building: number;

  beforeAll(async () => {
    readiness = new PostgresReadinessRepository(database.knex);
    const embeddings = new PostgresEmbeddingRepository(database.knex, 20_000);
    live = (await embeddings.create(modelManifest('eye', 4, 1))).id;
    building = (await embeddings.create(modelManifest('other', 4, 1))).id;
  });
  test('is known by version, and replaced by what they say next', async () => {
    await readiness.tell('a:1', [
      { versionId: live, fault: null },
      { versionId: building, fault: 'it is not installed here' },
      { versionId: 99, fault: null },
    ]);
    await readiness.tell('b:2', [{ versionId: live, fault: null }]);
    expect(await readiness.workers()).toEqual(['a:1', 'b:2']);
    expect(await readiness.of(building)).toEqual([
      { worker: 'a:1', versionId: building, fault: 'it is not installed here' },
    ]);
    await readiness.tell('a:1', [{ versionId: building, fault: null }]);
    expect(await readiness.of(building)).toEqual([{ worker: 'a:1', versionId: building, fault: null }]);
    expect((await readiness.of(live)).map(({ worker }) => worker)).toEqual(['b:2']);
  });

  test('is forgotten when they end, or die and say nothing any more', async () => {
    await rowsOf(
      database.knex,
      sql`UPDATE embedding_readiness SET told_at = now() - interval '1 hour' WHERE worker = 'b:2'`,
    );
    expect(await readiness.workers()).toEqual(['a:1']);
    await readiness.forget('a:1');
    expect(await readiness.workers()).toEqual([]);
  });
});
