import type { Knex } from 'knex';
import { wordsOf } from '../../../models/catalog/fold-text';

/** Characters that fold differently since this step: invisible ones, apostrophes and signs of numbers (contract 5.15). */
const REFOLDED = String.raw`[\u0060\u00ad\u00b0\u00b4\u00ba\u02b9-\u02bf\u02c8-\u02cb\u02da\u02ee\u034f\u0374\u0384\u055a\u05f3\u0600-\u0605\u061c\u06dd\u070f\u07f4\u07f5\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1d52\u1fbd-\u1fbf\u1fef\u1ffd\u1ffe\u200b-\u200f\u2018-\u201b\u202a-\u202e\u2032-\u2037\u2057\u2060-\u206f\u2116\u3164\ua78b\ua78c\ufe00-\ufe0f\ufeff\uff07\uff40\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]`;

/** Rows whose texts fold differently are derived again in the background; synonyms at once. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `WITH named AS (
       SELECT kind || ':' || id AS facet FROM entities WHERE array_to_string(keywords, ' ') ~ :refolded
     )
     INSERT INTO catalog_stale_rows
     SELECT id FROM catalog_rows WHERE name ~ :refolded OR attributes::text ~ :refolded
     UNION SELECT id FROM products WHERE array_to_string(keywords, ' ') ~ :refolded
     UNION SELECT product_id FROM variants WHERE fields::text ~ :refolded
     UNION SELECT id FROM catalog_rows WHERE facets && ARRAY(SELECT facet FROM named)
     ON CONFLICT (id) DO NOTHING`,
    { refolded: REFOLDED },
  );
  await refoldSynonyms(knex);
}

async function refoldSynonyms(knex: Knex): Promise<void> {
  const stored = await knex('synonyms').select<{ id: string; phrases: string[]; readings: string[] }[]>('*');
  for (const { id, ...texts } of stored) {
    const folded = { phrases: refolded(texts.phrases), readings: refolded(texts.readings) };
    if (JSON.stringify(folded) !== JSON.stringify(texts)) await knex('synonyms').where({ id }).update(folded);
  }
}

const refolded = (phrases: readonly string[]): string[] => [
  ...new Set(phrases.map((phrase) => wordsOf(phrase).join(' '))),
];

/** What was derived again stays so; another folding derives it once more. */
export async function down(): Promise<void> {}
