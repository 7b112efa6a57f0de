import type { Knex } from 'knex';

/** What a shop says of its products besides their taxonomy (contract 1.10). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE products ADD title text, ADD sku text, ADD url text, ADD data text;
    COMMENT ON TABLE products IS
    'Products as imported.
data: a JSON object of the shop, as text so that it is answered as it came';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE products DROP title, DROP sku, DROP url, DROP data;
    COMMENT ON TABLE products IS 'Products as imported.';`);
}
