import type { Knex } from 'knex';
import {
  categoryFacet,
  categoryRow,
  entityRow,
  isListable,
  productRow,
  type Surroundings,
} from '../../../models/catalog/import/derive-row';
import { namedEntities } from '../../../models/catalog/import/products-stage';
import type { CatalogRow, EntityRecord, ProductRecord } from '../../../models/catalog/import/records';
import { facetOf } from '../../../models/catalog/index-terms';
import { rowsOf, type Sql, sql } from '../../core/sql';
import { bestOfFacets } from './best-estimates';
import { loadCategories, loadEntities, loadEntityRecords, loadProducts, type Stored } from './load-sources';
import { type CompleteRow, deleteRows, writeRows } from './write-rows';

/** Derives up to `limit` of the noted rows again; resolves to how many there were. */
export const deriveStale = (trx: Knex, limit: number): Promise<number> =>
  deriveThose(trx, sql`id IN (SELECT id FROM catalog_stale_rows ORDER BY id LIMIT ${limit})`);

/** Derives those of these rows again that are still noted. */
export const deriveNoted = (trx: Knex, ids: readonly string[]): Promise<number> =>
  deriveThose(trx, sql`id = ANY(${ids}::text[])`);

async function deriveThose(trx: Knex, condition: Sql): Promise<number> {
  const rows = await rowsOf<{ id: string }>(
    trx,
    sql`DELETE FROM catalog_stale_rows WHERE ${condition} RETURNING id`,
  );
  await deriveRows(
    trx,
    rows.map((row) => row.id),
  );
  return rows.length;
}

/** Derives the rows of these ids again; those that are no live rows any more are taken out. */
export async function deriveRows(trx: Knex, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const current = [
    ...(await deriveProducts(trx, liveOf(await loadProducts(trx, ids)))),
    ...(await deriveEntities(trx, ids)),
    ...(await deriveCategories(trx, ids)),
  ];
  await writeRows(trx, current);
  const live = new Set(current.map((row) => row.id));
  await deleteRows(
    trx,
    ids.filter((id) => !live.has(id)),
  );
}

/** The rows of products. */
async function deriveProducts(trx: Knex, products: readonly ProductRecord[]): Promise<CompleteRow[]> {
  if (products.length === 0) return [];
  const around = {
    categories: await loadCategories(trx),
    entities: await loadEntityRecords(trx, namedEntities(products)),
  };
  return products.map((product) => productRow(product, around));
}

/** The rows of those of these ids that are live entities of a listable kind. */
export async function deriveEntities(trx: Knex, ids: readonly string[]): Promise<CompleteRow[]> {
  const own = await loadEntities(trx, ids);
  if (own.size === 0) return [];
  const around = await surroundingsOf(trx, own);
  const listed = liveOf(own).filter((entity) => isListable(entity, around));
  const modelTags = await tagsOfModels(
    trx,
    listed.filter(isModel).map((model) => model.id),
  );
  return await withBest(
    trx,
    listed.map((entity) => ({
      facet: facetOf(entity.kind, entity.id),
      row: entityRow(entity, isModel(entity) ? (modelTags.get(entity.id) ?? []) : entity.tags, around),
    })),
  );
}

/** The rows of those of these ids that are categories. */
export async function deriveCategories(trx: Knex, ids: readonly string[]): Promise<CompleteRow[]> {
  const categories = await loadCategories(trx);
  const listed = ids.flatMap((id) => categories.get(id) ?? []);
  return await withBest(
    trx,
    listed.map((category) => ({ facet: categoryFacet(category.id), row: categoryRow(category) })),
  );
}

async function withBest(
  trx: Knex,
  rows: readonly { facet: string; row: CatalogRow }[],
): Promise<CompleteRow[]> {
  const best = await bestOfFacets(
    trx,
    rows.map(({ facet }) => facet),
  );
  return rows.map(({ facet, row }) => ({ ...row, max_estimate: best.get(facet) ?? null }));
}

async function surroundingsOf(
  trx: Knex,
  own: ReadonlyMap<string, Stored<EntityRecord>>,
): Promise<Surroundings> {
  const entities = new Map([...own].map(([id, { record }]) => [id, record]));
  const parents = [...entities.values()].flatMap((entity) => Object.values(entity.parents));
  const missing = [...new Set(parents)].filter((id) => !entities.has(id));
  for (const [id, parent] of await loadEntityRecords(trx, missing)) entities.set(id, parent);
  return { categories: await loadCategories(trx), entities };
}

function liveOf<Record>(stored: ReadonlyMap<string, Stored<Record>>): Record[] {
  return [...stored.values()].filter((each) => !each.deleted).map((each) => each.record);
}

const isModel = (entity: EntityRecord): boolean => entity.kind === 'model';

/** A model carries a tag when every one of its live styles carries it (contract 3.5). */
async function tagsOfModels(trx: Knex, ids: readonly string[]): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<{ model: string; tags: string[] }>(
    trx,
    sql`SELECT parents->>'model' AS model, tags FROM entities
     WHERE kind = 'style' AND NOT deleted AND parents->>'model' = ANY(${ids}::text[]) ORDER BY id`,
  );
  const shared = new Map<string, string[]>();
  for (const { model, tags } of rows) {
    const sofar = shared.get(model) ?? tags;
    shared.set(
      model,
      sofar.filter((tag) => tags.includes(tag)),
    );
  }
  return shared;
}
