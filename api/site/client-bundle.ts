import { join } from 'node:path';
import { build, stop } from 'esbuild';
import { type Asset, makeAsset } from '../pages';

/** A lens over a hairline frame; drawn here, since it is the only thing on the page that is neither text nor photograph. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#16150f"/><circle cx="14" cy="14" r="6.6" fill="none" stroke="#f4f2ec" stroke-width="2.2"/><path d="m19 19 6.2 6.2" stroke="#d3b06a" stroke-width="2.6" stroke-linecap="round"/></svg>`;

/** Bundles the page's TypeScript and CSS in memory, in tens of milliseconds, so that there is no build step. @throws if they do not compile */
export async function bundleClient(): Promise<Asset[]> {
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
