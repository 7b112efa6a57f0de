import { z } from 'zod';
import { PHOTOS_MAX } from '../../models/vision/image-input';
import { JOB_ENTRIES_MAX } from '../../models/vision/jobs/vision-job';
import { type ExtractedPhotos, photosOf } from '../wire/photos';
import { body, having, INPUT } from '../wire/shared';
import { filters, includes, toFilter } from './schema';

/** Tolerance for sums of fractions. */
const ROUNDING = 1e-9;

const fraction = (of: string) => z.number().min(0).max(1).describe(of);

/** The part of a photo to look at (contract 7.15). */
const region = z
  .strictObject({
    x: fraction('Left edge, from the left of the photo'),
    y: fraction('Upper edge, from the top of the photo'),
    width: fraction('Width'),
    height: fraction('Height'),
  })
  .superRefine(({ x, y, width, height }, context) => {
    const fault = (field: string) =>
      context.addIssue({ code: 'custom', path: [field], message: 'the region ends outside of the photo' });
    if (x + width > 1 + ROUNDING) fault('width');
    if (y + height > 1 + ROUNDING) fault('height');
  })
  .describe('Part of the upright photo, in fractions of its sides; at least 16 pixels on each side')
  .register(INPUT, { id: 'Region' });

const photo = {
  url: z.string().optional().describe('Public http(s) address of the photo; takes precedence over `base64`'),
  base64: z.string().optional().describe('The photo as base64 or data URI: JPEG, PNG or WebP'),
  region: region.optional(),
};

export const photoBody = z
  .strictObject(photo)
  .meta({ description: 'Either `url` or `base64`', if: having('url'), else: having('base64') })
  .register(INPUT, { id: 'Photo' });

/** `images` in place of one photo (contract 7.14). */
const PHOTOS = {
  description: 'One photo as `url` or `base64`; or several as `images`, without `url`, `base64` and `region`',
  if: having('images'),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { not: { anyOf: Object.keys(photo).map((name) => having(name)) } },
  else: { anyOf: [having('url'), having('base64')] },
};

const item = z.strictObject({
  ...photo,
  images: z
    .array(photoBody)
    .min(1)
    .max(PHOTOS_MAX)
    .optional()
    .describe('Photos of one item from several sides, instead of `url` or `base64`'),
  category_id: z.string().optional().describe('Slug or name of the category of the item'),
  filters,
  min_confidence: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Confidence that the best row needs for an answer, 0 to 1; default: the floor of the service'),
  explain: z.boolean().default(false).describe('Whether each row has `evidence`'),
});

export const identifyBody = item.extend({ includes }).meta(PHOTOS).register(INPUT, { id: 'IdentifyRequest' });

/** Body of `POST /v3/vision/jobs` (contract 16.1). */
const jobPhotos = item.meta(PHOTOS).register(INPUT, { id: 'JobPhotos' });

export const jobBody = body('JobRequest', {
  entries: z.array(jobPhotos).min(1).max(JOB_ENTRIES_MAX).describe('One identification per entry'),
  includes,
});

/**
 * The request of a body, or of an entry of a job, about its photos.
 * @param cut photos that were cut out of the body
 * @param at path of the entry, with a dot at its end
 * @throws AppError 400 that names the photo at fault
 */
export function toIdentification(input: z.output<typeof item>, extracted: ExtractedPhotos, at = '') {
  const photos = photosOf(input, extracted, at);
  const { category_id: category = null, explain, min_confidence: minConfidence = null } = input;
  return { photos, category, filters: input.filters.map(toFilter), explain, minConfidence };
}

const COMMENT_LENGTH_MAX = 2000;

export const feedbackBody = body('Feedback', {
  correct_id: z.string().nullable().describe('The product that the photos show; null: not in the catalog'),
  comment: z.string().max(COMMENT_LENGTH_MAX).optional().describe('A note for the reviewer of the feedback'),
});
