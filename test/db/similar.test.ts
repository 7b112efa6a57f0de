import type { Knex } from 'knex';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { rowsOf, sql } from '../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../db/embeddings/embedding-repository';
import { PostgresImageSamples } from '../../db/embeddings/image-samples';
import { PostgresNeighbourIndex } from '../../db/embeddings/neighbour-index';
import type { Billing, CallContext } from '../../models/access/billing';
import { PHOTOS_MAX } from '../../models/vision/image-input';
import { SimilarService } from '../../models/vision/similar-service';
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

/** Half precision keeps three digits. */
const PRECISION = 2e-3;
const PRODUCTS = 1_200;

/** contract 6.3, 6.4: what looks like a product, by its vectors, in a small world where the nearest are known. */
describe.each(['by a scan', 'by the index'])('what looks like a product, found %s', (execution) => {
  const database = useDatabase();
  let index: PostgresNeighbourIndex;
  let service: SimilarService;
  let images: readonly number[];
  const vectors = new Map<number, readonly Float32Array[]>();
  const random = randomOf(11);

  beforeAll(async () => {
    const { knex } = database;
    const embeddings = new PostgresEmbeddingRepository(knex, execution === 'by a scan' ? Infinity : 1);
    const { id: version } = await embeddings.create(modelManifest('eye', DIMENSIONS, VIEWS));
    images = await showImages(knex, PRODUCTS);
    for (const image of images) vectors.set(image, [unitVector(random), unitVector(random)]);
    await embeddings.store(
      version,
      [...vectors].map(([imageId, each]) => ({ imageId, vectors: each })),
    );
    await nameImages(knex);
    expect(await embeddings.buildIndex(version)).toBe(execution === 'by the index');
    index = new PostgresNeighbourIndex(knex, 20_000);
    const nothing = { cover: async () => undefined };
    service = new SimilarService(
      new PostgresCatalogRepository(knex),
      embeddings,
      new PostgresImageSamples(knex),
      index,
      nothing as unknown as Billing,
    );
  }, 120_000);
  const similarTo = async (id: string, category: string | null = null) => {
    const request = { id, category, size: 10, pricing: false };
    const { value } = await service.similar({ caller: { test: false } } as CallContext, request);
    return value.items.map(({ item, similarity }) => ({ id: item.id, similarity }));
  };

  /** By all vectors: the nearest pair of views for each picture, in the mean. */
  const truth = (own: readonly number[], category: string) => {
    const best = (from: number, to: number) =>
      Math.max(...viewsOf(from).flatMap((left) => viewsOf(to).map((right) => product(left, right))));
    return images
      .filter((image) => !own.includes(image) && categoryOf(image) === category)
      .map((image) => ({
        id: productOf(image),
        similarity: own.reduce((sum, each) => sum + best(each, image), 0) / own.length,
      }))
      .sort((left, right) => right.similarity - left.similarity)
      .slice(0, 10);
  };
  const viewsOf = (image: number) => vectors.get(image) ?? [];

  test('is the nearest of its category, and never itself', async () => {
    for (const image of images.slice(0, 20).filter((each) => categoryOf(each) === 'handbags')) {
      const found = await similarTo(productOf(image));
      const known = truth([image], 'handbags');
      expect(found.map(({ id }) => id)).not.toContain(productOf(image));
      expect(found).toHaveLength(10);
      // The index may miss one of the far ones; the nearest is known.
      if (execution === 'by a scan') expectSame(found, known);
      else expect(found[0]).toEqual({ ...known[0], similarity: close(known[0]?.similarity) });
      const similarities = found.map(({ similarity }) => similarity);
      expect(similarities).toEqual([...similarities].sort((left, right) => right - left));
    }
  });

  test('is the nearest of another category where that is named', async () => {
    const [image = 0] = images;
    expectSame(await similarTo(productOf(image), 'watches'), truth([image], 'watches'));
  });

  test('is each product once, also one that shows the same picture', async () => {
    const [image = 0, second = 0, third = 0] = images;
    await showMore(database.knex, productOf(second), [image, third]);
    const found = await similarTo(productOf(image));
    expect(found[0]).toEqual({ id: productOf(second), similarity: close(1) });
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
    expect(found.map(({ id }) => id)).not.toContain(productOf(image));
  });

  test('is asked for with the first pictures that are embedded, however many there are', async () => {
    const own = images.slice(100, 100 + PHOTOS_MAX + 3);
    const id = productOf(own[0] ?? 0);
    await showMore(database.knex, id, own.slice(1));
    const asked = jest.spyOn(index, 'nearest');
    const found = await similarTo(id);
    const [, photos] = asked.mock.calls[0] ?? [];
    asked.mockRestore();
    expect(photos?.map(([view]) => view && close(view[0]))).toEqual(
      own.slice(0, PHOTOS_MAX).map((image) => viewsOf(image)[0]?.[0]),
    );
    expect(found.map((each) => each.id)).not.toContain(id);
  });
});

const close = (value: number | undefined) => expect.closeTo(value ?? Number.NaN, 2);

function expectSame(
  found: readonly { id: string; similarity: number }[],
  known: readonly { id: string; similarity: number }[],
): void {
  expect(found.map(({ similarity }) => similarity)).toEqual(known.map(({ similarity }) => close(similarity)));
  // Those that are as near as half precision can tell may change places.
  const sure = known.filter(({ similarity }, at) =>
    [known[at - 1], known[at + 1]].every(
      (other) => !other || Math.abs(other.similarity - similarity) > PRECISION,
    ),
  );
  for (const { id } of sure) {
    expect(found.findIndex((each) => each.id === id)).toBe(known.findIndex((each) => each.id === id));
  }
}

const product = (left: Float32Array, right: Float32Array): number =>
  left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);

/** The rows name the pictures that their products show. */
const nameImages = (knex: Knex) =>
  rowsOf(
    knex,
    sql`UPDATE catalog_rows r SET images = ARRAY(
          SELECT address FROM product_images JOIN images ON images.id = image_id
          WHERE product_id = r.id ORDER BY image_id)`,
  );

async function showMore(knex: Knex, id: string, imageIds: readonly number[]): Promise<void> {
  await rowsOf(
    knex,
    sql`INSERT INTO product_images (product_id, image_id) SELECT ${id}, unnest(${[...imageIds]}::bigint[])`,
  );
  await nameImages(knex);
}
