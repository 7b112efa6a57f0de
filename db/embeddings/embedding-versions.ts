import type { Knex } from 'knex';
import { badRequest, notFound } from '../../models/errors';
import type { VersionRecord } from '../../models/indexing/embedding-version';
import type { AdaptedVersion } from '../../models/ports';
import {
  type Calibration,
  type EmbeddingVersion,
  type ModelManifest,
  modelReference,
} from '../../models/vision/embedding-model';
import { inTransaction, rowsOf, type Sql, sql } from '../core/sql';
import { embeddingsOf, vectorType } from './embedding-tables';

const VERSION_COLUMNS = sql`id, model, manifest, adaptation, state, created_at AS "createdAt", promoted_at AS "promotedAt"`;

/** What answers need to know of versions, oldest first. */
export function versionsWhere(knex: Knex, condition: Sql): Promise<EmbeddingVersion[]> {
  return rowsOf<EmbeddingVersion>(
    knex,
    sql`SELECT ${VERSION_COLUMNS} FROM embedding_versions WHERE ${condition} ORDER BY id`,
  );
}

/** All versions with what a change of the model needs to know of them, oldest first. */
export function versionRecords(knex: Knex): Promise<VersionRecord[]> {
  return rowsOf<VersionRecord>(
    knex,
    sql`SELECT ${VERSION_COLUMNS}, built_at AS "builtAt", maintained, evaluation,
          previous_calibration AS "previousCalibration", calibrated_at AS "calibratedAt"
        FROM embedding_versions ORDER BY id`,
  );
}

/** The version of a model that is built or live, or a new one. Processes that start together wait for each other here. */
export function createVersion(knex: Knex, manifest: ModelManifest): Promise<EmbeddingVersion> {
  return underLock(knex, async (transaction) => {
    const [standing] = await versionsWhere(
      transaction,
      sql`state IN ('building', 'live') AND model = ${modelReference(manifest)}`,
    );
    return (
      standing ?? insertVersion(transaction, { model: modelReference(manifest), manifest, adaptation: null })
    );
  });
}

/**
 * The version with this map that is built, or a new one.
 *
 * @throws badRequest while another adaptation of the model was begun and not finished
 */
export function createAdaptedVersion(knex: Knex, adapted: AdaptedVersion): Promise<EmbeddingVersion> {
  const { manifest, adaptation, products } = adapted;
  const map = bytesOf(adapted.map);
  const prefix = `${modelReference(manifest)}+adapted-`;
  return underLock(knex, async (transaction) => {
    const others = await rowsOf<{ id: number; isSame: boolean; isBuilt: boolean }>(
      transaction,
      sql`SELECT id, map = ${map}::bytea AS "isSame", built_at IS NOT NULL AS "isBuilt"
          FROM embedding_versions JOIN embedding_maps ON version_id = id
          WHERE state = 'building' AND starts_with(model, ${prefix})`,
    );
    const same = others.find(({ isSame }) => isSame);
    if (same) return single(await versionsWhere(transaction, sql`id = ${same.id}`));
    if (others.some(({ isBuilt }) => !isBuilt)) {
      throw badRequest(
        'An adaptation was begun with other pictures and not finished; throw it away by loupe embeddings prune --building.',
      );
    }
    const earlier = await versionsWhere(transaction, sql`starts_with(model, ${prefix})`);
    const model = `${prefix}${earlier.length + 1}`;
    const version = await insertVersion(transaction, { model, manifest, adaptation });
    await rowsOf(
      transaction,
      sql`INSERT INTO embedding_maps (version_id, map, products)
          VALUES (${version.id}, ${map}, ${[...products]}::text[])`,
    );
    return version;
  });
}

/** The map of a version; null of one that has none. */
export async function mapOfVersion(knex: Knex, versionId: number): Promise<Float32Array | null> {
  const [line] = await rowsOf<{ map: Buffer }>(
    knex,
    sql`SELECT map FROM embedding_maps WHERE version_id = ${versionId}`,
  );
  if (!line) return null;
  const { map } = line;
  return Float32Array.from({ length: map.length / 4 }, (_, at) => map.readFloatLE(4 * at));
}

function bytesOf(map: Float32Array): Buffer {
  const bytes = Buffer.alloc(4 * map.length);
  for (const [at, value] of map.entries()) bytes.writeFloatLE(value, 4 * at);
  return bytes;
}

/**
 * Makes a version the live one. Of those that were live before only the last one is kept up for a rollback, and not even
 * that when `keepsPrevious` is false.
 *
 * @throws notFound for a version that does not exist, or whose vectors are gone
 */
