import { pipeline } from 'node:stream/promises';
import type { RequestHandler } from 'express';
import { IMAGE_NAME, IMAGE_TYPES, type ImageExtension } from '../../models/catalog/item';
import { notFound } from '../../models/errors';
import type { ImageStore } from '../../models/ports';
import type { ApiServices } from '../api-services';
import type { AnswerMemory } from '../middleware/answer-memory';
import { pathParameter } from '../middleware/request-address';

/** How much of an image is in transit at a time. */
const BYTES_AT_ONCE = 32 * 1024;

/** Sends a stored catalog image as the client reads it. Its address is the hash of its content, so it may be cached forever. */
export function sendImage({ images }: ApiServices, answers: AnswerMemory): RequestHandler {
  return async (req, res) => {
    await answers.hold(res, BYTES_AT_ONCE);
    const file = pathParameter(req, 'file');
    const [, digest, extension] = IMAGE_NAME.exec(file) ?? [];
    const tag = `"${digest}"`;
    // Express would send it again for `Cache-Control: no-cache`, although content never changes.
    const known = isKnown(tag, req.get('If-None-Match'));
    const address = `/images/${file}`;
    const image = digest === undefined ? null : await found(images, address, !known && req.method !== 'HEAD');
    if (image === null) throw notFound('There is no image at this address.');
    res.set({
      'Content-Type': IMAGE_TYPES[extension as ImageExtension],
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      ETag: tag,
    });
    if (known) return void res.status(304).end();
    res.set('Content-Length', String(image.bytes));
    if (image.content === null) res.end();
    else await pipeline(image.content, res);
  };
}

/** An image, with its content if that is wanted; null if there is no image. */
async function found(images: ImageStore, address: string, wanted: boolean) {
  if (wanted) return images.open(address);
  const bytes = await images.size(address);
  return bytes === null ? null : { bytes, content: null };
}

/** Whether a client holds the image already (RFC 9110, If-None-Match). */
const isKnown = (tag: string, held = ''): boolean =>
  held.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')));
