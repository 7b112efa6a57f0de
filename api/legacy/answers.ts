import { z } from 'zod';
import { attribute, marketEstimate, pictures, prices, tag, variantField } from '../wire/answers';

const legacyVariant = z.object({
  id: z.string(),
  fields: z.array(variantField),
  ...prices,
  popularity: z.number(),
  ...pictures,
});

/** A row of v1 and v2 products (interface.md 4.5). */
export const legacyRow = z.object({
  id: z.string(),
  name: z.string(),
  attributes: z.array(attribute),
  variants: z.array(legacyVariant).optional().describe('Products only'),
  popularity: z.number(),
  ...pictures,
  available_tags: z.array(tag).optional().describe('Category rows only'),
  max_market_estimate: marketEstimate.nullable().optional().describe('Rows that are no product'),
});

/** What v1 and v2 products answer (interface.md 4.5). */
export const legacyAnswer = z.object({
  success: z.literal(true),
  data: z.array(legacyRow),
  search: z.string(),
  results: z.int(),
  total_results: z.int(),
  page: z.int(),
  total_pages: z.int(),
  stats: z.object({ id: z.record(z.string(), z.int()), nbWordsMatched: z.int() }),
  sort_applied: z.string(),
});

/** One match of v2 vision (interface.md 2.5). */
export const legacyMatch = z.object({
  label: z.string(),
  confidence: z.number().min(0).max(1),
  id: z.string(),
  product: z.object({
    id: z.string(),
    updated_at: z.iso.datetime(),
    category_id: z.string(),
    attributes: z.array(attribute),
    variants: z.array(legacyVariant),
    popularity: z.number(),
    deleted: z.boolean(),
    nbWordsMatched: z.int(),
  }),
});

/** What v2 vision answers (interface.md 4.4). */
export const legacyVisionAnswer = z.object({
  success: z.literal(true),
  results: z.array(legacyMatch),
  processingTime: z.number().describe('Milliseconds'),
  predictionId: z.string(),
});
