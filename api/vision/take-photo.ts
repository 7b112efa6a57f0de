import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { ImageInput } from '../../models/vision/image-input';
import { STAND_IN } from '../middleware/cut-photo';
import { validate } from '../middleware/validate';
import { type ImageParameters, toImageInput } from '../wire/image-input';

/**
 * The photo of a vision call, and its other parameters. The text that the photo came in goes with the body: of the
 * largest photos it would hold 27 MB until the answer.
 *
 * @throws AppError 400 that names the parameter at fault
 */
export function takePhoto<Parameters extends ImageParameters>(
  req: Request,
  res: Response,
  schema: z.ZodType<Parameters>,
): { readonly image: ImageInput; readonly parameters: Omit<Parameters, keyof ImageParameters> } {
  const body = validate(schema, req.body);
  const { url, base64, ...parameters } = body;
  const { photo } = res.locals;
  req.body = undefined;
  delete res.locals.photo;
  const wasCut = photo !== undefined && typeof url !== 'string' && base64 === STAND_IN;
  return { image: wasCut ? { kind: 'bytes', bytes: photo } : toImageInput({ url, base64 }), parameters };
}
