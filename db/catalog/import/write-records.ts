import type { Knex } from 'knex';
import {
  type CategoryRecord,
  type Deletion,
  type DerivedProduct,
  type EntityRecord,
  isDeletion,
  type ProductRecord,
  type ReadRecords,
  type SynonymRecord,
} from '../../../models/catalog/import/records';
import { copyRows, writtenTable } from '../../core/copy-rows';
import { rowsOf, type Sql, sql } from '../../core/sql';
import { type Prepared, prepare, stage, upsert, upsertStaged, write } from '../../core/staging';
import { embeddingsOf } from '../../embeddings/embedding-tables';
import { raiseMaxEstimates, rowsShowing } from './best-estimates';
import { CATALOG_ROWS, loadProducts, markStale, SOURCE_TABLES, taxonomyVersion } from './catalog-tables';
import { deriveRows, writeRows } from './derived-rows';

/** Writes categories and their rows; every row of a category whose taxonomy changed becomes stale. */
export async function writeCategories(trx: Knex, records: readonly CategoryRecord[]): Promise<string[]> {
  await stage(trx, SOURCE_TABLES.categories, records);
  // An entity whose kind was not a node has no row that a facet could find.
  const marked = await markStale(
    trx,
    sql`WITH reshaped AS (
          SELECT id FROM staged_categories AS given JOIN categories AS old USING (id)
          WHERE (given.name, given.hierarchy, given.name_fields) <> (old.name, old.hierarchy, old.name_fields))`,
    sql`SELECT search.id FROM reshaped CROSS JOIN LATERAL (
          SELECT id FROM catalog_search WHERE facets @> ARRAY['category:' || reshaped.id] OFFSET 0) AS search
        UNION SELECT id FROM entities
        WHERE string_to_array(category, ',') && ARRAY(SELECT id::text FROM reshaped)`,
  );
  const changed = await upsertStaged(trx, SOURCE_TABLES.categories);
  await deriveRows(trx, changed);
  return marked;
}

export async function writeSynonyms(
  trx: Knex,
  records: readonly (SynonymRecord | Deletion)[],
): Promise<void> {
  const { live, gone } = parted(records);
  await upsert(trx, SOURCE_TABLES.synonyms, live);
  await rowsOf(trx)`DELETE FROM synonyms WHERE id = ANY(${gone}::text[])`;
}

/** The listing of a table replaces what its shop had for the variant (without a feed what has its link or market), except what may be of another feed that has the product. */
export async function writeListings(trx: Knex, records: readonly ReadRecords['listings'][]): Promise<void> {
  const shops = records.filter((record) => 'feed' in record);
  const offers = records.filter((record) => !('feed' in record) || record.price !== null);
  await upsert(trx, SOURCE_TABLES.listings, offers);
  if (shops.length === 0) return;
  await rowsOf(trx)`DELETE FROM listings WHERE ctid = ANY(ARRAY(
    SELECT old.ctid FROM json_to_recordset(${JSON.stringify(shops)}::json)
      AS given (variant_id text, region text, link text, vendor text, price float8, feed text)
    CROSS JOIN LATERAL (
      SELECT ctid, region, link FROM listings
      WHERE variant_id = given.variant_id AND vendor = given.vendor OFFSET 0) AS old
    WHERE CASE WHEN old.link = given.link AND old.region = coalesce(given.region, old.region) THEN price IS NULL
      ELSE (given.feed IS NOT NULL OR old.link = given.link OR old.region = given.region) AND NOT EXISTS (
        SELECT FROM variants AS own JOIN product_feeds AS other USING (product_id)
        WHERE own.id = given.variant_id AND other.feed IS DISTINCT FROM given.feed) END))`;
}

function parted<Record extends { readonly id: string }>(
  records: readonly (Record | Deletion)[],
): { readonly live: readonly Record[]; readonly gone: readonly string[] } {
  return {
    live: records.filter((record): record is Record => !isDeletion(record)),
    gone: records.filter(isDeletion).map(({ id }) => id),
  };
}

/** Writes entities and their rows; marks rows that name a changed one, and models whose styles changed. */
export async function writeEntities(
  trx: Knex,
  records: readonly (EntityRecord | Deletion)[],
): Promise<string[]> {
  const { live, gone } = parted(records);
  await stage(
    trx,
    SOURCE_TABLES.entities,
    live.map((record) => ({ deleted: false, ...record })),
  );
  const marked = await markNamedAfter(trx, gone);
  const changed = await upsertStaged(trx, SOURCE_TABLES.entities);
  const deleted = await markDeleted(trx, sql`entities`, gone);
  await deriveRows(trx, [...changed, ...deleted]);
  return marked;
}

const markDeleted = (trx: Knex, table: Sql, ids: readonly string[]): Promise<string[]> =>
  idsOf(
    trx,
    sql`UPDATE ${table} SET deleted = true, updated_at = now() WHERE id = ANY(${ids}::text[]) AND NOT deleted
        RETURNING id`,
  );

