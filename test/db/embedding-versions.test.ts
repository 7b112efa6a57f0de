import { rowsOf, sql } from '../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { rollbackTarget } from '../../models/indexing/embedding-version';
import { UNCALIBRATED } from '../../models/vision/confidence';
import { type Calibration, type EmbeddingVersion } from '../../models/vision/embedding-model';
import { deleteCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';
import { modelManifest } from '../support/model-manifest';
import { DIMENSIONS, randomOf, showImages, unitVector, VIEWS } from './pictured-products';

describe('embedding versions', () => {
  const database = useDatabase();
  let embeddings: PostgresEmbeddingRepository;
  const manifest = modelManifest('eye', DIMENSIONS, VIEWS);

  beforeAll(async () => {
    embeddings = new PostgresEmbeddingRepository(database.knex, 20_000);
  });
  test('processes that start together on an empty database agree on one live version', async () => {
    const there = new PostgresEmbeddingRepository(await database.connect(), 20_000);
    expect(await embeddings.live()).toBeNull();
    const made = await Promise.all(
      [embeddings, there, embeddings, there].map((each) => each.create(manifest)),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await embeddings.live()).toEqual(made[0]);
    expect(made[0]).toMatchObject({ model: 'eye@1.0.0', state: 'live', manifest });
    expect(await embeddings.versions()).toEqual([
      {
        ...{ ...made[0], maintained: true, builtAt: null, evaluation: null },
        ...{ previousCalibration: null, calibratedAt: null },
      },
    ]);
  });

  test('replace each other when promoted; the last one is maintained for a rollback until it is pruned', async () => {
    const first = await liveOf(embeddings);
    const second = await embeddings.create(modelManifest('other', 4, 1));
    const third = await embeddings.create(modelManifest('third', 4, 1));
    const states = async () =>
      (await embeddings.versions()).map(({ id, state, maintained }) => [id, state, maintained]);
    await embeddings.promote(second.id);
    await embeddings.promote(third.id);
    expect(await states()).toEqual([
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
    expect((await embeddings.live())?.id).toBe(first.id);
    expect((await embeddings.create(modelManifest('other', 4, 1))).id).toBeGreaterThan(third.id);
  });

  test('keep the previous calibration until another version is live', async () => {
    const [one, two] = [0.1, 0.2].map((floor): Calibration => ({ ...UNCALIBRATED, floor })) as [
      Calibration,
      Calibration,
    ];
    const before = await liveOf(embeddings);
    const version = await embeddings.create({ ...modelManifest('recalibrated', 4, 1), calibration: one });
    const record = async () => (await embeddings.versions()).find(({ id }) => id === version.id);
    expect(await record()).toMatchObject({ previousCalibration: null, calibratedAt: null });
    await embeddings.promote(version.id);
    await embeddings.recalibrate(version.id, two);
    expect(await record()).toMatchObject({
      manifest: { calibration: two },
      previousCalibration: one,
      calibratedAt: expect.any(Date),
    });
    await embeddings.promote(before.id);
    expect(await record()).toMatchObject({ manifest: { calibration: two }, previousCalibration: null });
  });

  test('count images of live rows as pending, done or failed, and as pending again on retry', async () => {
    const version = await liveOf(embeddings);
    const images = await showImages(database.knex, 5);
    const [first, second, third, fourth, hidden] = images as [number, number, number, number, number];
    await rowsOf(database.knex, sql`DELETE FROM product_images WHERE image_id = ${hidden}`);
    const addresses = (await embeddings.pending(version.id, 2, 0)).map(({ address }) => address);
    expect(addresses).toEqual(['https://pictures/0.jpg', 'https://pictures/1.jpg']);

    await embeddings.recordFailures(version.id, [
      { imageId: second, reason: 'gone' },
      { imageId: third, reason: 'too large' },
    ]);
    await embeddings.recordFailures(version.id, []);
    await embeddings.store(version.id, [stored(first, 1), stored(third, 2)]);
    await embeddings.store(version.id, []);
    expect(await embeddings.coverage(version.id)).toEqual({ pending: 1, done: 2, failed: 1 });
    expect((await embeddings.pending(version.id, 10, 0)).map(({ id }) => id)).toEqual([fourth]);
    expect(await embeddings.pending(version.id, 10, fourth)).toEqual([]);
    expect(await embeddings.failures(version.id, 10)).toEqual([
      { image: { id: second, address: 'https://pictures/1.jpg' }, reason: 'gone' },
    ]);

    expect(await embeddings.retryFailures(version.id)).toBe(1);
    expect(await embeddings.coverage(version.id)).toEqual({ pending: 2, done: 2, failed: 0 });
    await deleteCatalogRows(database.knex, ['product_0']);
    expect(await embeddings.coverage(version.id)).toEqual({ pending: 2, done: 1, failed: 0 });
  });

  test('keep one set of vectors per image when several processes store it at the same time', async () => {
    const version = await liveOf(embeddings);
    const [image] = await showImages(database.knex, 1);
    if (image === undefined) throw new Error('no image');
    const there = new PostgresEmbeddingRepository(await database.connect(), 20_000);
    await Promise.all(
      [1, 2, 3, 4].map((seed) => (seed % 2 ? embeddings : there).store(version.id, [stored(image, seed)])),
    );
    await embeddings.store(version.id, [{ imageId: image, vectors: [unitVector(randomOf(9))] }]);
    const table = `embeddings_${version.id}`;
    expect(await database.knex(table).where({ image_id: image }).count()).toEqual([{ count: 1 }]);
  });

  test('that are adapted have a map; the same map is the same version, another one waits until it is built', async () => {
    const adapted = {
      manifest: modelManifest('mapped', 2, 1),
      adaptation: { from: 1, products: 2, pictures: 4, shrinkage: 2, power: 0.5 },
      map: Float32Array.from([1, 0.25, 0.25, 3]),
      products: ['product_a', 'product_b'],
    };
    const made = await embeddings.createAdapted(adapted);
    expect(made).toMatchObject({
      ...{ model: 'mapped@1.0.0+adapted-1', state: 'building', adaptation: adapted.adaptation },
    });
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

async function liveOf(embeddings: PostgresEmbeddingRepository): Promise<EmbeddingVersion> {
  const live = await embeddings.live();
  if (!live) throw new Error('no version is live');
  return live;
}

const stored = (imageId: number, seed: number) => {
  const random = randomOf(seed);
  return { imageId, vectors: Array.from({ length: VIEWS }, () => unitVector(random)) };
};
