import type { Knex } from 'knex';

/** Calibrations weigh any of several signals, under `weights`; before, they were a similarity and a margin beside the bias. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE embedding_versions SET manifest = jsonb_set(manifest, '{calibration,confidence}',
      (manifest #> '{calibration,confidence}') - 'similarity' - 'margin' || jsonb_build_object('weights', jsonb_build_object(
        'similarity', manifest #> '{calibration,confidence,similarity}',
        'margin', manifest #> '{calibration,confidence,margin}')))
    WHERE manifest #> '{calibration,confidence,similarity}' IS NOT NULL`);
}

/** What the older release knows no name for is dropped. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE embedding_versions SET manifest = jsonb_set(manifest, '{calibration,confidence}',
      (manifest #> '{calibration,confidence}') - 'weights' || jsonb_build_object(
        'similarity', coalesce(manifest #> '{calibration,confidence,weights,similarity}', '0'),
        'margin', coalesce(manifest #> '{calibration,confidence,weights,margin}', '0')))
    WHERE manifest #> '{calibration,confidence,weights}' IS NOT NULL`);
}
