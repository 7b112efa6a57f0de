import { z } from 'zod';
import { answer, part } from '../wire/shared';

const creditsUsed = z.literal(0).describe('Writing is free');

const outcome = part('RecordOutcome', {
  line: z.int().describe('Number of the line in the body, from 1'),
  id: z.string().nullable().describe('Id of the record; null for prices, or if it can not be read'),
  status: z.enum(['accepted', 'rejected']).describe('Whether the record stands as it was sent'),
  field: z.string().optional().describe('Of a rejected one: the field at fault; `line` is the line itself'),
  reason: z.string().optional().describe('Of a rejected one: what is wrong with it'),
});

/** The outcome of each line of a call (contract 15.3). */
export const recordsAnswer = answer('RecordsAnswer', {
  accepted: z.int().describe('Lines whose records stand'),
  rejected: z.int().describe('The other lines'),
  credits_used: creditsUsed,
  data: z.array(outcome).describe('One for each line that is not blank, in order'),
});

/** The answer to a deletion (contract 15.6). */
export const deletionAnswer = answer('DeletionAnswer', {
  id: z.string().describe('The record that is gone'),
  deleted: z.literal(true).describe('It is no row of the catalog any more'),
  credits_used: creditsUsed,
});

/** A stored picture (contract 15.9). */
export const imageAnswer = answer('ImageAnswer', {
  url: z.string().describe('Address of the picture, for the `images` of a record'),
  thumbnail: z.string().describe('Address of its thumbnail, a JPEG of 320 pixels at most'),
  width: z.int().describe('Pixels, upright'),
  height: z.int().describe('Pixels, upright'),
  credits_used: creditsUsed,
});

const read = z.looseObject({ id: z.string() }).describe('The whole record');

/** A record as the line that writes it (contract 15.10). */
export const recordAnswer = answer('RecordAnswer', {
  data: z
    .array(z.object({ products: read.optional(), entities: read.optional(), categories: read.optional() }))
    .describe('One line of a body of records, under the name of its file'),
  credits_used: creditsUsed,
});

const pictures = z.object({
  embedded: z.int().describe('The live model knows them'),
  pending: z.int().describe('They wait for a worker'),
  failed: z.int().describe('They could not be fetched or read; send the record again to try them again'),
});
const failures = z
  .array(z.object({ image: z.string(), reason: z.string() }))
  .describe('The first 20 pictures that failed, as the records name them, each with the reason');

/** How far a record is visible to searches and photos (contract 15.7). */
export const statusAnswer = answer('RecordStatusAnswer', {
  id: z.string().describe('The record'),
  searchable: z.boolean().describe('Whether searches and lookups find it as a row'),
  identifiable: z.boolean().describe('Whether a photo can be answered with it: a picture of it is embedded'),
  pictures: pictures.describe('Its own pictures and those of its variants, each address once; products only'),
  failures,
  credits_used: creditsUsed,
});

/** How far the products of a feed are visible to photos (contract 15.11). */
export const feedStatusAnswer = answer('FeedStatusAnswer', {
  id: z.string().describe('The name of the feed'),
  products: z.int().describe('Live products that came from it'),
  pictures: pictures.describe('Pictures of these products, each address once'),
  failures,
  credits_used: creditsUsed,
});
