import type { Knex } from 'knex';
import { inTransaction, rowsOf, sql } from '../core/sql';
import { embeddingsOf, vectorText } from './embedding-tables';

/** Stores all vectors of images under a version: replaces what was there, and clears listed failures. */
export async function storeVectors(
  knex: Knex,
  versionId: number,
  embeddings: readonly { imageId: number; vectors: readonly Float32Array[] }[],
): Promise<void> {
  const images = [...new Map(embeddings.map((each) => [each.imageId, each])).values()];
  if (images.length === 0) return;
  const ids = images.map(({ imageId }) => imageId);
  const views = images.flatMap(({ imageId, vectors }) =>
    vectors.map((vector, view) => ({ imageId, view, text: vectorText(vector) })),
  );
  const table = embeddingsOf(versionId);
  await inTransaction(knex, async (transaction) => {
    // In the order of the ids, so that two writers of the same images wait instead of deadlocking.
    await rowsOf(
      transaction,
      sql`INSERT INTO ${table} (image_id, view, embedding)
          SELECT image_id, view, vector::halfvec FROM unnest(${views.map(({ imageId }) => imageId)}::bigint[],
            ${views.map(({ view }) => view)}::smallint[], ${views.map(({ text }) => text)}::text[])
            AS given (image_id, view, vector)
          ORDER BY image_id, view
          ON CONFLICT (image_id, view) DO UPDATE SET embedding = excluded.embedding`,
    );
    await rowsOf(
      transaction,
      sql`DELETE FROM ${table} e USING unnest(${ids}::bigint[], ${images.map(({ vectors }) => vectors.length)}::integer[])
            AS given (image_id, views)
          WHERE e.image_id = given.image_id AND e.view >= given.views`,
    );
    await rowsOf(
      transaction,
      sql`DELETE FROM embedding_failures WHERE version_id = ${versionId} AND image_id = ANY(${ids}::bigint[])`,
    );
  });
}
