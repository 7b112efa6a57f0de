import { type Request, type RequestHandler, type Response, Router } from 'express';
import { notFound } from '../../models/errors';
import { mountRoute } from '../middleware/mount-route';
import { pathParameter } from '../middleware/request-address';
import { madeOnce, protectPage, sendAsset } from '../pages';
import { bundleClient } from './client-bundle';
import { type DemoOffer, isFromHere, mayHaveOffer } from './demo-offer';
import { page } from './page';

/** What the page depends on. */
export interface SiteSettings {
  readonly imageBytesMax: number;
  /** The demonstration's offer once there is one; absent in any other service. */
  readonly demo?: (() => DemoOffer | null) | undefined;
}

/**
 * The web page at `/` and its files (contract 14.4). The first request for it bundles it; a service that nobody opens in
 * a browser never does. It uses the API as any other client does, with the key of anyone who sits before it.
 */
export function sitePages({ imageBytesMax, demo = () => null }: SiteSettings): RequestHandler {
  const bundle = madeOnce(bundleClient);
  const router = Router();
  mountRoute(router, ['/'], {
    get: async (req, res) => {
      const offered = demo() !== null && isFromHere(req);
      const html = page(await bundle(), { imageBytesMax, demo: offered });
      protect(res);
      res.set('Cache-Control', 'no-cache').type('html').send(html);
    },
  });
  mountRoute(router, ['/assets/:file'], {
    get: async (req, res) => {
      protect(res);
      sendAsset(req, res, Object.values(await bundle()));
    },
  });
  mountDemo(router, demo);
  return router;
}

/** The offer of a demonstration, to its own page on its own machine; to anybody else there is none. */
function mountDemo(router: Router, demo: () => DemoOffer | null): void {
  const offerFor = (req: Request): DemoOffer => {
    const offer = mayHaveOffer(req) ? demo() : null;
    if (!offer) throw notFound('There is nothing at this address; /openapi.json lists what there is.');
    return offer;
  };
  mountRoute(router, ['/demo/session'], {
    get: (req, res) => {
      const { key, photos } = offerFor(req);
      protect(res);
      res.set('Cache-Control', 'no-store').json({ key, photos: photos.map((_, at) => `demo/photos/${at}`) });
    },
  });
  mountRoute(router, ['/demo/photos/:number'], {
    get: (req, res) => {
      const photo = offerFor(req).photos[Number(pathParameter(req, 'number'))];
      if (!photo) throw notFound('There is no such photo.');
      protect(res);
      res.set('Cache-Control', 'no-cache').type('jpg').send(photo);
    },
  });
}

/** Pictures come from wherever a catalog keeps them. */
const protect = (res: Response): void => protectPage(res, 'https: blob: data:', "'self'");
