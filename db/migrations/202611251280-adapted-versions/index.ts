import type { Knex } from 'knex';

/** A version may pass the vectors of its model through a linear map that was fitted to the catalog (contract 14.20). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE embedding_versions ADD COLUMN adaptation jsonb;
    COMMENT ON COLUMN embedding_versions.adaptation IS 'How its map was fitted; null for the vectors as the model gives them.';
    CREATE TABLE embedding_maps (
      version_id integer PRIMARY KEY REFERENCES embedding_versions (id) ON DELETE CASCADE,
      map bytea NOT NULL,
      products text[] COLLATE "C" NOT NULL
    );
    COMMENT ON TABLE embedding_maps IS 'The maps of adapted versions (contract 14.20).';
    COMMENT ON COLUMN embedding_maps.map IS 'Square, by rows, float32, little-endian.';
    COMMENT ON COLUMN embedding_maps.products IS 'Ids of the products that the map was fitted on.';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE embedding_maps; ALTER TABLE embedding_versions DROP COLUMN adaptation;');
}
