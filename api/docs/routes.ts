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

const own = (file: string): string => join(__dirname, 'browser', file);

const FILES = [
  own('icon.svg'),
  require.resolve('swagger-ui-dist/swagger-ui.css'),
  own('reference.css'),
  require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  own('reference.js'),
];

const readFiles = (): Promise<Asset[]> =>
  Promise.all(FILES.map(async (path) => makeAsset(path, await readFile(path))));

function tagFor({ name }: Asset): string {
  if (name.endsWith('.svg')) return `<link rel="icon" type="image/svg+xml" href="docs/${name}">`;
  if (name.endsWith('.css')) return `<link rel="stylesheet" href="docs/${name}">`;
  return `<script defer src="docs/${name}"></script>`;
}

/** The document at `/docs`; it contains no script and no style. */
const referencePage = (files: readonly Asset[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Reference of the Loupe API: identify an item from a photo, and search the catalog.">
<title>Loupe API reference</title>
${files.map(tagFor).join('\n')}
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
