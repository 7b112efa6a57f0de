import { z } from 'zod';
import { market, part } from './shared';

/** Parts of answers that all API versions share; presenters are typed by them, and `/openapi.json` shows them. */
const region = market.describe('Market that the figures are of');
const addresses = z.array(z.url());
const grade = z.number().nullable();

export const pictures = {
  images: addresses.describe('Addresses of pictures'),
  thumbnails: addresses.describe('Addresses of small pictures'),
};

export const attribute = part('Attribute', {
  field: z.string().describe('A taxonomy field such as `brand`'),
  id: z.string().describe('Id of the entity, as filters take it'),
  name: z.string().describe('Its name, for people'),
});

export const variantField = part('VariantField', {
  field: z.string().describe('What varies, such as `size`'),
  name: z.string().describe('Its value, for people'),
});

export const tag = part('Tag', {
  id: z.string().describe('`<group>:<name>`, as filters take it'),
  name: z.string().describe('Its name, for people'),
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
  confidence: z.number().nullable().describe('How sure the estimate is; null where that is not known'),
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
  name: z.string().describe('Of a product: brand, model and style, or its title; else of the entity'),
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
  results: z.int().describe('Rows in this page'),
  total_results: z.int().describe('Rows of all pages'),
  page: z.int().describe('0-based'),
  total_pages: z.int().describe('A count; the last page is one less'),
};

/** The body of every error (contract 11.1). */
export const errorAnswer = part('Refusal', {
  success: z.literal(false).describe('`false` for every refusal'),
  error: z.string().describe('Code of the failure; clients branch on it'),
  message: z.string().describe('What a developer can do about it'),
  request_id: z.string().describe('Name of the request, for support'),
  field: z.string().optional().describe('Path of the parameter at fault'),
  allowed_taxonomy_nodes: z.array(z.string()).optional().describe('Those of the category'),
  reason: z.string().optional().describe('Why an image can not be used'),
  index: z.int().optional().describe('Position of the photo at fault in `images`'),
});
