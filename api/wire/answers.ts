import { z } from 'zod';
import { market, pageNumber, part } from './shared';

/** Parts of answers that all API versions share; presenters are typed by them, and `/openapi.json` shows them. */
const region = market.describe('Market of the figures');
const addresses = z.array(z.url());
const grade = z.number().nullable();

export const pictures = {
  images: addresses.describe('Addresses of pictures'),
  thumbnails: addresses.describe('Addresses of small pictures'),
};

export const attribute = part('Attribute', {
  field: z.string().describe('A taxonomy field such as `brand`'),
  id: z.string().describe('Id of the entity, to use in filters'),
  name: z.string().describe('Display name'),
});

export const variantField = part('VariantField', {
  field: z.string().describe('What varies, such as `size`'),
  name: z.string().describe('Display name of the value'),
});

export const tag = part('Tag', {
  id: z.string().describe('`<group>:<name>`, to use in filters'),
  name: z.string().describe('Display name'),
  group: z.string().describe('The part of the id before the colon'),
});

export const marketEstimate = part('MarketEstimate', {
  source: z.string().describe('Marketplace, such as `ebay`'),
  region,
  A: grade.describe('Excellent: minimal to no visible wear'),
  B: grade.describe('Great: light wear'),
  C: grade.describe('Good: moderate wear, presentable'),
  D: grade.describe('Fair: significant wear, still usable'),
  currency: z.string().describe('Lower-case ISO 4217 code'),
  estimated_at: z.iso.datetime().describe('When it was estimated'),
  confidence: z.number().nullable().describe('Confidence of the estimate; null if unknown'),
});

const dataFileLink = part('DataFileLink', {
  region,
  url: z.url().describe('Signed link to a CSV file; not to be stored'),
});
const links = z.array(dataFileLink).nullable();

export const prices = {
  market_estimates: z.array(marketEstimate).nullable().describe('One per source and region; null if none'),
  historical_estimates: links.describe(
    'Signed links to the estimates over time, one per region, valid for one hour; null where there is no data',
  ),
  pricing_data: links.describe(
    'Signed links to the listings behind the estimates, one per region, valid for one hour; null where there is no data',
  ),
};

/** The common fields of every row (contract 1.2). */
export const rowFields = {
  id: z.string().describe('Starts with its kind, such as `product_` or `brand_`'),
  name: z.string().describe('Display name; of a product its brand, model and style, or its title'),
  popularity: z.number().describe('Higher is more popular'),
  ...pictures,
  available_tags: z.array(tag).optional().describe('Category rows only'),
};

export const variantFields = {
  id: z.string().describe('Starts with `variant_`'),
  popularity: z.number().describe('Higher is more popular'),
  ...pictures,
};

export const pageFields = {
  results: z.int().describe('Number of rows on this page'),
  total_results: z.int().describe('Number of rows on all pages'),
  page: pageNumber.describe('0-based'),
  total_pages: z.int().describe('Number of pages'),
};

/** The body of every error (contract 11.1). */
export const errorAnswer = part('Refusal', {
  success: z.literal(false).describe('`false` for every refusal'),
  error: z.string().describe('Error code for programs'),
  message: z.string().describe('Explanation for developers'),
  request_id: z.string().describe('Id of the request, for support'),
  field: z.string().optional().describe('Path of the parameter at fault'),
  allowed_taxonomy_nodes: z.array(z.string()).optional().describe('Valid values of `taxonomy_node`'),
  reason: z.string().optional().describe('Why an image cannot be used'),
  index: z.int().optional().describe('Index in `images` of the photo at fault'),
});
