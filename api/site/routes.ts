import { type RequestHandler, type Response, Router } from 'express';
import { notFound } from '../../models/errors';
import { mountRoute } from '../middleware/mount-route';
import { pathParameter } from '../middleware/path-parameter';
import { type Asset, bundleClient, type ClientBundle } from './client-bundle';
import { type DemoOffer, isFromHere, mayHaveOffer } from './demo-offer';
import { PAGE_POLICY, page } from './page';

/** What the page depends on. */
export interface SiteSettings {
  readonly imageBytesMax: number;
  /** The demonstration's offer once there is one; absent in any other service. */
  readonly demo?: (() => DemoOffer | null) | undefined;
}

const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * The web page at `/` and its files (contract 14.4). The first request for it bundles it; a service that nobody opens in
 * a browser never does. It uses the API as any other client does, with the key of whoever sits before it.
 */
export function sitePages({ imageBytesMax, demo = () => null }: SiteSettings): RequestHandler {
  const bundle = madeOnce(bundleClient);
  const router = Router();
  mountRoute(router, ['/'], {
    get: [
      async (req, res) => {
        const offered = demo() !== null && isFromHere(req);
        const html = page(await bundle(), { imageBytesMax, demo: offered });
        protect(res);
        res.set('Cache-Control', 'no-cache').type('html').send(html);
      },
    ],
  });
  mountRoute(router, ['/assets/:file'], {
    get: [async (req, res) => sendAsset(res, assetOf(await bundle(), pathParameter(req, 'file')), req)],
  });
  mountDemo(router, demo);
  return router;
}

/** The offer of a demonstration, to its own page on its own machine; to anybody else there is none. */
function mountDemo(router: Router, demo: () => DemoOffer | null): void {
  const offerFor: (req: Parameters<RequestHandler>[0]) => DemoOffer = (req) => {
    const offer = mayHaveOffer(req) ? demo() : null;
    if (!offer) throw notFound('There is nothing at this address; /openapi.json lists what there is.');
    return offer;
  };
  mountRoute(router, ['/demo/session'], {
    get: [
      (req, res) => {
        const { key, photos } = offerFor(req);
        protect(res);
        res
          .set('Cache-Control', 'no-store')
          .json({ key, photos: photos.map((_, at) => `demo/photos/${at}`) });
      },
    ],
  });
  mountRoute(router, ['/demo/photos/:number'], {
    get: [
      (req, res) => {
        const photo = offerFor(req).photos[Number(pathParameter(req, 'number'))];
        if (!photo) throw notFound('There is no such photo.');
        protect(res);
        res.set('Cache-Control', 'no-cache').type('jpg').send(photo);
      },
    ],
  });
}

/** Nothing of the page is of use inside another site. */
function protect(res: Response): void {
  res.set({
    'Content-Security-Policy': PAGE_POLICY,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  });
}

function assetOf({ script, style, icon }: ClientBundle, name: string): Asset {
  const found = [script, style, icon].find((each) => each.name === name);
  if (!found) throw notFound('There is no such file; the page has changed since. Load it again.');
  return found;
}

function sendAsset(
  res: Response,
  { contentType, bytes, gzipped }: Asset,
  req: Parameters<RequestHandler>[0],
): void {
  protect(res);
  res.set({ 'Content-Type': contentType, 'Cache-Control': FOR_EVER, Vary: 'Accept-Encoding' });
  if (req.acceptsEncodings('gzip') === 'gzip') res.set('Content-Encoding', 'gzip').send(gzipped);
  else res.send(bytes);
}

/** Makes a thing when it is first asked for, and again only when that failed. */
function madeOnce<Thing>(make: () => Promise<Thing>): () => Promise<Thing> {
  let made: Promise<Thing> | null = null;
  return () => {
    made ??= make().catch((failure: unknown) => {
      made = null;
      throw failure;
    });
    return made;
  };
}
