import { z } from 'zod';
import { answer, part } from '../wire/shared';

const creditsUsed = z.literal(0).describe('Writing is free');

const outcome = part('RecordOutcome', {
  line: z.int().describe('Line number in the body, from 1'),
  id: z.string().nullable().describe('Id of the record; null for prices, or if it is unreadable'),
  status: z.enum(['accepted', 'rejected']).describe('Whether the record was stored'),
  field: z.string().optional().describe('The field at fault; `line` means the whole line'),
  reason: z.string().optional().describe('Why the record was rejected'),
});

/** The outcome of each line of a call (contract 15.3). */
export const recordsAnswer = answer('RecordsAnswer', {
  accepted: z.int().describe('Number of accepted lines'),
  rejected: z.int().describe('Number of rejected lines'),
  credits_used: creditsUsed,
  data: z.array(outcome).describe('One entry per line that is not blank, in order'),
});

/** The answer to a deletion (contract 15.6). */
export const deletionAnswer = answer('DeletionAnswer', {
  id: z.string().describe('Id of the deleted record'),
  deleted: z.literal(true).describe('The record is no longer in the catalog'),
  credits_used: creditsUsed,
});

/** A stored picture (contract 15.9). */
export const imageAnswer = answer('ImageAnswer', {
  url: z.string().describe('Address of the picture, for the `images` of a record'),
  thumbnail: z.string().describe('Address of its thumbnail, a JPEG of 320 pixels at most'),
  width: z.int().describe('Width in pixels, upright'),
  height: z.int().describe('Height in pixels, upright'),
  credits_used: creditsUsed,
});

const read = z.looseObject({ id: z.string() }).describe('The whole record');

/** A record as the line that writes it (contract 15.10). */
export const recordAnswer = answer('RecordAnswer', {
  data: z
    .array(z.object({ products: read.optional(), entities: read.optional(), categories: read.optional() }))
    .describe('The record as a line of a request body, under the name of its file'),
  credits_used: creditsUsed,
});

const pictures = z.object({
  embedded: z.int().describe('Pictures embedded by the live model'),
  pending: z.int().describe('Pictures that wait for a worker'),
  failed: z.int().describe('Pictures that could not be fetched or read; send the record again to retry them'),
});
const failures = z
  .array(z.object({ image: z.string(), reason: z.string() }))
  .describe('The first 20 failed pictures, as the records name them, with the reason');

/** How far a record is visible to searches and photos (contract 15.7). */
export const statusAnswer = answer('RecordStatusAnswer', {
  id: z.string().describe('Id of the record'),
  searchable: z.boolean().describe('Whether searches and lookups find the record as a row'),
  identifiable: z.boolean().describe('Whether photos can find the record: one of its pictures is embedded'),
  pictures: pictures.describe('Pictures of the product and its variants, each address once; products only'),
  failures,
  credits_used: creditsUsed,
});

/** How far the products of a feed are visible to photos (contract 15.11). */
export const feedStatusAnswer = answer('FeedStatusAnswer', {
  id: z.string().describe('Name of the feed'),
  products: z.int().describe('Number of live products from the feed'),
  pictures: pictures.describe('Pictures of these products, each address once'),
  failures,
  credits_used: creditsUsed,
});
