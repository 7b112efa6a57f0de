import type { RequestHandler } from 'express';
import { notFound } from '../../models/errors';
import type { ApiServices } from '../api-services';
import { pathParameter } from '../middleware/path-parameter';

const NAME = /^([0-9a-f]{64})\.(jpg|png|webp)$/;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
};

/**
 * A stored catalog image, byte for byte. Its address is the hash of its content, so it never changes and may be kept
 * for ever.
 */
export function sendImage({ images }: ApiServices): RequestHandler {
  return async (req, res) => {
    const file = pathParameter(req, 'file');
    const [, digest, extension] = NAME.exec(file) ?? [];
    const bytes = digest === undefined ? null : await images.get(`/images/${file}`);
    if (bytes === null) throw notFound('There is no image at this address.');
    const tag = `"${digest}"`;
    res.set({
      'Content-Type': CONTENT_TYPES[extension ?? ''] ?? 'application/octet-stream',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      ETag: tag,
    });
    // Not left to Express, which would send the image again to a client that asks for a fresh copy: there is none.
    if (isKnown(tag, req.get('If-None-Match'))) res.status(304).end();
    else res.send(bytes);
  };
}

/** Whether a client holds the image already (RFC 9110, If-None-Match). */
const isKnown = (tag: string, held = ''): boolean =>
  held.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')));
