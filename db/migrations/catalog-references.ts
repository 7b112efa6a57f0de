import type { SchemaStep } from './migrate';

/** Table, column and the table that it names. */
const REFERENCES = [
  ['variants', 'product_id', 'products'],
  ['market_estimates', 'variant_id', 'variants'],
  ['estimate_history', 'variant_id', 'variants'],
  ['listings', 'variant_id', 'variants'],
] as const;

const nameOf = ([table, column]: (typeof REFERENCES)[number]) => `${table}_${column}_fkey`;

/**
 * Variants and prices refer to their owners without a foreign key, whose check of each row cost the database more than
 * the row. Writers of records take turns, and check what a record names in the transaction that writes it.
 */
export const catalogReferences: SchemaStep = {
  up: (knex) =>
    knex.raw(REFERENCES.map((each) => `ALTER TABLE ${each[0]} DROP CONSTRAINT ${nameOf(each)};`).join('\n')),

  down: (knex) =>
    knex.raw(
      REFERENCES.map((each) => {
        const [table, column, owner] = each;
        return `ALTER TABLE ${table} ADD CONSTRAINT ${nameOf(each)} FOREIGN KEY (${column}) REFERENCES ${owner} ON DELETE CASCADE;`;
      }).join('\n'),
    ),
};
