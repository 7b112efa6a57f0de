import { copyRows } from '../../../db/core/copy-rows';
import { inTransaction, rowsOf, sql } from '../../../db/core/sql';
import type { PostgresEmbeddingRepository } from '../../../db/embeddings/embedding-repository';
import { embeddingsOf, vectorText } from '../../../db/embeddings/embedding-tables';
import type { EmbeddingVersion } from '../../../models/vision/embedding-model';
import { bundledModel } from '../../../workers/library/model-library';
import { type ClusteredVectors, VIEWS } from './clustered-vectors';
import type { Knex } from './installation';

/** Shares of the images that a filter by category keeps. */
export const CATEGORIES = { half: 0.5, tenth: 0.1, hundredth: 0.01, thousandth: 0.001, rest: 0.389 } as const;
export type Category = keyof typeof CATEGORIES;

const PRODUCTS = 10_000;

/**
 * Fills an empty database: products of several categories that show the images, and the vectors of these under one version. One
 * that was filled so is used as it is.
 *
 * @throws Error for one that holds anything else
 */
export async function loadVectors(
  knex: Knex,
  embeddings: PostgresEmbeddingRepository,
  vectors: ClusteredVectors,
  images: number,
): Promise<EmbeddingVersion> {
  const [standing] = await embeddings.versions();
  if (standing) return sameVectors(knex, standing, images);
  await showImages(knex, images);
  const { manifest } = await bundledModel();
  const version = await embeddings.create(manifest);
  const table = {
    name: embeddingsOf(version.id).text,
    key: ['image_id', 'view'],
    columns: { image_id: 'int4', view: 'int4', embedding: 'text' },
    dated: false,
  } as const;
  await inTransaction(knex, (transaction) => copyRows(transaction, table, rows(vectors, images)));
  await rowsOf(knex, sql`VACUUM (ANALYZE)`);
  return version;
}

async function sameVectors(knex: Knex, version: EmbeddingVersion, images: number): Promise<EmbeddingVersion> {
  const [line] = await rowsOf<{ vectors: number }>(
    knex,
    sql`SELECT count(*) AS vectors FROM ${embeddingsOf(version.id)}`,
  );
  const wanted = images * VIEWS;
  if (Number(line?.vectors) !== wanted) {
    throw new Error(`the database holds ${line?.vectors} vectors instead of none or ${wanted}`);
  }
  return version;
}

/** Image ids begin at 1. */
function* rows(vectors: ClusteredVectors, images: number): Generator<object> {
  for (let image = 1; image <= images; image += 1) {
    for (const [view, vector] of vectors.ofImage(image).entries()) {
      yield { image_id: image, view, embedding: vectorText(vector) };
    }
  }
}

async function showImages(knex: Knex, images: number): Promise<void> {
  const shares = Object.values(CATEGORIES);
  const ends = shares.map(
    (_, at) => PRODUCTS * shares.slice(0, at + 1).reduce((sum, share) => sum + share, 0),
  );
  const category = sql`(${Object.keys(CATEGORIES)}::text[])[1 + (
      SELECT count(*) FROM unnest(${ends.map(Math.round)}::int[]) AS ends WHERE ends <= number)]`;
  await rowsOf(
    knex,
    sql`INSERT INTO categories (id, name, hierarchy, name_fields)
        SELECT id, id, '{}', '{}' FROM unnest(${Object.keys(CATEGORIES)}::text[]) AS given (id)`,
  );
  await rowsOf(
    knex,
    sql`INSERT INTO products (id, category, attributes)
        SELECT 'product_' || number, ${category}, '{}' FROM generate_series(0, ${PRODUCTS - 1}::integer) AS number`,
  );
  await rowsOf(
    knex,
    sql`INSERT INTO catalog_rows (id, kind, category, popularity, sort_key, facets, words, name, attributes, images,
          thumbnails, updated_at)
        SELECT 'product_' || number, 'product', ${category}, 0, 'bag', '{}', '', 'Bag', '[]', '{}', '{}', now()
        FROM generate_series(0, ${PRODUCTS - 1}::integer) AS number`,
  );
  await rowsOf(
    knex,
    sql`INSERT INTO images (id, address) OVERRIDING SYSTEM VALUE
        SELECT number, 'https://pictures/' || number || '.jpg' FROM generate_series(1, ${images}::integer) AS number`,
  );
  await rowsOf(
    knex,
    sql`INSERT INTO product_images (image_id, product_id)
        SELECT number, 'product_' || number % ${PRODUCTS}::integer FROM generate_series(1, ${images}::integer) AS number`,
  );
}
