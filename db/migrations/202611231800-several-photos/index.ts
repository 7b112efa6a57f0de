import type { Knex } from 'knex';

/** Predictions of several photos, and what callers say of them (contract 7.14, 7.18). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE predictions ALTER COLUMN image_digest TYPE text[] USING ARRAY[image_digest];
    ALTER TABLE predictions RENAME COLUMN image_digest TO image_digests;
    ALTER TABLE predictions ADD COLUMN best jsonb, ADD COLUMN feedback jsonb;
    CREATE INDEX predictions_feedback ON predictions (model, created_at) WHERE feedback IS NOT NULL;
    COMMENT ON COLUMN predictions.best IS 'The product nearest to the photos, answered or not, and the signals that spoke for it.';
    COMMENT ON COLUMN predictions.feedback IS 'What the caller says that the photos show.';

    ALTER TABLE accounts ADD COLUMN keep_photos boolean NOT NULL DEFAULT false;
    CREATE TABLE prediction_photos (
      prediction_id text COLLATE "C" NOT NULL REFERENCES predictions ON DELETE CASCADE,
      position smallint NOT NULL,
      jpeg bytea NOT NULL,
      PRIMARY KEY (prediction_id, position)
    );
    COMMENT ON TABLE prediction_photos IS 'Prepared photos of the accounts that asked for it, as long as their prediction.';

    ALTER TABLE embedding_versions ADD COLUMN previous_calibration jsonb, ADD COLUMN calibrated_at timestamptz;
    COMMENT ON COLUMN embedding_versions.previous_calibration IS 'What a rollback goes back to; NULL once another version is live.';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE embedding_versions DROP COLUMN previous_calibration, DROP COLUMN calibrated_at;
    DROP TABLE prediction_photos;
    ALTER TABLE accounts DROP COLUMN keep_photos;
    DROP INDEX predictions_feedback;
    ALTER TABLE predictions DROP COLUMN best, DROP COLUMN feedback;
    ALTER TABLE predictions RENAME COLUMN image_digests TO image_digest;
    ALTER TABLE predictions ALTER COLUMN image_digest TYPE text USING image_digest[1];`);
}
