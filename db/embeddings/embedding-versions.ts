import type { Knex } from 'knex';
import { badRequest, notFound } from '../../models/errors';
import type { VersionRecord } from '../../models/indexing/embedding-version';
import type { Evaluation } from '../../models/indexing/figures';
import type { AdaptedVersion } from '../../models/ports';
import {
  type Calibration,
  type EmbeddingVersion,
  type ModelManifest,
  modelReference,
} from '../../models/vision/embedding-model';
import { inTransaction, rowsOf, type Sql, sql } from '../core/sql';
import { VersionedCache } from '../core/versioned-cache';
import { embeddingsOf, vectorType } from './embedding-tables';

const VERSION_COLUMNS = sql`id, model, manifest, adaptation, state, created_at AS "createdAt", promoted_at AS "promotedAt"`;

export class PostgresEmbeddingVersions {
  readonly #live = new VersionedCache(
    async () => (await versionsWhere(this.knex, sql`state = 'live'`))[0] ?? null,
  );

  constructor(protected readonly knex: Knex) {}

  live(stamp?: string | null): Promise<EmbeddingVersion | null> {
    return this.#live.at(stamp);
  }

  async version(id: number): Promise<EmbeddingVersion | null> {
    return (await versionsWhere(this.knex, sql`id = ${id}`))[0] ?? null;
  }

  versions(): Promise<readonly VersionRecord[]> {
    return rowsOf<VersionRecord>(this.knex)`
      SELECT ${VERSION_COLUMNS}, built_at AS "builtAt", maintained, evaluation,
        previous_calibration AS "previousCalibration", calibrated_at AS "calibratedAt"
      FROM embedding_versions ORDER BY id`;
  }

  /** Processes that start together wait for each other here. */
  create(manifest: ModelManifest): Promise<EmbeddingVersion> {
    const model = modelReference(manifest);
    return this.#underLock(async (transaction) => {
      const [existing] = await versionsWhere(
        transaction,
        sql`state IN ('building', 'live') AND model = ${model}`,
      );
      return existing ?? insertVersion(transaction, { model, manifest, adaptation: null });
    });
  }

  createAdapted({ manifest, adaptation, products, map }: AdaptedVersion): Promise<EmbeddingVersion> {
    const bytes = Buffer.alloc(4 * map.length);
    for (const [at, value] of map.entries()) bytes.writeFloatLE(value, 4 * at);
    const prefix = `${modelReference(manifest)}+adapted-`;
    return this.#underLock(async (transaction) => {
      const others = await rowsOf<{ id: number; isSame: boolean; isBuilt: boolean }>(transaction)`
        SELECT id, map = ${bytes}::bytea AS "isSame", built_at IS NOT NULL AS "isBuilt"
        FROM embedding_versions JOIN embedding_maps ON version_id = id
        WHERE state = 'building' AND starts_with(model, ${prefix})`;
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
      await rowsOf(transaction)`INSERT INTO embedding_maps (version_id, map, products)
        VALUES (${version.id}, ${bytes}, ${[...products]}::text[])`;
      return version;
    });
  }

  async mapOf(versionId: number): Promise<Float32Array | null> {
    const [line] = await rowsOf<{ map: Buffer }>(this.knex)`
      SELECT map FROM embedding_maps WHERE version_id = ${versionId}`;
    return line
      ? Float32Array.from({ length: line.map.length / 4 }, (_, at) => line.map.readFloatLE(4 * at))
      : null;
  }

  async fittedProducts(versionIds: readonly number[]): Promise<ReadonlySet<string>> {
    const rows = await rowsOf<{ id: string }>(this.knex)`
      SELECT DISTINCT unnest(products) AS id FROM embedding_maps
      WHERE version_id = ANY(${[...versionIds]}::integer[])`;
    return new Set(rows.map(({ id }) => id));
  }

  /** `keepsPrevious`: only the last version that was live is kept up for a rollback. @throws notFound for no such version, or no vectors */
  promote(versionId: number, keepsPrevious = true): Promise<void> {
    return this.#underLock(async (transaction) => {
      const [version] = await versionsWhere(transaction, sql`id = ${versionId} AND state <> 'pruned'`);
      if (!version) throw notFound(`There are no vectors of an embedding version ${versionId}.`);
      if (version.state === 'live') return;
      for (const change of [
        sql`maintained = false WHERE state = 'retired' AND maintained`,
        sql`state = 'retired', maintained = ${keepsPrevious}, previous_calibration = NULL WHERE state = 'live'`,
        sql`state = 'live', maintained = true, promoted_at = now(), previous_calibration = NULL WHERE id = ${versionId}`,
      ]) {
        await rowsOf(transaction)`UPDATE embedding_versions SET ${change}`;
      }
    });
  }

  /** Sets the time of the first complete build; from then on new images are embedded for the version too. */
  async markBuilt(versionId: number): Promise<void> {
    await rowsOf(this.knex)`
      UPDATE embedding_versions SET built_at = coalesce(built_at, now()), maintained = true
      WHERE id = ${versionId} AND state IN ('building', 'live')`;
  }

  async keepEvaluation(
    versionId: number,
    evaluation: Evaluation,
    calibration: Calibration | null,
  ): Promise<void> {
    const text = JSON.stringify(evaluation);
    await inTransaction(this.knex, async (transaction) => {
      await rowsOf(transaction)`
        UPDATE embedding_versions SET evaluation = ${text}::jsonb WHERE id = ${versionId}`;
      if (calibration) await setCalibration(transaction, versionId, calibration);
    });
  }

  recalibrate(versionId: number, calibration: Calibration): Promise<void> {
    return setCalibration(this.knex, versionId, calibration);
  }

  /** Running searches end first; later ones find the table gone and use the live version. */
  prune(versionId: number): Promise<boolean> {
    return this.#underLock(async (transaction) => {
      const pruned = await rowsOf(transaction)`
        UPDATE embedding_versions SET state = 'pruned', maintained = false
        WHERE id = ${versionId} AND state IN ('building', 'retired') RETURNING id`;
      if (pruned.length === 0) return false;
      await rowsOf(transaction)`DROP TABLE IF EXISTS ${embeddingsOf(versionId)}`;
      for (const table of [sql`embedding_failures`, sql`embedding_maps`]) {
        await rowsOf(transaction)`DELETE FROM ${table} WHERE version_id = ${versionId}`;
      }
      return true;
    });
  }

  /** Serialises changes of state; readers do not wait. */
  #underLock<Result>(work: (transaction: Knex) => Promise<Result>): Promise<Result> {
    return inTransaction(this.knex, async (transaction) => {
      await rowsOf(transaction)`LOCK TABLE embedding_versions IN SHARE ROW EXCLUSIVE MODE`;
      return work(transaction);
    });
  }
}

