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
 * The body of a vision call, and the photos that were cut out of it. The text that a photo came in goes with the request:
 * of the largest photos it would hold 27 MB until the answer.
 *
 * @throws AppError 400 that names the parameter at fault
 */
export function takeBody<Body>(
  req: Request,
  res: Response,
  schema: z.ZodType<Body>,
): { readonly body: Body; readonly cut: ReadonlyMap<string, Buffer> } {
  const body = validate(schema, req.body);
  const cut = res.locals.photos ?? new Map<string, Buffer>();
  req.body = undefined;
  delete res.locals.photos;
  return { body, cut };
}

/**
 * The photos that a body names, and its other parameters.
 *
 * @param cut photos that were taken out of the body
 * @param at path of what names them, with a dot at its end, where that is not the body itself
 * @throws AppError 400 that names the parameter at fault
 */
export function photosOf<Parameters extends PhotoParameters>(
  { url, base64, region, images, ...parameters }: Parameters,
  cut: ReadonlyMap<string, Buffer>,
  at = '',
): { readonly photos: readonly ImageInput[]; readonly parameters: Omit<Parameters, keyof PhotoParameters> } {
  if (images === undefined) return { photos: [toImageInput({ url, base64, region }, cut, at)], parameters };
  const [beside] = Object.entries({ url, base64, region }).flatMap(([name, value]) =>
    value === undefined ? [] : name,
  );
  if (beside !== undefined) {
    const message = `${at}${beside}: send it in "images", or one photo without "images".`;
    throw badRequest(message, { field: `${at}${beside}` });
  }
  return { photos: images.map((image, index) => toImageInput(image, cut, at, index)), parameters };
}

/** The photos of a body that is nothing but one vision call; see `takeBody` and `photosOf`. */
export function takePhotos<Parameters extends PhotoParameters>(
  req: Request,
  res: Response,
  schema: z.ZodType<Parameters>,
): ReturnType<typeof photosOf<Parameters>> {
  const { body, cut } = takeBody(req, res, schema);
  return photosOf(body, cut);
}
