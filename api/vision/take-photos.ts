import type { Request, Response } from 'express';
import type { z } from 'zod';
import { badRequest } from '../../models/errors';
import type { ImageInput } from '../../models/vision/image-input';
import { validate } from '../middleware/validate';
import { type ImageParameters, toImageInput } from '../wire/image-input';

/** How a vision body names its photos: one, or in v3 a list. */
export interface PhotoParameters extends ImageParameters {
  readonly images?: readonly ImageParameters[] | undefined;
}

/**
 * The photos of a vision call, and its other parameters. The text that a photo came in goes with the body: of the
 * largest photos it would hold 27 MB until the answer.
 *
 * @throws AppError 400 that names the parameter at fault
 */
export function takePhotos<Parameters extends PhotoParameters>(
  req: Request,
  res: Response,
  schema: z.ZodType<Parameters>,
): { readonly photos: readonly ImageInput[]; readonly parameters: Omit<Parameters, keyof PhotoParameters> } {
  const body = validate(schema, req.body);
  const { url, base64, region, images, ...parameters } = body;
  const cut = res.locals.photos ?? new Map<string, Buffer>();
  req.body = undefined;
  delete res.locals.photos;
  if (images === undefined) return { photos: [toImageInput({ url, base64, region }, cut)], parameters };
  const [beside] = Object.entries({ url, base64, region }).flatMap(([name, value]) =>
    value === undefined ? [] : name,
  );
  if (beside !== undefined) {
    throw badRequest(`${beside}: send it in "images", or one photo without "images".`, { field: beside });
  }
  return { photos: images.map((image, index) => toImageInput(image, cut, index)), parameters };
}
