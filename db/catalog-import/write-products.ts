import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import { type Contribution, type ContributionChange, shiftsAbove, writeBest } from './best-estimates';
import { loadProducts } from './load-sources';
import { picturesOf, writeProductImages } from './product-images';
import { type Deletion, isDeletion, type ProductRecord, type Stored } from './records';
import { SOURCE_TABLES } from './source-tables';
import { markStale, projectProducts } from './stale-rows';
import { upsertRows } from './upsert-rows';
import { type CompleteRow, deleteRows, writeRows } from './write-rows';

/**
 * Writes products with their variants, pictures and rows, all of a record or nothing. A variant that a record no
 * longer names is gone with its prices; one that belonged to a deleted product moves with them. Ids must not repeat.
 */
export async function writeProducts(
  trx: Knex,
  records: readonly (ProductRecord | Deletion)[],
): Promise<void> {
  const before = await loadProducts(
    trx,
    records.map((record) => record.id),
  );
  const changes = records.flatMap((record) => changeOf(before.get(record.id), record));
  if (changes.length === 0) return;
  const contributedBefore = await contributions(
    trx,
    changes.filter(({ before }) => before).map(({ after }) => after.record.id),
  );
  await writeSources(trx, changes);
  await writeProductImages(trx, changes.flatMap(picturesChanged));
  const rows = await projectProducts(
    trx,
    changes.filter(({ after }) => !after.deleted).map(({ after }) => after.record),
  );
  await writeRows(trx, rows);
  await deleteRows(
    trx,
    changes.filter(({ after }) => after.deleted).map(({ after }) => after.record.id),
  );
  const shifted = contributionChanges(changes, contributedBefore, rows);
  const { raises, lost } = await shiftsAbove(trx, shifted);
  await writeBest(trx, raises);
  await markStale(trx, lost);
}

/** What each product's row adds to the rows above it now. */
export async function contributions(trx: Knex, ids: readonly string[]): Promise<Map<string, Contribution>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<Contribution & { id: string }>(
    trx,
    sql`SELECT id, facets, max_estimate AS best FROM catalog_rows WHERE id = ANY(${ids}::text[])`,
  );
  return new Map(rows.map(({ id, ...contribution }) => [id, contribution]));
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
  return isDeepStrictEqual(before, after) ? [] : [{ before, after }];
}

async function writeSources(trx: Knex, changes: readonly ProductChange[]): Promise<void> {
  const products = changes.map(({ after: { record, deleted } }) => {
    const { variants, ...columns } = record;
    return { ...columns, deleted };
  });
  await upsertRows(trx, SOURCE_TABLES.products, products, 'id');
  const dropped = changes.flatMap(droppedVariants);
  if (dropped.length > 0) await rowsOf(trx, sql`DELETE FROM variants WHERE id = ANY(${dropped}::text[])`);
  const variants = changes
    .filter(({ after }) => !after.deleted)
    .flatMap(({ after: { record } }) =>
      record.variants.map((variant, position) => ({ ...variant, product_id: record.id, position })),
    );
  await upsertRows(trx, SOURCE_TABLES.variants, variants, 'id');
}

function droppedVariants({ before, after }: ProductChange): string[] {
  const kept = new Set(after.record.variants.map((variant) => variant.id));
  return (before?.record.variants ?? []).map((variant) => variant.id).filter((id) => !kept.has(id));
}

/** A product that shows other pictures than before. */
function picturesChanged({ before, after }: ProductChange): { id: string; addresses: string[] }[] {
  const shown = (stored: Stored<ProductRecord> | undefined): string[] =>
    stored && !stored.deleted ? picturesOf(stored.record) : [];
  const addresses = shown(after);
  return isDeepStrictEqual(shown(before), addresses) ? [] : [{ id: after.record.id, addresses }];
}

function contributionChanges(
  changes: readonly ProductChange[],
  before: ReadonlyMap<string, Contribution>,
  rows: readonly CompleteRow[],
): ContributionChange[] {
  const after = new Map(rows.map(({ id, facets, max_estimate }) => [id, { facets, best: max_estimate }]));
  return changes.map(({ after: { record } }) => ({
    before: before.get(record.id) ?? null,
    after: after.get(record.id) ?? null,
  }));
}
