import type { SchemaStep } from './migrate';

/** Which feed a product came from, so that what a feed no longer has can be removed (contract 13.23). */
export const productFeeds: SchemaStep = {
  up: (knex) =>
    knex.raw(`
      CREATE TABLE product_feeds (
        feed text NOT NULL,
        product_id text COLLATE "C" NOT NULL,
        run uuid NOT NULL,
        PRIMARY KEY (feed, product_id)
      );
      CREATE INDEX product_feeds_product ON product_feeds (product_id);
      COMMENT ON TABLE product_feeds IS 'Which feeds a product came from.
run: the import that brought it last'`),

  down: (knex) => knex.raw('DROP TABLE product_feeds'),
};
