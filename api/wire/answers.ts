import { z } from 'zod';
import { REGIONS } from '../../models/pricing/estimate';

/** Parts of answers that all API versions share; presenters are typed by them, and `/openapi.json` shows them. */
const region = z.enum(REGIONS);
const addresses = z.array(z.url());
const grade = z.number().nullable();

export const pictures = { images: addresses, thumbnails: addresses };

export const attribute = z.object({
  field: z.string().describe('A taxonomy field such as `brand`'),
  id: z.string(),
  name: z.string(),
});

export const variantField = z.object({ field: z.string(), name: z.string() });

export const tag = z.object({ id: z.string(), name: z.string(), group: z.string() });

export const marketEstimate = z.object({
  source: z.string().describe('Marketplace, such as `ebay`'),
  region,
  A: grade.describe('Excellent: minimal to no visible wear'),
  B: grade.describe('Great: light wear'),
  C: grade.describe('Good: moderate wear, presentable'),
  D: grade.describe('Fair: significant wear, still usable'),
  currency: z.string().describe('Lower-case ISO 4217 code'),
  estimated_at: z.iso.datetime(),
  confidence: z.number().nullable(),
});

const links = z
  .array(z.object({ region, url: z.url() }))

  .nullable()
  .describe('Signed links to CSV files, valid for one hour; null where there is no data');

export const prices = {
  market_estimates: z.array(marketEstimate).nullable(),
  historical_estimates: links,
  pricing_data: links,
};

/** The body of every error (decisions.md 1). */
export const errorAnswer = z.object({
  success: z.literal(false),
  error: z.string().describe('Code of the failure; clients branch on it'),
  message: z.string(),
  request_id: z.string(),
  field: z.string().optional().describe('Path of the parameter at fault'),
  allowed_taxonomy_nodes: z.array(z.string()).optional(),
  reason: z.string().optional().describe('Why an image can not be used'),
});
