import type { Knex } from 'knex';
import {
  categoryFacet,
  categoryRow,
  entityRow,
  isListable,
  productRow,
  type Surroundings,
} from '../../../models/catalog/import/derive-row';
import type { CatalogRow, EntityRecord, ProductRecord } from '../../../models/catalog/import/records';
import { namedEntities } from '../../../models/catalog/import/stages';
import { facetOf, isReference } from '../../../models/catalog/index-terms';
import type { WrittenTable } from '../../core/copy-rows';
import { copyRows } from '../../core/copy-rows';
import { rowsOf, type Sql, sql } from '../../core/sql';
import { type Prepared, prepare, write } from '../../core/staging';
import { indexedDeletions } from '../search/misspellings';
import { bestOfFacets } from './best-estimates';
import {
  CATALOG_ROWS,
  loadCategories,
  loadEntities,
  loadEntityRecords,
  loadProducts,
  type Stored,
} from './catalog-tables';

/** A row of `catalog_rows`, whole. */
interface CompleteRow extends CatalogRow {
  /** Of the products below the row; a product's own row has none. */
  readonly max_estimate?: object | null;
}

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

/** Derives the rows of these ids again; rows that are no longer live are deleted. */
export async function deriveRows(trx: Knex, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const current = [
    ...(await deriveProducts(trx, liveOf(await loadProducts(trx, ids)))),
    ...(await deriveEntities(trx, ids)),
    ...(await deriveCategories(trx, ids)),
  ];
  await writeRows(trx, await prepareRows(trx, current));
  const live = new Set(current.map((row) => row.id));
  await deleteRows(
    trx,
    ids.filter((id) => !live.has(id)),
  );
}

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

/** Writes rows that were prepared. They are no longer stale then. */
export async function writeRows(
  trx: Knex,
  prepared: Prepared<CompleteRow>,
  vocabulary = new Vocabulary(),
): Promise<void> {
  const rows = [...prepared.fresh, ...prepared.known];
  if (rows.length === 0) return;
  const changed = new Set(await write(trx, prepared));
  await rowsOf(trx, sql`DELETE FROM catalog_stale_rows WHERE id = ANY(${rows.map(({ id }) => id)}::text[])`);
  await vocabulary.learn(
    trx,
    rows.flatMap(({ id, words }) => (changed.has(id) ? words : [])),
  );
}

/** Prepares rows for `writeRows`. */
export const prepareRows = (trx: Knex, rows: readonly CompleteRow[]): Promise<Prepared<CompleteRow>> =>
  prepare(trx, CATALOG_ROWS, rows);

/** Takes rows out of search and lookup. */
export async function deleteRows(trx: Knex, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await rowsOf(trx, sql`DELETE FROM catalog_rows WHERE id = ANY(${ids}::text[])`);
}

const SEARCH_WORDS: WrittenTable = {
  name: 'search_words',
  key: ['word'],
  columns: { word: 'text', deletions: 'text[]' },
  dated: false,
};

/** Words remembered at most; then the memory starts afresh, so that it stays flat during an import. */
const REMEMBERED_MAX = 20_000;

/** The words that misspelt ones are compared with. Remembers what it has written: most words come with many rows. */
export class Vocabulary {
  private readonly known = new Set<string>();

  /** Adds words; the same one may be given many times. */
  async learn(trx: Knex, words: readonly string[]): Promise<void> {
    const given = [...new Set(words)].filter((word) => !this.known.has(word));
    if (given.length === 0) return;
    // OFFSET 0: one look-up each.
    const missing = await rowsOf<{ word: string }>(
      trx,
      sql`SELECT given.word FROM unnest(${given}::text[]) AS given (word)
          WHERE NOT EXISTS (SELECT FROM search_words known WHERE known.word = given.word OFFSET 0)`,
    );
    await copyRows(
      trx,
      SEARCH_WORDS,
      missing.map(({ word }) => ({ word, deletions: isReference(word) ? [] : indexedDeletions(word) })),
    );
    if (this.known.size + given.length > REMEMBERED_MAX) this.known.clear();
    for (const word of given) this.known.add(word);
  }

  /** To be called when a transaction was rolled back, and its words with it. */
  forget(): void {
    this.known.clear();
  }
}
