import type { Knex } from 'knex';

/** A variant that no record names any more keeps its prices for a while (contract 13.15). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE variants ALTER product_id DROP NOT NULL, ADD away_since timestamptz,
      ADD CONSTRAINT variants_away_check CHECK ((product_id IS NULL) = (away_since IS NOT NULL));
    CREATE INDEX variants_away ON variants (away_since) WHERE away_since IS NOT NULL;
    COMMENT ON TABLE variants IS
    'Variants of products, as imported.
product_id: the product that named the variant last; null while no product names it
away_since: since when no product names it; its prices wait for it';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM variants WHERE product_id IS NULL;
    DROP INDEX variants_away;
    ALTER TABLE variants DROP CONSTRAINT variants_away_check, DROP away_since, ALTER product_id SET NOT NULL;
    COMMENT ON TABLE variants IS 'Variants of products, as imported.';`);
}
