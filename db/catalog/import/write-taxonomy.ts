import type { Knex } from 'knex';
import {
  type CategoryRecord,
  type Deletion,
  type EntityRecord,
  isDeletion,
} from '../../../models/catalog/import/records';
import { rowsOf, sql } from '../../core/sql';
import { stage, upsertStaged } from '../../core/staging';
import { noteStale } from './noted-rows';
import { SOURCE_TABLES } from './source-tables';
import { deriveCategories, deriveEntities } from './stale-rows';
import { deleteRows, writeRows } from './write-rows';

/** Writes categories and their rows; every row of a category whose taxonomy changed becomes stale. Those are noted. */
export async function writeCategories(trx: Knex, records: readonly CategoryRecord[]): Promise<string[]> {
  await stage(trx, SOURCE_TABLES.categories, records);
  // An entity of a kind that was no node has no row that could be found by a facet.
  const noted = await noteStale(
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
  await writeRows(trx, await deriveCategories(trx, changed));
  return noted;
}

/**
 * Writes entities and their rows; what names them, and models whose styles changed, becomes stale. Those are noted. Deleting
 * what is not there is done already.
 */
export async function writeEntities(
  trx: Knex,
  records: readonly (EntityRecord | Deletion)[],
): Promise<string[]> {
  const live = records.filter((record) => !isDeletion(record));
  const gone = records.filter(isDeletion).map(({ id }) => id);
  await stage(
    trx,
    SOURCE_TABLES.entities,
    live.map((record) => ({ ...record, deleted: false })),
  );
  const noted = await markStale(trx, gone);
  const changed = await upsertStaged(trx, SOURCE_TABLES.entities);
  const deleted = await rowsOf<{ id: string }>(
    trx,
    sql`UPDATE entities SET deleted = true, updated_at = now() WHERE id = ANY(${gone}::text[]) AND NOT deleted
        RETURNING id`,
  );
  await writeRows(trx, await deriveEntities(trx, changed));
  await deleteRows(
    trx,
    deleted.map(({ id }) => id),
  );
  return noted;
}

/**
 * Rows hold an entity's name, its words and, of a style, its tags; a model's tags follow from those of its live styles
 * (contract 3.4, 3.5).
 */
function markStale(trx: Knex, gone: readonly string[]): Promise<string[]> {
  return noteStale(
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