/** Rows hold an entity's name and words, a style's tags, and a model those of its live styles (contract 3.4, 3.5). */
function markNamedAfter(trx: Knex, gone: readonly string[]): Promise<string[]> {
  return markStale(
    trx,
    sql`WITH change AS MATERIALIZED (
          SELECT given.kind, given.id, old.id IS NOT NULL AS is_known,
            (given.name, given.keywords) IS DISTINCT FROM (old.name, old.keywords) AS is_renamed,
            given.tags IS DISTINCT FROM old.tags AS is_retagged, coalesce(old.deleted, true) AS is_back,
            given.parents->>'model' AS model, old.parents->>'model' AS old_model
          FROM staged_entities AS given
          LEFT JOIN LATERAL (SELECT * FROM entities WHERE id = given.id OFFSET 0) AS old ON true
          UNION ALL
          SELECT kind, id, true, false, false, true, NULL, parents->>'model' FROM entities
          WHERE id = ANY(${gone}::text[]) AND NOT deleted)`,
    sql`SELECT naming.id FROM change CROSS JOIN LATERAL (
          SELECT id FROM catalog_search WHERE facets @> ARRAY[change.kind || ':' || change.id] OFFSET 0) AS naming
        WHERE is_known AND (is_renamed OR kind = 'style' AND is_retagged)
        UNION
        SELECT above.model FROM change CROSS JOIN LATERAL (VALUES (change.model), (old_model)) AS above (model)
        WHERE kind = 'style' AND (is_back OR is_retagged OR change.model IS DISTINCT FROM old_model)
          AND above.model IS NOT NULL`,
  );
}

/**
 * Writes products with their variants, pictures and rows. A variant that its product no longer names is away, with its prices; a
 * known variant moves to the product that names it, with its prices (contract 13.15). Neither ids nor ids of variants may repeat.
 * Rows that were prepared before somebody else changed the taxonomy are derived again. Notes, and resolves to, the rows above
 * whose best estimate may be gone.
 */
export async function writeProducts(
  trx: Knex,
  records: readonly (DerivedProduct | Deletion)[],
): Promise<string[]> {
  const { live, gone } = parted(records);
  const products = await prepare(
    trx,
    SOURCE_TABLES.products,
    live.map((record) => ({ deleted: false, ...record })),
  );
  const variants = await prepare(trx, SOURCE_TABLES.variants, live.flatMap(variantsOf));
  // A product has a row only if it is known.
  const rowOf = ({ row }: DerivedProduct) => row;
  const rows = { table: CATALOG_ROWS, known: products.known.map(rowOf), fresh: products.fresh.map(rowOf) };
  if (rows.known.length > 0) await stage(trx, CATALOG_ROWS, rows.known);
  // New products with new variants change nothing that exists.
  const isNew = [products.known, variants.known, gone].every(({ length }) => length === 0);
  const { previousOwners, moved } = isNew
    ? NO_CHANGES
    : await changesBy(trx, [products, variants, rows], gone);
  const showed = await rowsShowing(trx, moved);
  await write(trx, products);
  const deleted = isNew ? [] : await markDeleted(trx, sql`products`, gone);
  if (!isNew) await detachVariants(trx);
  await write(trx, variants);
  const losers = [...(await loadProducts(trx, previousOwners)).values()];
  await writePictures(trx, [...live, ...losers], isNew ? [] : [...records, ...losers].map(({ id }) => id));
  await writeRows(trx, rows);
  const version = await taxonomyVersion(trx);
  const outdated = live.filter((record) => record.taxonomyVersion !== version).map(({ id }) => id);
  await deriveRows(trx, [...previousOwners, ...outdated, ...deleted]);
  return await raiseMaxEstimates(trx, moved, showed);
}

const variantsOf = ({ id, variants }: DerivedProduct) =>
  // Keys added after a spread take ten times as long.
  variants.map((variant, position) => ({ product_id: id, position, ...variant }));

const NO_CHANGES = { previousOwners: [], moved: [] };

/** Other live products that lose a variant to a written one (`previousOwners`); and products whose estimates count for other rows now (`moved`). */
async function changesBy(
  trx: Knex,
  prepared: readonly Prepared<object>[],
  gone: readonly string[],
): Promise<{ readonly previousOwners: readonly string[]; readonly moved: readonly string[] }> {
  // What is compared must exist, even if empty.
  for (const { table, known } of prepared) if (known.length === 0) await stage(trx, table, []);
  const previousOwners = await idsOf(
    trx,
    sql`SELECT DISTINCT old.product_id AS id FROM staged_variants AS given
        CROSS JOIN LATERAL (SELECT product_id FROM variants WHERE id = given.id OFFSET 0) AS old
        WHERE NOT EXISTS (SELECT FROM staged_products WHERE id = old.product_id OFFSET 0)
          AND EXISTS (SELECT FROM products WHERE id = old.product_id AND NOT deleted OFFSET 0)
          AND NOT old.product_id = ANY(${gone}::text[])`,
  );
  const moved = await idsOf(
    trx,
    sql`SELECT id FROM staged_catalog_rows AS given WHERE EXISTS (
          SELECT FROM catalog_search AS old WHERE old.id = given.id AND old.facets <> given.facets OFFSET 0)
        UNION
        SELECT id FROM staged_products AS given
        WHERE EXISTS (SELECT FROM products AS old WHERE old.id = given.id AND old.deleted OFFSET 0)
          OR EXISTS (SELECT FROM variants AS old WHERE old.product_id = given.id AND NOT EXISTS (
            SELECT FROM staged_variants AS kept WHERE (kept.id, kept.product_id) = (old.id, old.product_id) OFFSET 0)
            OFFSET 0)
        UNION
        SELECT product_id FROM staged_variants AS given WHERE EXISTS (
          SELECT FROM variants AS old
          WHERE old.id = given.id AND old.product_id IS DISTINCT FROM given.product_id OFFSET 0)
        UNION
        SELECT unnest(${[...gone, ...previousOwners]}::text[])`,
  );
  return { previousOwners, moved };
}

