import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import { loadCategories, loadEntities } from './load-sources';
import { categoryFacet, facetOf } from './project-rows';
import {
  type CategoryRecord,
  type Deletion,
  type EntityRecord,
  isDeletion,
  type Stored,
  type TagRecord,
} from './records';
import { SOURCE_TABLES } from './source-tables';
import { markStale, markStaleByFacets, projectCategories, projectEntities } from './stale-rows';
import { upsertRows } from './upsert-rows';
import { deleteRows, writeRows } from './write-rows';

/** Writes categories and their rows; every row of a category whose taxonomy changed becomes stale. */
export async function writeCategories(trx: Knex, records: readonly CategoryRecord[]): Promise<void> {
  const before = await loadCategories(trx);
  const changed = await upsertRows(trx, SOURCE_TABLES.categories, records, 'id');
  const reshaped = records.filter((record) => {
    const old = before.get(record.id);
    return old !== undefined && !isDeepStrictEqual(taxonomyOf(old), taxonomyOf(record));
  });
  await markStaleByFacets(
    trx,
    reshaped.map((record) => categoryFacet(record.id)),
  );
  // An entity of a kind that was no node has no row that could be found by a facet.
  await rowsOf(
    trx,
    sql`INSERT INTO catalog_stale_rows SELECT id FROM entities
        WHERE category = ANY(${reshaped.map((record) => record.id)}::text[]) ON CONFLICT DO NOTHING`,
  );
  await writeRows(trx, await projectCategories(trx, changed));
}

/** Writes tags. Rows hold ids of tags only, so nothing else changes with them. */
export async function writeTags(trx: Knex, records: readonly TagRecord[]): Promise<void> {
  await upsertRows(trx, SOURCE_TABLES.tags, records, 'id');
}

/**
 * Writes entities and their rows; what names them, and models whose styles changed, becomes stale. Deleting what is
 * not there is done already.
 */
export async function writeEntities(trx: Knex, records: readonly (EntityRecord | Deletion)[]): Promise<void> {
  const before = await loadEntities(
    trx,
    records.map((record) => record.id),
  );
  const changes = records.flatMap((record) => changeOf(before.get(record.id), record));
  if (changes.length === 0) return;
  await upsertRows(
    trx,
    SOURCE_TABLES.entities,
    changes.map(({ after }) => ({ ...after.record, deleted: after.deleted })),
    'id',
  );
  await markStaleByFacets(trx, changes.filter(changesOthers).map(ownFacet));
  await markStale(trx, [...new Set(changes.flatMap(modelsAbove))]);
  const ids = changes.map(({ after }) => after.record.id);
  await writeRows(trx, await projectEntities(trx, ids));
  await deleteRows(
    trx,
    changes.filter(({ after }) => after.deleted).map(({ after }) => after.record.id),
  );
}

interface EntityChange {
  readonly before: Stored<EntityRecord> | undefined;
  readonly after: Stored<EntityRecord>;
}

function changeOf(
  before: Stored<EntityRecord> | undefined,
  record: EntityRecord | Deletion,
): readonly EntityChange[] {
  if (isDeletion(record)) {
    return before && !before.deleted ? [{ before, after: { record: before.record, deleted: true } }] : [];
  }
  const after = { record, deleted: false };
  return isDeepStrictEqual(before, after) ? [] : [{ before, after }];
}

const taxonomyOf = ({ name, hierarchy, name_fields }: CategoryRecord): unknown => [
  name,
  hierarchy,
  name_fields,
];

const ownFacet = ({ after }: EntityChange): string => facetOf(after.record.kind, after.record.id);

/** Whether rows that name the entity change with it: they hold its name, its words and, of a style, its tags. */
function changesOthers({ before, after }: EntityChange): boolean {
  if (!before) return false;
  const held = ({ record }: Stored<EntityRecord>): unknown => [
    record.name,
    record.keywords,
    isStyle(record) ? record.tags : [],
  ];
  return !isDeepStrictEqual(held(before), held(after));
}

const isStyle = (entity: EntityRecord): boolean => entity.kind === 'style';

/** The models whose tags may change with a style (interface.md 2.3). */
function modelsAbove({ before, after }: EntityChange): string[] {
  if (!isStyle(after.record)) return [];
  return [before?.record.parents['model'], after.record.parents['model']].filter((id) => id !== undefined);
}
