import type { Knex } from 'knex';
import { categoryRow, entityRow, isListable, productRow } from '../../../models/catalog/import/derive-row';
import type { CatalogRow } from '../../../models/catalog/import/records';
import { namedEntities } from '../../../models/catalog/import/stages';
import { facetOf, isReference } from '../../../models/catalog/index-terms';
import { copyRows, writtenTable } from '../../core/copy-rows';
import { rowsOf, type Sql, sql } from '../../core/sql';
import { type Prepared, prepare, write } from '../../core/staging';
import { indexedDeletions } from '../search/misspellings';
import { bestOfFacets } from './best-estimates';
import { CATALOG_ROWS, loadCategories, loadEntities, loadNamed, loadProducts } from './catalog-tables';

interface CompleteRow extends CatalogRow {
  /** Of the products below the row; a product's own row has none. */
  readonly max_estimate?: object | null;
}

/** Derives again the stale rows whose `id` meets a condition; resolves to how many there were. */
export async function deriveStale(trx: Knex, condition: Sql): Promise<number> {
  const stale = sql`DELETE FROM catalog_stale_rows WHERE ${condition} RETURNING id`;
  const ids = (await rowsOf<{ id: string }>(trx, stale)).map(({ id }) => id);
  await deriveRows(trx, ids);
  return ids.length;
}

/** Derives the rows of these ids again; rows that are no longer live are deleted. */
export async function deriveRows(trx: Knex, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const current = [
    ...(await deriveProducts(trx, ids)),
    ...(await deriveEntities(trx, ids)),
    ...(await deriveCategories(trx, ids)),
  ];
  await writeRows(trx, await prepare(trx, CATALOG_ROWS, current));
  const live = new Set(current.map((row) => row.id));
  const gone = ids.filter((id) => !live.has(id));
  if (gone.length > 0) await rowsOf(trx)`DELETE FROM catalog_rows WHERE id = ANY(${gone}::text[])`;
}

async function deriveProducts(trx: Knex, ids: readonly string[]): Promise<CompleteRow[]> {
  const products = [...(await loadProducts(trx, ids)).values()];
  if (products.length === 0) return [];
  const entities = await loadNamed(trx, namedEntities(products));
  const context = { categories: await loadCategories(trx), entities };
  return products.map((product) => productRow(product, context));
}

async function deriveEntities(trx: Knex, ids: readonly string[]): Promise<CompleteRow[]> {
  const own = await loadEntities(trx, sql`id = ANY(${ids}::text[]) AND NOT deleted`);
  if (own.size === 0) return [];
  const parents = new Set([...own.values()].flatMap((entity) => Object.values(entity.parents)));
  const context = { categories: await loadCategories(trx), entities: await loadNamed(trx, [...parents]) };
  const listed = [...own.values()].filter((entity) => isListable(entity, context));
  const modelTags = await tagsOfModels(
    trx,
    listed.flatMap(({ kind, id }) => (kind === 'model' ? [id] : [])),
  );
  return await withBest(
    trx,
    listed.map((entity) => {
      const tags = entity.kind === 'model' ? (modelTags.get(entity.id) ?? []) : entity.tags;
      return entityRow(entity, tags, context);
    }),
  );
}

async function deriveCategories(trx: Knex, ids: readonly string[]): Promise<CompleteRow[]> {
  const categories = await loadCategories(trx);
  return await withBest(trx, ids.flatMap((id) => categories.get(id) ?? []).map(categoryRow));
}

async function withBest(trx: Knex, rows: readonly CatalogRow[]): Promise<CompleteRow[]> {
  const facetOfRow = ({ kind, id }: CatalogRow) => facetOf(kind, id);
  const best = await bestOfFacets(trx, rows.map(facetOfRow));
  return rows.map((row) => ({ max_estimate: best.get(facetOfRow(row)) ?? null, ...row }));
}

/** A model carries a tag when every one of its live styles carries it (contract 3.5). */
async function tagsOfModels(trx: Knex, ids: readonly string[]): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<{ model: string; tags: string[] }>(trx)`
    SELECT parents->>'model' AS model, tags FROM entities
    WHERE kind = 'style' AND NOT deleted AND parents->>'model' = ANY(${ids}::text[]) ORDER BY id`;
  const shared = new Map<string, string[]>();
  for (const { model, tags } of rows) {
    const before = shared.get(model) ?? tags;
    shared.set(
      model,
      before.filter((tag) => tags.includes(tag)),
    );
  }
  return shared;
}

export async function writeRows(trx: Knex, prepared: Prepared<CompleteRow>): Promise<void> {
  const rows = [...prepared.fresh, ...prepared.known];
  if (rows.length === 0) return;
  await write(trx, prepared);
  await rowsOf(trx)`DELETE FROM catalog_stale_rows WHERE id = ANY(${rows.map(({ id }) => id)}::text[])`;
  const words = new Set<string>();
  for (const row of rows) for (const word of row.words) words.add(word);
  await addToVocabulary(trx, words);
}

const SEARCH_WORDS = writtenTable('search_words', 'word', 'word text, deletions text[]');

/** Adds words to the vocabulary that misspelt ones are compared with; a word may be given many times. */
export async function addToVocabulary(trx: Knex, words: Iterable<string>): Promise<void> {
  // OFFSET 0: one look-up each.
  const missing = await rowsOf<{ word: string }>(trx)`
    SELECT given.word FROM unnest(${[...new Set(words)]}::text[]) AS given (word)
    WHERE NOT EXISTS (SELECT FROM search_words known WHERE known.word = given.word OFFSET 0)`;
  await copyRows(
    trx,
    SEARCH_WORDS,
    missing.map(({ word }) => ({ word, deletions: isReference(word) ? [] : indexedDeletions(word) })),
  );
}
