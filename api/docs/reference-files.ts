import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the reference, under a name that changes with its content. */
export interface ReferenceFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

const own = (file: string) => join(__dirname, 'browser', file);

const SOURCES = {
  library: ['swagger-ui.js', () => require.resolve('swagger-ui-dist/swagger-ui-bundle.js')],
  libraryStyle: ['swagger-ui.css', () => require.resolve('swagger-ui-dist/swagger-ui.css')],
  script: ['reference.js', () => own('reference.js')],
  style: ['reference.css', () => own('reference.css')],
  icon: ['icon.svg', () => own('icon.svg')],
} as const;

export type ReferenceFiles = Readonly<Record<keyof typeof SOURCES, ReferenceFile>>;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The files that the reference is made of: Swagger UI as it is published, and what this service adds to it. */
export async function readReferenceFiles(): Promise<ReferenceFiles> {
  const entries = await Promise.all(
    Object.entries(SOURCES).map(async ([key, [name, path]]) => [key, await readOne(name, path())] as const),
  );
  return Object.fromEntries(entries) as ReferenceFiles;
}

async function readOne(name: string, path: string): Promise<ReferenceFile> {
  const bytes = await readFile(path);
  const [stem = '', extension = ''] = name.split(/\.(?=[a-z]+$)/);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return {
    name: `${stem}-${hash}.${extension}`,
    contentType: CONTENT_TYPES[extension] ?? 'application/octet-stream',
    bytes,
    gzipped: await promisify(gzip)(bytes),
  };
}
