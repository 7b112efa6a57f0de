import type { Knex } from 'knex';

/**
 * Images of products, and embedding versions. The vectors of a version lie in a table of their own,
 * `embeddings_<version id>` (image_id, view, embedding halfvec(dimensions)), made with the version and dropped when
 * it is pruned, so that a model change never touches what answers are made of.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE images (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      address text COLLATE "C" NOT NULL UNIQUE
    )`);
  await knex.raw(`
    CREATE TABLE product_images (
      image_id bigint NOT NULL REFERENCES images,
      product_id text COLLATE "C" NOT NULL REFERENCES products ON DELETE CASCADE,
      PRIMARY KEY (image_id, product_id)
    )`);
  await knex.raw('CREATE INDEX product_images_product ON product_images (product_id)');
  await knex.raw(`
    CREATE TABLE embedding_versions (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      model text NOT NULL,
      manifest jsonb NOT NULL,
      state text NOT NULL CHECK (state IN ('building', 'live', 'retired')),
      created_at timestamptz NOT NULL DEFAULT now(),
      promoted_at timestamptz
    )`);
  await knex.raw(
    `CREATE UNIQUE INDEX embedding_versions_one_live ON embedding_versions (state) WHERE state = 'live'`,
  );
  await knex.raw(`
    CREATE TABLE embedding_failures (
      version_id integer NOT NULL REFERENCES embedding_versions ON DELETE CASCADE,
      image_id bigint NOT NULL REFERENCES images ON DELETE CASCADE,
      reason text NOT NULL,
      failed_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (version_id, image_id)
    )`);
}

export async function down(knex: Knex): Promise<void> {
  const versions: { id: number }[] = await knex('embedding_versions').select('id');
  for (const { id } of versions) await knex.schema.dropTableIfExists(`embeddings_${id}`);
  for (const table of ['embedding_failures', 'embedding_versions', 'product_images', 'images']) {
    await knex.schema.dropTable(table);
  }
}
