import { type IRouter, Router } from 'express';
import { notFound } from '../../models/errors';
import { mountRoute } from '../middleware/mount-route';
import { pathParameter } from '../middleware/path-parameter';
import { type ReferenceFile, readReferenceFiles } from './reference-files';
import { REFERENCE_POLICY, referencePage } from './reference-page';

/**
 * The readable reference at `/docs` (contract 14.4): Swagger UI over `/openapi.json`, with an index that can be searched.
 * Everything comes from this service; a process of which nobody asks for it reads no file of it.
 */
export function mountDocs(app: IRouter): void {
  const files = readOnce(readReferenceFiles);
  const router = Router();
  mountRoute(router, ['/docs'], {
    get: [
      async (req, res) => {
        // Addresses in the page are relative to the one without a slash, also below a path of a proxy.
        if (req.path.endsWith('/')) return void res.redirect(308, '../docs');
        res.set({
          'Content-Security-Policy': REFERENCE_POLICY,
          'Cross-Origin-Resource-Policy': 'same-origin',
        });
        res
          .set('Cache-Control', 'no-cache')
          .type('html')
          .send(referencePage(await files()));
      },
    ],
  });
  mountRoute(router, ['/docs/:file'], {
    get: [
      async (req, res) => {
        const { contentType, bytes, gzipped } = named(await files(), pathParameter(req, 'file'));
        res.set({ 'Content-Type': contentType, 'Cache-Control': FOR_EVER, Vary: 'Accept-Encoding' });
        if (req.acceptsEncodings('gzip') === 'gzip') res.set('Content-Encoding', 'gzip').send(gzipped);
        else res.send(bytes);
      },
    ],
  });
  app.use(router);
}

/** A file's name holds the hash of its content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

function named(files: Readonly<Record<string, ReferenceFile>>, name: string): ReferenceFile {
  const found = Object.values(files).find((file) => file.name === name);
  if (!found) throw notFound('There is no such file; the reference has changed since. Load it again.');
  return found;
}

/** Reads when first asked, and again only when that failed. */
function readOnce<Thing>(read: () => Promise<Thing>): () => Promise<Thing> {
  let reading: Promise<Thing> | null = null;
  return () => {
    reading ??= read().catch((failure: unknown) => {
      reading = null;
      throw failure;
    });
    return reading;
  };
}
