import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type IRouter, Router } from 'express';
import { mountRoute } from '../middleware/mount-route';
import { madeOnce, makeAsset, protectPage, sendAsset } from '../pages';
import { type ReferenceFiles, referencePage } from './reference-page';

/**
 * The readable reference at `/docs` (contract 14.4): Swagger UI over `/openapi.json`, with an index that can be searched.
 * Everything comes from this service; a process of which nobody asks for it reads no file of it.
 */
export function mountDocs(app: IRouter): void {
  const files = madeOnce(readFiles);
  const router = Router();
  mountRoute(router, ['/docs'], {
    get: async (req, res) => {
      // Addresses in the page are relative to the one without a slash, also below a path of a proxy.
      if (req.path.endsWith('/')) return void res.redirect(308, '../docs');
      const html = referencePage(await files());
      // The style sheet holds its icons.
      protectPage(res, 'data:', "'none'");
      res.set('Cache-Control', 'no-cache').type('html').send(html);
    },
  });
  mountRoute(router, ['/docs/:file'], {
    get: async (req, res) => sendAsset(req, res, Object.values(await files())),
  });
  app.use(router);
}

async function readFiles(): Promise<ReferenceFiles> {
  const own = (file: string) => readFile(join(__dirname, 'browser', file));
  return {
    library: await makeAsset(
      'swagger-ui',
      'js',
      await readFile(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
    ),
    libraryStyle: await makeAsset(
      'swagger-ui',
      'css',
      await readFile(require.resolve('swagger-ui-dist/swagger-ui.css')),
    ),
    script: await makeAsset('reference', 'js', await own('reference.js')),
    style: await makeAsset('reference', 'css', await own('reference.css')),
    icon: await makeAsset('icon', 'svg', await own('icon.svg')),
  };
}
