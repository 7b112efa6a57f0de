import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import { bestOfProducts, type Contribution, type ContributionChange, contributions } from './best-estimates';
import { copyRows } from './copy-rows';
import { loadProducts } from './load-sources';
import { picturesOf, writeProductImages } from './product-images';
import type { ProductRows } from './product-rows';
import type { CatalogRow } from './project-rows';
import { type Deletion, isDeletion, type ProductRecord, type Stored } from './records';
import type { ShownBest } from './shown-best';
import { SOURCE_TABLES } from './source-tables';
import { markStale } from './stale-rows';
import { upsertRows } from './upsert-rows';
import type { Vocabulary } from './vocabulary';
import { addRows, deleteRows, writeRows } from './write-rows';
import type { WrittenTable } from './written-table';

/** What an import remembers from one batch of products to the next. */
export interface ProductMemory {
  readonly productRows: ProductRows;
  readonly vocabulary: Vocabulary;
  readonly shownBest: ShownBest;
}

/**
 * Writes products with their variants, pictures and rows, all of a record or nothing. A variant that a record no
 * longer names is gone with its prices; one that belonged to a deleted product moves with them. Ids must not repeat.
 */
export async function writeProducts(
  trx: Knex,
  records: readonly (ProductRecord | Deletion)[],
  { productRows, vocabulary, shownBest }: ProductMemory,
): Promise<void> {
  const before = await loadProducts(
    trx,
    records.map((record) => record.id),
  );
  const changes = records.flatMap((record) => changeOf(before.get(record.id), record));
  if (changes.length === 0) return;
  const replaced = changes.filter((change) => change.before).map(({ after }) => after.record.id);
  const contributed = await contributions(trx, replaced);
  const inheriting = await writeSources(trx, changes);
  await writeProductImages(trx, changes.flatMap(picturesChanged));
  const rows = await writeProductRows(trx, changes, contributed, { productRows, vocabulary });
  const best = await bestOfProducts(trx, [...new Set([...replaced, ...inheriting])]);
  // Products that are new and bring no estimates say nothing about the rows above them.
  if (contributed.size === 0 && best.size === 0) return;
  const shifts = contributionChanges(changes, contributed, rows, best);
  await markStale(trx, await shownBest.shift(trx, shifts));
}

interface ProductChange {
  readonly before: Stored<ProductRecord> | undefined;
  readonly after: Stored<ProductRecord>;
}

function changeOf(
  before: Stored<ProductRecord> | undefined,
  record: ProductRecord | Deletion,
): readonly ProductChange[] {
  if (isDeletion(record)) {
    return before && !before.deleted ? [{ before, after: { record: before.record, deleted: true } }] : [];
  }
  const after = { record, deleted: false };
  return before && isDeepStrictEqual(before, after) ? [] : [{ before, after }];
}

/** Resolves to the ids of products with a variant that was there before, whose prices are theirs now. */
async function writeSources(trx: Knex, changes: readonly ProductChange[]): Promise<string[]> {
  const known = new Set(changes.filter((change) => change.before).map(({ after }) => after.record.id));
  const products = changes.map(({ after: { record, deleted } }) => ({
    ...record,
    variants: undefined,
    deleted,
  }));
  await write(trx, SOURCE_TABLES.products, products, ({ id }) => known.has(id));
  const dropped = changes.flatMap(droppedVariants);
  if (dropped.length > 0) await rowsOf(trx, sql`DELETE FROM variants WHERE id = ANY(${dropped}::text[])`);
  const variants = changes.flatMap(({ after: { record, deleted } }) =>
    deleted
      ? []
      : record.variants.map((variant, position) => ({ ...variant, product_id: record.id, position })),
  );
  const there = await variantsThere(
    trx,
    variants.map((variant) => variant.id),
  );
  await write(trx, SOURCE_TABLES.variants, variants, ({ id }) => there.has(id));
  return variants.filter(({ id }) => there.has(id)).map((variant) => variant.product_id);
}

/** Writes the rows of live products, of which those in `before` are there, and takes out those of deleted ones. */
async function writeProductRows(
  trx: Knex,
  changes: readonly ProductChange[],
  before: ReadonlyMap<string, Contribution>,
  { productRows, vocabulary }: Pick<ProductMemory, 'productRows' | 'vocabulary'>,
): Promise<CatalogRow[]> {
  const [deleted, live] = parted(changes, ({ after }) => after.deleted);
  const rows = await productRows.of(
    trx,
    live.map(({ after }) => after.record),
  );
  const [replaced, added] = parted(rows, ({ id }) => before.has(id));
  await addRows(trx, added, vocabulary);
  await writeRows(trx, replaced, vocabulary);
  await deleteRows(
    trx,
    deleted.map(({ after }) => after.record.id),
  );
  return rows;
}

async function write<Row extends { readonly id: string }>(
  trx: Knex,
  table: WrittenTable,
  rows: readonly Row[],
  isThere: (row: Row) => boolean,
): Promise<void> {
  const [replaced, added] = parted(rows, isThere);
  await copyRows(trx, table, added);
  await upsertRows(trx, table, replaced, 'id');
}

async function variantsThere(trx: Knex, ids: readonly string[]): Promise<Set<string>> {
  const rows = await rowsOf<{ id: string }>(
    trx,
    sql`SELECT given.id FROM unnest(${ids}::text[]) AS given (id)
        WHERE EXISTS (SELECT FROM variants WHERE variants.id = given.id OFFSET 0)`,
  );
  return new Set(rows.map((row) => row.id));
}

function droppedVariants({ before, after }: ProductChange): string[] {
  const kept = new Set(after.record.variants.map((variant) => variant.id));
  return (before?.record.variants ?? []).map((variant) => variant.id).filter((id) => !kept.has(id));
}

/** A product that shows other pictures than before. */
function picturesChanged({ before, after }: ProductChange): { id: string; addresses: string[] }[] {
  const shown = (stored: Stored<ProductRecord> | undefined): string[] =>
    stored && !stored.deleted ? picturesOf(stored.record) : [];
  const [old, addresses] = [shown(before), shown(after)];
  const isSame =
    old.length === addresses.length && old.every((address, index) => address === addresses[index]);
  return isSame ? [] : [{ id: after.record.id, addresses }];
}

function contributionChanges(
  changes: readonly ProductChange[],
  before: ReadonlyMap<string, Contribution>,
  rows: readonly CatalogRow[],
  best: ReadonlyMap<string, Contribution['best']>,
): ContributionChange[] {
  const after = new Map(rows.map(({ id, facets }) => [id, { facets, best: best.get(id) ?? null }]));
  return changes.map(({ after: { record } }) => ({
    before: before.get(record.id) ?? null,
    after: after.get(record.id) ?? null,
  }));
}

/** The elements that fit a condition, and the others. */
function parted<Element>(
  elements: readonly Element[],
  fits: (element: Element) => boolean,
): [Element[], Element[]] {
  return [elements.filter(fits), elements.filter((element) => !fits(element))];
}
