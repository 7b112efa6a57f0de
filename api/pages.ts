import { createHash } from 'node:crypto';
import { parse } from 'node:path';
import type { Request, Response } from 'express';
import { notFound } from '../models/errors';
import { pathParameter } from './middleware/request-address';

/** A file that a page loads, under a name that changes with its content, so that it may be cached forever. */
export interface Asset {
  readonly name: string;
  readonly bytes: Buffer;
}

/** @param file its name without the digest, or a path that ends with it */
export function makeAsset(file: string, bytes: Buffer): Asset {
  const { name, ext } = parse(file);
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return { name: `${name}-${digest}${ext}`, bytes };
}

/** Sends the asset named by the address. @throws AppError 404 when it is none of these */
export function sendAsset(req: Request, res: Response, assets: readonly Asset[]): void {
  const wanted = pathParameter(req, 'file');
  const asset = assets.find(({ name }) => name === wanted);
  if (!asset) throw notFound('There is no such file; the page has changed since. Load it again.');
  res.type(asset.name).set('Cache-Control', 'public, max-age=31536000, immutable').send(asset.bytes);
}

/** Lets a page load, run and call its own service alone, never in a frame. @param images further sources of pictures @param forms where its forms may be sent */
export function protectPage(res: Response, images: string, forms: "'self'" | "'none'"): void {
  res.set({
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      `img-src 'self' ${images}`,
      "base-uri 'none'",
      `form-action ${forms}`,
      "frame-ancestors 'none'",
    ].join('; '),
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  });
}

/** Makes a value when it is first requested, and again only if that failed. */
export function madeOnce<Thing>(make: () => Promise<Thing>): () => Promise<Thing> {
  let made: Promise<Thing> | null = null;
  return () => {
    made ??= make().catch((failure: unknown) => {
      made = null;
      throw failure;
    });
    return made;
  };
}
