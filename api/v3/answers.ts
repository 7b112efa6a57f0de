import { z } from 'zod';
import { MODULES } from '../../models/catalog/catalog-query';
import { attribute, marketEstimate, pictures, prices, tag, variantField } from '../wire/answers';

const variant = z.object({
  id: z.string().describe('Starts with `variant_`'),
  fields: z.array(variantField).optional().describe('With `taxonomy`'),
  ...pictures,
  popularity: z.number().describe('Higher is more popular'),
  pricing: z.object(prices).optional().describe('With `pricing`'),
});

/** A catalog row (contract 1.2). */
export const catalogRow = z.object({
  id: z.string().describe('Starts with its kind, such as `product_` or `brand_`'),
  name: z.string().describe('Of a product brand, model and style; else the name of the entity'),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Vision answers only: how sure the match is, calibrated'),
  popularity: z.number().describe('Higher is more popular'),
  ...pictures,
  attributes: z.array(attribute).optional().describe('With `taxonomy`'),
  variants: z.array(variant).optional().describe('Products only'),
  available_tags: z.array(tag).optional().describe('Category rows only'),
  max_market_estimate: marketEstimate
    .nullable()
    .optional()
    .describe('With `pricing`, rows that are no product'),
});

/** What every v3 endpoint answers (contract 4.10). */
export const catalogAnswer = z.object({
  success: z.literal(true).describe('`true` for every success'),
  results: z.int().describe('Rows in this page'),
  total_results: z.int().describe('Rows of all pages'),
  page: z.int().describe('0-based'),
  total_pages: z.int().describe('A count; the last page is one less'),
  credits_used: z.int().describe('What the call was charged'),
  includes: z.array(z.enum(MODULES)).describe('The modules of this answer'),
  resolved_taxonomy: z.object({
    node: z.string().nullable().describe('Kind of the rows; of the first hit in vision'),
    level: z
      .int()
      .nullable()
      .describe('Attributes of the hierarchy above it; null where there is nothing to tell'),
  }),
  sort_applied: z.string().optional().describe('Queries only: the sort, or `relevance`'),
  data: z.array(catalogRow).describe('The rows of this page, in order'),
});
