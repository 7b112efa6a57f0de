import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type IRouter, Router } from 'express';
import { mountRoute } from '../middleware/mount-route';
import { type Asset, madeOnce, makeAsset, protectPage, sendAsset } from '../pages';

/** The reference at `/docs` (contract 14.4): Swagger UI over `/openapi.json`. Its files are read when first asked for. */
export function mountDocs(app: IRouter): void {
  const files = madeOnce(readFiles);
  const router = Router();
  mountRoute(router, ['/docs'], {
    get: async (req, res) => {
      // Addresses in the page are relative to the one without a slash, even below a path of a proxy.
      if (req.path.endsWith('/')) return void res.redirect(308, '../docs');
      const html = referencePage(await files());
      // The style sheet contains its icons.
      protectPage(res, 'data:', "'none'");
      res.set('Cache-Control', 'no-cache').type('html').send(html);
    },
  });
  mountRoute(router, ['/docs/:file'], { get: async (req, res) => sendAsset(req, res, await files()) });
  app.use(router);
}

/** In the order in which the page loads them. */
function readFiles(): Promise<Asset[]> {
  const own = (file: string) => readFile(join(__dirname, 'browser', file));
  return Promise.all([
    own('icon.svg').then((bytes) => makeAsset('icon', 'svg', bytes)),
    readFile(require.resolve('swagger-ui-dist/swagger-ui.css')).then((bytes) =>
      makeAsset('swagger-ui', 'css', bytes),
    ),
    own('reference.css').then((bytes) => makeAsset('reference', 'css', bytes)),
    readFile(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')).then((bytes) =>
      makeAsset('swagger-ui', 'js', bytes),
    ),
    own('reference.js').then((bytes) => makeAsset('reference', 'js', bytes)),
  ]);
}

const TAGS = {
  svg: (address: string) => `<link rel="icon" type="image/svg+xml" href="${address}">`,
  css: (address: string) => `<link rel="stylesheet" href="${address}">`,
  js: (address: string) => `<script defer src="${address}"></script>`,
};

/** The document at `/docs`; it contains no script and no style. */
const referencePage = (files: readonly Asset[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Reference of the Loupe API: identify an item from a photo, and search the catalog.">
<title>Loupe API reference</title>
${files.map(({ name, extension }) => TAGS[extension](`docs/${name}`)).join('\n')}
</head>
<body>
<header class="bar">
<a class="home" href="./">Loupe</a>
<span>API reference</span>
<a class="document" href="openapi.json">openapi.json</a>
</header>
<main id="reference" tabindex="-1"><p class="loading">Loading the reference …</p></main>
<noscript>The reference needs JavaScript; <a href="openapi.json">openapi.json</a> holds all of it.</noscript>
</body>
</html>
`;