export function promoteVersion(knex: Knex, versionId: number, keepsPrevious: boolean): Promise<void> {
  return underLock(knex, async (transaction) => {
    const [version] = await versionsWhere(transaction, sql`id = ${versionId} AND state <> 'pruned'`);
    if (!version) throw notFound(`There are no vectors of an embedding version ${versionId}.`);
    if (version.state === 'live') return;
    await rowsOf(
      transaction,
      sql`UPDATE embedding_versions SET maintained = false WHERE state = 'retired' AND maintained`,
    );
    await rowsOf(
      transaction,
      sql`UPDATE embedding_versions SET state = 'retired', maintained = ${keepsPrevious}, previous_calibration = NULL
          WHERE state = 'live'`,
    );
    await rowsOf(
      transaction,
      sql`UPDATE embedding_versions SET state = 'live', maintained = true, promoted_at = now(), previous_calibration = NULL
          WHERE id = ${versionId}`,
    );
  });
}

/** Gives a version another calibration; the one that it had is kept beside it. */
export async function setCalibration(knex: Knex, versionId: number, calibration: Calibration): Promise<void> {
  await rowsOf(
    knex,
    sql`UPDATE embedding_versions SET calibrated_at = now(),
          previous_calibration = nullif(manifest -> 'calibration', 'null'),
          manifest = jsonb_set(manifest, '{calibration}', ${JSON.stringify(calibration)}::jsonb)
        WHERE id = ${versionId}`,
  );
}

/**
 * Drops the table of a version, unless it is live. Anyone who searches it at this moment ends first; anyone who comes later
 * finds it gone and takes the live one.
 */
export function pruneVersion(knex: Knex, versionId: number): Promise<boolean> {
  return underLock(knex, async (transaction) => {
    const pruned = await rowsOf(
      transaction,
      sql`UPDATE embedding_versions SET state = 'pruned', maintained = false
          WHERE id = ${versionId} AND state IN ('building', 'retired') RETURNING id`,
    );
    if (pruned.length === 0) return false;
    await rowsOf(transaction, sql`DROP TABLE IF EXISTS ${embeddingsOf(versionId)}`);
    await rowsOf(transaction, sql`DELETE FROM embedding_failures WHERE version_id = ${versionId}`);
    await rowsOf(transaction, sql`DELETE FROM embedding_maps WHERE version_id = ${versionId}`);
    await rowsOf(transaction, sql`DELETE FROM embedding_readiness WHERE version_id = ${versionId}`);
    return true;
  });
}

/** One change of states at a time; readers are not held up. */
function underLock<Result>(knex: Knex, work: (transaction: Knex) => Promise<Result>): Promise<Result> {
  return inTransaction(knex, async (transaction) => {
    await rowsOf(transaction, sql`LOCK TABLE embedding_versions IN SHARE ROW EXCLUSIVE MODE`);
    return work(transaction);
  });
}

async function insertVersion(
  transaction: Knex,
  { model, manifest, adaptation }: Pick<EmbeddingVersion, 'model' | 'manifest' | 'adaptation'>,
): Promise<EmbeddingVersion> {
  const rows = await rowsOf<EmbeddingVersion>(
    transaction,
    sql`INSERT INTO embedding_versions (model, manifest, adaptation, state, promoted_at, maintained)
        SELECT ${model}, ${JSON.stringify(manifest)}::jsonb, ${adaptation && JSON.stringify(adaptation)}::jsonb,
          CASE WHEN first THEN 'live' ELSE 'building' END, CASE WHEN first THEN now() END, first
        FROM (SELECT NOT EXISTS (SELECT FROM embedding_versions) AS first) AS standing
        RETURNING ${VERSION_COLUMNS}`,
  );
  const version = single(rows);
  await createEmbeddingsTable(transaction, version.id);
  return version;
}

function single([version]: readonly EmbeddingVersion[]): EmbeddingVersion {
  if (version) return version;
  throw new Error('the version is not there');
}

/** Makes the table of the vectors of a version that there is. */
export async function createEmbeddingsTable(transaction: Knex, versionId: number): Promise<void> {
  const [version] = await versionsWhere(transaction, sql`id = ${versionId}`);
  if (!version) throw new Error(`there is no embedding version ${versionId}`);
  const type = vectorType(version.manifest.output.dimensions);
  await rowsOf(
    transaction,
    sql`CREATE TABLE ${embeddingsOf(versionId)} (
          image_id bigint NOT NULL, view smallint NOT NULL, embedding ${type} NOT NULL,
          written_by xid8 DEFAULT pg_current_xact_id(),
          PRIMARY KEY (image_id, view)
        )`,
  );
  await rowsOf(transaction, sql`CREATE INDEX ON ${embeddingsOf(versionId)} (written_by)`);
}
