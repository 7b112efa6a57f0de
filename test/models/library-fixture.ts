import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DURABLE_FILES } from '../../db/files/durable-files';
import { NO_PROGRESS } from '../../models/ports';
import type { ModelManifest } from '../../models/vision/embedding-model';
import type { AddModelOptions } from '../../workers/library/add-model';
import { addressOf, listening } from '../support/local-server';
import { POOL } from '../workers/tiny-models';

export const addOptions = (dataDir: string): AddModelOptions => ({
  dataDir,
  sha256: null,
  bytesMax: 2 ** 20,
  downloadTimeoutMs: 60_000,
  inference: POOL,
  files: DURABLE_FILES,
  progress: NO_PROGRESS,
});

export const ADDED = { models: ['tiny@1.0.0'], work: [] };
export const NOTHING = { models: [], work: [] };

/** Names in the library, and of unfinished work in it. */
export async function libraryNames(dataDir: string): Promise<{ models: string[]; work: string[] }> {
  const names = async (folder: string) => (await readdir(folder).catch(() => [])).sort();
  const models = await names(join(dataDir, 'models'));
  return {
    models: models.filter((name) => name !== '.work'),
    work: await names(join(dataDir, 'models', '.work')),
  };
}

export const filesOf = (manifest: ModelManifest): string[] =>
  ['manifest.json', ...Object.keys(manifest.digests)].sort();

export interface Faults {
  /** Cuts the connection after so many bytes of an answer; as many times as there are entries. */
  readonly cuts?: number[];
  /** After this many bytes an answer stops and stays open until its reader disconnects. */
  readonly hangsAfter?: number;
  readonly noLength?: boolean;
}

/** A web server with files, their ETags and ranges, that counts the bytes that it serves. */
export class FileServer {
  readonly served: [path: string, bytes: number][] = [];
  readonly files = new Map<string, Buffer>();
  readonly redirects = new Map<string, string>();
  faults: Faults = {};
  readonly #server = createServer((request, response) => this.#answer(request, response));

  static async start(): Promise<FileServer> {
    const server = new FileServer();
    await listening(server.#server);
    return server;
  }

  url(path: string): string {
    return `http://${addressOf(this.#server)}/${path}`;
  }

  hanging(): Promise<unknown> {
    return once(this.#server, 'hangs');
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '/').slice(1);
    const location = this.redirects.get(path);
    if (location !== undefined) return void response.writeHead(302, { location }).end();
    const file = this.files.get(path);
    if (!file) return void response.writeHead(404).end();
    const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const body = file.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      etag: `"${createHash('sha256').update(file).digest('hex')}"`,
      ...(this.faults.noLength ? {} : { 'content-length': body.length }),
      ...(from > 0 ? { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` } : {}),
    });
    const cut = this.faults.cuts?.shift();
    const end = Math.min(cut ?? body.length, this.faults.hangsAfter ?? body.length, body.length);
    this.served.push([path, end]);
    if (end === body.length) return void response.end(body);
    response.write(body.subarray(0, end), () => {
      if (cut !== undefined) response.destroy();
      else this.#server.emit('hangs');
    });
  }
}
