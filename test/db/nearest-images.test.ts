import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { identifier, rowsOf, sql } from '../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { PostgresImageSamples } from '../../db/embeddings/image-samples';
import { PostgresNeighbourIndex } from '../../db/embeddings/neighbour-index';
import type { Billing, CallContext } from '../../models/access/billing';
import { NO_FILTER } from '../../models/catalog/catalog-query';
import type { EmbeddingRepository, NeighbourIndex } from '../../models/ports';
import { at } from '../../models/random';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import { PHOTOS_MAX } from '../../models/vision/image-input';
import { dot } from '../../models/vision/linear-map';
import { SimilarService } from '../../models/vision/similar-service';
import { deleteCatalogRows } from '../support/catalog-rows';
import { useDatabase } from '../support/database';
import { modelManifest } from '../support/model-manifest';
import { categoryOf, DIMENSIONS, productOf, showImages, VIEWS, viewsFrom } from './pictured-products';

type Views = readonly Float32Array[];
interface Near {
  readonly imageId: number;
  readonly distance: number;
}

const within = (category: string) => ({ ...NO_FILTER, category });
/** Half precision keeps three digits. */
const PRECISION = 2e-3;
/** Vectors from which an index is built; never, unless a test wants one. */
const NEVER = 20_000;

describe('the nearest images', () => {
  const database = useDatabase();
  let embeddings: PostgresEmbeddingRepository;
  let version: EmbeddingVersion;
  /** Of each image that a live product shows. */
  const vectors = new Map<number, Views>();
  const nextViews = viewsFrom(7);
  const queries = Array.from({ length: 6 }, () => nextViews(3));
  const query = at(queries, 0);

  beforeAll(async () => {
    embeddings = new PostgresEmbeddingRepository(database.knex, NEVER);
    version = await embeddings.create(modelManifest('eye', DIMENSIONS, VIEWS));
    await store(await showImages(database.knex, 1_200), embeddings);
  });

  async function store(images: readonly number[], repository: PostgresEmbeddingRepository): Promise<void> {
    // Some have fewer views than the model makes, or get more or fewer than they had.
    for (const image of images) vectors.set(image, nextViews(1 + ((image + viewsOf(image).length) % 2)));
    const stored = images.map((imageId) => ({ imageId, vectors: viewsOf(imageId) }));
    await repository.store(version.id, stored);
  }

  const viewsOf = (image: number): Views => vectors.get(image) ?? [];

  /** Every image by the distance of its nearest pair of views. */
  const truth = (asked: Views): Near[] =>
    [...vectors]
      .map(([imageId, views]) => ({ imageId, distance: distanceOf(views, asked) }))
      .sort((left, right) => left.distance - right.distance);

  describe.each([
    ['in memory', NEVER],
    ['by a scan of pgvector, as of a version that is too large for the memory', 0],
  ])('%s', (_where, indexedFrom) => {
    let neighbours: NeighbourIndex;

    beforeAll(() => {
      neighbours = new PostgresNeighbourIndex(database.knex, indexedFrom);
    });

    test('are the nearest by any pair of views, each image once, and say how near to each view', async () => {
      expect(await embeddings.buildIndex(version.id)).toBe(false);
      for (const asked of queries) {
        const found = await neighbours.nearest(version, [asked], 25);
        expectNearest(found, truth(asked), 25);
        for (const { imageId, distance, byView = [] } of found) {
          expect(byView).toEqual(asked.map((view) => near(distanceOf(viewsOf(imageId), [view]))));
          expect(distance).toBe(Math.min(...byView));
        }
      }
    });

    test('are by image id where they are equally near', async () => {
      const [twin = 0, other = 0] = [...vectors.keys()].slice(-2);
      await embeddings.store(version.id, [{ imageId: other, vectors: viewsOf(twin) }]);
      vectors.set(other, viewsOf(twin));
      const found = await neighbours.nearest(version, [viewsOf(twin).slice(0, 1)], 2);
      expect(found.map(({ imageId }) => imageId)).toEqual([twin, other]);
      expect(found[0]?.distance).toBeCloseTo(0, 2);
      expect(found[0]?.distance).toBeGreaterThanOrEqual(0);
    });

    test('are those of the requested category, and of live rows', async () => {
      const watches = () => truth(query).filter(({ imageId }) => categoryOf(imageId) === 'watches');
      const found = () => neighbours.nearest(version, [query], 10, within('watches'));
      expectNearest(await found(), watches(), 10);
      expect(await neighbours.nearest(version, [query], 10, within('shoes'))).toEqual([]);
      const { imageId } = at(watches(), 0);
      await deleteCatalogRows(database.knex, [productOf(imageId)]);
      vectors.delete(imageId);
      expectNearest(await found(), watches(), 10);
    });

    test('name the live products of the scope that show them', async () => {
      const [{ imageId }, { imageId: other }] = [at(truth(query), 0), at(truth(query), 1)];
      const share = { image_id: imageId, product_id: productOf(other) };
      await database.knex('product_images').insert(share);
      const nearest = async (scope = NO_FILTER) =>
        (await neighbours.nearest(version, [query], 2, scope)).map((each) => [each.imageId, each.products]);
      expect(await nearest()).toEqual([
        [imageId, [imageId, other].map(productOf).sort()],
        [other, [productOf(other)]],
      ]);
      const others = { ...NO_FILTER, except: productOf(other) };
      expect(await nearest(others)).toContainEqual([imageId, [productOf(imageId)]]);
      await database.knex('product_images').where(share).delete();
    });

    test('are the same by the exact search in the database, for every category', async () => {
      expect(await neighbours.isApproximate(version)).toBe(false);
      const watch = [...vectors.keys()].find((image) => categoryOf(image) === 'watches') ?? 0;
      for (const scope of [NO_FILTER, within('handbags'), within('watches')]) {
        const found = await neighbours.nearest(version, [viewsOf(watch)], 10, scope);
        expect(found).toHaveLength(10);
        const ids = found.map(({ imageId }) => imageId);
        expect(await neighbours.exact(version, viewsOf(watch), 10, scope)).toEqual(ids);
      }
    });
  });

  describe('in memory, beside other processes', () => {
    let others: PostgresEmbeddingRepository;
    let neighbours: PostgresNeighbourIndex;
    const found = async (asked: Views, limit = 1) =>
      (await neighbours.nearest(version, [asked], limit)).map(({ imageId }) => imageId);

    beforeAll(async () => {
      others = new PostgresEmbeddingRepository(await database.connect(), NEVER);
      neighbours = new PostgresNeighbourIndex(database.knex, Number.POSITIVE_INFINITY);
      await found(query);
    });

    // contract 15.4
    test('are those whose vectors were stored, replaced and removed since', async () => {
      const [image = 0] = await showImages(database.knex, 1);
      await store([image], others);
      const before = viewsOf(image);
      expect(await found(before)).toEqual([image]);
      await store([image], others);
      expect(await found(viewsOf(image))).toEqual([image]);
      expect(await found(before)).not.toEqual([image]);
      const [last, gone] = [viewsOf(image), await found(viewsOf(image), 100)];
      await database.knex(`embeddings_${version.id}`).whereIn('image_id', gone).delete();
      for (const each of gone) vectors.delete(each);
      expectNearest(await neighbours.nearest(version, [last], 25), truth(last), 25);
      await store(gone, others);
      expect(await found(viewsOf(image))).toEqual([image]);
    });

    test('have the products that they had last if these are refused, and else those of the database', async () => {
      const search = (isEnough: boolean) =>
        neighbours.nearest(version, [query], 5, NO_FILTER, () => isEnough);
      const before = await search(true);
      const { imageId } = at(before, 0);
      await deleteCatalogRows(database.knex, [productOf(imageId)]);
      vectors.delete(imageId);
      const others = { ...NO_FILTER, except: productOf(at(before, 1).imageId) };
      expect(await neighbours.nearest(version, [query], 1, others, () => false)).not.toEqual([before[0]]);
      expect(await search(false)).toEqual(before);
      expectNearest(await search(true), truth(query), 5);
      expect(await search(false)).not.toContainEqual(before[0]);
    });

    test('are right when more were stored than are read one by one', async () => {
      await store(await showImages(database.knex, 2_100), others);
      for (const asked of queries)
        expectNearest(await neighbours.nearest(version, [asked], 25), truth(asked), 25);
    });

    test('are those of a transaction that began before and ended after the last search', async () => {
      const [first = 0, second = 0] = await showImages(database.knex, 2);
      if (database.kind === 'embedded') return;
      const open = await database.knex.transaction();
      await store([first], new PostgresEmbeddingRepository(open, NEVER));
      await store([second], others);
      expect(await found(viewsOf(second))).toEqual([second]);
      expect(await found(viewsOf(first))).not.toEqual([first]);
      await open.commit();
      expect(await found(viewsOf(first))).toEqual([first]);
    });

    test('are right for many calls at once while vectors are stored', async () => {
      for (const image of await showImages(database.knex, 40)) {
        await store([image], others);
        const calls = await Promise.all([1, 2, 3].map(() => found(viewsOf(image))));
        expect(calls).toEqual([[image], [image], [image]]);
      }
    });

    test('of another version are its own', async () => {
      const other = await embeddings.create(modelManifest('other-eye', DIMENSIONS, VIEWS));
      const [image = 0] = vectors.keys();
      const own = nextViews();
      await others.store(other.id, [{ imageId: image, vectors: own }]);
      const nearest = () => neighbours.nearest(other, [own], 10);
      expect(await nearest()).toMatchObject([{ imageId: image, distance: expect.closeTo(0, 2) }]);
      await embeddings.prune(other.id);
      await expect(nearest()).rejects.toThrow(/does not exist/);
    });
  });

  // contract 6.4
  test('of a product with very many pictures are searched with the first five that are embedded, under the live version', async () => {
    const { knex } = database;
    const [image = 0, ...more] = [...vectors.keys()].slice(0, PHOTOS_MAX + 3);
    const product_id = productOf(image);
    await knex('product_images').insert(more.map((image_id) => ({ product_id, image_id })));
    await rowsOf(knex)`UPDATE catalog_rows SET images = ARRAY(SELECT address FROM images
      WHERE id = ANY(${[image, ...more]}::bigint[]) ORDER BY id) WHERE id = ${product_id}`;
    const index = new PostgresNeighbourIndex(knex, NEVER);
    const samples = new PostgresImageSamples(knex);
    const catalog = new PostgresCatalogRepository(knex);
    // The version of the call was pruned under it.
    const live = async (stamp?: string | null) => (stamp ? { ...version, id: 999 } : version);
    const service = new SimilarService(catalog, { live } as EmbeddingRepository, samples, index, FREE);
    const asked = jest.spyOn(index, 'nearest');
    const request = { id: product_id, category: null, size: 10, pricing: false };
    await service.similar({ caller: { test: false, liveStamp: '1' } } as CallContext, request);
    const [, photos = []] = asked.mock.calls[0] ?? [];
    const firsts = [image, ...more].slice(0, PHOTOS_MAX).map((each) => viewsOf(each)[0]?.[0] ?? Number.NaN);
    expect(photos.map(([view]) => view?.[0])).toEqual(firsts.map(near));
    await knex('product_images').where({ product_id }).whereIn('image_id', more).delete();
  });

  test('found through the index are nearly always the same, and a category loses none', async () => {
    const neighbours = new PostgresNeighbourIndex(database.knex, 1_000);
    const eager = new PostgresEmbeddingRepository(database.knex, 1_000);
    // As an interrupted build leaves one: it has its unfinished name, and can't be used.
    const unfinished = identifier(`embeddings_${version.id}_nearest_unfinished`);
    const table = identifier(`embeddings_${version.id}`);
    const broken = sql`CREATE UNIQUE INDEX CONCURRENTLY ${unfinished} ON ${table} (view)`;
    await expect(rowsOf(database.knex, broken)).rejects.toThrow(/could not create unique index/);
    expect(await eager.isIndexed(version.id)).toBe(false);
    // The embedded database, whose clients share one session, never builds one outside of this test.
    const builders =
      database.kind === 'postgres' ? [eager, new PostgresEmbeddingRepository(database.knex, 1_000)] : [eager];
    const built = await Promise.all(builders.map((each) => each.buildIndex(version.id)));
    expect(new Set(built)).toEqual(new Set([true]));
    expect(await eager.buildIndex(version.id)).toBe(true);
    expect(await eager.isIndexed(version.id)).toBe(true);
    expect(await neighbours.isApproximate(version)).toBe(true);
    let right = 0;
    for (const asked of queries) {
      const expected = truth(asked).slice(0, 25);
      const found = await neighbours.nearest(version, [asked], 25);
      right += found.filter(({ imageId }) => expected.some((each) => each.imageId === imageId)).length;
      const watches = truth(asked).filter(({ imageId }) => categoryOf(imageId) === 'watches');
      expectNearest(await neighbours.nearest(version, [asked], 5, within('watches')), watches, 5);
      expectNearest(await neighbours.nearest(version, [asked], 5_000, within('watches')), watches, 5_000);
      expect(await neighbours.nearest(version, [asked], 25, within('handbags'))).toHaveLength(25);
      const known = await neighbours.nearest(version, [asked.slice(0, 1)], 25);
      const search = [version, [asked], 25, within('handbags'), undefined] as const;
      expect(await neighbours.nearest(version, [asked], 25, NO_FILTER, undefined, known)).toEqual(found);
      expect(await neighbours.nearest(...search, known)).toEqual(await neighbours.nearest(...search));
    }
    expect(right).toBeGreaterThan(0.95 * 25 * queries.length);
    const statements: unknown[] = [];
    database.knex.on('query', (statement) => statements.push(statement));
    // More than the index gives by its own settings: a second statement would be the scan.
    await expect(neighbours.nearest(version, [query], 100)).resolves.toHaveLength(100);
    expect(statements).toHaveLength(1);
  });
});

const FREE = { assertAffordable: async () => undefined } as unknown as Billing;

/** As near as half precision can tell. */
const near = (value: number) => expect.closeTo(value, 2);

/** Of the nearest pair of views. */
const distanceOf = (views: Views, asked: Views): number =>
  Math.min(...views.flatMap((view) => asked.map((each) => 1 - dot(view, each))));

/** Half precision may swap images that are nearly equally near, and nothing else. */
function expectNearest(found: readonly Near[], expected: readonly Near[], limit: number): void {
  expect(found).toHaveLength(Math.min(limit, expected.length));
  expect(new Set(found.map(({ imageId }) => imageId)).size).toBe(found.length);
  const distances = new Map(expected.map(({ imageId, distance }) => [imageId, distance]));
  for (const [place, { imageId, distance }] of found.entries()) {
    expect(Math.abs(distance - (distances.get(imageId) ?? 9))).toBeLessThan(PRECISION);
    expect(Math.abs(distance - (expected[place]?.distance ?? 9))).toBeLessThan(PRECISION);
    expect(distance).toBeGreaterThanOrEqual(found[place - 1]?.distance ?? 0);
  }
}