/** Oldest first. */
const versionsWhere = (knex: Knex, condition: Sql): Promise<EmbeddingVersion[]> =>
  rowsOf<EmbeddingVersion>(knex)`
    SELECT ${VERSION_COLUMNS} FROM embedding_versions WHERE ${condition} ORDER BY id`;

/** Replaces the calibration and keeps the previous one, for a rollback. */
async function setCalibration(knex: Knex, versionId: number, calibration: Calibration): Promise<void> {
  await rowsOf(knex)`UPDATE embedding_versions SET calibrated_at = now(),
      previous_calibration = nullif(manifest -> 'calibration', 'null'),
      manifest = jsonb_set(manifest, '{calibration}', ${JSON.stringify(calibration)}::jsonb)
    WHERE id = ${versionId}`;
}

/** Inserts a version as `building`; the first one in a database is `live`. */
async function insertVersion(
  transaction: Knex,
  { model, manifest, adaptation }: Pick<EmbeddingVersion, 'model' | 'manifest' | 'adaptation'>,
): Promise<EmbeddingVersion> {
  const rows = await rowsOf<EmbeddingVersion>(transaction)`
    INSERT INTO embedding_versions (model, manifest, adaptation, state, promoted_at, maintained)
    SELECT ${model}, ${JSON.stringify(manifest)}::jsonb, ${adaptation && JSON.stringify(adaptation)}::jsonb,
      CASE WHEN first THEN 'live' ELSE 'building' END, CASE WHEN first THEN now() END, first
    FROM (SELECT NOT EXISTS (SELECT FROM embedding_versions) AS first) AS standing
    RETURNING ${VERSION_COLUMNS}`;
  const version = single(rows);
  await createEmbeddingsTable(transaction, version.id);
  return version;
}

function single([version]: readonly EmbeddingVersion[]): EmbeddingVersion {
  if (version) return version;
  throw new Error('the version is not there');
}

export async function createEmbeddingsTable(transaction: Knex, versionId: number): Promise<void> {
  const version = single(await versionsWhere(transaction, sql`id = ${versionId}`));
  const type = vectorType(version.manifest.output.dimensions);
  await rowsOf(transaction)`CREATE TABLE ${embeddingsOf(versionId)} (
      image_id bigint NOT NULL, view smallint NOT NULL, embedding ${type} NOT NULL,
      written_by xid8 DEFAULT pg_current_xact_id(),
      PRIMARY KEY (image_id, view)
    )`;
  await rowsOf(transaction)`CREATE INDEX ON ${embeddingsOf(versionId)} (written_by)`;
}
