import { identifier, rowsOf, type Sql, sql } from '../../../../db/core/sql';
import type { Knex } from '../set-up';

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

/** Images whose vectors under two versions of the same weights are not the same (to what half precision holds). */
export async function differingImages(knex: Knex, first: number, second: number): Promise<number> {
  const [line] = await rowsOf<{ images: number }>(
    knex,
    sql`SELECT count(DISTINCT image_id) AS images
        FROM ${tableOf(first)} a FULL JOIN ${tableOf(second)} b USING (image_id, view)
        WHERE a.embedding IS NULL OR b.embedding IS NULL OR a.embedding <#> b.embedding > -0.999`,
  );
  return Number(line?.images ?? 0);
}

const tableOf = (versionId: number): Sql => identifier(`embeddings_${versionId}`);
