import { rowsOf, sql } from '../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { rollbackTarget } from '../../models/indexing/embedding-version';
import { UNCALIBRATED } from '../../models/vision/confidence';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import { deleteCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';
import { modelManifest } from '../support/model-manifest';
import { DIMENSIONS, showImages, VIEWS, viewsFrom } from './pictured-products';

/** The tests go on where the last one left off. */
describe('embedding versions', () => {
  const database = useDatabase();
  let embeddings: PostgresEmbeddingRepository;
  /** Of another process. */
  let there: PostgresEmbeddingRepository;
  const manifest = modelManifest('eye', DIMENSIONS, VIEWS);
  const nextViews = viewsFrom(1);

  beforeAll(async () => {
    embeddings = new PostgresEmbeddingRepository(database.knex, 20_000);
    there = new PostgresEmbeddingRepository(await database.connect(), 20_000);
  });

  async function live(): Promise<EmbeddingVersion> {
    const found = await embeddings.live();
    if (!found) throw new Error('no version is live');
    return found;
  }
  const stored = (imageId: number) => ({ imageId, vectors: nextViews() });
  const recordOf = async (id: number) => (await embeddings.versions()).find((each) => each.id === id);

  test('processes that start together on an empty database agree on one live version', async () => {
    expect(await embeddings.live()).toBeNull();
    const made = await Promise.all(
      [embeddings, there, embeddings, there].map((each) => each.create(manifest)),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await live()).toEqual(made[0]);
    expect(made[0]).toMatchObject({ model: 'eye@1.0.0', state: 'live', manifest });
    const calibrations = { previousCalibration: null, calibratedAt: null };
    expect(await embeddings.versions()).toEqual([
      { ...made[0], maintained: true, builtAt: null, evaluation: null, ...calibrations },
    ]);
  });

  test('replace each other when promoted; the last one is maintained for a rollback until it is pruned', async () => {
    const first = await live();
    const second = await embeddings.create(modelManifest('other', 4, 1));
    const third = await embeddings.create(modelManifest('third', 4, 1));
    await embeddings.promote(second.id);
    await embeddings.promote(third.id);
    const states = (await embeddings.versions()).map(({ id, state, maintained }) => [id, state, maintained]);
    expect(states).toEqual([
      [first.id, 'retired', false],
      [second.id, 'retired', true],
      [third.id, 'live', true],
    ]);
    expect(rollbackTarget(await embeddings.versions())?.id).toBe(second.id);
    expect([await embeddings.prune(third.id), await embeddings.prune(second.id)]).toEqual([false, true]);
    expect(await embeddings.prune(second.id)).toBe(false);
    await expect(embeddings.promote(second.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await embeddings.version(second.id)).toMatchObject({ state: 'pruned', model: 'other@1.0.0' });
    await embeddings.promote(first.id);
    expect((await live()).id).toBe(first.id);
    expect((await embeddings.create(modelManifest('other', 4, 1))).id).toBeGreaterThan(third.id);
  });

  test('keep the previous calibration until another version is live', async () => {
    const [one, two] = [0.1, 0.2].map((floor) => ({ ...UNCALIBRATED, floor }));
    const before = await live();
    const { id } = await embeddings.create({
      ...modelManifest('recalibrated', 4, 1),
      calibration: one ?? null,
    });
    await embeddings.promote(id);
    expect(await recordOf(id)).toMatchObject({ previousCalibration: null, calibratedAt: null });
    await embeddings.recalibrate(id, two ?? UNCALIBRATED);
    const recalibrated = { manifest: { calibration: two }, calibratedAt: expect.any(Date) };
    expect(await recordOf(id)).toMatchObject({ ...recalibrated, previousCalibration: one });
    await embeddings.promote(before.id);
    expect(await recordOf(id)).toMatchObject({ ...recalibrated, previousCalibration: null });
  });

  test('count images of live rows as pending, done or failed, and as pending again on retry', async () => {
    const { id } = await live();
    const [first = 0, second = 0, third = 0, fourth = 0, hidden = 0] = await showImages(database.knex, 5);
    await rowsOf(database.knex, sql`DELETE FROM product_images WHERE image_id = ${hidden}`);
    const addresses = (await embeddings.pending(id, 2, 0)).map(({ address }) => address);
    expect(addresses).toEqual(['https://pictures/0.jpg', 'https://pictures/1.jpg']);

    await embeddings.recordFailures(id, [
      { imageId: second, reason: 'gone' },
      { imageId: third, reason: 'too large' },
    ]);
    await embeddings.store(id, [stored(first), stored(third)]);
    await Promise.all([embeddings.recordFailures(id, []), embeddings.store(id, [])]);
    expect(await embeddings.coverage(id)).toEqual({ pending: 1, done: 2, failed: 1 });
    expect((await embeddings.pending(id, 10, 0)).map((image) => image.id)).toEqual([fourth]);
    expect(await embeddings.pending(id, 10, fourth)).toEqual([]);
    expect(await embeddings.failures(id, 10)).toEqual([
      { image: { id: second, address: 'https://pictures/1.jpg' }, reason: 'gone' },
    ]);

    expect(await embeddings.retryFailures(id)).toBe(1);
    expect(await embeddings.coverage(id)).toEqual({ pending: 2, done: 2, failed: 0 });
    await deleteCatalogRows(database.knex, ['product_0']);
    expect(await embeddings.coverage(id)).toEqual({ pending: 2, done: 1, failed: 0 });
  });

  test('keep one set of vectors per image when several processes store it at the same time', async () => {
    const { id } = await live();
    const [image = 0] = await showImages(database.knex, 1);
    const repositories = [embeddings, there, embeddings, there];
    await Promise.all(repositories.map((each) => each.store(id, [stored(image)])));
    await embeddings.store(id, [{ imageId: image, vectors: nextViews(1) }]);
    expect(await database.knex(`embeddings_${id}`).where({ image_id: image }).count()).toEqual([
      { count: 1 },
    ]);
  });

  test('that are adapted have a map; the same map is the same version, another one waits until it is built', async () => {
    const adapted = {
      manifest: modelManifest('mapped', 2, 1),
      adaptation: { from: 1, products: 2, pictures: 4, shrinkage: 2, power: 0.5 },
      map: Float32Array.from([1, 0.25, 0.25, 3]),
      products: ['product_a', 'product_b'],
    };
    const made = await embeddings.createAdapted(adapted);
    const { adaptation } = adapted;
    expect(made).toMatchObject({ model: 'mapped@1.0.0+adapted-1', state: 'building', adaptation });
    expect(await embeddings.mapOf(made.id)).toEqual(adapted.map);
    expect(await embeddings.fittedProducts([made.id])).toEqual(new Set(adapted.products));
    expect(await embeddings.createAdapted(adapted)).toEqual(made);
    const other = { ...adapted, map: Float32Array.from([1, 0, 0, 1]) };
    await expect(embeddings.createAdapted(other)).rejects.toThrow(/prune --building/);
    await embeddings.markBuilt(made.id);
    expect(await embeddings.createAdapted(adapted)).toEqual(made);
    const second = await embeddings.createAdapted(other);
    expect(second.model).toBe('mapped@1.0.0+adapted-2');
    await embeddings.prune(made.id);
    expect(await embeddings.mapOf(made.id)).toBeNull();
    await embeddings.prune(second.id);
    expect((await embeddings.createAdapted(adapted)).model).toBe('mapped@1.0.0+adapted-3');
  });
});
