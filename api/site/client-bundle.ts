import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, stop } from 'esbuild';

/** A file of the page under a name that changes with its content, so that it may be kept for ever. */
export interface Asset {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

/** Everything that the page loads from here. */
export interface ClientBundle {
  readonly script: Asset;
  readonly style: Asset;
  readonly icon: Asset;
}

/** A lens over a hairline frame; drawn here, since it is all that the page shows that is no text and no photograph. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#16150f"/><circle cx="14" cy="14" r="6.6" fill="none" stroke="#f4f2ec" stroke-width="2.2"/><path d="m19 19 6.2 6.2" stroke="#d3b06a" stroke-width="2.6" stroke-linecap="round"/></svg>`;

/**
 * Bundles the page's TypeScript and CSS in memory, in some tens of milliseconds: there is no build step for whoever runs
 * the service, and nothing is written.
 *
 * @throws when the sources do not compile, which a test would have told
 */
export async function bundleClient(): Promise<ClientBundle> {
  const { outputFiles } = await build({
    entryPoints: [join(__dirname, 'client', 'main.tsx')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
    outdir: '.',
    write: false,
  });
  // The compiler's process is of no use any more, and would live as long as this one.
  await stop();
  const text = (extension: string) => {
    const file = outputFiles.find(({ path }) => basename(path).endsWith(extension));
    if (!file) throw new Error(`the bundle of the page has no ${extension}`);
    return Buffer.from(file.contents);
  };
  return {
    script: asset('js', 'text/javascript; charset=utf-8', text('.js')),
    style: asset('css', 'text/css; charset=utf-8', text('.css')),
    icon: asset('svg', 'image/svg+xml', Buffer.from(ICON)),
  };
}

function asset(extension: string, contentType: string, bytes: Buffer): Asset {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return { name: `loupe-${digest}.${extension}`, contentType, bytes, gzipped: gzipSync(bytes) };
}
