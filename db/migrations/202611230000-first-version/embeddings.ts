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
    );
    COMMENT ON TABLE images IS 'Images by address, each once.';

    CREATE TABLE product_images (
      image_id bigint NOT NULL REFERENCES images,
      product_id text COLLATE "C" NOT NULL REFERENCES products ON DELETE CASCADE,
      PRIMARY KEY (image_id, product_id)
    );
    CREATE INDEX product_images_product ON product_images (product_id);
    COMMENT ON TABLE product_images IS 'Which products an image shows.';

    CREATE TABLE embedding_versions (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      model text NOT NULL,
      manifest jsonb NOT NULL,
      state text NOT NULL CHECK (state IN ('building', 'live', 'retired', 'pruned')),
      maintained boolean NOT NULL DEFAULT false,
      evaluation jsonb,
      created_at timestamptz NOT NULL DEFAULT now(),
      built_at timestamptz,
      promoted_at timestamptz
    );
    CREATE UNIQUE INDEX embedding_versions_one_live ON embedding_versions (state) WHERE state = 'live';
    COMMENT ON TABLE embedding_versions IS
    'Embeddings of all images by one model; the vectors of a version lie in embeddings_<id>.
state: pruned when that table is gone
maintained: new images are embedded for it
evaluation: how it was judged
built_at: when its build was proven complete';

    CREATE TABLE embedding_failures (
      version_id integer NOT NULL REFERENCES embedding_versions ON DELETE CASCADE,
      image_id bigint NOT NULL REFERENCES images ON DELETE CASCADE,
      reason text NOT NULL,
      failed_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (version_id, image_id)
    );
    COMMENT ON TABLE embedding_failures IS 'Images that a version has no vector of, and why.';

    CREATE TABLE embedding_readiness (
      worker text NOT NULL,
      version_id integer NOT NULL REFERENCES embedding_versions ON DELETE CASCADE,
      fault text,
      told_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (worker, version_id)
    );
    COMMENT ON TABLE embedding_readiness IS 'Which workers hold the model of a version ready, or why not.';`);
}

export async function down(knex: Knex): Promise<void> {
  const versions: { id: number }[] = await knex('embedding_versions').select('id');
  for (const { id } of versions) await knex.schema.dropTableIfExists(`embeddings_${id}`);
  await knex.raw(
    'DROP TABLE embedding_readiness, embedding_failures, embedding_versions, product_images, images',
  );
}
