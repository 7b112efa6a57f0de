import { join } from 'node:path';
import { build, stop } from 'esbuild';
import type { Request, RequestHandler } from 'express';
import { notFound } from '../../models/errors';
import { PHOTOS_MAX } from '../../models/vision/image-input';
import { mountRoute } from '../middleware/mount-route';
import { pathParameter } from '../middleware/request-address';
import { type Asset, makeAsset, pageAt, protectPage } from '../pages';
import { type DemoOffer, isLocal, mayOfferKey } from './demo-offer';

/** `demo`: the demonstration's offer once available; absent in any other service. */
export type SiteSettings = Readonly<{ imageBytesMax: number; demo?: (() => DemoOffer | null) | undefined }>;

/**
 * The web page at `/` and its files (contract 14.4). The first request for it bundles it; a service that nobody opens in a
 * browser never does. It uses the API as any other client does, with the key of its user.
 */
export function sitePages({ imageBytesMax, demo = () => null }: SiteSettings): RequestHandler {
  const router = pageAt('/', {
    title: 'Loupe',
    description: 'Identify an item from a photo, and search the catalog.',
    folder: 'assets',
    files: bundleClient,
    body: (req) => bodyOf(imageBytesMax, demo() !== null && isLocal(req)),
    ...PROTECTION,
  });
  /** The offer of a demonstration, to its own page on its own machine; nobody else gets it. */
  const offerFor = (req: Request): DemoOffer => {
    const offer = mayOfferKey(req) ? demo() : null;
    if (!offer) throw notFound('There is nothing at this address; /openapi.json lists what there is.');
    return offer;
  };
  mountRoute(router, ['/demo/session'], {
    get: (req, res) => {
      const { key, photos } = offerFor(req);
      protectPage(res, PROTECTION);
      res.set('Cache-Control', 'no-store').json({ key, photos: photos.map((_, at) => `demo/photos/${at}`) });
    },
  });
  mountRoute(router, ['/demo/photos/:number'], {
    get: (req, res) => {
      const photo = offerFor(req).photos[Number(pathParameter(req, 'number'))];
      if (!photo) throw notFound('There is no such photo.');
      protectPage(res, PROTECTION);
      res.set('Cache-Control', 'no-cache').type('jpg').send(photo);
    },
  });
  return router;
}

/** Pictures come from wherever a catalog keeps them. */
const PROTECTION = { images: 'https: blob: data:', forms: "'self'" } as const;

/** @param demo whether this service has its own key and photos for anyone who opens the page */
const bodyOf = (imageBytesMax: number, demo: boolean): string =>
  `<div id="loupe" data-image-bytes-max="${imageBytesMax}" data-photos-max="${PHOTOS_MAX}" data-demo="${demo ? 'yes' : 'no'}"></div>
<noscript>This page needs JavaScript. Everything on it can also be asked of the API: see <a href="openapi.json">openapi.json</a>.</noscript>`;

/** A lens over a hairline frame; drawn here, since it is the only thing on the page that is neither text nor photograph. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#16150f"/><circle cx="14" cy="14" r="6.6" fill="none" stroke="#f4f2ec" stroke-width="2.2"/><path d="m19 19 6.2 6.2" stroke="#d3b06a" stroke-width="2.6" stroke-linecap="round"/></svg>`;

/** Bundles the page's TypeScript and CSS in memory, in tens of milliseconds, so that there is no build step. @throws if they do not compile */
async function bundleClient(): Promise<Asset[]> {
  const { outputFiles } = await build({
    entryPoints: [join(__dirname, 'client', 'app.tsx')],
    bundle: true,
    minify: true,
    format: 'iife',
    // Nested CSS is flattened for browsers that do not support it.
    target: ['es2022', 'chrome105', 'firefox110', 'safari15.4', 'ios15.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
    outdir: '.',
    write: false,
  });
  // The compiler's process would live as long as this one.
  await stop();
  const bundled = (extension: 'js' | 'css') => {
    const file = outputFiles.find(({ path }) => path.endsWith(`.${extension}`));
    if (!file) throw new Error(`the bundle of the page has no .${extension}`);
    return makeAsset(`loupe.${extension}`, Buffer.from(file.contents));
  };
  return [makeAsset('loupe.svg', Buffer.from(ICON)), bundled('css'), bundled('js')];
}
