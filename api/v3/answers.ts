import { z } from 'zod';
import { MODULES } from '../../models/catalog/catalog-query';
import { attribute, marketEstimate, pictures, prices, tag, variantField } from '../wire/answers';

const variant = z.object({
  id: z.string(),
  fields: z.array(variantField).optional().describe('With `taxonomy`'),
  ...pictures,
  popularity: z.number(),
  pricing: z.object(prices).optional().describe('With `pricing`'),
});

/** A catalog row (interface.md 2.1). */
export const catalogRow = z.object({
  id: z.string(),
  name: z.string(),
  confidence: z.number().min(0).max(1).optional().describe('Vision answers only'),
  popularity: z.number(),
  ...pictures,
  attributes: z.array(attribute).optional().describe('With `taxonomy`'),
  variants: z.array(variant).optional().describe('Products only'),
  available_tags: z.array(tag).optional().describe('Category rows only'),
  max_market_estimate: marketEstimate
    .nullable()
    .optional()
    .describe('With `pricing`, rows that are no product'),
});

/** What every v3 endpoint answers (interface.md 4.1). */
export const catalogAnswer = z.object({
  success: z.literal(true),
  results: z.int().describe('Rows in this page'),
  total_results: z.int(),
  page: z.int().describe('0-based'),
  total_pages: z.int(),
  credits_used: z.int(),
  includes: z.array(z.enum(MODULES)),
  resolved_taxonomy: z.object({ node: z.string().nullable(), level: z.int().nullable() }),
  sort_applied: z.string().optional().describe('Queries only: the sort, or `relevance`'),
  data: z.array(catalogRow),
});
