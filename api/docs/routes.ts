import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { makeAsset, pageAt } from '../pages';

const own = (file: string): string => join(__dirname, 'browser', file);
const FILES = [
  own('icon.svg'),
  require.resolve('swagger-ui-dist/swagger-ui.css'),
  own('reference.css'),
  require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  own('reference.js'),
];

/** The reference at `/docs` (contract 14.4): Swagger UI over `/openapi.json`. */
export const docsPage = (): RequestHandler =>
  pageAt('/docs', {
    title: 'Loupe API reference',
    description: 'Reference of the Loupe API: identify an item from a photo, and search the catalog.',
    folder: 'docs',
    files: () => Promise.all(FILES.map(async (path) => makeAsset(path, await readFile(path)))),
    body: () => `<header class="bar">
<a class="home" href="./">Loupe</a>
<span>API reference</span>
<a class="document" href="openapi.json">openapi.json</a>
</header>
<main id="reference" tabindex="-1"><p class="loading">Loading the reference …</p></main>
<noscript>The reference needs JavaScript; <a href="openapi.json">openapi.json</a> holds all of it.</noscript>`,
    // The style sheet contains its icons.
    images: 'data:',
    forms: "'none'",
  });
