import { type Request, type RequestHandler, type Response, Router } from 'express';
import { notFound } from '../../models/errors';
import { PHOTOS_MAX } from '../../models/vision/image-input';
import { mountRoute } from '../middleware/mount-route';
import { pathParameter } from '../middleware/request-address';
import { madeOnce, protectPage, sendAsset } from '../pages';
import { bundleClient, type ClientBundle } from './client-bundle';
import { type DemoOffer, isFromHere, mayHaveOffer } from './demo-offer';

export interface SiteSettings {
  readonly imageBytesMax: number;
  /** The demonstration's offer once available; absent in any other service. */
  readonly demo?: (() => DemoOffer | null) | undefined;
}

/**
 * The web page at `/` and its files (contract 14.4). The first request for it bundles it; a service that nobody opens in a
 * browser never does. It uses the API as any other client does, with the key of its user.
 */
export function sitePages({ imageBytesMax, demo = () => null }: SiteSettings): RequestHandler {
  const bundle = madeOnce(bundleClient);
  const router = Router();
  mountRoute(router, ['/'], {
    get: async (req, res) => {
      const offered = demo() !== null && isFromHere(req);
      const html = page(await bundle(), imageBytesMax, offered);
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

/** The offer of a demonstration, to its own page on its own machine; nobody else gets it. */
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

/**
 * The document at `/`. It refers only to files of its own service, contains no script and no style, and its addresses are
 * relative, so that it also works below a path of a proxy.
 *
 * @param demo whether this service has its own key and photos for anyone who opens the page
 */
const page = (
  { script, style, icon }: ClientBundle,
  imageBytesMax: number,
  demo: boolean,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Identify an item from a photo, and search the catalog.">
<title>Loupe</title>
<link rel="icon" type="image/svg+xml" href="assets/${icon.name}">
<link rel="stylesheet" href="assets/${style.name}">
<script type="module" src="assets/${script.name}"></script>
</head>
<body>
<div id="loupe" data-image-bytes-max="${imageBytesMax}" data-photos-max="${PHOTOS_MAX}" data-demo="${demo ? 'yes' : 'no'}"></div>
<noscript>This page needs JavaScript. Everything on it can also be asked of the API: see <a href="openapi.json">openapi.json</a>.</noscript>
</body>
</html>
`;