const idsOf = async (trx: Knex, statement: Sql): Promise<string[]> =>
  (await rowsOf<{ id: string }>(trx, statement)).map(({ id }) => id);

const detachVariants = (trx: Knex) =>
  rowsOf(trx)`UPDATE variants SET product_id = NULL, away_since = now() WHERE id IN (
    SELECT old.id FROM staged_products AS given CROSS JOIN LATERAL (
      SELECT id FROM variants WHERE product_id = given.id OFFSET 0) AS old
    WHERE NOT EXISTS (SELECT FROM staged_variants WHERE id = old.id OFFSET 0))`;

const PRODUCT_IMAGES = writtenTable(
  'product_images',
  'image_id product_id',
  'image_id int4, product_id text',
);

/**
 * Sets the pictures of each product to those that it and its variants name. A picture that no product shows any more
 * loses its vectors in every embedding version, so that no photo is matched with it.
 * @param known the products that may have pictures already; those that are not among `products` lose all
 */
async function writePictures(
  trx: Knex,
  products: readonly ProductRecord[],
  known: readonly string[],
): Promise<void> {
  const addresses = products.map(addressesOf);
  const ids = await imageIds(trx, [...new Set(addresses.flat())]);
  const had = await rowsOf<{ image_id: number; product_id: string }>(trx)`
    SELECT image_id, product_id FROM product_images WHERE product_id = ANY(${known}::text[])`;
  const left = new Map(had.map((each) => [`${each.image_id} ${each.product_id}`, each]));
  const named = products.flatMap(({ id: product_id }, position) =>
    Array.from(new Set(addresses[position]), (address) => ({ image_id: ids.get(address), product_id })),
  );
  const added = named.filter(({ image_id, product_id }) => !left.delete(`${image_id} ${product_id}`));
  await copyRows(trx, PRODUCT_IMAGES, added);
  if (left.size > 0) await removePictures(trx, [...left.values()]);
}

const addressesOf = ({ images, variants }: ProductRecord): string[] => [
  ...images,
  ...variants.flatMap((variant) => variant.images),
];

/** The numbers of these images; new ones are given one. */
async function imageIds(trx: Knex, addresses: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (addresses.length === 0) return new Map();
  const images = await rowsOf<{ address: string; id: number }>(trx)`WITH known AS MATERIALIZED (
      SELECT given.address, image.id FROM unnest(${addresses}::text[]) AS given (address)
      LEFT JOIN LATERAL (SELECT id FROM images WHERE images.address = given.address OFFSET 0) AS image ON true),
    added AS (INSERT INTO images (address) SELECT address FROM known WHERE id IS NULL RETURNING address, id)
    SELECT address, id FROM known WHERE id IS NOT NULL UNION ALL SELECT address, id FROM added`;
  return new Map(images.map(({ address, id }) => [address, id]));
}

async function removePictures(
  trx: Knex,
  left: readonly { readonly image_id: number; readonly product_id: string }[],
): Promise<void> {
  const images = left.map(({ image_id }) => image_id);
  const products = left.map(({ product_id }) => product_id);
  await rowsOf(trx)`DELETE FROM product_images WHERE (image_id, product_id) IN (
    SELECT * FROM unnest(${images}::bigint[], ${products}::text[]))`;
  // Locked against a worker that stores vectors of them at this moment.
  const found = await rowsOf<{ id: number }>(trx)`
    SELECT id FROM images WHERE id = ANY(${[...new Set(images)]}::bigint[])
      AND NOT EXISTS (SELECT FROM product_images WHERE image_id = id)
    ORDER BY id FOR NO KEY UPDATE`;
  const orphans = found.map(({ id }) => id);
  if (orphans.length === 0) return;
  await rowsOf(trx)`DELETE FROM embedding_failures WHERE image_id = ANY(${orphans}::bigint[])`;
  // FOR SHARE: none of them is pruned before this commits.
  const versions = await rowsOf<{ id: number }>(trx)`
    SELECT id FROM embedding_versions WHERE state <> 'pruned' FOR SHARE`;
  for (const { id } of versions)
    await rowsOf(trx)`DELETE FROM ${embeddingsOf(id)} WHERE image_id = ANY(${orphans}::bigint[])`;
}
