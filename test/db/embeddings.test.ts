import type { Knex } from 'knex';
import { PostgresEmbeddingRepository } from '../../db/embedding-repository';
import { PgvectorExactNeighbours } from '../../db/exact-neighbours';
import { PgvectorNeighbourIndex } from '../../db/neighbour-index';
import { identifier, rowsOf, sql } from '../../db/sql';
import { type EmbeddingVersion, rollbackTarget } from '../../models/indexing/embedding-version';
import type { Evaluation } from '../../models/indexing/evaluation';
import type { Calibration } from '../../models/vision/embedding-model';
import { deleteCatalogRows, writeCatalogRows } from '../support/catalog-rows';
import { type TestDatabase, testDatabase } from '../support/database';
import { modelManifest } from '../support/model-manifest';

const DIMENSIONS = 16;
const VIEWS = 2;
/** Half precision keeps three digits. */
const PRECISION = 2e-3;

describe('embedding versions', () => {
  let database: TestDatabase;
  let embeddings: PostgresEmbeddingRepository;
  const manifest = modelManifest('eye', DIMENSIONS, VIEWS);

  beforeAll(async () => {
    database = await testDatabase();
    embeddings = new PostgresEmbeddingRepository(database.knex, 20_000);
  });
  afterAll(() => database.close());

  test('of processes that start together on an empty database agree on one that is live', async () => {
    const there = new PostgresEmbeddingRepository(await database.connect(), 20_000);
    expect(await embeddings.live()).toBeNull();
    const made = await Promise.all(
      [embeddings, there, embeddings, there].map((each) => each.create(manifest)),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await embeddings.live()).toEqual(made[0]);
    expect(made[0]).toMatchObject({ model: 'eye@1.0.0', state: 'live', manifest });
    expect(await embeddings.versions()).toEqual([
      { ...made[0], maintained: true, builtAt: null, evaluation: null },
    ]);
  });

  test('of another model are built beside the live one', async () => {
    const live = await embeddings.live();
    const building = await embeddings.create(modelManifest('other', 4, 1));
    expect(building).toMatchObject({ state: 'building', promotedAt: null });
    expect(await embeddings.live()).toEqual(live);
    expect(await embeddings.version(building.id)).toEqual(building);
    expect(await embeddings.version(9_999)).toBeNull();
  });

  test('are promoted one in place of the other; the last one is kept up for a rollback, until it is pruned', async () => {
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

  test('keep how they were judged, and the calibration that was fitted then', async () => {
    const version = await embeddings.create({ ...modelManifest('judged', 4, 1), calibration: null });
    const evaluation = { at: new Date(0).toISOString(), seed: 1, images: 3 } as Evaluation;
    const calibration: Calibration = { confidence: { kind: 'logistic', bias: 1, weights: {} }, floor: 0.1 };
    await embeddings.keepEvaluation(version.id, evaluation, null);
    expect((await embeddings.version(version.id))?.manifest.calibration).toBeNull();
    await embeddings.keepEvaluation(version.id, evaluation, calibration);
    expect((await embeddings.version(version.id))?.manifest.calibration).toEqual(calibration);
    expect((await embeddings.versions()).at(-1)?.evaluation).toEqual(evaluation);
  });

  test('cover the images of live rows: pending until stored or failed, then again when failures are retried', async () => {
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

  test('keep the newest vectors of an image, whoever stores them at the same time', async () => {
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
});

describe('the nearest images', () => {
  let database: TestDatabase;
  let embeddings: PostgresEmbeddingRepository;
  let neighbours: PgvectorNeighbourIndex;
  let exact: PgvectorExactNeighbours;
  let version: EmbeddingVersion;
  const vectors = new Map<number, readonly Float32Array[]>();
  const random = randomOf(7);
  const queries = Array.from({ length: 12 }, () => [
    unitVector(random),
    unitVector(random),
    unitVector(random),
  ]);

  beforeAll(async () => {
    database = await testDatabase();
    embeddings = new PostgresEmbeddingRepository(database.knex, 20_000);
    neighbours = new PgvectorNeighbourIndex(database.knex);
    exact = new PgvectorExactNeighbours(database.knex);
    version = await embeddings.create(modelManifest('eye', DIMENSIONS, VIEWS));
    for (const image of await showImages(database.knex, 1_200)) {
      vectors.set(
        image,
        Array.from({ length: VIEWS }, () => unitVector(random)),
      );
    }
    await embeddings.store(
      version.id,
      [...vectors].map(([imageId, each]) => ({ imageId, vectors: each })),
    );
  }, 60_000);
  afterAll(() => database.close());

  test('can be asked for under a version whose vectors are its own, and no other', async () => {
    await neighbours.check(version);
    const wider = { ...version, manifest: modelManifest('eye', DIMENSIONS + 1, VIEWS) };
    await expect(neighbours.check(wider)).rejects.toThrow(`its model makes halfvec(${DIMENSIONS + 1})`);
    await expect(neighbours.check({ ...version, id: version.id + 1 })).rejects.toThrow('are missing');
  });

  test('are the nearest by any pair of views, each image once, when all vectors are scanned', async () => {
    expect(await embeddings.buildIndex(version.id)).toBe(false);
    for (const query of queries) {
      const found = await neighbours.nearest(version, query, 25);
      expectNearest(found, truth(query), 25);
    }
  });

  test('say how near they are to each view of the query', async () => {
    const [query = []] = queries;
    const found = await neighbours.nearest(version, query, 25);
    expect(query.length).toBeGreaterThan(1);
    for (const { imageId, distance, byView = [] } of found) {
      const views = vectors.get(imageId) ?? [];
      expect(byView).toHaveLength(query.length);
      expect(distance).toBe(Math.min(...byView));
      byView.forEach((each, index) => {
        const asked = query[index] ?? unitVector(random);
        expect(Math.abs(each - Math.min(...views.map((view) => 1 - dot(view, asked))))).toBeLessThan(
          PRECISION,
        );
      });
    }
  });

  test('are by image id where they are equally near', async () => {
    const [twin, other] = [...vectors.keys()].slice(-2) as [number, number];
    const same = vectors.get(twin) ?? [];
    await embeddings.store(version.id, [{ imageId: other, vectors: same }]);
    vectors.set(other, same);
    const found = await neighbours.nearest(version, [same[0] ?? unitVector(random)], 2);
    expect(found.map(({ imageId }) => imageId)).toEqual([twin, other]);
    expect(found[0]?.distance).toBeCloseTo(0, 2);
    expect(found[0]?.distance).toBeGreaterThanOrEqual(0);
  });

  test('are those of the category that is asked for, and of live rows', async () => {
    const [query = []] = queries;
    const ofWatches = truth(query).filter(({ imageId }) => categoryOf(imageId) === 'watches');
    expectNearest(await neighbours.nearest(version, query, 10, 'watches'), ofWatches, 10);
    expect(await neighbours.nearest(version, query, 10, 'shoes')).toEqual([]);
    const [first] = ofWatches;
    if (!first) throw new Error('no watch');
    await deleteCatalogRows(database.knex, [productOf(first.imageId)]);
    vectors.delete(first.imageId);
    expectNearest(await neighbours.nearest(version, query, 10, 'watches'), ofWatches.slice(1), 10);
  });

  test('by the exact search beside them are the same, for every category', async () => {
    expect(await exact.isApproximate(version)).toBe(false);
    for (const category of [undefined, 'handbags', 'watches']) {
      for (const query of queries.slice(0, 4)) {
        const found = await neighbours.nearest(version, query, 10, category);
        expect(found).toHaveLength(10);
        expect(await exact.nearest(version, query, 10, category)).toEqual(
          found.map(({ imageId }) => imageId),
        );
      }
    }
  });

  test('through the index are nearly always the same, and a category loses none', async () => {
    const eager = new PostgresEmbeddingRepository(database.knex, 1_000);
    await leaveBrokenIndex(database.knex, version.id);
    expect(await eager.isIndexed(version.id)).toBe(false);
    // The embedded database, whose clients share one session, never builds one outside of this test.
    const others =
      database.kind === 'postgres' ? [new PostgresEmbeddingRepository(database.knex, 1_000)] : [];
    const built = await Promise.all([eager, ...others].map((each) => each.buildIndex(version.id)));
    expect(new Set(built)).toEqual(new Set([true]));
    expect(await eager.buildIndex(version.id)).toBe(true);
    expect(await eager.isIndexed(version.id)).toBe(true);
    expect(await exact.isApproximate(version)).toBe(true);
    const found = await Promise.all(queries.map((query) => neighbours.nearest(version, query, 25)));
    const right = queries.flatMap((query, index) => {
      const expected = new Set(
        truth(query)
          .slice(0, 25)
          .map(({ imageId }) => imageId),
      );
      return found[index]?.filter(({ imageId }) => expected.has(imageId)) ?? [];
    });
    expect(right.length).toBeGreaterThan(0.95 * 25 * queries.length);
    const [query = []] = queries;
    const statements: unknown[] = [];
    database.knex.on('query', (statement) => statements.push(statement));
    // More than the index gives by its own settings: a second statement would be the scan.
    await expect(neighbours.nearest(version, query, 100)).resolves.toHaveLength(100);
    expect(statements).toHaveLength(1);
    const rare = truth(query).filter(({ imageId }) => categoryOf(imageId) === 'watches');
    const all = await neighbours.nearest(version, query, 5_000, 'watches');
    expect(new Set(all.map(({ imageId }) => imageId))).toEqual(new Set(rare.map(({ imageId }) => imageId)));
  }, 60_000);

  /** Every image by the distance of its nearest pair of views. */
  function truth(query: readonly Float32Array[]) {
    return [...vectors]
      .map(([imageId, views]) => ({
        imageId,
        distance: Math.min(...views.flatMap((view) => query.map((each) => 1 - dot(view, each)))),
      }))
      .sort((left, right) => left.distance - right.distance);
  }
});

/** Half precision may swap images that are nearly equally near, and nothing else. */
function expectNearest(
  found: readonly { imageId: number; distance: number }[],
  expected: readonly { imageId: number; distance: number }[],
  limit: number,
): void {
  expect(found).toHaveLength(Math.min(limit, expected.length));
  expect(new Set(found.map(({ imageId }) => imageId)).size).toBe(found.length);
  const distances = new Map(expected.map(({ imageId, distance }) => [imageId, distance]));
  found.forEach(({ imageId, distance }, index) => {
    expect(Math.abs(distance - (distances.get(imageId) ?? 9))).toBeLessThan(PRECISION);
    expect(Math.abs(distance - (expected[index]?.distance ?? 9))).toBeLessThan(PRECISION);
    expect(distance).toBeGreaterThanOrEqual(found[index - 1]?.distance ?? 0);
  });
}

/** As a build leaves one behind that was broken off: it has its unfinished name, and can't be used. */
async function leaveBrokenIndex(knex: Knex, versionId: number): Promise<void> {
  const name = identifier(`embeddings_${versionId}_nearest_unfinished`);
  const table = identifier(`embeddings_${versionId}`);
  const broken = rowsOf(knex, sql`CREATE UNIQUE INDEX CONCURRENTLY ${name} ON ${table} (view)`);
  await expect(broken).rejects.toThrow(/could not create unique index/);
}

async function liveOf(embeddings: PostgresEmbeddingRepository): Promise<EmbeddingVersion> {
  const live = await embeddings.live();
  if (!live) throw new Error('no version is live');
  return live;
}

const productOf = (imageId: number) => `product_${imageId - 1}`;
/** One in a hundred is a watch. */
const categoryOf = (imageId: number) => (imageId % 100 === 0 ? 'watches' : 'handbags');

/** Live products that show one new image each. */
async function showImages(knex: Knex, count: number): Promise<number[]> {
  await rowsOf(
    knex,
    sql`INSERT INTO categories (id, name, hierarchy, name_fields)
        VALUES ('handbags', 'H', '{}', '{}'), ('watches', 'W', '{}', '{}') ON CONFLICT DO NOTHING`,
  );
  const images = await rowsOf<{ id: number }>(
    knex,
    sql`INSERT INTO images (address)
        SELECT 'https://pictures/' || (SELECT count(*) FROM images) + number || '.jpg'
        FROM generate_series(0, ${count - 1}::integer) AS number RETURNING id`,
  );
  const ids = images.map(({ id }) => id);
  await rowsOf(
    knex,
    sql`WITH shown AS (SELECT unnest(${ids.map(productOf)}::text[]) AS product, unnest(${ids}::bigint[]) AS image),
        made AS (INSERT INTO products (id, category, attributes) SELECT product, 'handbags', '{}' FROM shown)
        INSERT INTO product_images (image_id, product_id) SELECT image, product FROM shown`,
  );
  await writeCatalogRows(
    knex,
    ids.map((id) => ({
      ...{ id: productOf(id), kind: 'product', category: categoryOf(id) },
      ...{ popularity: 0, name: 'Bag', facets: [], words: [] },
    })),
  );
  return ids;
}

const stored = (imageId: number, seed: number) => {
  const random = randomOf(seed);
  return { imageId, vectors: Array.from({ length: VIEWS }, () => unitVector(random)) };
};

/** Reproducible numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function unitVector(random: () => number): Float32Array {
  const values = Float32Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5);
  return values.map((value) => value / Math.hypot(...values));
}

const dot = (left: Float32Array, right: Float32Array): number =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
