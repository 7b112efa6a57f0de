import { z } from 'zod';
import * as wire from '../wire/answers';
import { answer, part } from '../wire/shared';

const legacyVariant = part('LegacyVariant', {
  ...wire.variantFields,
  fields: z.array(wire.variantField).describe('Values that distinguish the variant'),
  ...wire.prices,
});

/** A row of v1 and v2 products (contract 8.5). */
export const legacyRow = part('LegacyRow', {
  ...wire.rowFields,
  attributes: z.array(wire.attribute).describe('Its category and what stands above it'),
  variants: z.array(legacyVariant).optional().describe('Products only'),
  max_market_estimate: wire.marketEstimate.nullable().optional().describe('Not on products'),
});

/** The answer of v1 and v2 products (contract 8.4). */
export const legacyAnswer = answer('LegacyAnswer', {
  data: z.array(legacyRow).describe('The rows of this page, in order'),
  search: z.string().describe('The query as sent; empty for a listing'),
  ...wire.pageFields,
  stats: z
    .object({
      id: z.record(z.string(), z.int()).describe('Number of rows on this page by attribute id'),
      nbWordsMatched: z.int().describe('Number of query words that the best row matches'),
    })
    .describe('Counts over this page'),
  sort_applied: z.string().describe('The sort order used, or `relevance`'),
});

/** One match of v2 vision (contract 8.6). */
export const legacyMatch = part('LegacyMatch', {
  label: z.string().describe('Name and style of the item'),
  confidence: z.number().min(0).max(1).describe('Calibrated probability that the match is right'),
  id: z.string().describe('Id of the matched row'),
  product: z
    .object({
      id: z.string().describe('Id of the matched row'),
      updated_at: z.iso.datetime().describe('When the row was last changed'),
      category_id: z.string().describe('Category of the row'),
      attributes: z.array(wire.attribute).describe('Its category and what stands above it'),
      variants: z.array(legacyVariant).describe('Empty if the match is not a product'),
      popularity: wire.rowFields.popularity,
      deleted: z.boolean().describe('Always `false`: deleted rows are not matched'),
      nbWordsMatched: z.int().describe('Always 0: a photo has no words'),
    })
    .describe('The matched row'),
});

/** The answer of v2 vision (contract 8.6). */
export const legacyVisionAnswer = answer('LegacyVisionAnswer', {
  results: z.array(legacyMatch).describe('Matches, best first'),
  processingTime: z.number().describe('Milliseconds'),
  predictionId: z.string().describe('Id by which an operator can look up the identification'),
});
