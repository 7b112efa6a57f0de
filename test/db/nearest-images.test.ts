import type { Knex } from 'knex';
import { identifier, rowsOf, sql } from '../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { PostgresNeighbourIndex } from '../../db/embeddings/neighbour-index';
import { EVERYTHING } from '../../models/catalog/catalog-query';
import type { NeighbourIndex } from '../../models/ports';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import { deleteCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';
import { modelManifest } from '../support/model-manifest';
import {
  categoryOf,
  DIMENSIONS,
  productOf,
  randomOf,
  showImages,
  unitVector,
  VIEWS,
} from './pictured-products';

const within = (category: string) => ({ ...EVERYTHING, category });

/** Half precision keeps three digits. */
const PRECISION = 2e-3;

describe('the nearest images', () => {
  const database = useDatabase();
  let embeddings: PostgresEmbeddingRepository;
  let version: EmbeddingVersion;
  const vectors = new Map<number, readonly Float32Array[]>();
  const random = randomOf(7);
  const queries = Array.from({ length: 12 }, () => [
    unitVector(random),
    unitVector(random),
    unitVector(random),
  ]);

  beforeAll(async () => {
    embeddings = new PostgresEmbeddingRepository(database.knex, 20_000);
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

  describe.each([
    ['in memory', 20_000],
    ['by a scan of pgvector, as of a version that is too large for the memory', 0],
  ])('%s', (_where, indexedFrom) => {
    let neighbours: NeighbourIndex;

    beforeAll(() => {
      neighbours = new PostgresNeighbourIndex(database.knex, indexedFrom);
    });

    test('can be asked for under a version whose vectors are its own, and no other', async () => {
      await neighbours.check(version);
      const wider = { ...version, manifest: modelManifest('eye', DIMENSIONS + 1, VIEWS) };
      await expect(neighbours.check(wider)).rejects.toThrow(`its model makes halfvec(${DIMENSIONS + 1})`);
      await expect(neighbours.check({ ...version, id: version.id + 1 })).rejects.toThrow('are missing');
    });

    test('are the nearest by any pair of views, each image once, when all vectors are scanned', async () => {
      expect(await embeddings.buildIndex(version.id)).toBe(false);
      for (const query of queries) {
        const found = await neighbours.nearest(version, [query], 25);
        expectNearest(found, truth(query), 25);
      }
    });

    test('say how near they are to each view of the query', async () => {
      const [query = []] = queries;
      const found = await neighbours.nearest(version, [query], 25);
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
      const found = await neighbours.nearest(version, [[same[0] ?? unitVector(random)]], 2);
      expect(found.map(({ imageId }) => imageId)).toEqual([twin, other]);
      expect(found[0]?.distance).toBeCloseTo(0, 2);
      expect(found[0]?.distance).toBeGreaterThanOrEqual(0);
    });

    test('are those of the category that is asked for, and of live rows', async () => {
      const [query = []] = queries;
      const ofWatches = truth(query).filter(({ imageId }) => categoryOf(imageId) === 'watches');
      expectNearest(await neighbours.nearest(version, [query], 10, within('watches')), ofWatches, 10);
      expect(await neighbours.nearest(version, [query], 10, within('shoes'))).toEqual([]);
      const [first] = ofWatches;
      if (!first) throw new Error('no watch');
      await deleteCatalogRows(database.knex, [productOf(first.imageId)]);
      vectors.delete(first.imageId);
      expectNearest(
        await neighbours.nearest(version, [query], 10, within('watches')),
        ofWatches.slice(1),
        10,
      );
    });

    test('name the live products of the scope that show them', async () => {
      const [query = []] = queries;
      const [{ imageId } = { imageId: 0 }, { imageId: other } = { imageId: 0 }] = truth(query);
      const shows = [imageId, other].map(productOf).toSorted();
      const share = { image_id: imageId, product_id: productOf(other) };
      await database.knex('product_images').insert(share);
      const nearest = async (scope = EVERYTHING) =>
        (await neighbours.nearest(version, [query], 2, scope)).map((each) => [each.imageId, each.products]);
      expect(await nearest()).toEqual([
        [imageId, shows],
        [other, [productOf(other)]],
      ]);
      expect(await nearest({ ...EVERYTHING, except: productOf(other) })).toContainEqual([
        imageId,
        [productOf(imageId)],
      ]);
      await database.knex('product_images').where(share).delete();
    });

    test('by the exact search beside them are the same, for every category', async () => {
      expect(await neighbours.isApproximate(version)).toBe(false);
      for (const scope of [EVERYTHING, within('handbags'), within('watches')]) {
        for (const query of queries.slice(0, 4)) {
          const found = await neighbours.nearest(version, [query], 10, scope);
          expect(found).toHaveLength(10);
          expect(await neighbours.exact(version, query, 10, scope)).toEqual(
            found.map(({ imageId }) => imageId),
          );
        }
      }
    });
  });

  describe('in memory, beside other processes', () => {
    let others: PostgresEmbeddingRepository;
    let neighbours: PostgresNeighbourIndex;
    const found = async (query: readonly Float32Array[], limit = 1) =>
      (await neighbours.nearest(version, [query], limit)).map(({ imageId }) => imageId);
    const stored = async (images: readonly number[]) => {
      for (const image of images) vectors.set(image, [unitVector(random), unitVector(random)]);
      await others.store(
        version.id,
        images.map((imageId) => ({ imageId, vectors: vectors.get(imageId) ?? [] })),
      );
    };

    beforeAll(async () => {
      others = new PostgresEmbeddingRepository(await database.connect(), 20_000);
      neighbours = new PostgresNeighbourIndex(database.knex, Number.POSITIVE_INFINITY);
      await neighbours.nearest(version, [[unitVector(random)]], 1);
    });

    // contract 15.4
    test('are those whose vectors were stored, replaced and removed since', async () => {
      const [image = 0] = await showImages(database.knex, 1);
      await stored([image]);
      const before = vectors.get(image) ?? [];
      expect(await found(before)).toEqual([image]);
      await stored([image]);
      expect(await found(vectors.get(image) ?? [])).toEqual([image]);
      expect(await found(before)).not.toEqual([image]);
      await database.knex(`embeddings_${version.id}`).where({ image_id: image }).delete();
      expect(await found(vectors.get(image) ?? [], 5_000)).not.toContain(image);
      await stored([image]);
      expect(await found(vectors.get(image) ?? [])).toEqual([image]);
    });

    test('are right where more were stored than is read one by one', async () => {
      await stored(await showImages(database.knex, 2_100));
      for (const query of queries) {
        expectNearest(await neighbours.nearest(version, [query], 25), truth(query), 25);
      }
    });

    test('are those of a transaction that began before and ended after the last search', async () => {
      const images = await showImages(database.knex, 2);
      const [[first = 0, second = 0]] = [images];
      if (database.kind === 'embedded') return;
      const open = await database.knex.transaction();
      const late = new PostgresEmbeddingRepository(open, 20_000);
      const own = [unitVector(random), unitVector(random)];
      await late.store(version.id, [{ imageId: first, vectors: own }]);
      vectors.set(first, own);
      await stored([second]);
      expect(await found(vectors.get(second) ?? [])).toEqual([second]);
      expect(await found(own)).not.toEqual([first]);
      await open.commit();
      expect(await found(own)).toEqual([first]);
    });

    test('of many calls at once are all right while vectors are stored', async () => {
      const images = await showImages(database.knex, 40);
      for (const image of images) {
        await stored([image]);
        const calls = await Promise.all([1, 2, 3].map(() => found(vectors.get(image) ?? [])));
        expect(calls).toEqual([[image], [image], [image]]);
      }
    });

    test('of another version are its own', async () => {
      const other = await embeddings.create(modelManifest('other-eye', DIMENSIONS, VIEWS));
      const [image = 0] = vectors.keys();
      const query = [unitVector(random)];
      await others.store(other.id, [{ imageId: image, vectors: [...query, unitVector(random)] }]);
      const near = await neighbours.nearest(other, [query], 10);
      expect(near.map(({ imageId }) => imageId)).toEqual([image]);
      expect(near[0]?.distance).toBeCloseTo(0, 2);
      await embeddings.prune(other.id);
      await expect(neighbours.nearest(other, [query], 10)).rejects.toThrow(/does not exist/);
    });
  });

  test('through the index are nearly always the same, and a category loses none', async () => {
    const neighbours = new PostgresNeighbourIndex(database.knex, 1_000);
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
    expect(await neighbours.isApproximate(version)).toBe(true);
    const found = await Promise.all(queries.map((query) => neighbours.nearest(version, [query], 25)));
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
    await expect(neighbours.nearest(version, [query], 100)).resolves.toHaveLength(100);
    expect(statements).toHaveLength(1);
    for (const each of queries) {
      const watches = truth(each).filter(({ imageId }) => categoryOf(imageId) === 'watches');
      expectNearest(await neighbours.nearest(version, [each], 5, within('watches')), watches, 5);
      expect(await neighbours.nearest(version, [each], 25, within('handbags'))).toHaveLength(25);
    }
    const rare = truth(query).filter(({ imageId }) => categoryOf(imageId) === 'watches');
    const all = await neighbours.nearest(version, [query], 5_000, within('watches'));
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

const dot = (left: Float32Array, right: Float32Array): number =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
