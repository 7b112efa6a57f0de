import type { SchemaStep } from './migrate';

const COMMENT = 'Brands, models, styles and the other levels of the taxonomy, as imported.';

/** An entity may have several categories (contract 1.11); the import checks that there are all of them. */
export const sharedCategories: SchemaStep = {
  up: (knex) =>
    knex.raw(`
      ALTER TABLE entities DROP CONSTRAINT entities_category_fkey;
      COMMENT ON TABLE entities IS '${COMMENT}
category: the id of a category, or those of several with commas between'`),

  /** Of several categories the first stays. */
  down: (knex) =>
    knex.raw(`
      UPDATE entities SET category = split_part(category, ',', 1) WHERE category LIKE '%,%';
      ALTER TABLE entities ADD CONSTRAINT entities_category_fkey FOREIGN KEY (category) REFERENCES categories (id);
      COMMENT ON TABLE entities IS '${COMMENT}'`),
};
