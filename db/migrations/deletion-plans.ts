import type { SchemaStep } from './migrate';

const altered = (change: string) =>
  `ALTER FUNCTION words_with_deletion(text, integer) ${change} plan_cache_mode`;

/** Planning took most of the time of a look-up, of which a text needs dozens. */
export const deletionPlans: SchemaStep = {
  up: (knex) => knex.raw(`${altered('SET')} = force_generic_plan`),
  down: (knex) => knex.raw(altered('RESET')),
};
