import type { RequestHandler } from 'express';
import { notFound } from '../../models/errors';
import type { ApiServices } from '../api-services';
import { pathParameter } from '../http/path-parameter';

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
    res.set({
      'Content-Type': CONTENT_TYPES[extension ?? ''] ?? 'application/octet-stream',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      ETag: `"${digest}"`,
    });
    res.send(bytes);
  };
}
