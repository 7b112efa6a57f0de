import type { Knex } from 'knex';

/**
 * Confidence is one model of all candidates now (contract 7.9): calibrations that judged each row alone are dropped. A version
 * takes that of its installed model at the next start, or is calibrated anew (docs/upgrade.md). Signals of answers are not kept
 * any more: they are computed from the neighbours.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE embedding_versions
      SET manifest = jsonb_set(manifest, '{calibration}', 'null'), previous_calibration = NULL, calibrated_at = NULL
      WHERE manifest #>> '{calibration,confidence,kind}' = 'logistic';
    COMMENT ON COLUMN predictions.best IS 'The likeliest product, answered or not, with its confidence.';`);
}

/** What was fitted is not known any more. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE embedding_versions
      SET manifest = jsonb_set(manifest, '{calibration}', 'null'), previous_calibration = NULL, calibrated_at = NULL
      WHERE manifest #>> '{calibration,confidence,kind}' = 'choice';`);
}
