import { copyRows } from '../../../db/core/copy-rows';
import { inTransaction, rowsOf, sql } from '../../../db/core/sql';
import { PostgresEmbeddingRepository } from '../../../db/embeddings/embedding-repository';
import { embeddingsOf, vectorText } from '../../../db/embeddings/embedding-tables';
import { Random } from '../../../models/random';
import type { EmbeddingVersion } from '../../../models/vision/embedding-model';
import { bundledModel } from '../../../workers/library/model-library';
import type { Knex } from './installation';

/** Of the bundled model. */
export const DIMENSIONS = 512;
export const VIEWS = 3;

/** Shares of the images by category, for a filter. */
export const CATEGORIES = { half: 0.5, tenth: 0.1, hundredth: 0.01, rest: 0.39 } as const;
export type Category = keyof typeof CATEGORIES;

const SEED = 20;
const PRODUCTS = 10_000;
const IMAGES_PER_STYLE = 60;
/** How much everything, a style, an image and a view of it differ; the wider views of an image differ more. */
const SPREAD = { all: 0.5, style: 0.8, image: 0.62, view: 0.45 } as const;
const VIEW_WIDTHS = [0.6, 0.6, 1.6] as const;
const QUERY_WIDTH = 1.3;
const DEVIATIONS = deviations();
const MIDDLE = draw(1, 'all');

/** The unit vector of a photo that shows what an image shows. */
export const photoOf = (image: number): Float32Array => seen(itemOf(image), QUERY_WIDTH, image, 'query');

function itemOf(image: number): Float32Array {
  const style = draw(SPREAD.style, 'style', Math.floor(image / IMAGES_PER_STYLE));
  const shared = SPREAD.all / lengthOf(MIDDLE);
  return draw(SPREAD.image, 'image', image).map(
    (value, at) => value + (style[at] ?? 0) + shared * (MIDDLE[at] ?? 0),
  );
}

function seen(item: Float32Array, width: number, image: number, view: number | string): Float32Array {
  const noise = draw(SPREAD.view * width, 'view', image, view);
  const vector = item.map((value, at) => value + (noise[at] ?? 0));
  const length = lengthOf(vector);
  return vector.map((value) => value / length);
}

function draw(spread: number, ...keys: readonly (number | string)[]): Float32Array {
  const random = new Random(SEED, ...keys);
  const drawn = new Float32Array(DIMENSIONS);
  for (let at = 0; at < DIMENSIONS; at += 2) {
    // Box and Muller (1958).
    const radius = spread * Math.sqrt(-2 * Math.log(1 - random.next()));
    const angle = 2 * Math.PI * random.next();
    drawn[at] = radius * Math.cos(angle) * (DEVIATIONS[at] ?? 0);
    drawn[at + 1] = radius * Math.sin(angle) * (DEVIATIONS[at + 1] ?? 0);
  }
  return drawn;
}

/** Half of the spread lies in a tenth of the directions. */
function deviations(): Float32Array {
  const variances = Array.from({ length: DIMENSIONS }, (_, at) => (1 + at / 12) ** -1.5);
  const total = variances.reduce((sum, each) => sum + each, 0);
  return Float32Array.from(variances, (each) => Math.sqrt(each / total));
}

const lengthOf = (vector: Float32Array): number =>
  Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));

/** Fills an empty database with `size` live image vectors, or keeps one filled before. @throws Error if it holds anything else */
export async function loadVectors(knex: Knex, size: number): Promise<EmbeddingVersion> {
  const embeddings = new PostgresEmbeddingRepository(knex, 1);
  const images = Math.floor(size / VIEWS);
  const [existing] = await embeddings.versions();
  if (existing) {
    const counted = sql`SELECT count(*) AS vectors FROM ${embeddingsOf(existing.id)}`;
    const [line] = await rowsOf<{ vectors: number }>(knex, counted);
    if (Number(line?.vectors) === images * VIEWS) return existing;
    throw new Error(`the database holds ${line?.vectors} vectors instead of none or ${images * VIEWS}`);
  }
  await showImages(knex, images);
  const version = await embeddings.create((await bundledModel()).manifest);
  const table = {
    ...{ name: `embeddings_${version.id}`, key: ['image_id', 'view'], dated: false },
    columns: { image_id: 'int4', view: 'int4', embedding: 'text' },
  } as const;
  await inTransaction(knex, (transaction) => copyRows(transaction, table, vectorRows(images)));
  await rowsOf(knex)`VACUUM (ANALYZE)`;
  return version;
}

/** Vectors spread as those of the bundled model on photos of bags and watches; image ids begin at 1. */
function* vectorRows(images: number): Generator<object> {
  for (let image = 1; image <= images; image += 1) {
    const item = itemOf(image);
    for (const [view, width] of VIEW_WIDTHS.entries())
      yield { image_id: image, view, embedding: vectorText(seen(item, width, image, view)) };
  }
}

async function showImages(knex: Knex, images: number): Promise<void> {
  const category = sql`CASE WHEN number % 100 < 50 THEN 'half' WHEN number % 100 < 60 THEN 'tenth'
      WHEN number % 100 < 61 THEN 'hundredth' ELSE 'rest' END`;
  const products = sql`generate_series(0, ${PRODUCTS - 1}::integer) AS number`;
  const pictures = sql`generate_series(1, ${images}::integer) AS number`;
  for (const statement of [
    sql`INSERT INTO categories (id, name, hierarchy, name_fields)
        SELECT id, id, '{}', '{}' FROM unnest(${Object.keys(CATEGORIES)}::text[]) AS given (id)`,
    sql`INSERT INTO products (id, category, attributes) SELECT 'product_' || number, ${category}, '{}' FROM ${products}`,
    sql`INSERT INTO catalog_rows (id, kind, category, popularity, sort_key, facets, words, name, attributes, images,
          thumbnails, updated_at)
        SELECT 'product_' || number, 'product', ${category}, 0, 'bag', '{}', '', 'Bag', '[]', '{}', '{}', now() FROM ${products}`,
    sql`INSERT INTO images (address) SELECT 'https://pictures/' || number || '.jpg' FROM ${pictures} ORDER BY number`,
    sql`INSERT INTO product_images (image_id, product_id)
        SELECT number, 'product_' || number % ${PRODUCTS}::integer FROM ${pictures}`,
  ]) {
    await rowsOf(knex, statement);
  }
}
