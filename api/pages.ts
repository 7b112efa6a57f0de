import { createHash } from 'node:crypto';
import { parse } from 'node:path';
import { type Request, type Response, Router } from 'express';
import { notFound } from '../models/errors';
import { mountRoute } from './middleware/mount-route';
import { pathParameter } from './middleware/request-address';

/** A file of a page, named by a digest of its content, so that it may be cached forever. */
export type Asset = Readonly<{ name: string; bytes: Buffer }>;

/** @param file its name without the digest, or a path that ends with it */
export function makeAsset(file: string, bytes: Buffer): Asset {
  const { name, ext } = parse(file);
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return { name: `${name}-${digest}${ext}`, bytes };
}

export interface Page {
  readonly title: string;
  readonly description: string;
  /** The folder of its files, which are made when it is first requested, in the order in which it loads them. */
  readonly folder: string;
  readonly files: () => Promise<readonly Asset[]>;
  readonly body: (req: Request) => string;
  /** Sources of pictures besides its own service. */
  readonly images: string;
  /** Where its forms may be sent. */
  readonly forms: "'self'" | "'none'";
}

/**
 * A page at an address, and its files. Its document refers only to files of its own service, contains no script and no
 * style, and its addresses are relative, so that it also works below a path of a proxy.
 */
export function pageAt(path: string, page: Page): Router {
  const files = madeOnce(page.files);
  const router = Router();
  mountRoute(router, [path], {
    get: async (req, res) => {
      // Addresses in the page are relative to the one without a slash.
      if (path !== '/' && req.path.endsWith('/')) return void res.redirect(308, `..${path}`);
      const html = documentOf(page, await files(), page.body(req));
      protectPage(res, page);
      res.set('Cache-Control', 'no-cache').type('html').send(html);
    },
  });
  mountRoute(router, [`/${page.folder}/:file`], {
    get: async (req, res) => {
      const wanted = pathParameter(req, 'file');
      const asset = (await files()).find(({ name }) => name === wanted);
      if (!asset) throw notFound('There is no such file; the page has changed since. Load it again.');
      res.type(asset.name).set('Cache-Control', 'public, max-age=31536000, immutable').send(asset.bytes);
    },
  });
  return router;
}

/** A content security policy that allows only the page's own service, and no framing. */
export function protectPage(res: Response, { images, forms }: Pick<Page, 'images' | 'forms'>): void {
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

const documentOf = ({ title, description, folder }: Page, files: readonly Asset[], body: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
${files.map(({ name }) => tagFor(`${folder}/${name}`)).join('\n')}
</head>
<body>
${body}
</body>
</html>
`;

function tagFor(address: string): string {
  if (address.endsWith('.svg')) return `<link rel="icon" type="image/svg+xml" href="${address}">`;
  if (address.endsWith('.css')) return `<link rel="stylesheet" href="${address}">`;
  return `<script defer src="${address}"></script>`;
}

/** Caches a value on first use; a failure is retried. */
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
