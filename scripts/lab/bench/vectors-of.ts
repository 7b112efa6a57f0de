import { identifier, rowsOf, type Sql, sql } from '../../../db/core/sql';
import type { Knex } from './installation';

/** What is not as it must be after a build: each image has all its views, once. */
export async function coverageFaults(knex: Knex, versionId: number, images: number): Promise<string[]> {
  const [line] = await rowsOf<{ images: number; uneven: number }>(
    knex,
    sql`SELECT count(*) AS images, count(*) FILTER (WHERE views <> most) AS uneven FROM (
          SELECT count(*) AS views, max(count(*)) OVER () AS most FROM ${tableOf(versionId)} GROUP BY image_id
        ) AS counted`,
  );
  const [embedded, uneven] = [Number(line?.images ?? 0), Number(line?.uneven ?? 0)];
  return [
    ...(embedded === images ? [] : [`${embedded} of ${images} images`]),
    ...(uneven === 0 ? [] : [`${uneven} images without all views`]),
  ];
}

const tableOf = (versionId: number): Sql => identifier(`embeddings_${versionId}`);
